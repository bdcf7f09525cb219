"""The life of a conversation, row by row: its key, its session, its resets, what waits in it."""
import threading
import time
import unittest
from collections import Counter
from urllib.parse import quote

from client import Client, Refused
from server import Server
from test_schedules import moved_to
from verify import log_problems

AWAIT_S = 30
DM = {"platform": "telegram", "chat_id": "4711", "user_id": "77"}
DM_KEYS = (
    ({"platform": "telegram", "chat_id": "12345", "user_id": "u"}, "telegram:dm:12345"),
    ({"platform": "telegram", "chat_id": "12345", "thread_id": "thread_678"}, "telegram:dm:12345:thread_678"),
    ({"platform": "signal", "chat_id": "", "user_id": "user_abc"}, "signal:dm:user_abc"),
    ({"platform": "signal", "chat_id": "", "user_id": "u", "user_id_alt": "uuid"}, "signal:dm:uuid"),
    ({"platform": "telegram", "chat_id": ""}, "telegram:dm"),
    ({"platform": "whatsapp", "chat_id": "+491701234567@s.whatsapp.net"}, "whatsapp:dm:491701234567"),
)
GROUP, THREAD = {"chat_type": "group", "user_id": "user_abc"}, {"thread_id": "thread_678"}
GROUP_KEYS = (  # source, key with the defaults, key when groups are shared and threads are not
    ({"platform": "telegram", "chat_id": "-10012345", **GROUP},
     "telegram:group:-10012345:user_abc", "telegram:group:-10012345"),
    ({"platform": "discord", "chat_id": "12345", **GROUP, **THREAD},
     "discord:group:12345:thread_678", "discord:group:12345:thread_678:user_abc"),
    ({"platform": "slack", "chat_id": "C12345", "chat_type": "channel"},
     "slack:channel:C12345", "slack:channel:C12345"),
    ({"platform": "whatsapp", "chat_id": "120363025246125486@g.us", "chat_type": "group",
      "user_id": "491701234567@s.whatsapp.net"},
     "whatsapp:group:120363025246125486:491701234567", "whatsapp:group:120363025246125486"),
)


