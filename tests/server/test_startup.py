"""The start-up sequence (SPEC H5; 003 §7), row by row: the server is killed, time passes, it starts again."""
import sqlite3
import unittest
from contextlib import closing

from client import Client
from scene import Scene
from verify import log_problems

ALLOWED = [{"type": "agent_toolset_20260401",
            "default_config": {"enabled": True, "permission_policy": {"type": "always_allow"}}}]


class Sequence(Scene):
    def setUp(self):
        self.clock.advance(minutes=30)  # what earlier cases killed is long ago, also for the breaker

    def die(self, **times):
        self.kill()
        self.clock.advance(**times or {"seconds": 1})
        self.start()

    def at_work(self, text="wait 20\nsay done", **more):
        """A conversation in which a turn runs."""
        source = self.chat()
        resolved = self.resolve(source, **more)
        self.client.post(resolved["session"]["id"], text)
        self.await_activity(resolved["session"]["id"], "running")
        return source, resolved

    def errors_of(self, session):
        return [one["error"]["type"] for one in self.client.events(session) if one["type"] == "session.error"]

    # ---- suspend_recently_active ----

    def test_H5b_H5j_K5y_what_was_active_within_two_minutes_is_marked(self):
        _, first = self.talk()
        self.die(seconds=110)
        lane = self.lane(first)
        self.assertEqual((lane["resume_pending"], lane["resume_reason"]), (True, "restart_interrupted"))
        self.assertGreater(lane["last_resume_marked_at"], lane["created_at"])

    def test_H5j_what_was_active_before_is_not(self):
        _, first = self.talk()
        self.die(seconds=125)
        self.assertFalse(self.lane(first)["resume_pending"])

    def test_H5_an_old_mark_keeps_its_reason_and_time(self):
        _, first = self.talk()
        before = self.ask_lane(first, "resume_pending", {"reason": "restart_timeout"})
        self.die(seconds=60)
        after = self.lane(first)
        self.assertEqual((after["resume_reason"], after["last_resume_marked_at"]),
                         ("restart_timeout", before["last_resume_marked_at"]))

    def test_H5v_a_suspended_one_stays_suspended(self):
        source, first = self.talk()
        self.ask_lane(first, "suspend")
        self.die()
        self.assertEqual((self.lane(first)["suspended"], self.lane(first)["resume_pending"]), (True, False))
        self.assertEqual(self.resolve(source)["reset_reason"], "suspended")

    def test_H5a_H5q_a_clean_end_marks_nothing_and_its_marker_is_used_up(self):
        _, first = self.talk()
        self.client.close()
        self.assertEqual(self.server.stop(), 0)
        marker = self.server.data / ".clean_shutdown"
        self.assertTrue(marker.exists())
        self.start()
        self.assertFalse(marker.exists())
        self.assertFalse(self.lane(first)["resume_pending"])

    # ---- the turn that was open ----

    def test_H5c_H5n_H5u_M10t_it_goes_on_in_the_same_session_and_success_takes_the_mark(self):
        source, first = self.at_work()
        session = first["session"]["id"]
        self.die()
        self.assertEqual(self.resolve(source)["session"]["id"], session)
        self.finish(session)
        log = self.client.events(session)
        self.assertEqual(list(log_problems(log)), [])
        again = [one for one in log if one["type"] == "session.status_rescheduled"]
        self.assertEqual([(one["reason"], one["attempt"]) for one in again], [("restart_interrupted", 1)])
        self.assertEqual(self.said(session), ["done"])
        self.await_that(lambda: not self.lane(first)["resume_pending"], "the mark goes")

    def test_H5d_one_that_is_older_than_an_hour_does_not(self):
        _, first = self.at_work()
        session = first["session"]["id"]
        self.die(seconds=3700)
        self.await_activity(session, "idle")
        self.assertEqual(len(self.errors_of(session)), 1)
        self.assertEqual(self.said(session), [])
        self.assertEqual(self.client.post(session, "say later", mode="wait")["text"], "later")

    def test_H5_freshness_is_a_setting(self):
        _, first = self.at_work()
        self.server.configure("agent: {gateway_auto_continue_freshness: 60}\n")
        self.die(seconds=150)  # no mark: that one would count from now on
        self.await_activity(first["session"]["id"], "idle")
        self.assertEqual(len(self.errors_of(first["session"]["id"])), 1)
        self.server.configure("")

    def test_H5e_whoever_may_no_longer_speak_does_not_go_on(self):
        user = self.client.ask("POST", "/v1/users", {"name": "ann"})["id"]
        token = self.client.ask("POST", "/v1/tokens", {"kind": "user", "user_id": user})["token"]
        ann = Client(self.server.port, token)
        session = self.resolve({"platform": "web", "chat_id": "ann"}, ann)["session"]["id"]
        ann.post(session, "wait 20\nsay done")
        ann.close()
        self.await_activity(session, "running")
        self.kill()
        with closing(sqlite3.connect(self.server.data / "perdure.db")) as store, store:
            gone = store.execute("DELETE FROM record WHERE kind = 'participant' AND id LIKE ?", [f"%{user}%"])
            self.assertEqual(gone.rowcount, 1)
        self.start()
        self.await_activity(session, "idle")
        self.assertEqual(self.said(session), [])
        self.assertEqual(len(self.errors_of(session)), 1)

    def test_T7c_a_call_that_was_started_is_closed_and_not_made_again(self):
        agent = self.client.ask("POST", "/v1/agents", {"name": "hands", "model": "demo", "tools": ALLOWED})["id"]
        mark = self.server.folder / "mark"
        source = self.chat()
        session = self.resolve(source, agent_id=agent)["session"]["id"]
        self.client.post(session, f'tool bash {{"command": "echo x >> {mark}; sleep 60"}}\nsay done')
        self.await_that(lambda: any(one["type"] == "agent.tool_use" for one in self.client.events(session)), "it is called")
        self.await_activity(session, "running")
        self.die()
        self.finish(session)
        results = [one for one in self.client.events(session) if one["type"] == "agent.tool_result"]
        self.assertEqual([one["is_error"] for one in results], [True])
        self.assertIn("interrupted", results[0]["content"][0]["text"])
        self.assertIn("done", "".join(self.said(session)))

    def test_T8i_T8j_a_call_that_waits_for_an_answer_is_left_as_it_was(self):
        source = self.chat()
        session = self.resolve(source)["session"]["id"]
        self.client.post(session, 'tool process_list {}\nsay done')
        self.await_activity(session, "requires_action")
        before = self.client.session(session)["stop_reason"]
        log = self.client.events(session)
        self.die()
        self.assertEqual(self.client.session(session)["stop_reason"], before)
        self.assertEqual(self.client.events(session), log)
        self.command(session, "/approve")
        self.await_idle(session)
        self.assertIn("done", "".join(self.said(session)))

    def test_H5_at_most_sixteen_go_on_at_once(self):
        sessions = [self.at_work()[1]["session"]["id"] for _ in range(20)]
        self.die()
        running = lambda: sum(self.client.session(one)["activity"] == "running" for one in sessions)
        self.await_that(lambda: running() == 16, "sixteen run")
        self.assertEqual(running(), 16)
        for session in sessions:
            self.finish(session)
        self.assertEqual([self.said(one) for one in sessions], [["done"]] * 20)

    def test_H5f_H5w_inbound_waits_behind_its_own_sessions_resume_alone(self):
        _, first = self.at_work()
        other = self.talk()[1]["session"]["id"]
        session = first["session"]["id"]
        self.die()
        self.assertGreater(self.client.post(session, "say after")["queue_position"], 0)
        self.assertEqual(self.client.post(other, "say now", mode="wait")["text"], "now")
        self.assertEqual(self.said(session), [])
        self.finish(session)
        self.assertEqual(self.said(session), ["done", "after"])

    # ---- stuck ----

    def test_H5g_H5h_what_three_starts_found_at_work_is_suspended(self):
        source, first = self.at_work()
        for count in (1, 2, 3):
            self.assertFalse(self.lane(first)["suspended"])
            self.die(minutes=11)
            self.assertEqual(self.lane(first)["stuck_count"], count)
        self.assertTrue(self.lane(first)["suspended"])
        after = self.resolve(source)
        self.assertEqual((after["is_new"], after["reset_reason"]), (True, "suspended"))
        self.assertEqual(self.lane(after)["stuck_count"], 0)
        self.assertEqual(self.client.post(after["session"]["id"], "say clean", mode="wait")["text"], "clean")

    def test_H5g_a_success_between_them_forgets_the_count(self):
        _, first = self.at_work()
        session = first["session"]["id"]
        for _ in range(2):
            self.die(minutes=11)
        self.finish(session)
        self.await_that(lambda: self.lane(first)["stuck_count"] == 0, "it is forgotten")
        self.client.post(session, "wait 20\nsay again")
        self.await_activity(session, "running")
        self.die(minutes=11)
        self.assertEqual((self.lane(first)["stuck_count"], self.lane(first)["suspended"]), (1, False))
        self.finish(session)

    def test_H5_M7p_a_server_that_dies_again_and_again_holds_its_turns(self):
        self.at_work("wait 600")
        self.die(seconds=10)
        self.die(seconds=10)
        self.client.open_session("cli:held")
        self.client.post("cli:held", "wait 20\nsay done")
        self.await_activity("cli:held", "running")
        self.die(seconds=10)
        self.assertIn("recover.turns_held", self.server.errors())
        self.assertEqual(self.talk()[1]["is_new"], True, "it serves")
        self.assertEqual(self.client.session("cli:held")["status"], "rescheduling")
        self.client.ask("POST", "/v1/sessions/cli:held/wake")
        self.await_activity("cli:held", "running")
        self.finish("cli:held")
        self.assertEqual(self.said("cli:held"), ["done"])


if __name__ == "__main__":
    unittest.main()
