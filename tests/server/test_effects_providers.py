"""What the file says of providers, seen by the provider: where it is asked, as whom, how often, at what price."""
import threading
import time
import unittest
from contextlib import contextmanager

import test_model_wiring
from client import Client
from model_peer import KEY, ModelPeer, refuses, says
from server import Server
from speech import event

PATIENCE_S = 12  # what a busy machine may take for what takes no time
DOLLARS = {"input": 1, "output": 10, "cache_read": 100, "cache_write": 1000}  # per million tokens
TOKENS = {"input": 1000, "output": 300, "cache_read": 200, "cache_write": 100}
OTHERS = {"input": 7, "output": 7, "cache_read": 7, "cache_write": 7}


def metered():
    """An Anthropic answer that used all four kinds of tokens."""
    usage = {"input_tokens": TOKENS["input"], "cache_read_input_tokens": TOKENS["cache_read"],
             "cache_creation_input_tokens": TOKENS["cache_write"]}
    return 200, {}, b"".join(map(event, (
        {"type": "message_start", "message": {"usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "counted"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": TOKENS["output"]}},
        {"type": "message_stop"})))


def flow(values):
    """A map for the configuration."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}"


class Providers(unittest.TestCase):
    @contextmanager
    def serving(self, config, session="cli:a"):
        """A server that asks fake/x, and a client with a session."""
        with Server("model: fake/x\n" + config) as server:
            server.start(KEY)
            client = Client(server.port, server.token(), timeout_s=PATIENCE_S)
            client.open_session(session)
            yield client
            client.close()
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertNotIn("Sanitizer", server.errors())

    def ask(self, client, text="hello"):
        return client.post("cli:a", text, mode="wait")

    # ---- where, and as whom ----

    def test_T3_a_provider_is_asked_at_its_base_url_with_its_key(self):
        with ModelPeer() as peer, self.serving(peer.provider(retry="{attempts: 1}")) as client:
            self.assertEqual(self.ask(client)["text"], "the peer speaks")
            request, = peer.requests
            self.assertEqual(request.path, "/v1/chat/completions")
            self.assertEqual(request.headers["authorization"], f"Bearer {KEY['PEER_KEY']}")
            self.assertEqual(request.body["model"], "x")

    def test_T3_a_base_url_that_is_none_is_refused_at_the_start(self):
        with Server("providers:\n  - {name: fake, kind: openai-chat, base_url: 'ftp://127.0.0.1/', "
                    "api_key_env: PEER_KEY}\n") as server:
            server.launch(KEY)
            self.assertFalse(server.await_ready(), "it starts")
            server.end()
            self.assertIn("providers[0].base_url", server.errors())

    def test_T3_the_kind_decides_how_it_is_asked(self):
        with ModelPeer(metered()) as peer, self.serving(peer.provider(dialect="claude")) as client:
            self.assertEqual(self.ask(client)["text"], "counted")
            request, = peer.requests
            self.assertEqual(request.path, "/v1/messages")
            self.assertEqual(request.headers["x-api-key"], KEY["PEER_KEY"])

    def test_T3_a_key_may_lie_in_a_file(self):
        with ModelPeer() as peer, Server() as server:
            (server.folder / "key").write_text("sk-of-the-file\n")
            (server.folder / "key").chmod(0o600)
            server.configure("model: fake/x\n" + peer.provider(api_key_file=server.folder / "key"))
            server.start(KEY)
            client = Client(server.port, server.token(), timeout_s=PATIENCE_S)
            client.open_session("cli:a")
            self.assertEqual(self.ask(client)["text"], "the peer speaks")
            self.assertEqual(peer.requests[0].headers["authorization"], "Bearer sk-of-the-file")
            self.assertEqual(server.stop(), 0, server.errors())

    # ---- how often, and how patiently ----

    def failing(self, peer, retry, **more):
        return peer.provider(retry=flow(retry), **more)

    def test_T6c_a_provider_is_asked_as_often_as_its_attempts_say(self):
        with ModelPeer(refuses(500, "broken")) as peer, \
                self.serving(self.failing(peer, {"attempts": 2, "base_ms": 1})) as client:
            self.assertEqual(self.ask(client)["stop_reason"]["type"], "retries_exhausted")
            self.assertEqual(len(peer.requests), 2)

    def test_T6_the_first_wait_is_base_ms(self):
        """By default the waits alone would take about half a minute."""
        with ModelPeer(*[refuses(500, "broken")] * 5, says("at last")) as peer, \
                self.serving(self.failing(peer, {"attempts": 6, "base_ms": 1})) as client:
            self.assertEqual(self.ask(client)["text"], "at last")
            self.assertLess(peer.requests[-1].at - peer.requests[0].at, PATIENCE_S)

    def test_T6f_no_wait_is_longer_than_max_ms_even_if_the_provider_asks_for_more(self):
        with ModelPeer(refuses(429, "slow down", "rate_limit_error", Retry_After="600"), says("at last")) as peer, \
                self.serving(self.failing(peer, {"base_ms": 1, "max_ms": 2})) as client:
            self.assertEqual(self.ask(client)["text"], "at last")
            self.assertLess(peer.requests[1].at - peer.requests[0].at, PATIENCE_S)

    def test_T6o_silence_of_idle_timeout_ms_is_a_failure(self):
        leave = threading.Event()
        with ModelPeer(lambda _: leave.wait(60) and says("late")) as peer, \
                self.serving(self.failing(peer, {"attempts": 1}, idle_timeout_ms="200 ms")) as client:
            begun = time.monotonic()
            self.assertEqual(self.ask(client)["stop_reason"]["type"], "retries_exhausted")
            self.assertLess(time.monotonic() - begun, PATIENCE_S)
            self.assertEqual([one["type"] for one in client.events("cli:a")].count("session.status_idle"), 1)
            leave.set()

    # ---- at what price ----

    def assert_cost(self, config):
        with ModelPeer(metered()) as peer, self.serving(peer.provider(dialect="claude", **config)) as client:
            self.assertEqual(self.ask(client)["text"], "counted")
            counters = client.session("cli:a")["counters"]
            self.assertEqual(counters["cost_microdollars"], sum(TOKENS[kind] * DOLLARS[kind] for kind in DOLLARS))

    def test_T15a_a_providers_prices_make_the_cost(self):
        self.assert_cost({"prices": flow(DOLLARS)})

    def test_T15a_a_models_own_prices_make_its_cost(self):
        self.assert_cost({"prices": flow(OTHERS), "models": f"[{{id: x, prices: {flow(DOLLARS)}}}]"})


class Windows(unittest.TestCase):
    """What a model can read at once."""
    await_that, lengths = test_model_wiring.ModelWiring.await_that, test_model_wiring.ModelWiring.lengths
    script, look = test_model_wiring.ModelWiring.script, test_model_wiring.ModelWiring.look

    def test_M1u_a_small_context_window_of_a_model_shrinks_what_it_is_sent(self):
        with ModelPeer(*self.script(says("seen"))) as peer, Server() as server:
            server.configure("model: fake/x\n" + peer.provider(models="[{id: x, context_window: 4000}]"))
            self.look(server)
            sent = self.lengths(peer.requests[-1])
        self.assertEqual(len(sent), test_model_wiring.LOOKS)
        self.assertLess(sent[0], len(test_model_wiring.RESULT) // 2)
        self.assertEqual(sent[-1], len(test_model_wiring.RESULT))


if __name__ == "__main__":
    unittest.main()
