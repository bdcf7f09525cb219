"""What large work took, of memory and of the disk, is given back when it is over."""
import http.client
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from client import Client, Stream
from server import RELEASE, Server

KEPT_MAX = 20 << 20
LOG_MAX = 4200 << 10  # a thousand pages of the write-ahead log, with their frames' heads
SETTLE_S = 30
BODY = 7_900_000


def ask_raw(client, method, path, body=None):
    """The answer's bytes, whatever they are."""
    wire = http.client.HTTPConnection("127.0.0.1", client.port, timeout=60)
    wire.request(method, path, body, {"X-Api-Key": client.token})
    answer = wire.getresponse()
    data = answer.read()
    wire.close()
    assert answer.status == 200, data[:300]
    return data


class Memory(unittest.TestCase):
    def log_bytes(self, server):
        return (server.data / "perdure.db-wal").stat().st_size

    def assert_given_back(self, server, before):
        until = time.monotonic() + SETTLE_S
        while time.monotonic() < until:
            kept, log = server.anonymous_bytes() - before, self.log_bytes(server)
            if kept < KEPT_MAX and log <= LOG_MAX:
                return
            time.sleep(0.2)
        self.fail(f"{kept >> 20} MiB of memory stay, {log >> 10} KiB of the write-ahead log")

    def start(self):
        server = self.enterContext(Server(program=RELEASE))
        server.start()
        return server, Client(server.port, server.token(), 60), server.anonymous_bytes()

    def tearDown(self):
        self.doCleanups()

    def test_S2_large_work_leaves_no_memory_and_no_log_behind(self):
        server, client, before = self.start()
        client.open_session("cli:a")
        with self.subTest("large bodies"):
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda _: Client(server.port, server.token(), 60).post("cli:a", "y" * BODY, mode="append"),
                              range(24)))
            self.assertGreater(self.log_bytes(server), LOG_MAX)  # else nothing is shown
            self.assert_given_back(server, before)
        with self.subTest("many streams"):
            streams = [Stream(server.port, server.token(), "/v1/sessions/cli:a/events/stream?after=0", 4096)
                       for _ in range(100)]
            time.sleep(1)
            self.assertGreater(server.anonymous_bytes() - before, KEPT_MAX)
            for stream in streams:
                stream.close()
            self.assert_given_back(server, before)
        with self.subTest("an export"):
            bundle = ask_raw(client, "GET", "/v1/sessions/cli:a/export")
            self.assertGreater(len(bundle), 24 * BODY)
            self.assert_given_back(server, before)
        client.close()
        self.assertEqual(server.stop(), 0, server.errors())
        other, client, before = self.start()
        with self.subTest("an import"):
            ask_raw(client, "POST", "/v1/sessions/import", bundle)
            self.assert_given_back(other, before)
        with self.subTest("pages of large events"):
            for _ in range(3):
                ask_raw(client, "GET", "/v1/sessions/cli:a/events?limit=10")
            self.assert_given_back(other, before)
        self.assertEqual(other.stop(), 0, other.errors())

    def test_S2_many_small_things_leave_no_memory_behind(self):
        server, client, before = self.start()
        streams = []
        for number in range(300):
            session = f"cli:{number}"
            client.open_session(session)
            for text in range(3):
                client.append(session, "z" * 20000)
            streams.append(client.follow(f"/v1/sessions/{session}/events/stream?after=0"))
        for stream in streams:
            stream.close()
        self.assert_given_back(server, before)
        client.close()
        self.assertEqual(server.stop(), 0, server.errors())
