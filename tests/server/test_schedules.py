"""Turns by the clock: killed at any moment, and with clocks that jump, a slot runs once."""
import os
import random
import time
import unittest
from datetime import datetime, timezone

from client import Client
from scene import Clock
from server import Server

KILLS = int(os.environ.get("PERDURE_CYCLES", "20")) // 2
SEED = os.environ.get("PERDURE_SEED", "1")
AWAIT_S = 60


def moved_to(text):
    """An environment in which it is this instant now."""
    ahead = datetime.fromisoformat(text).replace(tzinfo=timezone.utc) - datetime.now(timezone.utc)
    return {"PERDURE_CLOCK_OFFSET_MS": str(int(ahead.total_seconds()) * 1000)}


def seconds(instant):
    return datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()


class Schedules(unittest.TestCase):
    def client(self, server):
        return Client(server.port, server.token())

    def make(self, client, **more):
        return client.ask("POST", "/v1/schedules", {"name": "n", "prompt": "say x", **more})["id"]

    def runs(self, client, schedule):
        """Oldest first."""
        found, page = [], ""
        while page is not None:
            answer = client.ask("GET", f"/v1/schedules/{schedule}/runs?limit=100"
                                + (f"&page={page}" if page else ""))
            found += answer["data"]
            page = answer["next_page"]
        return found[::-1]

    def slots(self, client, schedule):
        """Of the triggers in the log of its session."""
        return [event["slot"] for event in client.events(f"schedule:{schedule}")
                if event["type"] == "schedule.fired"]

    def await_that(self, question, what):
        until = time.monotonic() + AWAIT_S
        while not question():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.05)

    def test_H3e_H3f_H3g_H3j_H3n_M5c_a_slot_runs_once_however_often_it_is_killed(self):
        chance = random.Random(SEED)
        with Server() as server:
            server.start()
            schedule = self.make(self.client(server), rule={"type": "every", "every_ms": 1000},
                                 missed={"type": "all", "limit": 100})
            for _ in range(KILLS):
                time.sleep(chance.uniform(0.1, 1.2))
                server.kill()
                server.start()
            client = self.client(server)
            time.sleep(2)
            client.ask("POST", f"/v1/schedules/{schedule}/pause")
            self.await_that(lambda: not client.ask("GET", f"/v1/schedules/{schedule}")["open_run_id"],
                            "the last run ends")
            slots = self.slots(client, schedule)
            times = [seconds(slot) for slot in slots]
            self.assertEqual(len(set(slots)), len(slots), "a slot ran twice")
            self.assertGreater(len(slots), 3)
            self.assertEqual([later - earlier for earlier, later in zip(times, times[1:])],
                             [1.0] * (len(times) - 1), "none is left out, and they run in order")
            runs = self.runs(client, schedule)
            self.assertEqual([run["slot"] for run in runs], slots)
            self.assertEqual({run["status"] for run in runs}, {"completed"})
            self.assertEqual(server.stop(), 0)
            self.assertEqual(server.check()[0], 0)

    def test_H3a_H3i_a_clock_that_jumps_while_it_is_away(self):
        with Server() as server:
            server.start(moved_to("2027-02-01T10:30:00"))
            schedule = self.make(self.client(server), rule={"type": "cron", "expression": "0 * * * *"})
            server.kill()
            server.start(moved_to("2027-02-04T05:30:00"))
            client = self.client(server)
            self.await_that(lambda: [run["status"] for run in self.runs(client, schedule)] == ["completed"],
                            "what was missed is made up for, once")
            self.assertEqual(self.slots(client, schedule), ["2027-02-04T05:00:00Z"])
            server.kill()
            server.start(moved_to("2027-02-01T10:59:58"))  # and back again
            client = self.client(server)
            self.await_that(lambda: len(self.slots(client, schedule)) == 2, "it goes on by the clock")
            self.assertEqual(self.slots(client, schedule)[1], "2027-02-01T11:00:00Z")
            server.kill()
            server.start(moved_to("2027-02-04T04:59:58"))
            client = self.client(server)
            self.await_that(lambda: client.ask("GET", f"/v1/schedules/{schedule}")["next_run_at"]
                            == "2027-02-04T06:00:00Z", "the slot that ran is passed over")
            self.assertEqual(self.slots(client, schedule).count("2027-02-04T05:00:00Z"), 1)

    def test_H3b_H3c_the_hour_that_is_left_out_and_the_one_that_comes_twice(self):
        for now, slot in (("2027-03-28T00:59:57", "2027-03-28T01:00:00Z"),   # 02:30 does not exist
                          ("2027-10-31T00:29:57", "2027-10-31T00:30:00Z")):  # the first of two
            with self.subTest(now), Server() as server:
                server.start(moved_to(now))
                client = self.client(server)
                schedule = self.make(client, rule={"type": "cron", "expression": "30 2 * * *",
                                                   "time_zone": "Europe/Berlin"})
                self.assertEqual(client.ask("GET", f"/v1/schedules/{schedule}")["next_run_at"], slot)
                self.await_that(lambda: [run["status"] for run in self.runs(client, schedule)]
                                == ["completed"], "it runs")
                self.assertEqual(self.slots(client, schedule), [slot])
                self.assertNotIn(slot[:10], client.ask("GET", f"/v1/schedules/{schedule}")["next_run_at"])

    def test_H3a_H3c_leap_day_and_clocks_that_are_set_while_it_runs(self):
        with Server() as server:
            clock = Clock(server.folder / "clock")
            clock.set("2027-02-28T23:00:00")
            server.start(clock.environment())
            client = self.client(server)
            leap = self.make(client, rule={"type": "cron", "expression": "30 12 29 2 *"})
            daily = self.make(client, rule={"type": "cron", "expression": "0 6 * * *"}, missed={"type": "skip"})
            berlin = self.make(client, rule={"type": "cron", "expression": "30 2 * * *",
                                             "time_zone": "Europe/Berlin"}, missed={"type": "skip"})
            told = lambda schedule: client.ask("GET", f"/v1/schedules/{schedule}")["next_run_at"]
            self.assertEqual(told(leap), "2028-02-29T12:30:00Z", "2027 has none")
            for at, schedule, slot, following in (
                    ("2028-02-29T12:29:00", leap, "2028-02-29T12:30:00Z", "2032-02-29T12:30:00Z"),
                    ("2028-03-01T05:59:00", daily, "2028-03-01T06:00:00Z", "2028-03-02T06:00:00Z"),
                    ("2028-03-26T00:59:00", berlin, "2028-03-26T01:00:00Z", "2028-03-27T00:30:00Z"),
                    ("2028-10-29T00:29:00", berlin, "2028-10-29T00:30:00Z", "2028-10-30T01:30:00Z")):
                with self.subTest(slot):
                    clock.set(at)
                    clock.advance(seconds=61)  # it looks at the clock once a minute
                    self.await_that(lambda: told(schedule) == following, told(schedule))
                    self.await_that(lambda: self.slots(client, schedule).count(slot) == 1, "it fires")
            for at in ("2028-10-29T00:20:00", "2028-10-29T00:29:00"):  # back, and over the slot again
                clock.set(at)
                clock.advance(seconds=61)
                self.await_that(lambda: told(berlin) in ("2028-10-29T00:30:00Z", "2028-10-30T01:30:00Z"), at)
            self.await_that(lambda: told(berlin) == "2028-10-30T01:30:00Z", "it is passed over")
            self.assertEqual(self.slots(client, berlin).count("2028-10-29T00:30:00Z"), 1)
            client.close()
            self.assertEqual(server.stop(), 0)

    def test_H3l_H3p_H3y_a_timeout_is_an_interrupt_and_a_result_is_delivered(self):
        with Server() as server:
            server.start()
            client = self.client(server)
            client.open_session("cli:me")
            slow = self.make(client, prompt="wait 60", timeout_ms=1000, rule={"type": "every", "every_ms": 99999})
            told = self.make(client, prompt="say here", rule={"type": "every", "every_ms": 99999},
                             delivery={"type": "session", "session_id": "cli:me"})
            lost = self.make(client, prompt="say there", rule={"type": "every", "every_ms": 99999},
                             delivery={"type": "home", "platform": "telegram"})
            for schedule in (slow, told, lost):
                client.ask("POST", f"/v1/schedules/{schedule}/run")
            self.await_that(lambda: all(self.runs(client, schedule)[0]["ended_at"]
                                        for schedule in (slow, told, lost)), "they end")
            self.assertEqual(self.runs(client, slow)[0]["status"], "timed_out")
            self.assertEqual(self.runs(client, told)[0]["delivery"]["status"], "delivered")
            self.assertEqual(self.runs(client, lost)[0]["delivery"]["status"], "dead_letter")
            self.assertIn("here", str(client.events("cli:me")[-1]["content"]))
