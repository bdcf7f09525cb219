"""Limits of a turn and names of sessions, seen from outside."""
from scene import Scene

ALLOWED = [{"type": "agent_toolset_20260401",
            "default_config": {"permission_policy": {"type": "always_allow"}}}]
LOOKS = "\n".join(f'tool glob {{"pattern":"{n}*"}}' for n in range(4))


class TurnLimits(Scene):
    def look(self, session, **limits):
        agent = self.client.ask("POST", "/v1/agents", {"name": "looker", "tools": ALLOWED, "limits": limits})
        self.client.open_session(session, agent=agent["id"])
        return self.client.post(session, LOOKS, mode="wait")["stop_reason"]

    def test_T4d_M1r_max_steps_of_an_agent_ends_its_turn(self):
        self.assertEqual(self.look("web:two", max_steps=2), {"type": "limit_reached", "limit": "steps"})
        self.assertEqual(self.look("web:ten")["type"], "end_turn")

    def test_C11i_C11j_a_title_that_is_taken_gets_a_number(self):
        for session, shown in (("web:first", "plans"), ("web:second", "plans #2"), ("web:third", "plans #3")):
            self.client.open_session(session)
            self.command(session, "/title plans")
            self.assertEqual(self.client.session(session)["title"], shown)
