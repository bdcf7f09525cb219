"""fake_api - a server that plays one session whose agent asks before it runs a tool: what the real one
does once it has such tools. Remembers what it was sent."""
import contextlib
import json
import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SESSION = {"id": "cli:fake", "type": "session", "status": "idle", "lifecycle": "active", "head_seq": 0,
           "message_count": 0, "agent": {"id": "main", "model": {"id": "demo"}}}
CALL = {"type": "agent.tool_use", "id": "call_1", "turn_id": "t", "name": "bash",
        "input": {"command": "rm -r build"}, "evaluated_permission": "ask"}

POUR_MAX = 4096


class FakeApi:
    def __init__(self, call=None, joined=False, count=1, again=False, held=False, at_once=False,
                 calls=None, answers=None):
        """call: what differs in the calls, calls: in each of them; joined: they are older than the message, which joins their turn;
        count: how many of them; again: the session says once more that it waits after an answer came;
        held: it makes them only when ask() is called; at_once: they are answered before anybody can look; answers: (status, body) by path, instead of all that."""
        self.calls = [{**CALL, **one, "id": f"call_{i + 1}"} for i, one in enumerate(calls or [call or {}] * count)]
        self.joined, self.again, self.held, self.at_once, self.left = joined, again, held, at_once, len(self.calls)
        self.sent, self.events, self.streams, self.poured = [], [], [], 0
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, body, status=200):
                data = json.dumps(body, ensure_ascii=False).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def is_told(self):
                status, body = (answers or {}).get(self.path, (None, None))
                if status:
                    self.answer(body, status)
                return status

            def pour(self):
                """A body that ends when its reader has enough."""
                self.send_response(200)
                self.send_header("connection", "close")
                self.end_headers()
                try:
                    while api.poured < POUR_MAX:
                        self.wfile.write(b"x" * 63 * 1024 + b"\n")
                        api.poured += 1
                except OSError:
                    pass
                self.close_connection = True

            def do_GET(self):
                if self.is_told():
                    return
                if self.path.endswith("/export"):
                    self.pour()
                    return
                if "/stream" not in self.path:
                    self.answer({"data": api.seen_calls() if "/events?" in self.path else [], "next_page": None})
                    return
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                mine = queue.Queue()
                with contextlib.suppress(OSError):  # a reader may leave
                    self.frames(api.join(mine, int(self.headers.get("last-event-id", 0))))
                    while (events := mine.get()) is not None:
                        self.frames(events)
                self.close_connection = True

            def frames(self, events):
                """What comes together is read together."""
                self.wfile.write("".join(
                    f"id: {event['seq']}\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode())
                self.wfile.flush()

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])) or "{}")
                api.sent.append(body)
                if self.is_told():
                    return
                if self.path.endswith("/messages"):
                    self.answer({"message_id": body["message_id"], "queue_position": 0})
                    api.begin(body["message_id"])
                elif self.path.endswith("/events"):
                    with api.deciding:  # in the order in which they come
                        self.answer({"data": []})
                        api.decide(body["events"][0])
                else:
                    self.answer(SESSION)

        self.lock, self.deciding = threading.Lock(), threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def join(self, mine, after):
        with self.lock:
            self.streams.append(mine)
            return self.events[after:]

    def add(self, *events):
        with self.lock:
            behind = len(self.events)
            self.events += [{**event, "seq": behind + 1 + i} for i, event in enumerate(events)]
            for stream in self.streams:
                stream.put(self.events[behind:])

    def seen_calls(self):
        with self.lock:
            return [event for event in self.events if event["type"].endswith(("tool_use", "confirmation"))]

    def waiting(self, *ids):
        return {"type": "session.status_idle", "turn_id": "t", "stop_reason": {
            "type": "requires_action", "event_ids": ids or [call["id"] for call in self.calls]}}

    def wait(self, *ids):
        self.add(self.waiting(*ids))

    def begin(self, message_id):
        turn = [{"type": "user.message", "id": "in_1", "message_id": message_id, "content": []},
                {"type": "session.status_running", "turn_id": "t", "consumes": ["in_1"]}]
        self.add(*(self.calls + turn if self.joined else turn))
        if not self.held:
            self.ask()

    def ask(self):
        if self.at_once:
            self.add(*self.calls, self.waiting(), {"type": "session.status_running", "turn_id": "t", "consumes": []})
            return
        if not self.joined:
            self.add(*self.calls)
        self.wait()

    def decide(self, event):
        """The answer is in the log behind the request, and before the turn goes on: that is another commit."""
        time.sleep(0.05)
        self.add({**event, "id": "sevt_answer"})
        self.left -= 1
        if self.again:
            self.wait()
        if self.left > 0:
            return
        time.sleep(0.05)
        self.go_on(event.get("result"))

    def go_on(self, how):
        self.add({"type": "session.status_running", "turn_id": "t", "consumes": []},
                 {"type": "agent.message", "id": "out", "turn_id": "t",
                  "content": [{"type": "text", "text": f"It was {how}."}]},
                 {"type": "session.status_idle", "turn_id": "t", "stop_reason": {"type": "end_turn"}})

    def close(self):
        for stream in self.streams:
            stream.put(None)
        self.server.shutdown()
        self.server.server_close()
