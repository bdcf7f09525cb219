"""Resets and expiry by the clock (SPEC R; 003 §6 and §10, 002's triggers): one server whose clock is set."""
import json
import time
import unittest
from urllib.parse import quote

from scene import Scene, each

NONE, IDLE, DAILY = "", "session_reset: {mode: idle, idle_minutes: 60}\n", "session_reset: {mode: daily}\n"
BOTH = "session_reset: {mode: both}\n"
BERLIN = "time_zone: Europe/Berlin\n"
TELEGRAM_IDLE = "platforms: {telegram: {session_reset: {mode: idle, idle_minutes: 60}}}\n"
DM_NEVER = "chat_types: {dm: {session_reset: {mode: none}}}\n"
DM_IDLE = "chat_types: {dm: {session_reset: {mode: idle, idle_minutes: 60}}}\n"
AT_TWO = BERLIN + "session_reset: {mode: daily, at_hour: 2}\n"
PASS_S = 0.1


def agent(settings):
    return f"agents: {{main: {{session: {{{settings}}}}}}}\n"


POLICIES = (  # name, configuration, when it was spoken in, when it is asked for, why it is reset
    ("R1a_R1m_L2h_mode_none_never", NONE, "2027-02-01T10:00:00", "2027-12-31T10:00:00", None),
    ("R1b_mode_idle_before_its_time", IDLE, "2027-02-01T10:00:00", "2027-02-01T10:59:30", None),
    ("R1b_A8n_mode_idle_after_it", IDLE, "2027-02-01T10:00:00", "2027-02-01T11:00:30", "idle"),
    ("L2j_mode_idle_of_a_day_is_the_usual", "session_reset: {mode: idle}\n",
     "2027-02-01T10:00:00", "2027-02-02T09:59:30", None),
    ("L2j_mode_idle_over_a_day", "session_reset: {mode: idle}\n",
     "2027-02-01T10:00:00", "2027-02-02T10:00:30", "idle"),
    ("R1_mode_idle_zero_never", "session_reset: {mode: idle, idle_minutes: 0}\n",
     "2027-02-01T10:00:00", "2027-12-31T10:00:00", None),
    ("R1c_L2i_mode_daily_before_four", DAILY, "2027-02-01T04:00:30", "2027-02-02T03:59:30", None),
    ("R1c_L2i_A8o_mode_daily_at_four", DAILY, "2027-02-01T03:59:30", "2027-02-01T04:00:30", "daily"),
    ("R1e_mode_daily_of_days_ago", DAILY, "2027-02-01T10:00:00", "2027-02-09T02:00:00", "daily"),
    # 002's "today at the hour" would reset each message before it
    ("R1e_mode_daily_before_the_hour_is_yesterdays", DAILY, "2027-02-01T10:00:00", "2027-02-02T02:00:00", None),
    ("R1c_mode_daily_at_another_hour", "session_reset: {mode: daily, at_hour: 23}\n",
     "2027-02-01T22:59:30", "2027-02-01T23:00:30", "daily"),
    ("R1c_mode_daily_at_midnight", "session_reset: {mode: daily, at_hour: 0}\n",
     "2027-02-01T23:59:30", "2027-02-02T00:00:30", "daily"),
    ("R1d_R1n_mode_both_by_the_hour", BOTH, "2027-02-01T05:00:00", "2027-02-02T04:30:00", "daily"),
    ("R1d_mode_both_by_idleness", "session_reset: {mode: both, idle_minutes: 60}\n",
     "2027-02-01T10:00:00", "2027-02-01T11:30:00", "idle"),
    ("R1d_R1n_R1o_mode_both_neither", BOTH, "2027-02-01T05:00:00", "2027-02-02T03:30:00", None),
    ("R1h_R1o_idle_is_named_before_daily", BOTH, "2027-02-01T03:00:00", "2027-02-02T05:00:00", "idle"),
    # platform > chat type > agent > the rest
    ("L2l_the_platform_decides_over_the_rest", TELEGRAM_IDLE, "2027-02-01T10:00:00", "2027-02-01T12:00:00", "idle"),
    ("R1_another_platform_says_nothing", TELEGRAM_IDLE.replace("telegram", "slack"),
     "2027-02-01T10:00:00", "2027-02-01T12:00:00", None),
    ("R1i_the_platform_decides_over_the_chat_type", DM_NEVER + TELEGRAM_IDLE,
     "2027-02-01T10:00:00", "2027-02-01T12:00:00", "idle"),
    ("L2l_the_platform_may_say_never", IDLE + "platforms: {telegram: {session_reset: {mode: none}}}\n",
     "2027-02-01T10:00:00", "2027-02-03T10:00:00", None),
    ("R1_the_chat_type_decides_over_the_rest", IDLE + "chat_types: {dm: {session_reset: {idle_minutes: 600}}}\n",
     "2027-02-01T10:00:00", "2027-02-01T12:00:00", None),
    ("R1_another_chat_type_says_nothing", IDLE + DM_NEVER.replace("dm", "group"),
     "2027-02-01T10:00:00", "2027-02-01T12:00:00", "idle"),
    ("R1j_the_chat_type_decides_over_the_agent", DM_NEVER + agent("idleTimeoutMinutes: 60"),
     "2027-02-01T10:00:00", "2027-02-01T12:00:00", None),
    ("R1_the_agent_decides_over_the_rest", IDLE + agent("idleTimeoutMinutes: 600"),
     "2027-02-01T10:00:00", "2027-02-01T12:00:00", None),
    # 002: agent.session.idleTimeoutMinutes and dailyResetHour
    ("L2m_idleTimeoutMinutes_not_yet", agent("idleTimeoutMinutes: 240"),
     "2027-02-01T10:00:00", "2027-02-01T13:59:30", None),
    ("L2m_idleTimeoutMinutes_over", agent("idleTimeoutMinutes: 240"),
     "2027-02-01T10:00:00", "2027-02-01T14:00:30", "idle"),
    ("L2n_dailyResetHour_not_yet", agent("dailyResetHour: 6"), "2027-02-01T06:00:30", "2027-02-02T05:59:30", None),
    ("L2n_dailyResetHour_over", agent("dailyResetHour: 6"), "2027-02-01T05:59:30", "2027-02-01T06:00:30", "daily"),
    ("R1_both_of_an_agent", agent("idleTimeoutMinutes: 600, dailyResetHour: 6"),
     "2027-02-01T05:59:30", "2027-02-01T06:00:30", "daily"),
    # where the agent is
    ("R1f_four_in_berlin_in_winter", BERLIN + DAILY, "2027-02-01T02:59:30", "2027-02-01T03:00:30", "daily"),
    ("R1f_four_in_berlin_in_summer", BERLIN + DAILY, "2027-07-01T01:59:30", "2027-07-01T02:00:30", "daily"),
    ("R1f_an_agent_in_another_zone", BERLIN + DAILY + "agents: {main: {time_zone: America/New_York}}\n",
     "2027-02-01T08:59:30", "2027-02-01T09:00:30", "daily"),
    # days of 23 and 25 hours, an hour that does not come, one that comes twice
    ("R1_the_short_day", BERLIN + DAILY, "2027-03-28T01:59:30", "2027-03-28T02:00:30", "daily"),
    ("R1_the_short_day_not_yet", BERLIN + DAILY, "2027-03-27T03:00:30", "2027-03-28T01:59:30", None),
    ("R1_the_long_day", BERLIN + DAILY, "2027-10-31T02:59:30", "2027-10-31T03:00:30", "daily"),
    ("R1_the_long_day_not_yet", BERLIN + DAILY, "2027-10-30T02:00:30", "2027-10-31T02:59:30", None),
    ("R1_the_hour_that_does_not_come_is_the_jump", AT_TWO, "2027-03-28T00:59:30", "2027-03-28T01:00:30", "daily"),
    ("R1_before_that_jump", AT_TWO, "2027-03-27T01:00:30", "2027-03-28T00:59:30", None),
    ("R1_the_hour_that_comes_twice_first", AT_TWO, "2027-10-30T23:59:30", "2027-10-31T00:00:30", "daily"),
    ("R1_the_hour_that_comes_twice_again", AT_TWO, "2027-10-31T00:00:30", "2027-10-31T01:00:30", None),
    # leap day, new year
    ("R1_the_leap_day_begins", DAILY, "2028-02-29T03:59:30", "2028-02-29T04:00:30", "daily"),
    ("R1_the_leap_day_ends", DAILY, "2028-02-29T04:00:30", "2028-03-01T04:00:30", "daily"),
    ("R1_idle_over_the_leap_day", "session_reset: {mode: idle, idle_minutes: 2880}\n",
     "2028-02-28T10:00:00", "2028-03-01T09:59:30", None),
    ("R1_the_day_after_february_without_one", DAILY, "2027-02-28T04:00:30", "2027-03-01T03:59:30", None),
    ("R1_new_year", DAILY, "2027-12-31T23:00:00", "2028-01-01T04:00:30", "daily"),
    # clocks that are set
    ("R1_a_clock_set_back_resets_nothing", IDLE, "2027-02-01T10:00:00", "2027-01-01T10:00:00", None),
    ("R1_nor_by_the_hour", DAILY, "2027-02-01T10:00:00", "2027-01-31T04:00:30", None),
)


