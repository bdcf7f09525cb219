"""Which session a conversation is in: the state diagram, the flags, the store's operations and who shares
what (SPEC K2, K3, K5 to K8; 003 §2 to §5, §9), on one running server."""
import json
import time
import unittest
from urllib.parse import quote

from scene import Scene, each
from test_busy_kills import KEY, Reader, grammar, speech

IDLE = "session_reset: {mode: idle, idle_minutes: 60}\n"
REASONS = ("restart_timeout", "shutdown_timeout", "restart_interrupted")
TRANSITIONS = (  # name, flags, is the policy due, reset_reason, does it go on
    ("K6d_A8r_no_flag_and_not_due_continues", (), False, None, True),
    ("K6c_A8n_the_policy_resets", (), True, "idle", False),
    ("K7e_A8p_suspended_resets", ("suspended",), False, "suspended", False),
    ("K6_suspended_is_named_before_the_policy", ("suspended",), True, "suspended", False),
    ("K6_resume_pending_continues", ("resume_pending",), False, None, True),
    ("K6b_resume_pending_goes_before_the_policy", ("resume_pending",), True, None, True),
    ("K6a_suspended_goes_before_resume_pending", ("resume_pending", "suspended"), False, "suspended", False),
    ("K6a_H5v_a_mark_never_overrides_suspended", ("suspended", "resume_pending"), False, "suspended", False),
    ("K6a_all_of_it_is_suspended", ("suspended", "resume_pending"), True, "suspended", False),
)


class States(Scene):
    """get_or_create_session, edge by edge."""
    config = IDLE

    def flag(self, resolved, name):
        if name == "suspended":
            return self.ask_lane(resolved, "suspend")
        return self.ask_lane(resolved, "resume_pending", {"reason": "restart_timeout"})

    @each(TRANSITIONS)
    def judge(self, flags, due, reason, goes_on):
        if due:
            self.clock.set("2027-02-01T10:00:00")
        source, first = self.talk()
        for name in flags:
            self.flag(first, name)
        if due:
            self.clock.set("2027-02-01T12:00:00")
        after = self.resolve(source)
        self.assertEqual((after["reset_reason"], after["is_new"]), (reason, not goes_on))
        self.assertEqual(after["session"]["id"] == first["session"]["id"], goes_on)
        lane = self.lane(after)
        self.assertFalse(lane["suspended"], "the new one is not")
        self.assertEqual(lane["resume_pending"], goes_on and "resume_pending" in flags)
        self.assertEqual(lane["was_auto_reset"], not goes_on)

    def test_K7a_A8i_A8r_nothing_there_creates(self):
        first = self.resolve(self.chat())
        self.assertEqual((first["is_new"], first["reset_reason"]), (True, None))
        lane = self.lane(first)
        self.assertEqual([lane[flag] for flag in ("was_auto_reset", "auto_reset_reason", "reset_had_activity",
                                                  "is_fresh_reset", "expiry_finalized", "suspended",
                                                  "resume_pending", "resume_reason", "last_resume_marked_at")],
                         [False, None, False, False, False, False, False, None, None])

    def test_K6f_force_new_makes_another_whatever_is_there(self):
        for flags in ((), ("suspended",), ("resume_pending",)):
            with self.subTest(flags):
                source, first = self.talk()
                for name in flags:
                    self.flag(first, name)
                forced = self.resolve(source, force_new=True)
                self.assertEqual((forced["is_new"], forced["lane_id"]), (True, first["lane_id"]))
                self.assertNotEqual(forced["session"]["id"], first["session"]["id"])
                self.assertFalse(self.lane(forced)["resume_pending"])

    def test_K5d_continuing_and_resuming_count_as_activity(self):
        for flags in ((), ("resume_pending",)):
            with self.subTest(flags):
                self.clock.set("2027-02-01T10:00:00")
                source, first = self.talk()
                for name in flags:
                    self.flag(first, name)
                self.clock.set("2027-02-01T10:50:00")
                self.resolve(source)
                self.await_that(lambda: self.lane(first)["updated_at"].startswith("2027-02-01T10:50"), "it is noted")
        self.clock.set("2027-02-01T11:40:00")  # fifty minutes after that one
        self.assertFalse(self.resolve(source)["is_new"])

    def test_K5w_K5x_K5y_K7f_a_resume_has_its_reason_and_its_time(self):
        for reason in REASONS:
            with self.subTest(reason):
                _, first = self.talk()
                lane = self.ask_lane(first, "resume_pending", {"reason": reason})
                self.assertEqual((lane["resume_pending"], lane["resume_reason"]), (True, reason))
                self.assertGreaterEqual(lane["last_resume_marked_at"], lane["created_at"])
        self.assert_refused(400, "POST", f"/v1/lanes/{first['lane_id']}/resume_pending", {"reason": "boredom"})

    def test_H5u_a_turn_that_fails_keeps_the_mark_one_that_succeeds_takes_it(self):
        source, first = self.talk()
        session = first["session"]["id"]
        self.flag(first, "resume_pending")
        self.client.post(session, "wait 60")
        self.command(session, "/stop")
        self.await_idle(session)
        self.resolve(source)
        self.assertTrue(self.lane(first)["resume_pending"], "an interrupted turn is no success")
        self.client.post(session, "say done", mode="wait")
        self.await_that(lambda: not self.lane(first)["resume_pending"], "a success takes it")

    def test_K1a_K1b_K1c_K1f_K1i_K1j_K1k_K1l_K1m_K1n_K1p_K1q_K1r_K1s_K1u_K5e_K5f_the_origin_keeps_all_it_was_told(self):
        source = {"platform": "slack", "chat_id": f"C{time.monotonic_ns()}", "chat_name": "general",
                  "chat_type": "channel", "user_id": "U1", "user_name": "Ann", "thread_id": "17.4",
                  "chat_topic": "all things", "user_id_alt": "alt", "chat_id_alt": "chat alt", "is_bot": False,
                  "guild_id": "T1", "parent_chat_id": "C0", "message_id": "m1", "role_authorized": True}
        first = self.resolve(source)
        self.assertEqual(self.lane(first)["origin"], source)
        self.assertEqual(self.lane(first)["display_name"], "general")
        self.restart()
        self.assertEqual(self.lane(first)["origin"], source)


