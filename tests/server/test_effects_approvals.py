"""The operator's rules for calls of tools, and the answers that the server gives by itself."""
import unittest

from scene import Scene

ASKS = "tool process_list {}\nsay done"


class Approvals(Scene):
    def results(self, session):
        """Of each call that has one: was it an error?"""
        return [one.get("is_error", False) for one in self.client.events(session) if one["type"] == "agent.tool_result"]

    def activity_after(self, text):
        """What becomes of a turn that calls this."""
        session = self.resolve(self.chat())["session"]["id"]
        self.client.post(session, text)
        self.await_that(lambda: self.client.session(session)["activity"] in ("requires_action", "idle")
                        and any(one["type"] == "agent.tool_use" for one in self.client.events(session)), "it is decided")
        return session, self.client.session(session)["activity"]

    def test_T8d_a_rule_names_a_tool_and_what_becomes_of_its_calls(self):
        self.reload("approvals: {rules: [{tool: process_list, action: allow}]}\n")
        session, activity = self.activity_after(ASKS)
        self.assertEqual((activity, self.results(session)), ("idle", [False]))
        self.assertEqual(self.activity_after("tool process_kill {\"process_id\": \"none\"}")[1], "requires_action")
        self.reload("approvals: {rules: [{tool: process_list, action: deny}]}\n")
        session, activity = self.activity_after(ASKS)
        self.assertEqual((activity, self.results(session)), ("idle", [True]))

    def test_T8e_a_rule_with_a_pattern_is_about_such_calls_alone(self):
        self.reload("approvals: {rules: [{tool: bash, pattern: 'rm *', action: deny}]}\n")
        session, activity = self.activity_after('tool bash {"command": "rm file"}')
        self.assertEqual((activity, self.results(session)), ("idle", [True]))
        self.assertEqual(self.activity_after('tool bash {"command": "ls"}')[1], "requires_action")

    def test_T8d_a_rule_about_a_servers_tool_is_not_about_our_own_of_that_name(self):
        self.reload("approvals: {rules: [{tool: process_list, mcp_server_name: far, action: allow}]}\n")
        self.assertEqual(self.activity_after(ASKS)[1], "requires_action")

    def test_T8r_unattended_is_the_answer_where_nobody_can_be_asked(self):
        for number, (answer, is_error) in enumerate((("deny", True), ("allow", False))):
            self.reload(f"approvals: {{unattended: {answer}}}\n")
            session = f"cli:alone{number}"
            self.client.open_session(session, source={"kind": "cli", "interactive": False})
            self.client.post(session, ASKS)
            self.await_that(lambda: "done" in "".join(self.said(session)), "the turn goes on")
            self.assertEqual(self.results(session), [is_error])

    def test_T8p_expired_is_the_answer_to_a_question_that_waited_too_long(self):
        for answer, is_error in (("deny", True), ("allow", False)):
            self.reload(f"approvals: {{expire_after_s: 300, expired: {answer}}}\n")
            session, activity = self.activity_after(ASKS)
            self.assertEqual(activity, "requires_action")
            self.clock.advance(seconds=301)
            self.await_idle(session)
            self.assertEqual(self.results(session), [is_error])


if __name__ == "__main__":
    unittest.main()
