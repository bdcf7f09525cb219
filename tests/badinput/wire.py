"""wire - HTTP by hand on a raw socket: what is sent is sent byte for byte, what comes back is timed."""
import json
import socket
import time

ANSWER_S = 5


class Closed(Exception):
    """The server closed without a word."""


class Answer:
    def __init__(self, status, headers, body, first_byte_s, is_closing):
        self.status, self.headers, self.body = status, headers, body
        self.first_byte_s, self.is_closing = first_byte_s, is_closing

    def json(self):
        return json.loads(self.body)


def request(method, target, body=None, headers=(), content_type="application/json"):
    """A well-formed request. headers: (name, value) pairs, bytes or text; body: bytes or None."""
    lines = [b" ".join([raw(method), raw(target), b"HTTP/1.1"])]
    lines += [raw(name) + b": " + raw(value) for name, value in headers]
    if body is not None:
        if content_type:
            lines.append(b"Content-Type: " + raw(content_type))
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + (body or b"")


def raw(text):
    return text if isinstance(text, bytes) else text.encode()


class Connection:
    def __init__(self, port):
        self.port = port
        self.socket = None

    def open(self):
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_S)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.unread = b""

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def send(self, data):
        self.open()
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it answered before it had read all of it

    def ask(self, data, is_head=False):
        self.send(data)
        return self.answer(is_head)

    def more(self):
        try:
            got = self.socket.recv(65536)
        except ConnectionResetError:
            got = b""
        if not got:
            raise Closed
        self.unread += got

    def answer(self, is_head=False):
        """One answer; Closed if none comes, TimeoutError if the server just sits there."""
        begun = time.monotonic()
        while not self.unread:
            self.more()
        first_byte_s = time.monotonic() - begun
        while b"\r\n\r\n" not in self.unread:
            self.more()
        head, _, self.unread = self.unread.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1])
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        length = 0 if is_head or status == 204 else int(headers.get("content-length", 0))
        while len(self.unread) < length:
            self.more()
        body, self.unread = self.unread[:length], self.unread[length:]
        is_closing = headers.get("connection", "").lower() == "close"
        return Answer(status, headers, body, first_byte_s, is_closing)

    def is_closed_soon(self, seconds=2):
        """Does the server end the connection by itself?"""
        if self.socket is None:
            return True
        self.socket.settimeout(seconds)
        try:
            while self.socket.recv(65536):
                pass
            return True
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False
        finally:
            self.close()