class Policies(Scene):
    """Who resets, and when. The clock is set, the configuration reloaded; nothing is started."""

    @each(POLICIES)
    def judge(self, config, spoke_at, asked_at, reason):
        self.reload(config)
        self.clock.set(spoke_at)
        source, first = self.talk()
        self.clock.set(asked_at)
        after = self.resolve(source)
        self.assertEqual(after["reset_reason"], reason)
        self.assertEqual(after["is_new"], reason is not None)
        self.assertEqual(after["is_new"], after["session"]["id"] != first["session"]["id"])
        self.assertEqual(self.resolve(source)["session"]["id"], after["session"]["id"], "only once")


    @each((("R1l_M3d_the_workspace_decides_over_the_server", "", "idle"),
           ("R1k_the_agent_decides_over_the_workspace", agent("idleTimeoutMinutes: 600"), None)))
    def judge_workspace(self, config, reason):
        self.reload(config)
        self.clock.set("2027-02-01T10:00:00")
        path = "/v1/workspaces/main"
        self.client.ask("POST", path, {"config": {"session_reset": {"mode": "idle", "idle_minutes": 60}}})
        source, _ = self.talk()
        self.clock.set("2027-02-01T12:00:00")
        self.assertEqual(self.resolve(source)["reset_reason"], reason)
        self.client.ask("POST", path, {"config": None})

    def test_R1_a_restart_across_a_boundary(self):
        self.reload("session_reset: {mode: both, idle_minutes: 60}\n")
        self.clock.set("2027-02-01T03:56:00")
        early = self.talk()
        self.clock.set("2027-02-01T04:01:00")
        late = self.talk()
        self.kill()
        self.clock.set("2027-02-01T04:10:00")
        self.start()
        self.assertEqual(self.resolve(early[0])["reset_reason"], "daily")
        self.assertFalse(self.resolve(late[0])["is_new"])
        self.kill()
        self.clock.set("2027-02-01T05:15:00")
        self.start()
        self.assertEqual(self.resolve(late[0])["reset_reason"], "idle")


