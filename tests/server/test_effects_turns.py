"""How long a turn may take, how long a hook may, and how long a burst of messages is waited for."""
import time
import unittest

from client import Client
from scene import Scene, each
from server import Server

LONG = "wait 3600\nsay done"
HASTY, USUAL, PATIENT = {"turn_timeout_s": 60}, {}, {"turn_timeout_s": 3600}
LIMITS = (  # name, what the file says, the agent's limits, after how many seconds its turn ends
    ("L2_no_turn_takes_longer_than_gateway_timeout", "agent: {gateway_timeout: 60}\n", PATIENT, 60),
    ("L2g_gateway_timeout_is_half_an_hour_by_default", "", PATIENT, 1800),
    ("T4b_so_is_an_agents_own_limit", "agent: {gateway_timeout: 3600}\n", USUAL, 1800),
    ("T4e_of_the_two_limits_the_shorter_counts", "agent: {gateway_timeout: 1000}\n", HASTY, 60),
)


class Turns(Scene):
    @each(LIMITS)
    def is_ended(self, config, limits, after_s):
        self.reload(config)
        agent = self.client.ask("POST", "/v1/agents", {"name": "slow", "model": "demo", "limits": limits})["id"]
        session = self.client.ask("POST", "/v1/sessions", {"agent": agent, "environment_id": "local-default"})["id"]
        self.client.post(session, LONG)
        self.await_activity(session, "running")
        self.clock.advance(seconds=after_s - 30)
        self.assertEqual(self.client.session(session)["activity"], "running", "not before")
        self.assert_ends_within(session, 2 * after_s)
        self.assertEqual(self.client.session(session)["stop_reason"], {"type": "limit_reached", "limit": "time"})
        self.assertEqual(self.said(session), [])
        self.assertEqual([one["type"] for one in self.client.events(session)].count("session.status_idle"), 1)

    def assert_ends_within(self, session, seconds):
        """Of the server's clock. Its timer may not run yet when time begins to pass."""
        for _ in range(40):
            self.clock.advance(seconds=seconds // 40)
            time.sleep(0.05)
            if self.client.session(session)["activity"] == "idle":
                return
        self.fail(f"it goes on after {seconds} s")

    def test_Q3j_a_burst_is_over_after_quiet_ms(self):
        self.reload("queue: {quiet_ms: 60 s}\n")
        self.client.open_session("cli:burst")
        self.client.post("cli:burst", "tool process_list {}\nsay first")
        self.await_activity("cli:burst", "requires_action")
        self.client.post("cli:burst", "say one", busy="collect")
        self.clock.advance(seconds=20)  # longer than the usual silence
        self.command("cli:burst", "/approve")
        self.await_that(lambda: any("first" in text for text in self.said("cli:burst")), "the turn ends")
        self.await_activity("cli:burst", "idle")
        self.talk()  # a turn of somebody else, so that one of ours would have run as well
        self.assertEqual(self.waiting("cli:burst"), ["say one"])
        self.client.post("cli:burst", "say two", busy="collect")
        self.clock.advance(seconds=61)
        self.await_that(lambda: "".join(self.said("cli:burst")).endswith("two"), "both are answered")
        turns = [one["consumes"] for one in self.client.events("cli:burst") if one["type"] == "session.status_running"]
        self.assertEqual(len(turns[-1]), 2, "in one turn")


class Hooks(unittest.TestCase):
    def test_H4_a_hook_is_killed_after_timeout_ms(self):
        """It would say yes, but not in time, and no answer counts as no."""
        with Server("hooks: [{event: before_turn, command: [/bin/sleep, '4'], timeout_ms: 50, on_failure: closed}]\n"
                    ) as server:
            server.start()
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            self.assertEqual(client.post("cli:a", "say hello", mode="wait")["stop_reason"]["type"], "cancelled")
            client.close()
            self.assertEqual(server.stop(), 0, server.errors())


if __name__ == "__main__":
    unittest.main()
