"""What comes while a turn runs (SPEC Q1, Q3, Q4, Q8, Q9; 003 §8, seed-systems §4.8), on one running server."""
import itertools
import unittest
from urllib.parse import quote

from scene import LONG_S, Scene, each
from verify import log_problems

NAMES = itertools.count(1)
TOOLS = [{"type": "agent_toolset_20260401",
          "default_config": {"enabled": True, "permission_policy": {"type": "always_allow"}}}]
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg"
         "gg==")
BUSY = f"wait {LONG_S}\nsay first"


class Queue(Scene):
    config = "queue: {quiet_ms: 5 s}\n"

    def setUp(self):
        self.session = f"cli:q{next(NAMES)}"

    def busy(self, text=BUSY, **more):
        """A session in which a turn runs."""
        self.client.open_session(self.session, **more)
        self.client.post(self.session, text)
        self.await_activity(self.session, "running")

    def post(self, text, **more):
        return self.client.post(self.session, text, **more)

    def queue(self, text):
        return self.command(self.session, f"/queue {text}")["data"]

    def turns(self):
        """What each turn began with, in order: texts of the messages."""
        log = self.client.events(self.session)
        texts = {one["id"]: one["content"][0]["text"] for one in log if one["type"] == "user.message"}
        return [[texts[name] for name in one["consumes"]] for one in log
                if one["type"] == "session.status_running" and one["consumes"]]

    def assert_sound(self):
        self.assertEqual(list(log_problems(self.client.events(self.session))), [])

    # ---- enqueue and promotion ----

    def test_Q3n_nothing_runs_it_runs_at_once(self):
        self.client.open_session(self.session)
        self.assertEqual(self.post("wait 60")["queue_position"], 0)

    def test_Q3n_Q9a_places_count_from_one(self):
        self.busy()
        self.assertEqual([self.post(f"say {n}")["queue_position"] for n in range(3)], [1, 2, 3])
        self.assertEqual(self.waiting(self.session), ["say 0", "say 1", "say 2"])

    def test_Q3f_Q3g_Q3l_L3k_each_queued_one_gets_its_own_turn_in_order(self):
        self.busy()
        for n in range(5):
            self.queue(f"say {n}")
        self.finish(self.session)
        self.assertEqual(self.turns(), [[BUSY], *([f"say {n}"] for n in range(5))])
        self.assert_sound()

    def test_Q3m_L3n_the_depth_is_in_the_status(self):
        self.busy()
        for n in range(3):
            self.queue(f"say {n}")
        status = self.command(self.session, "/status")
        self.assertIn("3", status["text"])

    def test_Q4a_Q4c_a_burst_of_plain_messages_loses_none(self):
        self.busy()
        for n in range(10):
            self.post(f"say {n}")
        self.finish(self.session)
        self.assertEqual(self.said(self.session), ["first", *map(str, range(10))])

    def test_Q4b_a_burst_of_pictures_is_one_turn(self):
        """What is nothing but media collapses; words behind it have their own turn."""
        self.busy()
        for n in range(3):
            self.post("", attachments=[{"data": PIXEL, "mime_type": "image/png", "name": f"{n}.png"}])
        self.post("say what is it")
        self.finish(self.session)
        begun = [one["consumes"] for one in self.client.events(self.session)
                 if one["type"] == "session.status_running" and one["consumes"]]
        self.assertEqual([len(one) for one in begun], [1, 3, 1])
        self.assert_sound()

    def test_Q4d_promotion_evicts_nothing(self):
        """003's slot was overwritten by the head of the overflow: what came in between was lost."""
        self.busy()
        self.post("say follow-up")
        self.queue("say a")
        self.post("say now", busy="interrupt")
        self.await_idle(self.session)
        self.assertEqual([one[0] for one in self.turns()], [BUSY, "say now", "say follow-up", "say a"])
        self.assert_sound()

    def test_Q1b_Q1c_what_waits_survives_a_kill_in_its_order(self):
        self.busy()
        for n in range(3):
            self.queue(f"say {n}")
        self.restart()
        self.assertEqual(self.waiting(self.session), ["say 0", "say 1", "say 2"])
        self.await_activity(self.session, "running")
        self.finish(self.session)
        self.assertEqual(self.said(self.session)[-3:], ["0", "1", "2"])
        self.assert_sound()

    # ---- the modes ----

    def test_Q3d_Q3e_queue_is_the_default_also_for_events(self):
        self.busy()
        self.client.ask("POST", f"/v1/sessions/{quote(self.session)}/events", {"events": [
            {"type": "user.message", "content": [{"type": "text", "text": "say second"}]}]})
        self.assertEqual(self.waiting(self.session), ["say second"])
        self.finish(self.session)
        self.assertEqual(self.said(self.session), ["first", "second"])

    def test_Q3i_M8g_interrupt_stops_the_turn_and_runs_next(self):
        self.busy()
        self.post("say waits")
        self.post("say now", busy="interrupt")
        self.await_idle(self.session)
        self.assertEqual([one[0] for one in self.turns()], [BUSY, "say now", "say waits"])
        reasons = [one["stop_reason"]["type"] for one in self.client.events(self.session)
                   if one["type"] == "session.status_idle"]
        self.assertEqual(reasons, ["interrupted", "end_turn", "end_turn"])

    def test_Q3c_Q3h_steer_enters_the_turn_after_the_next_tool_result(self):
        agent = self.client.ask("POST", "/v1/agents", {"name": "steered", "model": "demo", "tools": TOOLS})
        self.busy(f"wait {LONG_S}\ntool process_list {{}}\nsay first", agent=agent["id"])
        self.post("say steered", busy="steer")
        self.finish(self.session)
        self.assertEqual(len(self.turns()), 1, "no turn of its own")
        self.assertEqual("".join(self.said(self.session)).count("steered"), 1)
        self.assert_sound()

    def test_Q4c_steer_without_a_tool_call_falls_back_to_the_queue(self):
        self.busy()
        self.post("say steered", busy="steer")
        self.finish(self.session)
        self.assertEqual("".join(self.said(self.session)).count("steered"), 1)
        self.assert_sound()

    def test_Q3c_Q3j_collect_merges_a_burst_once_it_is_quiet(self):
        self.busy()
        for n in range(4):
            self.post(f"say {n}", busy="collect")
        self.finish(self.session)
        self.assertEqual(self.turns(), [[BUSY], [f"say {n}" for n in range(4)]])
        self.assert_sound()

    def test_Q3l_queue_never_merges_whatever_the_mode_of_others(self):
        self.busy()
        self.post("say c1", busy="collect")
        self.queue("say q1")
        self.post("say c2", busy="collect")
        self.finish(self.session)
        self.assertEqual(self.turns(), [[BUSY], ["say c1"], ["say q1"], ["say c2"]])

    def test_Q3c_Q3k_reject_is_refused_while_busy_and_not_stored(self):
        self.busy()
        self.assert_refused(409, "POST", f"/v1/sessions/{quote(self.session)}/messages",
                            {"text": "say no", "busy": "reject"})
        self.assertEqual(self.waiting(self.session), [])
        self.finish(self.session)
        self.assertEqual(self.post("say yes", busy="reject", mode="wait")["text"], "yes")
        self.assertEqual(self.said(self.session), ["first", "yes"])

    def test_Q3_the_server_may_have_another_default(self):
        self.reload(self.config.replace("{", "{busy: reject, "))
        self.busy()
        self.assert_refused(409, "POST", f"/v1/sessions/{quote(self.session)}/messages", {"text": "say no"})
        self.reload(self.config)

    def test_Q3o_Q3p_twenty_may_wait_and_the_21st_is_refused(self):
        self.busy()
        for n in range(20):
            self.queue(f"say {n}")
        self.assert_refused(429, "POST", f"/v1/sessions/{quote(self.session)}/commands", {"text": "/queue say 20"})
        self.assert_refused(429, "POST", f"/v1/sessions/{quote(self.session)}/messages", {"text": "say 20"})
        self.assertEqual(len(self.waiting(self.session)), 20)
        self.command(self.session, "/stop")

    # ---- clearing ----

    @each((("Q8a_Q8b_L3m_M10z_stop_interrupts_and_clears", "/stop"),
           ("R4d_new_clears", "/new"),
           ("R4d_reset_clears", "/reset")))
    def clears(self, command):
        self.busy()
        for n in range(3):
            self.queue(f"say {n}")
        self.command(self.session, command)
        self.await_idle(self.session)
        self.assertEqual(self.said(self.session), [])
        log = self.client.events(self.session)
        self.assertTrue(any(one["type"] == "session.input_cancelled" for one in log), "it is in the log")
        self.assertEqual([one["seq"] for one in log if not one["processed_at"]], [])

    def test_Q8c_stop_does_not_suspend(self):
        source, first = self.talk()
        self.command(first["session"]["id"], "/stop")
        self.assertFalse(self.lane(first)["suspended"])
        self.assertEqual(self.resolve(source)["session"]["id"], first["session"]["id"])

    def test_Q8d_K5v_stop_with_suspend_is_003s_meaning(self):
        source, first = self.talk()
        self.client.post(first["session"]["id"], "wait 600")
        self.command(first["session"]["id"], "/stop --suspend")
        self.await_idle(first["session"]["id"])
        self.assertTrue(self.lane(first)["suspended"])
        self.assertEqual(self.resolve(source)["reset_reason"], "suspended")

    # ---- one by one ----

    def test_Q9a_Q9b_Q9c_Q9d_one_is_edited_and_one_taken_back(self):
        self.busy()
        for n in range(3):
            self.post(f"say {n}", message_id=f"m{n}")
        path = f"/v1/sessions/{quote(self.session)}/queue"
        self.client.ask("POST", f"{path}/m1", {"text": "say edited"})
        self.client.ask("DELETE", f"{path}/m0")
        self.assertEqual(self.waiting(self.session), ["say edited", "say 2"])
        self.finish(self.session)
        self.assertEqual(self.said(self.session), ["first", "edited", "2"])
        self.assert_refused(409, "DELETE", f"{path}/m1")
        self.assert_refused(404, "DELETE", f"{path}/m99")

    # ---- commands while it is busy ----

    @each((("L3_status_works_while_busy", "/status", 200), ("L3_usage_works_while_busy", "/usage", 200),
           ("L3_help_works_while_busy", "/help", 200), ("L3_whoami_works_while_busy", "/whoami", 200),
           ("L3_sessions_works_while_busy", "/sessions", 200), ("L3_title_works_while_busy", "/title It", 200),
           ("C11_undo_is_refused_while_busy", "/undo", 409), ("C11_retry_is_refused_while_busy", "/retry", 409),
           ("C11_undo_wants_a_number", "/undo soon", 400), ("L3_what_is_no_command_is_refused", "/dance", 400)))
    def while_busy(self, text, status):
        self.busy()
        before = self.client.session(self.session)["message_count"]
        path, body = f"/v1/sessions/{quote(self.session)}/commands", {"text": text}
        if status == 200:
            self.client.ask("POST", path, body)
        else:
            self.assert_refused(status, "POST", path, body)
        self.assertEqual(self.client.session(self.session)["message_count"], before, "it is never said")
        self.assertEqual(self.client.session(self.session)["activity"], "running", "and stops nothing")

    def test_C11_M7c_branch_works_while_busy_and_copies_nothing(self):
        self.busy()
        branch = self.command(self.session, "/branch")["data"]["session_id"]
        self.assertLess(self.client.session(branch)["head_seq"], 4)
        self.assertEqual(self.client.session(self.session)["activity"], "running")


if __name__ == "__main__":
    unittest.main()