TOOLS = [{"type": "agent_toolset_20260401",
          "default_config": {"enabled": True, "permission_policy": {"type": "always_allow"}}},
         {"type": "custom", "name": "ring", "description": "Rings.", "input_schema": {"type": "object"}}]
OPEN = (  # name, what is said, what the session is then
    ("R2a_not_while_a_turn_runs", "wait 600", "running"),
    ("R2b_not_while_an_approval_waits", 'tool bash {"command": "true"}', "requires_action"),
    ("R2d_not_while_a_clients_tool_is_open", "tool ring {}", "requires_action"),
    ("R2c_T12w_not_while_a_process_runs_in_the_background",
     'tool bash {"command": "sleep 600", "background": true}', "idle"),
    ("R2_not_while_a_wake_is_queued", 'tool session_directive {"outcome": "sleep", "wakes": '
     '[{"delay_seconds": 3600, "reason": "later"}]}', "rescheduling"),
)


class Open(Scene):
    """Never while something is alive (003 §6, exclusions)."""
    config = IDLE

    @each(OPEN)
    def judge(self, text, activity):
        asks = "approval" in self._testMethodName
        agent = "main" if asks else self.client.ask("POST", "/v1/agents", {
            "name": "busy", "model": "demo", "tools": TOOLS})["id"]
        source = self.chat()
        session = self.resolve(source, agent_id=agent)["session"]["id"]
        self.client.post(session, text)
        self.await_activity(session, activity)
        if activity == "idle":
            self.await_that(lambda: self.said(session), "it says what it started")
        self.clock.set("2030-01-01T00:00:00" if activity == "running" else "2030-01-02T00:00:00")
        kept = self.resolve(source, agent_id=agent)
        self.assertEqual((kept["is_new"], kept["session"]["id"]), (False, session))
        self.command(session, "/stop")
        self.await_activity(session, "idle")
        self.clock.set("2031-01-01T00:00:00")
        self.assertEqual(self.resolve(source, agent_id=agent)["reset_reason"], "idle", "then it is")
        self.clock.set("2029-01-01T00:00:00")


