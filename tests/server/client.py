"""client - asks a server over HTTP, and follows its event streams."""
import http.client
import json
import socket
from urllib.parse import quote


class Refused(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status}: {body}")
        self.status = status
        self.body = body


class Client:
    """One connection that is kept; it is made anew when it breaks, and the call fails."""

    def __init__(self, port, token, timeout_s=20):
        self.port, self.token, self.timeout_s = port, token, timeout_s
        self.wire = None
        self.headers = {}

    def close(self):
        if self.wire:
            self.wire.close()
            self.wire = None

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout_s)

    def ask(self, method, path, body=None, key=None):
        """The answer's JSON; Refused for a status that is not 2xx, OSError for a broken wire."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        try:
            if not self.wire:
                self.wire = self.connect()
            self.wire.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self.wire.getresponse()
            text = answer.read()
        except (http.client.HTTPException, OSError) as broken:
            self.close()
            raise ConnectionError(str(broken)) from broken
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        if answer.will_close:
            self.close()
        if answer.status // 100 != 2:
            raise Refused(answer.status, text.decode())
        return json.loads(text) if text else None

    def open_session(self, session, **more):
        return self.ask("POST", "/v1/sessions", {"id": session, "agent": "main",
                                                 "environment_id": "local-default", **more})

    def post(self, session, text, key=None, **more):
        return self.ask("POST", f"/v1/sessions/{quote(session)}/messages", {"text": text, **more}, key)

    def append(self, session, text, key=None):
        """One event that runs nothing; the stored event."""
        event = {"type": "system.message", "content": [{"type": "text", "text": text}]}
        return self.ask("POST", f"/v1/sessions/{quote(session)}/events", {"events": [event]},
                        key)["data"][0]

    def session(self, session):
        return self.ask("GET", f"/v1/sessions/{quote(session)}")

    def events(self, session):
        """The whole log."""
        log = []
        while True:
            after = log[-1]["seq"] if log else 0
            page = self.ask("GET", f"/v1/sessions/{quote(session)}/events?limit=1000&after={after}")
            log += page["data"]
            if not page["next_page"]:  # large events make short pages
                return log

    def follow(self, path):
        return Stream(self.port, self.token, path)


class Stream:
    """A reader of server-sent events."""

    def __init__(self, port, token, path, receive_bytes=None):
        self.socket = socket.socket()
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                            f"Authorization: Bearer {token}\r\n\r\n".encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.chunked = False
        while (line := self.file.readline().strip()):
            self.chunked |= line.lower() == b"transfer-encoding: chunked"
        self.text = b""

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def close(self):
        self.file.close()
        self.socket.close()

    def read_piece(self):
        """Some more bytes of the body; b"" at its end. The wire may also just break."""
        try:
            if not self.chunked:
                return self.file.read1(65536)
            size = int(self.file.readline().split(b";")[0] or b"0", 16)
            piece = self.file.read(size)
            self.file.readline()
            return piece if len(piece) == size else b""
        except TimeoutError:
            raise
        except (OSError, ValueError):
            return b""

    def frame(self, timeout_s=10):
        """The next frame as {field: text}; None at the end of the stream. Comments are skipped."""
        self.socket.settimeout(timeout_s)
        while True:
            frame, found, rest = self.text.partition(b"\n\n")
            if not found:
                piece = self.read_piece()
                if not piece:
                    return None
                self.text += piece
                continue
            self.text = rest
            fields = {}
            for line in frame.decode().splitlines():
                name, _, value = line.partition(":")
                if name:
                    fields[name] = fields[name] + "\n" + value[1:] if name in fields else value[1:]
            if fields:
                return fields

    def event(self, timeout_s=10):
        """The next frame with data, parsed; None at the end."""
        while (frame := self.frame(timeout_s)) is not None:
            if "data" in frame:
                return json.loads(frame["data"])
        return None
