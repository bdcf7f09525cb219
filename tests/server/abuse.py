"""abuse - clients that leave in the middle of something, over every route, TLS and WebSocket."""
import importlib.util
import json
import select
import socket
import ssl
import struct
import time

from server import ROOT

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends a reset
BATCH = 48  # connections at a time, far below what one address may have
WORKING_S = 0.03
ANSWER_S = 0.2
HANG_UP_S = 1.0  # how long a client that closed its sending side waits for the server to close

# Routes that keep a client waiting, with what makes them.
SLOW = (
    ("GET", "/v1/sessions/{session_id}/events/stream?after=0", None),
    ("GET", "/v1/events/stream?after=0", None),
    ("GET", "/v1/sessions/{long_id}/export", None),
    ("GET", "/v1/sessions/{long_id}/events/stream?after=0", None),
    ("GET", "/v1/environments/{idle_environment}/work/poll?block_ms=60000", None),
    ("POST", "/v1/sessions/{waiting_id}/messages", {"text": "wait 1\nsay x", "mode": "wait"}),
    ("POST", "/v1/sessions/{waiting_id}/messages", {"text": "wait 1\nsay x", "mode": "stream"}),
    ("POST", "/agent/chat", {"message": "wait 1\nsay x", "agentId": "main", "surface": "chat", "surfaceId": "2"}),
    ("POST", "/agent/chat/stream", {"message": "wait 1\nsay x", "agentId": "main", "surface": "chat",
                                    "surfaceId": "3"}),
)
HANDSHAKE = ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")


