"""What a provider really receives: old tool results shrunk, and requests no earlier than it asked for."""
import unittest

from client import Client
from model_peer import KEY, ModelPeer, calls, refuses, says
from scene import AWAIT_S, Scene
from server import Server

TOO_LONG = refuses(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded")
LOOKS = 6
RESULT = "x" * 8000
TOOL = {"type": "custom", "name": "look", "description": "Looks.",
        "input_schema": {"type": "object", "properties": {"at": {"type": "integer"}}}}


class ModelWiring(unittest.TestCase):
    await_that = Scene.await_that

    def script(self, *after):
        """Looks a few times, then goes on like that."""
        return [calls("look", {"at": number}, f"call_{number}") for number in range(LOOKS)] + list(after)

    def look(self, server, **limits):
        """A turn whose calls the client answers, at length; its session."""
        server.start(KEY)
        client = Client(server.port, server.token())
        agent = client.ask("POST", "/v1/agents", {"name": "Looker", "tools": [TOOL], "limits": limits})
        client.open_session("cli:a", agent=agent["id"])
        client.post("cli:a", "look around")
        for _ in range(LOOKS):
            self.await_that(lambda: client.session("cli:a")["activity"] == "requires_action", "it asks for a result")
            call = [one for one in client.events("cli:a") if one["type"] == "agent.custom_tool_use"][-1]
            client.ask("POST", "/v1/sessions/cli:a/events", {"events": [
                {"type": "user.custom_tool_result", "custom_tool_use_id": call["id"],
                 "content": [{"type": "text", "text": RESULT}]}]})
            self.await_that(lambda: any(one["type"] == "session.status_running" and call["seq"] < one["seq"]
                                        for one in client.events("cli:a")), "it goes on")
        self.await_that(lambda: client.session("cli:a")["activity"] == "idle", "the turn ends")
        log = client.events("cli:a")
        self.assertEqual(server.stop(), 0, server.errors())
        return log

    def lengths(self, request):
        """Of the tool results that it holds."""
        return [len(text) for text in request.contents("tool")]

    def config(self, peer, **more):
        return "model: fake/x\n" + peer.provider(**more)

    def test_T6g_C2h_C2m_a_prompt_that_is_too_long_is_asked_again_with_old_results_cleared(self):
        with ModelPeer(*self.script(TOO_LONG, says("seen"))) as peer, Server(self.config(peer)) as server:
            log = self.look(server)
            self.assertEqual(len(peer.requests), LOOKS + 2)
            whole, pruned = map(self.lengths, peer.requests[-2:])
            self.assertEqual(whole, [len(RESULT)] * LOOKS)
            self.assertEqual(len(pruned), LOOKS)
            self.assertLess(max(pruned[:LOOKS - 3]), 100, pruned)  # a notice stands in place of each
            self.assertEqual(pruned[-1], len(RESULT))  # what it is working on stays
            self.assertIn("seen", [part["text"] for one in log if one["type"] == "agent.message"
                                   for part in one["content"]])

    def test_M1p_M1t_C2i_C2j_small_window_of_an_agent_shrinks_what_the_model_is_sent(self):
        with ModelPeer(*self.script(says("seen"))) as peer, Server(self.config(peer)) as server:
            self.look(server, max_context_tokens=4000)
            small = self.lengths(peer.requests[-1])
        with ModelPeer(*self.script(says("seen"))) as peer, Server(self.config(peer)) as server:
            self.look(server)
            usual = self.lengths(peer.requests[-1])
        self.assertEqual(usual, [len(RESULT)] * LOOKS)
        self.assertEqual(len(small), LOOKS)
        self.assertLess(small[0], len(RESULT) // 2)
        self.assertEqual(small[-1], len(RESULT))

    def test_T6b_retry_after_is_waited_for_although_the_usual_wait_is_short(self):
        limited = refuses(429, "slow down", "rate_limit_error", Retry_After="2")
        with ModelPeer(limited, says("at last")) as peer, \
                Server(self.config(peer, retry="{attempts: 3, base_ms: 5 ms}")) as server:
            server.start(KEY)
            client = Client(server.port, server.token(), timeout_s=AWAIT_S)
            client.open_session("cli:a")
            self.assertEqual(client.post("cli:a", "hello", mode="wait")["text"], "at last")
            first, second = (request.at for request in peer.requests)
            self.assertGreaterEqual(second - first, 1.9)
            self.assertEqual(server.stop(), 0, server.errors())


if __name__ == "__main__":
    unittest.main()
