"""people - whoever comes to a server with a token of their own."""
import json
import socket
import struct
from base64 import b64encode

from client import Client


class People:
    """The owner's client, and what it takes to make the others'."""

    def __init__(self, server):
        self.port = server.port
        self.owner = Client(server.port, server.token())

    def token(self, **body):
        return Client(self.port, self.owner.ask("POST", "/v1/tokens", body)["token"])

    def user(self, role="user", name="somebody"):
        """Somebody's client; .user_id says who."""
        made = self.owner.ask("POST", "/v1/users", {"name": name, "role": role})
        client = self.token(kind="user", user_id=made["id"])
        client.user_id = made["id"]
        return client

    def channel(self, namespace="telegram"):
        return self.token(kind="channel", namespace=namespace)

    def environment(self, environment_id):
        return self.token(kind="environment", environment_id=environment_id)

    def worker(self):
        return self.token(kind="worker")

    def agent(self, **more):
        return self.owner.ask("POST", "/v1/agents", {"name": "a", "model": "demo", **more})

    def close(self):
        self.owner.close()


class Socket:
    """A WebSocket that says JSON and hears it."""

    def __init__(self, port, token):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.socket.sendall((f"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                             f"Sec-WebSocket-Key: {b64encode(bytes(16)).decode()}\r\n"
                             f"Authorization: Bearer {token}\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.file.close()
        self.socket.close()

    def say(self, **message):
        text = json.dumps(message).encode()
        size = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + struct.pack(">H", len(text))
        self.socket.sendall(b"\x81" + size + bytes(4) + text)  # a mask of zeros

    def read_frame(self):
        first, size = self.file.read(2)
        if size == 126:
            size = struct.unpack(">H", self.file.read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.file.read(8))[0]
        return first, self.file.read(size)

    def hear(self, timeout_s=10):
        """The next message; {"closed": code} at the end."""
        self.socket.settimeout(timeout_s)
        text = b""
        while True:
            first, piece = self.read_frame()
            if first & 0x0f == 8:
                return {"closed": struct.unpack(">H", piece[:2])[0]}
            if first & 0x0f in (0, 1):
                text += piece
                if first & 0x80:
                    return json.loads(text)