def load_routes():
    """What tests/badinput knows of every route: a good body for each."""
    spec = importlib.util.spec_from_file_location("badinput_routes", ROOT / "tests/badinput/routes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def masked(message):
    """One text message of a client."""
    text = json.dumps(message).encode()
    head = bytes([0x81, 0x80 | len(text)]) if len(text) < 126 else bytes([0x81, 0xfe]) + struct.pack("!H", len(text))
    return head + bytes(4) + text  # a mask of zeros changes nothing


class Abuser:
    """Connects, says so much, and leaves in some way."""

    def __init__(self, server, client, tls=False):
        self.server, self.token = server, server.token()
        self.context = None
        if tls:
            self.context = ssl.create_default_context(cafile=server.folder / "cert.pem")
        self.count = 0
        routes = load_routes()
        self.ids = {**routes.make_things(client), **self.make_long(client)}
        victims = routes.make_things(client)
        self.requests = []
        for route in routes.read_routes(client, self.ids):
            if route.path == "/v1/server/restart":
                continue  # it would do it
            if route.method == "DELETE" or route.path.endswith(("/archive", "/reset", "/switch")):
                route.ids = victims
            body = route.good_body()
            if route.takes_bundle:
                body = b'{"format":"none"}\n' * 2000
            # The same key each time: what a request makes is made once, and the rest is what it leaves behind.
            key = f"Idempotency-Key: {route.name}\r\n" if route.mutates else ""
            self.requests.append(self.request(route.method, route.with_ids({}), body, key))

    def make_long(self, client):
        """A session whose log is no matter of one write, one to wait in, and a queue that is empty."""
        for name in ("cli:long", "cli:waiting"):
            client.open_session(name)
        for _ in range(60):
            client.append("cli:long", "x" * 60000)
        environment = client.ask("POST", "/v1/environments", {"name": "Idle", "config": {"type": "self_hosted"}})
        return {"long_id": "cli:long", "waiting_id": "cli:waiting", "idle_environment": environment["id"]}

    def request(self, method, target, body=None, more=""):
        head = (f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n{more}")
        if body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return head.encode() + b"\r\n", body or b""

    def slow(self, method, target, body):
        return self.request(method, target.format(**self.ids), None if body is None else json.dumps(body).encode())

    # ---- one after the other ----

    def connect(self, receive_bytes=None):
        wire = socket.socket()
        if receive_bytes:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        wire.settimeout(20)
        wire.connect(("127.0.0.1", self.server.port))
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.count += 1
        return self.context.wrap_socket(wire, server_hostname="127.0.0.1") if self.context else wire

    def leave(self, wire, how):
        """Closes, resets, or ends its sending side alone."""
        try:
            if how == "reset":
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            if how == "half":
                socket.socket.shutdown(wire, socket.SHUT_WR)
                return wire
            wire.close()
        except OSError:  # the server was quicker
            wire.close()
        return None

    def send(self, wire, data, more=False):
        """more: with the end of the sending side in one packet, so that the handler cannot be quicker."""
        try:
            wire.sendall(data, *([socket.MSG_MORE] if more and not self.context else []))
        except OSError:
            pass  # refused before all of it was said

    def hang_up(self, wires):
        """Those that ended their side wait for the server's end, for a while; then they are closed."""
        until, open_wires = time.monotonic() + HANG_UP_S, list(wires)
        while open_wires and (left := until - time.monotonic()) > 0:
            for wire in select.select(open_wires, [], [], left)[0]:
                try:
                    if not socket.socket.recv(wire, 1 << 20):
                        open_wires.remove(wire)
                except OSError:
                    open_wires.remove(wire)
        for wire in wires:
            wire.close()

    def is_ended(self, wire, within_s=5):
        """The server ends it, whatever it said before."""
        wire.settimeout(within_s)
        try:
            while wire.recv(1 << 20):
                pass
        except TimeoutError:
            return False
        except OSError:
            pass
        finally:
            wire.close()
        return True

    def await_answers(self, wires):
        """Reads the beginning of those that come soon."""
        until = time.monotonic() + ANSWER_S
        while wires and (left := until - time.monotonic()) > 0:
            for wire in select.select(wires, [], [], left)[0]:
                wires.remove(wire)
                try:
                    wire.recv(100)
                except OSError:
                    pass

    def play(self, cases):
        """cases: (what is said, when one leaves, how). Batches, because most of it is waiting."""
        for at in range(0, len(cases), BATCH):
            batch = []
            for data, when, how in cases[at:at + BATCH]:
                wire = self.connect(4096 if when == "answer" else None)
                self.send(wire, data, when == "now" and how == "half")
                if when == "now" and not (wire := self.leave(wire, how)):
                    continue
                batch.append((wire, when, how))
            time.sleep(WORKING_S)
            self.await_answers([wire for wire, when, _ in batch if when == "answer"])
            halves = []
            for wire, when, how in batch:
                if when != "now":
                    wire = self.leave(wire, how)
                halves += [wire] if wire else []
            self.hang_up(halves)

    # ---- what is said ----

    def cases(self):
        """One round over every route: each left at each point, in each way."""
        for number, (head, body) in enumerate(self.requests + [self.slow(*one) for one in SLOW]):
            for point, how in enumerate(("half", "reset", "close")):
                yield head[:len(head) // 2], "now", how
                if body:
                    yield head + body[:len(body) // 2], "now", how
                    if (number + point) % 3 == 0:
                        chunked = head.replace(b"Content-Length: %d" % len(body), b"Transfer-Encoding: chunked")
                        yield chunked + b"%x\r\n" % len(body) + body[:len(body) // 2], "now", how
                yield head + body, "now", how
                yield head + body, "working", how
                yield head + body, "answer", how
            first = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            yield first + head + body, "now", "half"  # not the first request of its connection
            yield head + body + head[:30], "now", "half"  # a second request, cut short

    def socket_cases(self):
        """The same requests as messages of a WebSocket."""
        head, _ = self.request("GET", "/v1/ws", None, HANDSHAKE)
        said = [masked({"id": 1, "type": "request", "method": method, "path": target.format(**self.ids),
                        **({"body": body} if body else {})}) for method, target, body in SLOW]
        for message in said:
            for how in ("half", "reset", "close"):
                yield head + message[:len(message) // 2], "now", how
                yield head + message, "now", how
                yield head + message, "working", how
                yield head + message, "answer", how
                yield head + b"".join(said), "working", how
