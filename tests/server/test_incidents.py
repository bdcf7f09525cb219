"""What went wrong in other agent systems, as scenarios: one case an incident, by its id in the notes on
reliability. Those of kills under load are in test_kills, test_tool_kills and test_busy_kills."""
import http.client
import random
import sqlite3
import threading
import time
import unittest
from collections import Counter
from contextlib import closing
from urllib.parse import quote

from client import Client, Refused
from scene import Scene
from server import Server, has_hooks
from test_busy_kills import KEY
from test_tool_kills import TOOLS, Model, pair_problems
from verify import log_problems, turn_problems

POINTS = ("append.after_event", "project.after_items", "writer.before_begin", "writer.after_begin",
          "writer.before_commit", "writer.after_commit")


def at_once(count, work):
    """Each number in a thread of its own."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Incidents(Scene):
    def setUp(self):
        if has_hooks():
            self.clock.advance(minutes=30)  # a case's kills are not the next one's

    def new_client(self):
        return Client(self.server.port, self.server.token())

    def die(self, **times):
        self.kill()
        self.clock.advance(**times or {"seconds": 1})
        self.start()

    def at_work(self, text="wait 20\nsay done", session=None):
        session = session or self.resolve(self.chat())["session"]["id"]
        self.client.post(session, text)
        self.await_activity(session, "running")
        return session

    def everything(self):
        """{session: its log} of all there are."""
        found, page = {}, ""
        while page is not None:
            answer = self.client.ask("GET", "/v1/sessions?include_archived=true&include_inactive=true&limit=200"
                                     + (f"&page={quote(page)}" if page else ""))
            found.update((one["id"], self.client.events(one["id"])) for one in answer["data"])
            page = answer["next_page"]
        return found

    # ---- lost ----

    def test_incD1_what_was_logged_before_a_kill_is_how_the_log_begins(self):
        session = self.at_work("say begun\nwait 20\nsay done")
        before = self.client.events(session)
        self.die()
        self.finish(session)
        after = self.client.events(session)
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(list(log_problems(after)), [])

    def test_incD2_a_reset_loses_nothing_that_was_acknowledged(self):
        old = self.at_work("wait 600")
        kept, refusals = [], []

        def append(number):
            client = self.new_client()
            try:
                kept.append(client.post(old, f"note {number}", mode="append")["event_id"])
            except Refused as refusal:
                refusals.append(refusal.status)
            client.close()
            if number == 25:
                self.command(old, "/new")

        at_once(50, append)
        self.assertLessEqual(set(kept), {one["id"] for one in self.client.events(old)})
        self.assertEqual(set(refusals) - {409}, set())
        self.assertEqual(len(kept) + len(refusals), 50)
        self.assertGreater(len(kept), 0)

    def test_R3b_R3c_incD5_no_lane_is_in_a_session_that_is_not_there(self):
        acknowledged = []
        for number, point in enumerate(POINTS):
            self.restart(PERDURE_FAILPOINTS=f"{point}={7 + 5 * number}:crash")
            try:
                while len(acknowledged) < 1000:
                    resolved = self.resolve(self.chat())
                    acknowledged.append(resolved["session"]["id"])
                    acknowledged.append(self.resolve(resolved_source(resolved), force_new=True)["session"]["id"])
            except ConnectionError:
                self.server.end()
            self.start()
            logs = self.everything()
            self.assertLessEqual(set(acknowledged), set(logs))
            self.assertEqual({log[0]["type"] for log in logs.values()}, {"session.created"})
            for lane in self.client.ask("GET", "/v1/lanes?limit=200")["data"]:
                self.assertIn(lane["session_id"], logs, point)
            for name, log in logs.items():
                for reset in (one for one in log if one["type"] == "session.reset"):
                    self.assertEqual(logs[reset["new_session_id"]][0]["previous_session_id"], name)
        self.assertGreater(len(acknowledged), 2 * len(POINTS))

    def test_incD6_recovery_makes_no_session_and_a_lane_it_cannot_read_costs_no_other(self):
        talks = [self.talk() for _ in range(3)]
        working = self.at_work()
        before = set(self.everything())
        self.kill()
        with closing(sqlite3.connect(self.server.data / "perdure.db")) as store, store:
            broken = store.execute("UPDATE record SET body = '{\"session_id\": 7}' WHERE kind = 'lane' AND id = ?",
                                   [talks[0][1]["lane_id"]])
            self.assertEqual(broken.rowcount, 1)
        self.start()
        self.assertEqual(set(self.everything()), before)
        for source, first in talks[1:]:
            self.assertEqual(self.resolve(source)["session"]["id"], first["session"]["id"])
        self.assertEqual(self.said(talks[0][1]["session"]["id"]), ["hello"], "its session is kept")
        self.finish(working)
        self.assertEqual(self.said(working), ["done"])
        with closing(sqlite3.connect(self.server.data / "perdure.db")) as store, store:
            store.execute("DELETE FROM record WHERE kind = 'lane' AND id = ?", [talks[0][1]["lane_id"]])

    def test_R3i_incD7_time_deletes_nothing(self):
        self.reload("session_reset: {mode: both}\nsession_store_max_age_days: 1\n")
        source, first = self.talk()
        self.client.open_session("cli:kept")
        self.client.post("cli:kept", "say kept", mode="wait")
        before = self.everything()
        for _ in range(3):
            self.clock.advance(days=1000)
            time.sleep(0.05)  # passes of the watcher
        self.await_that(lambda: self.resolve(source)["is_new"], "another one")
        after = self.everything()
        for session, log in before.items():
            self.assertEqual(after[session][:len(log)], log)
        self.reload("")

    def test_M9b_incD15_sixty_four_append_at_once_and_all_is_there(self):
        session = self.resolve(self.chat())["session"]["id"]
        kept = []

        def append(number):
            client = self.new_client()
            kept.extend(client.append(session, f"{number}.{n}")["id"] for n in range(4))
            client.close()

        at_once(64, append)
        log = self.client.events(session)
        self.assertEqual(len(kept), 256)
        self.assertEqual(Counter(kept) - Counter(one["id"] for one in log), Counter())
        self.assertEqual([one["seq"] for one in log], list(range(1, len(log) + 1)))

    def test_incD16_a_turn_that_was_ended_writes_nothing_more(self):
        source = self.chat()
        old = self.at_work("say begun\nwait 20\nsay late", self.resolve(source)["session"]["id"])
        self.command(old, "/new")
        new = self.resolve(source)["session"]["id"]
        head = self.client.session(old)["head_seq"]
        self.clock.advance(seconds=60)
        self.assertEqual(self.client.post(new, "say fresh", mode="wait")["text"], "fresh")
        self.assertEqual(self.client.session(old)["head_seq"], head)
        self.assertNotIn("late", "".join(self.said(old) + self.said(new)))
        self.assertEqual(list(turn_problems(self.client.events(old))), [])

    def test_M9m_incD19_time_orders_nothing(self):
        source, first = self.talk(text="say 0")
        session = first["session"]["id"]
        for number, at in enumerate(("2027-06-01T00:00:00", "2020-01-01T00:00:00", "2027-06-01T00:00:00",
                                     "2001-01-01T00:00:00"), 1):
            self.clock.set(at)
            self.client.post(session, f"say {number}", mode="wait")
        self.clock.set("2027-06-02T00:00:00")
        log = self.client.events(session)
        self.assertEqual(self.said(session), ["0", "1", "2", "3", "4"])
        self.assertEqual(list(log_problems(log)), [])
        self.assertNotEqual([one["created_at"] for one in log], sorted(one["created_at"] for one in log))
        shown = self.client.ask("GET", f"/v1/sessions/{quote(session)}/messages")["data"]
        self.assertEqual([one["seq"] for one in shown], sorted(one["seq"] for one in shown))

    # ---- twice ----

    def test_Q4c_incU5_a_message_in_the_last_moment_of_a_turn_runs_once(self):
        self.client.open_session("cli:moment")
        for number in range(40):
            self.client.post("cli:moment", f"wait 0.02\nsay a{number}")
            time.sleep(0.012 + number * 0.0005)
            self.client.post("cli:moment", f"say b{number}", busy=("queue", "steer")[number % 2])
            self.await_idle("cli:moment")
        self.assertEqual(list(log_problems(self.client.events("cli:moment"))), [])
        said = Counter(" ".join(self.said("cli:moment")).split())
        self.assertEqual({f"{who}{number}": said[f"{who}{number}"] for who in "ab" for number in range(40)},
                         {f"{who}{number}": 1 for who in "ab" for number in range(40)})

    def test_H3g_incU10_a_slot_fires_once_whatever_is_restarted_and_however_the_clock_is_set(self):
        chance = random.Random(1)
        self.clock.set("2027-02-01T10:30:00")
        schedule = self.schedule(rule={"type": "cron", "expression": "0 * * * *"})
        for _ in range(6):
            self.clock.set(f"2027-02-01T{chance.choice(('10:59:59', '11:00:00', '11:00:01', '10:58:00'))}")
            if chance.random() < 0.7:
                self.die()
            time.sleep(chance.random() * 0.1)
        self.clock.set("2027-02-01T11:30:00")
        self.die()
        self.await_that(lambda: self.slots(schedule), "it fires")
        self.await_that(lambda: all(one["ended_at"] for one in self.runs(schedule)), "it ends")
        self.assertEqual(self.slots(schedule), ["2027-02-01T11:00:00Z"])
        self.assertEqual([one["slot"] for one in self.runs(schedule)], ["2027-02-01T11:00:00Z"])
        self.client.ask("DELETE", f"/v1/schedules/{schedule}")

    def test_H3g_H3j_incU11_every_slot_has_one_end_also_an_interrupted_one(self):
        self.clock.set("2027-02-01T10:30:00")
        schedule = self.schedule(prompt="wait 20\nsay done", rule={"type": "cron", "expression": "0 * * * *"},
                                 missed={"type": "all", "limit": 10}, timeout_ms=86400000)
        self.clock.set("2027-02-01T11:00:05")
        self.die()
        self.await_that(lambda: self.slots(schedule), "the first")
        session = f"schedule:{schedule}"
        self.await_activity(session, "running")  # one that only waits would just run
        self.kill()
        self.clock.set("2027-02-01T13:00:05")  # in its middle, and two more pass by
        self.start()
        ended = lambda: [one["status"] for one in self.runs(schedule) if one["ended_at"]]

        def all_ended():
            self.finish(session)
            return len(ended()) == 3
        self.await_that(all_ended, "three ends")
        self.assertEqual(self.slots(schedule), [f"2027-02-01T1{hour}:00:00Z" for hour in (1, 2, 3)])
        self.assertEqual(Counter(one["slot"] for one in self.runs(schedule)), Counter(self.slots(schedule)))
        self.assertEqual(sorted(ended()), ["completed", "completed", "failed"], "the first one is too old to go on")
        self.client.ask("DELETE", f"/v1/schedules/{schedule}")

    def schedule(self, **more):
        return self.client.ask("POST", "/v1/schedules", {"name": "n", "prompt": "say x", **more})["id"]

    def runs(self, schedule):
        return self.client.ask("GET", f"/v1/schedules/{schedule}/runs?limit=100")["data"]

    def slots(self, schedule):
        try:
            return [one["slot"] for one in self.client.events(f"schedule:{schedule}")
                    if one["type"] == "schedule.fired"]
        except Refused:
            return []  # its session begins with the first

    def test_H5f_incU12_what_resumes_and_what_comes_in_go_through_one_queue(self):
        session = self.at_work()
        self.die()
        at_once(8, lambda number: self.new_client().post(session, f"say {number}"))
        self.finish(session)
        log = self.client.events(session)
        self.assertEqual(list(log_problems(log)), [])
        said = self.said(session)
        self.assertEqual((said[0], sorted(said[1:])), ("done", [str(n) for n in range(8)]))
        open_turn = None
        for one in log:  # never two at once
            if one["type"] == "session.status_running":
                self.assertIn(open_turn, (None, one["turn_id"]))
                open_turn = one["turn_id"]
            elif one["type"] == "session.status_idle":
                open_turn = None

    # ---- stuck ----

    def test_incS1_what_fails_to_resume_twice_is_put_to_rest_and_no_other(self):
        self.client.open_session("cli:poisoned")
        self.at_work("wait 600", "cli:poisoned")
        for _ in range(3):
            fine = self.at_work()
            self.die(minutes=11)
            self.finish(fine)
            self.assertEqual(self.said(fine), ["done"])
        self.await_activity("cli:poisoned", "idle")
        log = self.client.events("cli:poisoned")
        self.assertEqual([one["attempt"] for one in log if one["type"] == "session.status_rescheduled"], [1, 2])
        self.assertEqual([one["type"] for one in log].count("session.error"), 1)
        self.assertEqual(list(turn_problems(log)), [])
        self.assertEqual(self.client.post("cli:poisoned", "say well", mode="wait")["text"], "well")

    def test_incS2_a_server_that_dies_in_a_loop_stays_up_to_be_repaired(self):
        self.clock.set("2027-02-01T10:30:00")
        schedule = self.schedule(prompt="wait 600", rule={"type": "cron", "expression": "0 * * * *"})
        self.clock.set("2027-02-01T11:00:05")
        self.die()
        self.await_that(lambda: self.slots(schedule), "it fires")
        self.await_activity(f"schedule:{schedule}", "running")
        for _ in range(2):
            self.die(seconds=5)
        self.client.open_session("cli:loop")
        self.at_work("wait 20\nsay done", "cli:loop")
        self.die(seconds=5)
        self.assertEqual(self.talk()[1]["is_new"], True, "it serves")
        self.assertEqual(self.client.session("cli:loop")["status"], "rescheduling", "it waits to be asked for")
        self.assertEqual(self.slots(schedule), ["2027-02-01T11:00:00Z"], "and the slot does not come again")
        self.client.post("cli:loop", "say asked")
        self.finish("cli:loop")
        self.assertEqual(self.said("cli:loop"), ["done", "asked"])
        self.client.ask("DELETE", f"/v1/schedules/{schedule}")

    def test_H5f_incS3_a_session_that_was_busy_when_it_died_takes_messages(self):
        session = self.at_work("wait 20\nsay first")
        self.die()
        self.client.post(session, "say second")
        self.finish(session)
        self.assertEqual(self.said(session), ["first", "second"])
        self.assertEqual(self.client.post(session, "say third", busy="reject", mode="wait")["text"], "third")

    def test_T8p_incS5_a_question_that_nobody_answers_does_not_block_for_ever(self):
        self.reload("approvals: {expire_after_s: 300}\n")
        session = self.resolve(self.chat())["session"]["id"]
        self.client.post(session, "tool process_list {}\nsay asked")
        self.await_activity(session, "requires_action")
        self.assertEqual(self.client.post(session, "say behind")["queue_position"], 1)
        self.assertEqual(self.waiting(session), ["say behind"])
        self.clock.advance(seconds=301)
        self.await_idle(session)
        self.assertEqual(self.said(session)[-1], "behind")
        self.assertEqual(list(log_problems(self.client.events(session))), [])
        self.reload("")


def resolved_source(resolved):
    """Of a DM made by Scene.chat."""
    chat = resolved["session"]["lane_key"].rsplit(":", 1)[1]
    return {"platform": "telegram", "chat_id": chat, "user_id": f"u{chat}"}


class Damage(Scene):
    def views(self, session):
        shown = [self.client.ask("GET", f"/v1/sessions/{quote(session)}{part}")
                 for part in ("", "/messages?limit=200", "/events?limit=1000")]
        shown[0].pop("agent")  # a directory has its own
        return shown

    def raw(self, method, path, body=None):
        """Bundles are lines of JSON."""
        wire = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        wire.request(method, path, body, {"Authorization": f"Bearer {self.server.token()}",
                                          "Content-Type": "application/x-ndjson"})
        answer = wire.getresponse()
        text = answer.read()
        wire.close()
        self.assertEqual(answer.status, 200, text)
        return text

    def test_S3c_S3e_S3f_incD4_the_log_alone_gives_the_same_projection(self):
        """The index became empty, and thousands of sessions could not be reached."""
        source, first = self.talk(text="say one")
        session = first["session"]["id"]
        self.client.post(session, "wait 20\nsay two")
        self.client.post(session, "say three", message_id="m")
        self.client.ask("POST", f"/v1/sessions/{quote(session)}/queue/m", {"text": "say four"})
        self.finish(session)
        self.client.post(session, "say five", mode="wait")
        self.command(session, "/undo")
        self.command(session, "/title The one")
        shown, lanes = self.views(session), self.client.ask("GET", "/v1/lanes/export")
        self.kill()
        with closing(sqlite3.connect(self.server.data / "perdure.db")) as store, store:
            for table in ("item", "call", "edit"):
                store.execute(f"DELETE FROM {table}")
            store.execute("DELETE FROM record WHERE kind = 'lane'")
            store.execute("UPDATE session SET messages = 0, total_tokens = 0, preview = NULL, title = NULL")
        code, said = self.server.check()
        self.assertEqual(code, 1, "it is noticed")
        self.assertIn(session, said)
        self.start()
        bundle = self.raw("GET", f"/v1/sessions/{quote(session)}/export")
        self.kill()
        self.server.data.rename(self.server.folder / "damaged")
        self.start()
        self.raw("POST", "/v1/sessions/import", bundle)
        self.client.ask("POST", "/v1/lanes/import", lanes)
        self.assertEqual(self.views(session), shown)
        self.assertEqual(self.resolve(source)["session"]["id"], session)


class Provider(Scene):
    """Those that a provider would have seen."""

    @classmethod
    def setUpClass(cls):
        cls.model = Model()
        cls.addClassCleanup(cls.model.server_close)
        cls.addClassCleanup(cls.model.shutdown)
        cls.env, cls.config = KEY, cls.model.config()
        super().setUpClass()

    def test_T7g_incD3_killed_in_a_call_the_next_request_is_well_formed(self):
        agent = self.client.ask("POST", "/v1/agents", {"name": "hands", "model": "chat/chat", "tools": TOOLS})["id"]
        self.client.open_session("cli:hands", agent=agent)
        for task, kind in enumerate(("agent.tool_use", "agent.tool_result", "span.model_request_start"), 1):
            head = self.client.session("cli:hands")["head_seq"]
            self.client.post("cli:hands", f"task {task}")
            self.await_that(lambda: any(one["type"] == kind and one["seq"] > head
                                        for one in self.client.events("cli:hands")), kind)
            self.restart()
            self.await_idle("cli:hands")
        log = self.client.events("cli:hands")
        self.assertEqual([*log_problems(log), *pair_problems(log)], [])
        self.assertEqual(self.model.problems, [])
        self.assertEqual(self.said("cli:hands")[-1], "Done 3.")


class Empty(unittest.TestCase):
    def test_incD21_a_hundred_first_writers_on_an_empty_store(self):
        with Server() as server:
            server.start()
            made, failed = [], []

            def write(number):
                client = Client(server.port, server.token())
                try:
                    session = client.ask("POST", "/v1/sessions/resolve", {
                        "source": {"platform": "telegram", "chat_id": str(number)}})["session"]["id"]
                    made.append((session, client.append(session, f"note {number}")["id"]))
                except (Refused, ConnectionError) as failure:
                    failed.append(str(failure))
                client.close()

            at_once(100, write)
            self.assertEqual(failed, [])
            client = Client(server.port, server.token())
            for session, event in made:
                self.assertIn(event, [one["id"] for one in client.events(session)])
            self.assertEqual(len({session for session, _ in made}), 100)
            client.close()
            self.assertEqual(server.stop(), 0)
            self.assertEqual(server.check()[0], 0)


if __name__ == "__main__":
    unittest.main()