class Operations(Scene):
    """The operations of 003's store, one case each (K7); get_or_create is above."""

    def test_K7b_K5d_update_notes_activity_and_the_last_prompt(self):
        _, first = self.talk()
        self.clock.advance(minutes=5)
        before = self.lane(first)["updated_at"]
        lane = self.client.ask("POST", f"/v1/lanes/{first['lane_id']}", {"last_prompt_tokens": 4711})
        self.assertGreater(lane["updated_at"], before)

    def test_K7c_K5b_K5t_reset_begins_anew_and_is_said_to_be_asked_for(self):
        source, first = self.talk()
        self.ask_lane(first, "reset")
        lane = self.lane(first)
        self.assertNotEqual(lane["session_id"], first["session"]["id"])
        self.assertEqual((lane["is_fresh_reset"], lane["was_auto_reset"]), (True, False))
        self.assertEqual(self.resolve(source)["session"]["id"], lane["session_id"])

    def test_K7_reset_of_an_unknown_lane_is_not_found(self):
        self.assert_refused(404, "POST", "/v1/lanes/lane_00000000000000000000000000000000/reset")

    def test_K7d_switch_goes_back_and_the_same_changes_nothing(self):
        source, first = self.talk()
        self.ask_lane(first, "reset")
        self.ask_lane(first, "switch", {"session_id": first["session"]["id"]})
        self.assertEqual(self.resolve(source)["session"]["id"], first["session"]["id"])
        head = self.client.session(first["session"]["id"])["head_seq"]
        self.ask_lane(first, "switch", {"session_id": first["session"]["id"]})
        self.assertEqual(self.client.session(first["session"]["id"])["head_seq"], head)
        self.assert_refused(404, "POST", f"/v1/lanes/{first['lane_id']}/switch", {"session_id": "telegram:none"})

    def test_K7g_clear_takes_the_mark_away(self):
        _, first = self.talk()
        self.ask_lane(first, "resume_pending", {"reason": "restart_timeout"})
        self.assertFalse(self.ask_lane(first, "resume_pending", method="DELETE")["resume_pending"])

    def test_K7h_suspend_recently_active_marks_these_and_no_others(self):
        old, marked, suspended, fresh = (self.talk()[1] for _ in range(4))
        self.ask_lane(marked, "resume_pending", {"reason": "shutdown_timeout"})
        self.ask_lane(suspended, "suspend")
        at = self.lane(marked)["last_resume_marked_at"]
        self.clock.advance(minutes=10)
        for one in (marked, suspended, fresh):
            self.client.ask("POST", f"/v1/lanes/{one['lane_id']}", {})
        self.client.ask("POST", "/v1/lanes/suspend_recently_active", {"max_age_seconds": 120})
        self.assertFalse(self.lane(old)["resume_pending"])
        self.assertEqual((self.lane(fresh)["resume_pending"], self.lane(fresh)["resume_reason"]),
                         (True, "restart_interrupted"))
        self.assertEqual((self.lane(marked)["resume_reason"], self.lane(marked)["last_resume_marked_at"]),
                         ("shutdown_timeout", at), "no double mark")
        self.assertEqual((self.lane(suspended)["suspended"], self.lane(suspended)["resume_pending"]), (True, False))

    def test_K7i_R5r_R5s_prune_forgets_old_lanes_and_nothing_that_was_said(self):
        old, suspended = self.talk()[1], self.talk()[1]
        self.ask_lane(suspended, "suspend")
        self.clock.advance(days=40)
        fresh = self.talk()[1]
        self.client.ask("POST", "/v1/lanes/prune", {"max_age_days": 30})
        self.assert_refused(404, "GET", f"/v1/lanes/{old['lane_id']}")
        self.assertEqual(self.said(old["session"]["id"]), ["hello"])
        self.assertTrue(self.lane(suspended)["suspended"])
        self.lane(fresh)

    def test_K7j_list_is_by_activity_and_by_minutes(self):
        older, newer = self.talk()[1], None
        self.clock.advance(minutes=30)
        newer = self.talk()[1]
        ids = [one["id"] for one in self.client.ask("GET", "/v1/lanes?limit=100")["data"]]
        self.assertLess(ids.index(newer["lane_id"]), ids.index(older["lane_id"]))
        recent = [one["id"] for one in self.client.ask("GET", "/v1/lanes?active_minutes=5")["data"]]
        self.assertIn(newer["lane_id"], recent)
        self.assertNotIn(older["lane_id"], recent)

    def test_K7k_lookup_by_session_finds_the_active_entry_alone(self):
        _, first = self.talk()
        find = f"/v1/lanes?session_id={quote(first['session']['id'])}"
        self.assertEqual([one["id"] for one in self.client.ask("GET", find)["data"]], [first["lane_id"]])
        self.ask_lane(first, "reset")
        self.assertEqual(self.client.ask("GET", find)["data"], [])

    def test_K7l_has_any_asks_the_history(self):
        self.talk()
        self.assertTrue(any(value is True for value in self.client.ask("GET", "/v1/lanes/any").values()))

    def test_K7m_K7o_K7p_K7q_K7r_K7s_append_load_and_rewind_keep_an_audit(self):
        source, first = self.talk(text="say one")
        session = first["session"]["id"]
        self.client.post(session, "say two", mode="wait")
        self.client.post(session, "say three", mode="wait")
        undone = self.ask_lane(first, "rewind", {"turns": 2})
        self.assertEqual((undone["turns_undone"], undone["target_text"]), (2, "say two"))
        shown = [one["content"] for one in self.client.ask("GET", f"/v1/sessions/{quote(session)}/messages")["data"]]
        self.assertNotIn("two", json.dumps(shown))
        self.assertIn("one", json.dumps(shown))
        self.assertEqual(self.said(session), ["one", "two", "three"], "the log keeps them")
        clamped = self.ask_lane(first, "rewind", {"turns": 99})
        self.assertEqual((clamped["turns_undone"], clamped["target_text"]), (1, "say one"))

    def test_K7n_K7t_C11e_L3h_M10ah_retry_rewrites_the_transcript_and_not_the_log(self):
        _, first = self.talk(text="say one")
        session = first["session"]["id"]
        before = self.client.events(session)
        self.command(session, "/retry")
        self.await_idle(session)
        after = self.client.events(session)
        self.assertEqual(after[:len(before)], before)
        self.assertIn("session.rewound", [one["type"] for one in after[len(before):]])
        self.assertEqual(self.said(session), ["one", "one"])
        shown = self.client.ask("GET", f"/v1/sessions/{quote(session)}/messages")["data"]
        self.assertEqual(sum(one["role"] == "user" for one in shown), 1)

    def test_K5aa_sessions_json_goes_out_and_comes_back(self):
        source, first = self.talk()
        self.ask_lane(first, "resume_pending", {"reason": "shutdown_timeout"})
        before, exported = self.lane(first), self.client.ask("GET", "/v1/lanes/export")
        self.assertEqual(exported[before["session_key"]]["session_id"], first["session"]["id"])
        self.clock.advance(days=40)
        self.client.ask("POST", "/v1/lanes/prune", {"max_age_days": 30})
        self.assert_refused(404, "GET", f"/v1/lanes/{first['lane_id']}")
        self.client.ask("POST", "/v1/lanes/import", exported)
        self.assertEqual(self.lane(first), before)
        self.assertEqual(self.resolve(source)["session"]["id"], first["session"]["id"])


