"""Prepared agents: kept from turn to turn, and the same when they are made again."""
import http.server
import json
import re
import threading
import unittest
import urllib.request

from client import Client
from server import Server

AGENT = {"type": "agent_with_overrides", "id": "main", "model": "near/fine"}
REPLY = b"".join(b"data: " + json.dumps(part).encode() + b"\n\n" for part in (
    {"choices": [{"index": 0, "delta": {"content": "fine"}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}},
)) + b"data: [DONE]\n\n"


class Model(http.server.ThreadingHTTPServer):
    """Answers the same to everything, and keeps what it was asked, byte by byte."""
    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            self.server.asked.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(REPLY)))
            self.end_headers()
            self.wfile.write(REPLY)

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.asked = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *failure):
        self.shutdown()
        return super().__exit__(*failure)


class Agents(unittest.TestCase):
    def configuration(self, model):
        return ("providers:\n  - name: near\n    kind: openai-chat\n"
                f"    base_url: http://127.0.0.1:{model.server_port}/v1\n"
                "    api_key_env: NEAR_KEY\n")

    def begin(self, server):
        server.start(env={"NEAR_KEY": "none"})
        return Client(server.port, server.token())

    def kept(self, client):
        asked = urllib.request.Request(f"http://127.0.0.1:{client.port}/metrics",
                                       headers={"Authorization": f"Bearer {client.token}"})
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return int(re.search(r"^perdure_kept_agents (\d+)$", answer.read().decode(), re.M).group(1))

    def test_T17f_T17h_a_rebuilt_agent_asks_the_model_the_same(self):
        with Model() as model, Server(self.configuration(model)) as server:
            client = self.begin(server)
            client.open_session("cli:a", agent=AGENT)
            for number in range(3):
                self.assertEqual(client.post("cli:a", f"line {number}", mode="wait")["text"], "fine")
                self.assertEqual(self.kept(client), 1)
            kept, model.asked = model.asked, []
            client.open_session("cli:b", agent=AGENT)
            for number in range(3):
                client.post("cli:b", f"line {number}", mode="wait")
                client.close()
                server.kill()
                client = self.begin(server)
                self.assertEqual(self.kept(client), 0)
            rebuilt = [body.replace(b"cli:b", b"cli:a") for body in model.asked]
            self.assertEqual(rebuilt, kept)
            self.assertEqual(len(kept), 3)
            client.ask("POST", "/v1/sessions/cli%3Ab", {"agent": {"model": "demo"}})
            self.assertEqual(client.post("cli:b", "say demo", mode="wait")["text"], "demo")
            self.assertEqual(len(model.asked), 3)
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertNotIn("Sanitizer", server.errors())
