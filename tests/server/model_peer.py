"""model_peer - a model of the test's own: a provider on loopback that keeps every request it gets."""
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "providers"))
from speech import DIALECTS, begun, called, over, refusal, said  # noqa: E402

DIALECT = "chat"
KEY = {"PEER_KEY": "sk-test-0123456789abcdef"}  # environment of a server that asks it


def says(text):
    """An answer that is this text."""
    return 200, {}, begun(DIALECT) + said(DIALECT, text) + over(DIALECT)


def calls(name, arguments, call_id="call_1"):
    """An answer that calls a tool."""
    return 200, {}, begun(DIALECT) + called(DIALECT, call_id, name, arguments)


def refuses(status, message, kind="invalid_request_error", **headers):
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, refusal(DIALECT, message, kind)


class Request:
    def __init__(self, body, path="", headers=()):
        self.at, self.body, self.path = time.monotonic(), body, path
        self.headers = {name.lower(): value for name, value in dict(headers).items()}

    def text(self):
        """All that it holds, for looking something up in it."""
        return json.dumps(self.body)

    def contents(self, role):
        return [message["content"] for message in self.body["messages"] if message["role"] == role]


class ModelPeer:
    """Answers the n-th request with the n-th answer; the last one holds for all that follow. An answer
    may be a function of the request."""

    def __init__(self, *answers):
        self.answers = answers or (says("the peer speaks"),)
        self.requests, self.lock = [], threading.Lock()

    def __enter__(self):
        peer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                told = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status, headers, body = peer.answer(Request(told, self.path, self.headers))
                self.send_response(status)
                self.send_header("Content-Type", "text/event-stream" if status == 200 else "application/json")
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name, str(value))
                try:
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:  # whoever asked did not wait for it
                    pass

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, request):
        with self.lock:
            answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
            self.requests.append(request)
        return answer(request) if callable(answer) else answer

    def models(self):
        """What each request called the model."""
        return [request.body["model"] for request in self.requests]

    def provider(self, name="fake", dialect=DIALECT, **more):
        """The server's configuration that reaches it."""
        kind, below = DIALECTS[dialect]
        options = {"api_key_env": "PEER_KEY", **more}
        if "api_key_file" in options:
            options.pop("api_key_env")
        return (f"providers:\n  - {{name: {name}, kind: {kind}, base_url: 'http://127.0.0.1:{self.port}{below}', "
                + ", ".join(f"{key}: {value}" for key, value in options.items()) + "}\n")