THREAD = {"thread_id": "thread_678"}
ANYBODY = {"chat_type": "group", "user_id": "user_abc"}
JID = "491701234567@s.whatsapp.net"
DEFAULT, OPPOSITE = (True, False), (False, True)  # group_sessions_per_user, thread_sessions_per_user
KEYS = (  # name, settings, source, key
    ("K2a_K2b_K2j_K2m_K1h_dm_with_a_chat", DEFAULT, {"platform": "telegram", "chat_id": "12345", "user_id": "u"}, "telegram:dm:12345"),
    ("K2c_dm_with_a_chat_and_a_thread", DEFAULT, {"platform": "telegram", "chat_id": "12345", **THREAD},
     "telegram:dm:12345:thread_678"),
    ("K2h_dm_without_a_chat_is_its_participant", DEFAULT, {"platform": "signal", "chat_id": "", "user_id": "user_abc"},
     "signal:dm:user_abc"),
    ("K2g_the_stable_id_goes_before_the_user_id", DEFAULT,
     {"platform": "signal", "chat_id": "", "user_id": "u", "user_id_alt": "uuid"}, "signal:dm:uuid"),
    ("K2k_dm_without_a_chat_its_participant_goes_before_the_thread", DEFAULT,
     {"platform": "signal", "chat_id": "", "user_id": "user_abc", **THREAD}, "signal:dm:user_abc:thread_678"),
    ("K2i_dm_without_anything_is_one_for_all", DEFAULT, {"platform": "telegram", "chat_id": ""}, "telegram:dm"),
    ("K4a_K4c_whatsapp_dm", DEFAULT, {"platform": "whatsapp", "chat_id": f"+{JID}"}, "whatsapp:dm:491701234567"),
    ("K4b_whatsapp_dm_of_a_device", DEFAULT, {"platform": "whatsapp", "chat_id": JID.replace("@", ":17@")},
     "whatsapp:dm:491701234567"),
    ("K2d_K2h_group_by_user", DEFAULT, {"platform": "telegram", "chat_id": "-10012345", **ANYBODY},
     "telegram:group:-10012345:user_abc"),
    ("K3f_group_shared", OPPOSITE, {"platform": "telegram", "chat_id": "-10012345", **ANYBODY},
     "telegram:group:-10012345"),
    ("K2g_group_by_stable_id", DEFAULT, {"platform": "telegram", "chat_id": "-10012345", **ANYBODY,
                                        "user_id_alt": "uuid"}, "telegram:group:-10012345:uuid"),
    ("K2f_thread_shared", DEFAULT, {"platform": "discord", "chat_id": "12345", **ANYBODY, **THREAD},
     "discord:group:12345:thread_678"),
    ("K3d_thread_by_user", OPPOSITE, {"platform": "discord", "chat_id": "12345", **ANYBODY, **THREAD},
     "discord:group:12345:thread_678:user_abc"),
    ("K2e_channel_without_a_participant", DEFAULT, {"platform": "slack", "chat_id": "C12345", "chat_type": "channel"},
     "slack:channel:C12345"),
    ("K4c_whatsapp_group", DEFAULT, {"platform": "whatsapp", "chat_id": "120363025246125486@g.us", **ANYBODY,
                                    "user_id": JID}, "whatsapp:group:120363025246125486:491701234567"),
    ("K3f_whatsapp_group_shared", OPPOSITE, {"platform": "whatsapp", "chat_id": "120363025246125486@g.us", **ANYBODY,
                                            "user_id": JID}, "whatsapp:group:120363025246125486"),
)
SHARING = (  # name, (group_sessions_per_user, thread_sessions_per_user), source, is it shared
    ("K3b_K1d_a_dm_is_private", (False, False), {"chat_type": "dm"}, False),
    ("K3b_a_thread_in_a_dm_is_private", (False, False), {"chat_type": "dm", **THREAD}, False),
    ("K3a_K3e_K3l_K1e_a_group_is_parted_by_default", (True, False), {"chat_type": "group"}, False),
    ("K3e_K1f_a_channel_too", (True, False), {"chat_type": "channel"}, False),
    ("K3c_K3k_a_thread_is_shared_by_default", (True, False), {"chat_type": "group", **THREAD}, True),
    ("K3c_a_thread_of_a_channel_too", (True, False), {"chat_type": "channel", **THREAD}, True),
    ("K3a_K3f_K3k_groups_may_be_shared", (False, False), {"chat_type": "group"}, True),
    ("K3c_and_their_threads", (False, False), {"chat_type": "group", **THREAD}, True),
    ("K3d_threads_may_be_parted", (True, True), {"chat_type": "group", **THREAD}, False),
    ("K3d_threads_alone_may_be_parted", (False, True), {"chat_type": "group", **THREAD}, False),
    ("K3f_and_groups_stay_shared_then", (False, True), {"chat_type": "group"}, True),
    ("K3g_without_a_participant_it_is_shared", (True, True), {"chat_type": "group", "user_id": None}, True),
)


