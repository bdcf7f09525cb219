"""The operator's budgets: what cannot be paid is not asked."""
import unittest

from client import Client
from model_peer import KEY, ModelPeer
from scene import Scene

LITTLE = "0.000001"  # dollars: less than any request of a priced model may cost


class Budgets(Scene):
    env = KEY

    @classmethod
    def setUpClass(cls):
        cls.peer = cls.enterClassContext(ModelPeer())
        cls.config = "model: fake/x\n" + cls.peer.provider(prices="{input: 1, output: 1}")
        super().setUpClass()

    def assert_holds(self, budget):
        """Nothing is asked within this budget, and what waits is asked once it is raised."""
        user = self.client.ask("POST", "/v1/users", {"name": budget})["id"]
        token = self.client.ask("POST", "/v1/tokens", {"kind": "user", "user_id": user})["token"]
        somebody = Client(self.server.port, token)
        self.addCleanup(somebody.close)
        self.reload(self.config + f"budgets: {{{budget}: {LITTLE}}}\n")
        asked = len(self.peer.requests)
        session = self.resolve({"platform": "web", "chat_id": budget}, somebody)["session"]["id"]
        somebody.post(session, "hello")
        self.await_that(lambda: self.client.session(session)["stop_reason"], "the turn ends")
        self.assertEqual(self.client.session(session)["stop_reason"]["type"], "budget_reached")
        failure, = (one["error"] for one in self.client.events(session) if one["type"] == "session.error")
        self.assertEqual(failure["type"], "billing_error")
        self.assertEqual(len(self.peer.requests), asked)
        somebody.post(session, "again")
        self.reload(self.config + f"budgets: {{{budget}: 1000}}\n")
        self.await_that(lambda: self.said(session), "it is asked")
        self.await_idle(session)
        self.assertEqual(len(self.peer.requests), asked + 1)

    def test_T15c_a_user_may_spend_no_more_than_budgets_user(self):
        self.assert_holds("user")

    def test_T15d_a_day_may_cost_no_more_than_budgets_day(self):
        self.assert_holds("day")


if __name__ == "__main__":
    unittest.main()