class Lifecycle(unittest.TestCase):
    def begin(self, config="", env=None):
        self.server = self.enterContext(Server(config))
        self.server.start(env)
        self.client = Client(self.server.port, self.server.token())

    def begin_again(self, env=None):
        self.client.close()
        self.server.kill()
        self.server.start(env)
        self.client = Client(self.server.port, self.server.token())

    def resolve(self, source=None, **more):
        return self.client.ask("POST", "/v1/sessions/resolve", {"source": source or DM, **more})

    def lane(self, resolved):
        return self.client.ask("GET", f"/v1/lanes/{resolved['lane_id']}")

    def command(self, session, text):
        return self.client.ask("POST", f"/v1/sessions/{quote(session)}/commands", {"text": text})

    def waiting(self, session):
        return [one["content"][0]["text"] for one in
                self.client.ask("GET", f"/v1/sessions/{quote(session)}/queue")["data"]]

    def await_idle(self, session):
        until = time.monotonic() + AWAIT_S
        # In this order: what no longer waits runs, or has.
        while self.waiting(session) or self.client.session(session)["activity"] != "idle":
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def said(self, session):
        return ["".join(part["text"] for part in event["content"])
                for event in self.client.events(session) if event["type"] == "agent.message"]

    def assert_whole(self):
        self.assertEqual(self.server.stop(), 0, self.server.errors())
        code, said = self.server.check()
        self.assertEqual(code, 0, said)

    # ---- keys ----

    def assert_keys(self, rows):
        for source, key in rows:
            with self.subTest(key):
                resolved = self.resolve(source)
                self.assertEqual(self.lane(resolved)["session_key"], f"agent:main:{key}")
                self.assertEqual(self.resolve(source)["session"]["id"], resolved["session"]["id"])
        lanes = self.client.ask("GET", "/v1/lanes?limit=100")["data"]
        self.assertEqual(sorted(one["session_key"] for one in lanes),
                         sorted({f"agent:main:{key}" for _, key in rows}))

    def test_K2_every_row_of_the_key_table(self):
        self.begin()
        self.assert_keys([*DM_KEYS, *((source, key) for source, key, _ in GROUP_KEYS)])
        self.assert_whole()

    def test_K3_the_settings_share_groups_and_part_threads(self):
        self.begin("group_sessions_per_user: false\nthread_sessions_per_user: true\n")
        self.assert_keys([*DM_KEYS, *((source, key) for source, _, key in GROUP_KEYS)])
        self.assert_whole()

    # ---- which session ----

    def test_K6_a_lane_is_made_continued_and_made_anew_when_asked(self):
        self.begin()
        first = self.resolve()
        self.assertEqual((first["is_new"], first["reset_reason"]), (True, None))
        again = self.resolve()
        self.assertEqual((again["is_new"], again["session"]["id"]), (False, first["session"]["id"]))
        forced = self.resolve(force_new=True)
        self.assertTrue(forced["is_new"])
        self.assertNotEqual(forced["session"]["id"], first["session"]["id"])
        self.assertEqual(self.resolve()["session"]["id"], forced["session"]["id"])
        self.assert_whole()

    def test_K6_suspended_beats_resume_pending_beats_the_policy(self):
        self.begin("session_reset: {mode: idle, idle_minutes: 5}\n", moved_to("2027-02-01T10:00:00"))
        first = self.resolve()
        path = f"/v1/lanes/{first['lane_id']}"
        self.client.post(first["session"]["id"], "say hello", mode="wait")
        self.client.ask("POST", f"{path}/resume_pending", {"reason": "restart_timeout"})
        self.begin_again(moved_to("2027-02-01T12:00:00"))
        kept = self.resolve()
        self.assertEqual((kept["is_new"], kept["session"]["id"]), (False, first["session"]["id"]))
        self.client.ask("POST", f"{path}/suspend")
        self.client.ask("POST", f"{path}/resume_pending", {"reason": "restart_timeout"})
        reset = self.resolve()
        self.assertEqual((reset["is_new"], reset["reset_reason"]), (True, "suspended"))
        self.assertFalse(self.lane(reset)["suspended"])
        self.assert_whole()

    def test_K6_a_resume_ends_with_the_next_successful_turn(self):
        self.begin()
        first = self.resolve()
        self.client.ask("POST", f"/v1/lanes/{first['lane_id']}/resume_pending", {"reason": "restart_timeout"})
        self.resolve()
        self.assertTrue(self.lane(first)["resume_pending"])
        self.client.post(first["session"]["id"], "say hello", mode="wait")
        until = time.monotonic() + AWAIT_S
        while self.lane(first)["resume_pending"]:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)
        self.assert_whole()

    # ---- resets by the clock (when: test_resets) ----

    def test_R3_a_reset_archives_links_marks_once_and_can_be_undone(self):
        self.begin("session_reset: {mode: idle, idle_minutes: 5}\n", moved_to("2027-02-01T10:00:00"))
        first = self.resolve()
        old = first["session"]["id"]
        self.client.post(old, "say hello", mode="wait")
        before = self.client.events(old)
        self.begin_again(moved_to("2027-02-01T12:00:00"))
        after = self.resolve()
        new = after["session"]["id"]
        self.assertEqual(self.client.session(old)["lifecycle"], "archived")
        self.assertEqual(after["session"]["previous_session_id"], old)
        self.assertEqual(self.client.events(old)[:len(before)], before, "nothing is deleted")
        lane = self.lane(after)
        self.assertEqual((lane["was_auto_reset"], lane["auto_reset_reason"], lane["reset_had_activity"]),
                         (True, "idle", True))
        self.client.post(new, "say there", mode="wait")
        self.assertFalse(self.lane(after)["was_auto_reset"], "it is taken once")
        with self.assertRaises(Refused) as refused:
            self.client.post(old, "say late")
        self.assertEqual(refused.exception.status, 409)
        self.assertIn(new, refused.exception.body)
        self.client.ask("POST", f"/v1/lanes/{after['lane_id']}/switch", {"session_id": old})
        self.assertEqual(self.resolve()["session"]["id"], old)
        self.assertEqual(self.client.session(old)["lifecycle"], "active")
        self.assertEqual(self.client.post(old, "say back", mode="wait")["text"], "back")
        self.assertEqual(self.said(new), ["there"], "what was said meanwhile stays")
        self.assert_whole()

    # ---- what waits ----

    def test_Q3_the_queue_is_first_in_first_out_without_merging(self):
        self.begin("queue: {busy: collect, quiet_ms: 0 s}\n")
        self.client.open_session("cli:a")
        self.client.post("cli:a", "wait 0.5\nsay 0", busy="queue")
        lines = [f"say {number}" for number in range(1, 6)]
        places = [self.command("cli:a", f"/queue {line}")["data"]["queue_position"] for line in lines]
        self.assertEqual(places, [1, 2, 3, 4, 5])
        self.assertEqual(self.waiting("cli:a"), lines)
        self.begin_again()
        self.await_idle("cli:a")
        self.assertEqual(self.said("cli:a")[-5:], ["1", "2", "3", "4", "5"])
        self.assert_whole()

    def test_R4_new_clears_the_queue_and_undo_does_not_bring_it_back(self):
        self.begin()
        first = self.resolve()
        old = first["session"]["id"]
        self.client.post(old, "wait 60")
        for number in range(3):
            self.command(old, f"/queue say {number}")
        self.command(old, "/new")
        after = self.resolve()
        self.assertNotEqual(after["session"]["id"], old)
        self.assertTrue(self.lane(after)["is_fresh_reset"])
        self.assertFalse(self.lane(after)["was_auto_reset"])
        log = self.client.events(old)
        self.assertEqual([one["seq"] for one in log if not one["processed_at"]], [])
        self.assertTrue(any(one["type"] == "session.input_cancelled" for one in log))
        self.client.ask("POST", f"/v1/lanes/{after['lane_id']}/switch", {"session_id": old})
        self.assertEqual(self.waiting(old), [])
        self.assertEqual(self.client.post(old, "say back", mode="wait")["text"], "back")
        self.assertEqual(self.said(old), ["back"])
        self.assert_whole()

    def test_Q3_the_21st_that_would_wait_is_refused_and_not_stored(self):
        self.begin()
        self.client.open_session("cli:a")
        self.client.post("cli:a", "wait 60")
        for number in range(20):
            self.client.post("cli:a", f"say {number}")
        with self.assertRaises(Refused) as refused:
            self.client.post("cli:a", "say 20")
        self.assertEqual(refused.exception.status, 429)
        self.assertEqual(self.waiting("cli:a"), [f"say {number}" for number in range(20)])
        self.command("cli:a", "/stop")
        self.await_idle("cli:a")
        self.assertEqual(self.said("cli:a"), [])
        self.assert_whole()

    # ---- what went wrong elsewhere ----

    def test_incD2_a_reset_loses_nothing_that_was_acknowledged(self):
        self.begin()
        old = self.resolve()["session"]["id"]
        self.client.post(old, "wait 60")
        kept, refusals = [], []

        def append(number):
            client = Client(self.server.port, self.server.token())
            try:
                kept.append(client.post(old, f"note {number}", mode="append")["event_id"])
            except Refused as refusal:
                refusals.append(refusal.status)
            client.close()

        threads = [threading.Thread(target=append, args=(number,)) for number in range(50)]
        for number, thread in enumerate(threads):
            thread.start()
            if number == 25:
                self.command(old, "/new")
        for thread in threads:
            thread.join()
        self.assertLessEqual({event_id for event_id in kept}, {one["id"] for one in self.client.events(old)})
        self.assertEqual(set(refusals) - {409}, set())
        self.assertEqual(len(kept) + len(refusals), 50)
        self.assertGreater(len(kept), 0)
        self.assert_whole()

    def test_incU5_a_message_in_the_last_moment_of_a_turn_runs_once(self):
        self.begin()
        self.client.open_session("cli:a")
        for number in range(60):
            self.client.post("cli:a", f"wait 0.02\nsay a{number}")
            time.sleep(0.014 + number * 0.0003)
            self.client.post("cli:a", f"say b{number}", busy=("queue", "steer")[number % 2])
            self.await_idle("cli:a")
        log = self.client.events("cli:a")
        self.assertEqual(list(log_problems(log)), [])
        said = Counter(" ".join(self.said("cli:a")).split())
        self.assertEqual({f"{who}{number}": said[f"{who}{number}"] for who in "ab" for number in range(60)},
                         {f"{who}{number}": 1 for who in "ab" for number in range(60)})
        self.assert_whole()

    def test_incS3_a_session_that_was_busy_when_it_died_takes_messages(self):
        self.begin()
        self.client.open_session("cli:a")
        self.client.post("cli:a", "wait 0.3\nsay first")
        self.begin_again()
        self.client.post("cli:a", "say second")
        self.await_idle("cli:a")
        self.assertEqual(self.said("cli:a"), ["first", "second"])
        self.assertEqual(self.client.post("cli:a", "say third", busy="reject", mode="wait")["text"], "third")
        self.assert_whole()


if __name__ == "__main__":
    unittest.main()
