"""The limits of the file: what is too large, too many or too slow is refused or cut off."""
import http.client
import re
import socket
import time
import unittest
from contextlib import ExitStack, contextmanager
from urllib.parse import quote

from client import Client, Refused, Stream
from server import Server

SHORT = "200 ms"
PATIENCE_S = 12  # what a busy machine may take to notice; without the limit it would take 30 s and more
PIECE = "x" * 500000
PIECES = 24  # together far more than the sockets between two programs hold


class Limits(unittest.TestCase):
    @contextmanager
    def serving(self, **limits):
        settings = ", ".join(f"{name}: {value}" for name, value in limits.items())
        with Server(f"limits: {{{settings}}}\n") as server:
            server.start()
            yield server
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertNotIn("Sanitizer", server.errors())

    def wire(self, server):
        return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)

    def head(self, server, line="GET /v1/sessions", *more):
        lines = [f"{line} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {server.token()}", *more]
        return "\r\n".join(lines).encode() + b"\r\n\r\n"

    def status(self, wire):
        """Of the next answer."""
        return int(wire.recv(65536).split()[1])

    # ---- too large, too many ----

    def test_L2_a_head_over_header_bytes_is_refused(self):
        with self.serving(header_bytes="1 KiB") as server:
            for length, status in ((100, 200), (2000, 431)):
                with self.wire(server) as wire:
                    wire.sendall(self.head(server, "GET /v1/sessions", "X-Long: " + "x" * length))
                    self.assertEqual(self.status(wire), status)

    def test_L2_a_body_over_body_bytes_is_refused(self):
        with self.serving(body_bytes="1 KiB") as server:
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            client.post("cli:a", "x" * 500, mode="append")
            with self.assertRaises(Refused) as refused:
                client.post("cli:a", "x" * 2000, mode="append")
            self.assertEqual(refused.exception.status, 413)
            client.close()

    def test_L2_a_connection_over_the_limit_is_told_that_there_is_no_room(self):
        with self.serving(connections=3) as server, ExitStack() as held:
            self.fill(server, held, 3)
            with self.wire(server) as wire:
                self.assertEqual(self.status(wire), 503)

    def test_L2_a_connection_over_the_limit_of_its_address_is_told_so(self):
        with self.serving(per_address=2) as server, ExitStack() as held:
            self.fill(server, held, 2)
            with self.wire(server) as wire:
                self.assertEqual(self.status(wire), 429)

    def fill(self, server, held, count):
        """So many connections are open, and known to the server."""
        for _ in range(count):
            wire = held.enter_context(self.wire(server))
            wire.sendall(self.head(server))
            self.assertEqual(self.status(wire), 200)

    # ---- too slow ----

    def test_L2_a_head_that_takes_longer_than_header_ms_is_refused(self):
        with self.serving(header_ms=SHORT) as server, self.wire(server) as wire:
            wire.sendall(self.head(server)[:-2])
            self.assertEqual(self.status(wire), 408)

    def test_L2_a_body_that_takes_longer_than_body_ms_is_refused(self):
        with self.serving(body_ms=SHORT) as server, self.wire(server) as wire:
            wire.sendall(self.head(server, "POST /v1/sessions", "Content-Type: application/json",
                                   "Content-Length: 100") + b"{")
            self.assertEqual(self.status(wire), 408)

    def test_L2_a_connection_without_requests_is_closed_after_idle_ms(self):
        with self.serving(idle_ms=SHORT) as server, self.wire(server) as wire:
            wire.sendall(self.head(server))
            while wire.recv(65536):  # the answer, then the end; without a limit nothing more comes
                pass

    # ---- slow readers ----

    def connections(self, server):
        """How many it has open, the one that asks among them."""
        wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
        wire.request("GET", "/metrics", headers={"Authorization": f"Bearer {server.token()}"})
        said = wire.getresponse().read().decode()
        wire.close()
        return int(re.search(r"^perdure_http_connections (\d+)", said, re.M).group(1))

    def test_L2_a_client_that_takes_nothing_for_stall_ms_is_cut_off(self):
        with self.serving(stall_ms="1 s") as server:
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            for _ in range(PIECES):
                client.append("cli:a", PIECE)
            client.close()
            with socket.socket() as wire:
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                wire.connect(("127.0.0.1", server.port))
                wire.sendall(self.head(server, f"GET /v1/sessions/{quote('cli:a')}/export"))
                wire.recv(1, socket.MSG_PEEK)  # it has begun; nothing is taken from here on
                until = time.monotonic() + PATIENCE_S
                while self.connections(server) > 1:
                    self.assertLess(time.monotonic(), until)
                    time.sleep(0.05)

    def test_A4_as_much_as_stream_queue_bytes_waits_for_a_slow_reader(self):
        with self.serving(stream_queue_bytes="64 MiB", stall_ms="300 s") as server:
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            with Stream(server.port, server.token(), "/v1/sessions/cli:a/events/stream?after=0",
                        receive_bytes=4096) as slow:
                self.assertEqual(slow.event()["seq"], 1)
                for _ in range(PIECES):  # nothing is read meanwhile
                    client.append("cli:a", PIECE)
                self.assertEqual([slow.event()["seq"] for _ in range(PIECES)], list(range(2, PIECES + 2)))
            client.close()


if __name__ == "__main__":
    unittest.main()