class Keys(Scene):
    """The key table, who shares a session, and what the model is told of it (003 §4, §5, §9)."""

    @classmethod
    def setUpClass(cls):
        cls.model = Prompts()
        cls.addClassCleanup(cls.model.server_close)
        cls.addClassCleanup(cls.model.shutdown)
        cls.env = KEY
        cls.config = cls.model.config()
        super().setUpClass()

    def configure(self, settings):
        groups, threads = (str(one).lower() for one in settings)
        self.reload(f"group_sessions_per_user: {groups}\nthread_sessions_per_user: {threads}\n" + self.config)

    @each(KEYS)
    def is_keyed(self, settings, source, key):
        self.configure(settings)
        resolved = self.resolve(source)
        self.assertEqual(self.lane(resolved)["session_key"], f"agent:main:{key}")
        self.assertEqual(self.resolve(source)["session"]["id"], resolved["session"]["id"])

    @each(SHARING)
    def is_shared(self, settings, source, shared):
        self.configure(settings)
        one = self.chat(**source)
        other = {**one, "user_id": "somebody"} if one["user_id"] else one
        first, second = self.resolve(one), self.resolve(other)
        if one["chat_type"] != "dm":  # a DM's key is its chat
            self.assertEqual(first["session"]["id"] == second["session"]["id"], shared)
        self.assertEqual(self.lane(first)["shared"], shared)
        self.assertEqual(first["session"]["session_type"], "group" if shared else "direct")

    def prompt(self, source, text, **more):
        session = self.resolve(source)["session"]["id"]
        self.command(session, "/model chat/chat")
        self.client.post(session, text, mode="wait", mentioned=True, **more)
        return self.model.heard[-1]

    def test_K8c_K8i_K8k_a_private_chat_names_its_user_the_same_every_turn(self):
        self.reload(self.config)
        source = self.chat(user_name="Alice")
        first, again = self.prompt(source, "one"), self.prompt(source, "two")
        self.assertIn("## Current Session Context", first["system"])
        self.assertIn("Alice", first["system"])
        self.assertEqual(again["system"], first["system"])

    def test_K8d_K8j_K8o_a_shared_one_names_the_sender_of_each_message(self):
        self.reload(self.config)
        source = self.chat(chat_type="group", user_name="Alice", **THREAD)
        heard = self.prompt(source, "good morning", sender={"channel": "telegram", "channel_user_id": "7",
                                                            "display_name": "Bob"})
        self.assertIn("ulti-user", heard["system"])
        self.assertIn("[Bob] good morning", heard["user"])


class Prompts(Reader):
    """Remembers what it was told: the system prompt, and what users wrote."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def answer(self, dialect, body):
        said = {"system": "", "user": ""}
        for kind, text in grammar.transcript(dialect, body):
            if kind == "user":
                said["user"] += text + "\n"
        said["system"] = "\n".join(str(one["content"]) for one in body["messages"] if one["role"] == "system")
        self.heard.append(said)
        yield speech.begun(dialect) + speech.said(dialect, "Read.") + speech.over(dialect)


if __name__ == "__main__":
    unittest.main()