class Effects(Scene):
    """What a reset leaves (003 §6, effects 1 to 6)."""
    config = IDLE + "platforms: {slack: {session_reset: {notify: false}}, discord: {session_reset: " \
        "{mode: daily}}}\nproviders:\n  - {name: far, kind: openai-chat, base_url: 'http://127.0.0.1:9/v1', " \
        "api_key_env: NO_KEY}\n"

    def rolled(self, text="say hello", **more):
        self.clock.set("2027-02-01T03:00:00")
        source = self.chat(**more)
        first = self.resolve(source)
        if text:
            self.client.post(first["session"]["id"], text, mode="wait")
        self.clock.set("2027-02-01T05:00:00")
        return first, self.resolve(source)

    def notices(self, after):
        """To the user, and to the model."""
        born, *others = self.client.events(after["session"]["id"])
        return born.get("notice"), [one["content"][0]["text"] for one in others]

    def test_R3a_R3b_R3i_M10ae_M7h_M7t_the_old_one_ends_with_its_reason_and_is_kept(self):
        first, after = self.rolled()
        log = self.client.events(first["session"]["id"])
        self.assertEqual((log[-1]["type"], log[-1]["reason"], log[-1]["new_session_id"]),
                         ("session.reset", "idle", after["session"]["id"]))
        old = self.client.session(first["session"]["id"])
        self.assertEqual((old["lifecycle"], old["record_status"]), ("archived", "archived"))
        self.assertEqual(self.said(first["session"]["id"]), ["hello"])

    def test_M5d_the_new_id_is_dated(self):
        _, after = self.rolled()
        self.assertRegex(after["session"]["id"], r"^telegram:20270201_05000\d_[0-9a-f]{8}$")

    def test_K5q_K5r_K5s_the_reason_and_that_there_was_activity(self):
        _, after = self.rolled()
        lane = self.lane(after)
        self.assertEqual((lane["was_auto_reset"], lane["auto_reset_reason"], lane["reset_had_activity"],
                          lane["is_fresh_reset"]), (True, "idle", True, False))

    def test_K5s_or_that_there_was_none(self):
        _, after = self.rolled(text=None)
        lane = self.lane(after)
        self.assertEqual((lane["was_auto_reset"], lane["reset_had_activity"]), (True, False))

    def test_K5m_the_counters_begin_anew(self):
        first, after = self.rolled()
        self.assertEqual((self.lane(after)["total_tokens"], after["session"]["message_count"]), (0, 0))
        self.assertGreater(self.client.session(first["session"]["id"])["counters"]["total_tokens"], 0)

    def test_R3g_R3h_R1p_L2k_model_and_user_are_told_of_idleness(self):
        told, read = self.notices(self.rolled()[1])
        self.assertIn("inactivity", told)
        self.assertEqual(len(read), 1)
        self.assertIn("inactivity", read[0])

    def test_R3g_R3h_and_of_the_hour(self):
        first, after = self.rolled(platform="discord")
        self.assertEqual(after["reset_reason"], "daily")
        told, read = self.notices(after)
        self.assertIn("Daily", told)
        self.assertIn("daily", read[0])

    def test_R3h_the_policy_may_spare_the_user(self):
        told, read = self.notices(self.rolled(platform="slack")[1])
        self.assertIsNone(told)
        self.assertEqual(len(read), 1)

    def test_R3_nobody_misses_a_session_without_content(self):
        told, _ = self.notices(self.rolled(text=None)[1])
        self.assertIsNone(told)

    def test_A8p_K7e_a_suspended_one_is_always_told(self):
        source, first = self.talk(self.chat(platform="slack"))
        self.ask_lane(first, "suspend")
        after = self.resolve(source)
        self.assertEqual(after["reset_reason"], "suspended")
        told, read = self.notices(after)
        self.assertTrue(told)
        self.assertEqual(self.lane(after)["auto_reset_reason"], "suspended")
        self.assertEqual(len(read), 1)

    def test_R3d_R3e_R3g_the_first_turn_takes_the_marks_and_the_model_hears_it_once(self):
        _, after = self.rolled()
        session = after["session"]["id"]
        for _ in range(2):
            self.client.post(session, "say there", mode="wait")
            self.assertFalse(self.lane(after)["was_auto_reset"])
            self.assertIsNone(self.lane(after)["auto_reset_reason"])
        self.assertEqual([one["type"] for one in self.client.events(session)].count("system.message"), 1)

    def test_R3_an_archived_one_names_its_successor(self):
        first, after = self.rolled()
        error = self.assert_refused(409, "POST", f"/v1/sessions/{quote(first['session']['id'])}/messages",
                                    {"text": "say late"})
        self.assertIn(after["session"]["id"], error["message"])

    @each((("R4p_L3d_undo_goes_back_by_resume", True), ("R4q_K7d_undo_goes_back_by_switch", False)))
    def goes_back(self, by_command):
        first, after = self.rolled()
        old, new = first["session"]["id"], after["session"]["id"]
        self.client.post(new, "say there", mode="wait")
        if by_command:
            self.command(new, f"/resume {old}")
        else:
            self.ask_lane(after, "switch", {"session_id": old})
        self.assertEqual(self.lane(first)["session_id"], old)
        self.assertEqual(self.client.session(old)["lifecycle"], "active")
        self.assertEqual(self.client.post(old, "say back", mode="wait")["text"], "back")
        self.assertEqual(self.said(new), ["there"], "what was said meanwhile stays")

    def test_R4d_what_waited_before_new_does_not_come_back_with_undo(self):
        first = self.resolve(self.chat())
        old = first["session"]["id"]
        self.client.post(old, "wait 60")
        self.client.post(old, "say never")
        self.command(old, "/new")
        self.ask_lane(first, "switch", {"session_id": old})
        self.assertEqual(self.waiting(old), [])
        self.assertEqual(self.client.post(old, "say back", mode="wait")["text"], "back")
        self.assertEqual(self.said(old), ["back"])

    def test_R4a_R4g_K5t_L3b_new_says_that_it_was_asked_for(self):
        source, first = self.talk()
        after = self.command(first["session"]["id"], "/new")["data"]["session_id"]
        lane = self.lane(first)
        self.assertEqual((lane["session_id"], lane["is_fresh_reset"], lane["was_auto_reset"]), (after, True, False))
        self.client.post(after, "say hi", mode="wait")
        self.assertFalse(self.lane(first)["is_fresh_reset"], "taken once")

    def test_R4e_R4f_new_takes_pending_approvals_and_overrides_away(self):
        first = self.resolve(self.chat())
        session = first["session"]["id"]
        self.client.post(session, 'tool bash {"command": "true"}')
        self.await_activity(session, "requires_action")
        self.command(session, "/model far/away")
        after = self.command(session, "/new")["data"]["session_id"]
        results = [one for one in self.client.events(session) if one["type"] == "agent.tool_result"]
        self.assertEqual([one["is_error"] for one in results], [True])
        self.assertEqual(self.client.session(session)["activity"], "idle")
        self.assertEqual([self.client.session(one)["agent"]["model"]["id"] for one in (session, after)],
                         ["far/away", "demo"])

    def test_R4b_R4g_L3c_reset_is_the_same(self):
        _, first = self.talk()
        after = self.command(first["session"]["id"], "/reset")["data"]["session_id"]
        self.assertEqual((self.lane(first)["session_id"], self.lane(first)["is_fresh_reset"]), (after, True))
        self.assertEqual(self.client.session(first["session"]["id"])["lifecycle"], "archived")


