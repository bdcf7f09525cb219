"""A steer that enters a turn which was put off: the turn still serves what it was begun for."""
import signal
import time
import unittest

from client import Client
from model_peer import KEY, ModelPeer, refuses, says
from scene import AWAIT_S, LONG_S, Scene
from server import Server

MARK = "The turn above ended without an answer."


class SteerResume(Scene):
    config = "agent:\n  drain_timeout_s: 1\n"
    number = 0

    def begin(self, text, activity="running"):
        """A session whose turn is under way."""
        SteerResume.number += 1
        session = f"cli:steer{self.number}"
        self.client.open_session(session)
        self.client.post(session, text)
        self.await_activity(session, activity)
        return session

    def steer(self, session, *texts):
        for text in texts:
            self.client.post(session, text, busy="steer")

    def drain(self):
        """It is stopped in good order, and has no time for turns."""
        self.clock.advance(seconds=0)  # a build without a clock to set leaves the case here, while the server serves
        self.client.close()
        self.server.process.send_signal(signal.SIGTERM)
        while self.server.is_running():
            self.clock.advance(seconds=1)
            time.sleep(0.02)
        self.assertEqual(self.server.end(), 0, self.server.errors())
        self.start()

    def assert_served(self, session, *words):
        """The turn that was put off said these words, in this order, and it was one turn; what comes next is a
        request of its own."""
        self.finish(session)
        log = self.client.events(session)
        turns = {event["turn_id"] for event in log if event["type"] == "session.status_running"}
        self.assertEqual(len(turns), 1, log)
        answer = self.said(session)[-1]
        places = [answer.find(word) for word in words]
        self.assertNotIn(-1, places, answer)
        self.assertEqual(places, sorted(places), answer)
        self.client.post(session, "say next;", mode="wait")
        self.assertEqual(self.said(session)[-1], "next;")

    def test_Q3_steer_into_a_turn_resumed_after_a_kill_leaves_it_its_request(self):
        session = self.begin(f"wait {LONG_S}\nsay base;")
        self.steer(session, "say s1;")
        self.restart()
        self.assert_served(session, "base;", "s1;")

    def test_Q3_two_steers_into_a_turn_resumed_after_a_kill(self):
        session = self.begin(f"wait {LONG_S}\nsay base;")
        self.steer(session, "say s1;", "say s2;")
        self.restart()
        self.assert_served(session, "base;", "s1;", "s2;")

    def test_Q3_steer_and_a_second_kill(self):
        session = self.begin(f"wait {LONG_S}\nsay base;")
        self.steer(session, "say s1;")
        self.restart()
        self.await_activity(session, "running")
        self.await_that(lambda: not self.waiting(session), "the steer is taken")
        self.steer(session, "say s2;")
        self.restart()
        self.assert_served(session, "base;", "s1;", "s2;")

    def test_Q3_steer_into_a_turn_that_was_killed_in_mid_answer(self):
        session = self.begin(f"say begun;\nwait {LONG_S}\nsay base;")
        with self.client.follow(f"/v1/sessions/{session}/events/stream?after=0&event_deltas[]=agent.message") as stream:
            self.await_that(lambda: "begun;" in (stream.frame() or {}).get("data", ""), "it speaks")
        self.clock.advance(seconds=5)  # what was said so far is saved
        self.steer(session, "say s1;")
        self.restart()
        self.assert_served(session, "base;", "s1;")

    def test_Q3_steer_into_a_turn_resumed_after_a_drain(self):
        session = self.begin("wait 300\nsay base;")
        self.steer(session, "say s1;")
        self.drain()
        self.assert_served(session, "base;", "s1;")

    def test_Q3_steer_into_a_turn_that_waits_for_a_person(self):
        session = self.begin('tool bash {"command":"echo ran"}\nsay base;', "requires_action")
        self.steer(session, "say s1;")
        self.restart()
        call = next(event for event in self.client.events(session) if event["type"] == "agent.tool_use")
        self.client.ask("POST", f"/v1/sessions/{session}/events", {"events": [
            {"type": "user.tool_confirmation", "tool_use_id": call["id"], "result": "deny"}]})
        self.assert_served(session, "base;", "s1;")


class SteerBackoff(unittest.TestCase):
    def test_Q3_steer_into_a_turn_that_asks_its_model_again(self):
        def busy(_):
            """Steered while the answer is on its way: the wait comes after."""
            client.post("cli:a", "and a steer", busy="steer")
            return refuses(529, "busy", "overloaded_error")

        with ModelPeer(busy, says("done")) as peer, \
                Server("model: fake/x\n" + peer.provider(retry="{attempts: 3, base_ms: 5 ms}")) as server:
            server.start(KEY)
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            asker = Client(server.port, server.token())
            self.assertEqual(asker.post("cli:a", "the request", mode="wait")["text"], "done")
            until = time.monotonic() + AWAIT_S
            while "and a steer" not in peer.requests[-1].text():  # then, or in a turn of its own
                self.assertLess(time.monotonic(), until)
                time.sleep(0.01)
            for request in peer.requests:
                self.assertIn("the request", request.text())
                self.assertNotIn(MARK, request.text())
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
