"""Clients that leave in the middle of anything leave nothing behind: no connection, no descriptor, no memory.

PERDURE_DISCONNECTS is how many leave (1,000; 10,000 in `make proof`)."""
import http.client
import itertools
import os
import ssl
import time
import unittest

from abuse import SLOW, Abuser
from client import Client
from server import RELEASE, Server

COUNT = int(os.environ.get("PERDURE_DISCONNECTS", "1000"))
SHARE_TLS, SHARE_SOCKET = 5, 10  # every so many-th
SETTLE_S = 20
GROWTH_MAX = 4 << 20
PER_ADDRESS = 60


class TlsClient(Client):
    """Asks over TLS."""

    def __init__(self, port, token, context):
        super().__init__(port, token)
        self.context = context

    def connect(self):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=self.timeout_s, context=self.context)


def await_that(question, what):
    until = time.monotonic() + SETTLE_S
    while not (answer := question()):
        assert time.monotonic() < until, what()
        time.sleep(0.05)
    return answer


class Disconnects(unittest.TestCase):
    def settled(self, server, descriptors):
        """Waits until it has the descriptors that it had before."""
        await_that(lambda: server.descriptors() <= descriptors,
                   lambda: f"{server.descriptors()} descriptors, {descriptors} before")

    def abuse(self, abuser, count, cases):
        rounds = itertools.chain.from_iterable(cases() for _ in itertools.count())
        begun = abuser.count
        while abuser.count - begun < count:
            abuser.play(list(itertools.islice(rounds, min(960, count - abuser.count + begun))))

    def storm(self, server, tls=False):
        """So many leave; how much memory it has more afterwards."""
        server.start()
        context = ssl.create_default_context(cafile=server.folder / "cert.pem") if tls else None
        client = TlsClient(server.port, server.token(), context) if tls else Client(server.port, server.token())
        abuser = Abuser(server, client, tls)
        client.close()
        share = COUNT // SHARE_TLS if tls else COUNT
        sockets = share // SHARE_SOCKET
        self.abuse(abuser, min(share, 500), abuser.cases)  # first uses of memory that is kept
        self.abuse(abuser, 50, abuser.socket_cases)
        idle = self.idle_descriptors(server)
        before = server.anonymous_bytes()
        self.abuse(abuser, share - sockets, abuser.cases)
        self.abuse(abuser, sockets, abuser.socket_cases)
        self.settled(server, idle)
        client.ask("GET", "/v1/sessions")
        client.close()
        grown = server.anonymous_bytes() - before
        print(f"{abuser.count} disconnects, {grown >> 10} KiB more", flush=True)
        return grown

    def idle_descriptors(self, server):
        """What it needs for itself: no connection is left, and none comes."""
        fewest = server.descriptors()
        calm_since = time.monotonic()
        while time.monotonic() - calm_since < 2.5:  # longer than an end is waited for
            time.sleep(0.1)
            if server.descriptors() < fewest:
                fewest, calm_since = server.descriptors(), time.monotonic()
        return fewest

    def test_A1_abusive_disconnects_of_every_route_leave_nothing_behind(self):
        with Server(program=RELEASE) as server:
            grown = self.storm(server)
            self.assertLess(grown, GROWTH_MAX)
            self.assertEqual(server.stop(), 0, server.errors())

    def test_A1_abusive_disconnects_over_tls_leave_nothing_behind(self):
        with Server(program=RELEASE) as server:
            server.configure(server.make_certificate())
            grown = self.storm(server, tls=True)
            self.assertLess(grown, GROWTH_MAX)
            self.assertEqual(server.stop(), 0, server.errors())

    def half_close(self, abuser, data):
        """More of them than one address may have: each must be ended by the server."""
        wires = []
        for _ in range(PER_ADDRESS + 20):
            wire = abuser.connect()
            abuser.send(wire, data, more=True)
            self.assertIsNotNone(abuser.leave(wire, "half"))
            wires.append(wire)
            if len(wires) > PER_ADDRESS // 2:
                self.assertTrue(abuser.is_ended(wires.pop(0)), "the server does not end the connection")
        for wire in wires:
            self.assertTrue(abuser.is_ended(wire), "the server does not end the connection")

    def test_A4_whoever_half_closes_while_the_handler_works_is_forgotten(self):
        with Server(f"limits:\n  per_address: {PER_ADDRESS}\nqueue:\n  depth: 1000\n") as server:
            server.start()
            client = Client(server.port, server.token())
            abuser = Abuser(server, client)
            idle = server.descriptors()
            first = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            for method, target, body in SLOW:
                for before in (b"", first):
                    with self.subTest(f"{before and 'second, '}{method} {target} {body and body.get('mode')}"):
                        self.half_close(abuser, before + b"".join(abuser.slow(method, target, body)))
                        self.assertEqual(client.ask("GET", "/healthz")["status"], "ok")
            self.settled(server, idle)
            client.close()
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertNotIn("Sanitizer", server.errors())

    def test_A1_whoever_sends_ahead_and_leaves_is_found(self):
        with Server("limits:\n  stall_ms: 1 s\n") as server:
            server.start()
            client = Client(server.port, server.token())
            abuser = Abuser(server, client)
            client.close()
            idle = self.idle_descriptors(server)
            head, _ = abuser.slow("GET", "/v1/environments/{idle_environment}/work/poll?block_ms=60000", None)
            wire = abuser.connect()
            wire.settimeout(1)
            with self.assertRaises(TimeoutError):
                wire.sendall(head * 100000)  # until nothing more is read
            self.assertGreater(server.descriptors(), idle)
            abuser.leave(wire, "reset")
            self.settled(server, idle)
            self.assertEqual(server.stop(), 0, server.errors())
