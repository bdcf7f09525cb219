"""Streams: who is slow is cut off, who may not read any more is cut off, the others go on."""
import time
import unittest

from client import Client, Refused, Stream
from server import Server

FOLLOW = "/v1/sessions/cli:a/events/stream?after=0"


class Streams(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server("limits:\n  stream_queue_bytes: 64 KiB\n  stall_ms: 60 s\n"))
        self.server.start()
        self.client = Client(self.server.port, self.server.token())
        self.client.open_session("cli:a")

    def tearDown(self):
        self.client.close()
        if self.server.is_running():
            self.assertEqual(self.server.stop(), 0, self.server.errors())
        self.assertNotIn("Sanitizer", self.server.errors())

    def token_of(self, user):
        made = self.client.ask("POST", "/v1/tokens", {"kind": "user", "user_id": user})
        return made["id"], made["token"]

    def test_A4k_a_slow_reader_is_cut_and_the_others_go_on(self):
        big = "x" * 30000
        with Stream(self.server.port, self.server.token(), FOLLOW, receive_bytes=4096) as slow, \
                Stream(self.server.port, self.server.token(), FOLLOW) as quick:
            self.assertEqual((slow.status, quick.status), (200, 200))
            seen = []
            for number in range(200):  # far more than sockets and the queue hold
                self.client.append("cli:a", f"{number} {big}")
                while len(seen) < number + 2:
                    seen.append(quick.event()["seq"])
            self.assertEqual(seen, list(range(1, 202)))
            begun = time.monotonic()
            taken = []
            while (event := slow.event()) is not None:  # what was on its way, then the end
                taken.append(event["seq"])
            self.assertLess(time.monotonic() - begun, 10)
            self.assertEqual(taken, list(range(1, len(taken) + 1)))  # never silently skipped
            self.assertLess(len(taken), 200)
        with self.client.follow(f"/v1/sessions/cli:a/events/stream?after={taken[-1]}") as again:
            rest = [again.event()["seq"] for _ in range(201 - len(taken))]
        self.assertEqual(taken + rest, list(range(1, 202)))

    def test_P3k_P2h_a_revoked_token_closes_its_stream_within_a_second(self):
        user = self.client.ask("POST", "/v1/users", {"name": "ann"})["id"]
        token_id, token = self.token_of(user)
        Client(self.server.port, token).ask("POST", "/v1/sessions", {
            "id": "cli:hers", "agent": "main", "environment_id": "local-default"})
        path = "/v1/sessions/cli:hers/events/stream?after=0"
        with Stream(self.server.port, token, path) as hers, \
                self.client.follow(path) as owners, \
                Stream(self.server.port, token, "/v1/events/stream") as all_hers:
            self.assertEqual((hers.status, all_hers.status), (200, 200))
            self.assertEqual(hers.event()["type"], "session.created")
            self.assertEqual(owners.event()["type"], "session.created")
            self.client.ask("DELETE", f"/v1/tokens/{token_id}")
            begun = time.monotonic()
            self.assertIsNone(hers.event())
            self.assertIsNone(all_hers.event())
            self.assertLess(time.monotonic() - begun, 1.5)  # a second, and a busy machine
            self.client.append("cli:hers", "secret")
            self.assertEqual(owners.event()["type"], "system.message")
        with self.assertRaises(Refused) as caught:
            Client(self.server.port, token).ask("GET", "/v1/sessions")
        self.assertEqual(caught.exception.status, 401)

    def test_P3j_an_expired_token_closes_its_stream(self):
        ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
        made = self.client.ask("POST", "/v1/tokens", {"kind": "owner", "expires_at": ends})
        with Stream(self.server.port, made["token"], FOLLOW) as stream:
            self.assertEqual(stream.event()["type"], "session.created")
            begun = time.monotonic()
            self.assertIsNone(stream.event())
            self.assertLess(time.monotonic() - begun, 4)

    def test_M10aj_a_deleted_session_ends_its_streams(self):
        with self.client.follow(FOLLOW) as stream:
            self.assertEqual(stream.event()["type"], "session.created")
            self.client.ask("DELETE", "/v1/sessions/cli:a")
            self.assertEqual(stream.event()["type"], "session.deleted")
            self.assertIsNone(stream.event())

    def test_A4d_A4f_A2d_a_follower_across_kills_sees_exactly_the_log(self):
        seen = []
        for life in range(4):
            after = seen[-1] if seen else 0
            with self.client.follow(f"/v1/sessions/cli:a/events/stream?after={after}") as stream:
                for number in range(20):
                    self.client.append("cli:a", f"{life}-{number}")
                for _ in range(10 if life < 3 else 81 - len(seen)):
                    seen.append(stream.event()["seq"])
            if life < 3:
                self.client.close()
                self.server.kill()
                self.server.start()
                self.client = Client(self.server.port, self.server.token())
        self.assertEqual(seen, list(range(1, 82)))