NOTE = """#!/bin/sh
# Appends what it is told, and fails while there is a file.
cat >> "$1"; echo >> "$1"
[ ! -e "$1.fails" ]
"""


class Watcher(Scene):
    """What time does to those at rest, every 300 s (003 §10)."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        hook, cls.heard_in = cls.server.folder / "note", cls.server.folder / "heard"
        hook.write_text(NOTE)
        hook.chmod(0o755)
        cls.hooks = f"hooks:\n  - {{event: session_finalize, command: [{hook}, {cls.heard_in}]}}\n"
        cls.reload(IDLE + cls.hooks)

    def heard(self, session):
        told = self.heard_in.read_text() if self.heard_in.exists() else ""
        return sum(json.loads(line)["session_id"] == session for line in told.splitlines() if line)

    def await_passes(self, question, what):
        """One pass after the other, each with time to end, until it is so."""
        begun = 0

        def ask():
            nonlocal begun
            if time.monotonic() - begun > PASS_S:
                begun = time.monotonic()
                self.clock.advance(seconds=301)
            return question()
        return self.await_that(ask, what)

    def let_pass(self):
        """Two hours, and a pass that began after them: a lane that is due then says so."""
        _, probe = self.talk(self.chat(platform="probe"))
        self.clock.advance(hours=2)
        self.await_passes(lambda: self.lane(probe)["expiry_finalized"], "a pass")

    def test_R5b_R5o_R4v_K5u_H4d_an_expired_lane_is_finalized_once_also_over_a_restart(self):
        source, first = self.talk()
        self.let_pass()
        self.assertTrue(self.lane(first)["expiry_finalized"])
        self.assertEqual(self.heard(first["session"]["id"]), 1)
        self.let_pass()
        self.restart()
        self.let_pass()
        self.assertEqual(self.heard(first["session"]["id"]), 1)
        self.assertEqual(self.client.session(first["session"]["id"])["lifecycle"], "active", "it is not archived")
        self.assertEqual(self.resolve(source)["reset_reason"], "idle")

    def test_R5c_a_failing_hook_is_asked_three_times_then_it_is_final(self):
        failing = self.server.folder / "heard.fails"
        failing.touch()
        _, first = self.talk()
        self.clock.advance(hours=2)
        self.await_passes(lambda: self.lane(first)["finalize_attempts"] == 1, "the first attempt")
        self.assertFalse(self.lane(first)["expiry_finalized"])
        self.await_passes(lambda: self.lane(first)["expiry_finalized"], "the last attempt")
        self.assertEqual(self.heard(first["session"]["id"]), 3)
        failing.unlink()

    def test_R5_not_before_its_time(self):
        _, first = self.talk(self.chat(platform="late"))
        self.reload(IDLE + self.hooks + "platforms: {late: {session_reset: {idle_minutes: 10000}}}\n")
        self.let_pass()
        self.assertFalse(self.lane(first)["expiry_finalized"])

    def test_R5p_with_mode_none_nothing_expires(self):
        self.reload(IDLE + self.hooks + "platforms: {quiet: {session_reset: {mode: none}}}\n")
        _, first = self.talk(self.chat(platform="quiet"))
        self.let_pass()
        self.assertFalse(self.lane(first)["expiry_finalized"])
        self.assertEqual(self.heard(first["session"]["id"]), 0)

    def test_R5_a_running_session_is_never_touched(self):
        source = self.chat()
        first = self.resolve(source)
        session = first["session"]["id"]
        self.client.post(session, 'tool bash {"command": "true"}')
        self.await_activity(session, "requires_action")
        self.let_pass()
        self.assertFalse(self.lane(first)["expiry_finalized"])
        self.command(session, "/stop")
        self.await_idle(session)
        self.let_pass()
        self.assertTrue(self.lane(first)["expiry_finalized"])

    def test_R5_one_that_waits_to_be_resumed_is_left_alone(self):
        _, first = self.talk()
        self.ask_lane(first, "resume_pending", {"reason": "restart_timeout"})
        self.let_pass()
        self.assertFalse(self.lane(first)["expiry_finalized"])

    def test_R5g_R4m_M7g_direct_sessions_become_inactive_after_three_days(self):
        self.client.open_session("cli:stale")
        self.client.post("cli:stale", "say hello", mode="wait")
        self.clock.advance(hours=60)
        for _ in range(2):  # the first may be the one that is about to end
            self.let_pass()
        self.assertEqual(self.client.session("cli:stale")["lifecycle"], "active", "not before")
        self.clock.advance(hours=9)
        self.await_passes(lambda: self.client.session("cli:stale")["lifecycle"] == "inactive", "it is put to rest")
        self.assertEqual(self.client.post("cli:stale", "say back", mode="wait")["text"], "back")
        self.assertEqual(self.client.session("cli:stale")["lifecycle"], "active")

    def test_R5f_R5r_R5s_R5t_old_lanes_are_forgotten_but_not_suspended_or_busy_ones(self):
        old, suspended, busy, fresh = (self.talk() for _ in range(4))
        self.ask_lane(suspended[1], "suspend")
        self.client.post(busy[1]["session"]["id"], 'tool bash {"command": "true"}')
        self.await_activity(busy[1]["session"]["id"], "requires_action")
        self.clock.advance(days=31)
        self.client.post(fresh[1]["session"]["id"], "say hi", mode="wait")
        self.reload(IDLE + self.hooks + "session_store_max_age_days: 30\n")
        self.clock.advance(hours=1)
        self.await_passes(lambda: not self.is_known(old), "it is forgotten")
        self.let_pass()  # those behind it were looked at, too
        self.assertEqual([self.is_known(one) for one in (suspended, busy, fresh)], [True] * 3)
        self.assertEqual(self.said(old[1]["session"]["id"]), ["hello"], "what was said stays")
        after = self.resolve(old[0])
        self.assertEqual((after["is_new"], after["reset_reason"]), (True, None))
        self.reload(IDLE + self.hooks)

    def is_known(self, talk):
        return bool(self.client.ask("GET", f"/v1/lanes?session_id={quote(talk[1]['session']['id'])}")["data"])


if __name__ == "__main__":
    unittest.main()
