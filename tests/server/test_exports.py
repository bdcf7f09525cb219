"""Whatever is exported can be imported again, also far beyond what a request's body usually may have."""
import hashlib
import http.client
import json
import os
import re
import socket
import threading
import time
import unittest
from pathlib import Path
from urllib.parse import quote

from client import Client, Refused
from pulse import Pulse
from scene import Clock
from server import Server, perdure

BODY_BYTES = 8 << 20  # what limits.body_bytes is when nobody says otherwise
LANES = int(os.environ.get("PERDURE_LANES", "8000"))  # 100000 takes minutes to make
WAYS, AHEAD = 8, 32  # connections that make lanes, and requests on each that are not answered yet
SLOW_S = 0.5  # an answer to somebody else, on a busy machine and with sanitizers; it was seconds
NOTHING = {"imported": 0, "skipped": 0, "missing": 0, "refused": 0}


def resolve_many(server, sources):
    """Lanes, as fast as the server makes them."""
    def pour(mine):
        wire = socket.create_connection(("127.0.0.1", server.port))
        answers, open_requests = wire.makefile("rb"), 0

        def read():
            assert b" 200 " in (line := answers.readline()), line
            length = 0
            while (header := answers.readline().strip()):
                if header.lower().startswith(b"content-length:"):
                    length = int(header.split(b":")[1])
            answers.read(length)
        for source in mine:
            body = json.dumps({"source": source}).encode()
            wire.sendall(b"POST /v1/sessions/resolve HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
                         + server.token().encode() + b"\r\nContent-Type: application/json\r\nContent-Length: "
                         + str(len(body)).encode() + b"\r\n\r\n" + body)
            open_requests += 1
            if open_requests == AHEAD:
                read()
                open_requests -= 1
        for _ in range(open_requests):
            read()
        wire.close()
    threads = [threading.Thread(target=pour, args=(sources[way::WAYS],)) for way in range(WAYS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Exports(unittest.TestCase):
    def begin(self, server):
        self.clock = Clock(server.folder / "clock")
        server.start(self.clock.environment())
        return Client(server.port, server.token(), timeout_s=600)

    def forget_lanes(self, client, count):
        self.clock.advance(days=2)
        self.assertEqual(client.ask("POST", "/v1/lanes/prune", {"max_age_days": 1})["pruned"], count)

    def download(self, server, path):
        wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
        wire.request("GET", path, headers={"Authorization": f"Bearer {server.token()}"})
        answer = wire.getresponse()
        text = answer.read()
        self.assertEqual(answer.status, 200, text[:500])
        wire.close()
        return text

    def upload(self, server, path, text, key=None):
        headers = {"Authorization": f"Bearer {server.token()}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
        wire.request("POST", path, text, headers)
        answer = wire.getresponse()
        body = answer.read()
        wire.close()
        if answer.status != 200:
            raise Refused(answer.status, body.decode())
        return json.loads(body)

    def make_large(self, server, client, count, size):
        """Lanes whose export has so many bytes and more: their chats have long names."""
        resolve_many(server, [{"platform": "telegram", "chat_id": str(number)} for number in range(count)])
        lanes = json.loads(self.download(server, "/v1/lanes/export"))
        self.forget_lanes(client, count)
        for lane in lanes.values():
            lane["display_name"] = "long " * (size // count // 5)
        made = self.upload(server, "/v1/lanes/import", json.dumps(lanes).encode())
        self.assertEqual(made, {**NOTHING, "imported": count})

    def most_memory(self, server):
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) << 10

    def come_and_go(self, server, client, count):
        """All lanes are written, forgotten and read again."""
        with Pulse(server) as pulse:
            before = self.most_memory(server)
            file = self.download(server, "/v1/lanes/export")
            self.assertLess(self.most_memory(server) - before, len(file) // 2 + (64 << 20),
                            "an export is not gathered in memory")
            self.assertEqual(len(json.loads(file)), count)
            self.assertEqual(self.upload(server, "/v1/lanes/import", file), {**NOTHING, "skipped": count})
            self.forget_lanes(client, count)
            before = self.most_memory(server)
            self.assertEqual(self.upload(server, "/v1/lanes/import", file, "once"), {**NOTHING, "imported": count})
            self.assertLess(self.most_memory(server) - before, 2 * len(file) + (64 << 20))
            self.assertEqual(self.upload(server, "/v1/lanes/import", file, "once"), {**NOTHING, "imported": count})
        self.assertEqual(json.loads(self.download(server, "/v1/lanes/export")), json.loads(file))
        self.assertLess(pulse.slowest_s, SLOW_S, "nobody waits for it")
        self.assertEqual(server.stop(), 0, server.errors())
        self.assertNotIn("Sanitizer", server.errors())
        code, said = server.check()
        self.assertEqual(code, 0, said)
        return file

    def test_K5aa_many_lanes_come_back(self):
        with Server() as server:
            client = self.begin(server)
            resolve_many(server, [{"platform": "telegram", "chat_id": str(number), "user_id": f"u{number}"}
                                  for number in range(LANES)])
            file = self.come_and_go(server, client, LANES)
            self.assertGreater(len(file), BODY_BYTES)

    def test_K5aa_ten_times_the_usual_body_comes_back(self):
        with Server() as server:
            client = self.begin(server)
            count = 500
            self.make_large(server, client, count, 10 * BODY_BYTES)
            file = self.come_and_go(server, client, count)
            self.assertGreater(len(file), 10 * BODY_BYTES)

    def test_K5_one_bad_entry_and_none_is_taken(self):
        with Server() as server:
            client = self.begin(server)
            self.make_large(server, client, 120, BODY_BYTES)
            file = self.download(server, "/v1/lanes/export").strip()
            self.assertGreater(len(file), BODY_BYTES)
            self.forget_lanes(client, 120)
            last = file[:-1]  # without its closing brace
            for bad in (last, last + b"]", file + b"x", last + b',"k":{}}', last + b',"k":{"session_key":7}}',
                        last + b',"k":{"session_key":"a","session_id":"b"}}', last + b",}", last + b',"k":1,}',
                        b"[" + file + b"]", b"", b"{", last + b"," + file[1:]):
                with self.assertRaises(Refused, msg=bad[-60:]) as refused:
                    self.upload(server, "/v1/lanes/import", bad)
                self.assertEqual(refused.exception.status, 400, refused.exception.body)
                self.assertEqual(client.ask("GET", "/v1/lanes")["data"], [])
            self.assertEqual(self.upload(server, "/v1/lanes/import", file + b" \n"), {**NOTHING, "imported": 120})

    def test_K5aa_the_command_line_takes_as_much(self):
        with Server() as server:
            client = self.begin(server)
            self.make_large(server, client, 120, BODY_BYTES)
            file = server.folder / "sessions.json"
            there = ("--server", f"http://127.0.0.1:{server.port}", "--token-file", server.data / "owner.token")
            self.assertEqual(perdure("lane", "export", file, *there).returncode, 0)
            self.assertGreater(file.stat().st_size, BODY_BYTES)
            self.forget_lanes(client, 120)
            done = perdure("lane", "import", file, *there)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("120", done.stdout)
            printed = perdure("lane", "export", *there)
            self.assertEqual(json.loads(printed.stdout), json.loads(file.read_text()))

    def test_S3e_S3f_a_long_session_comes_back(self):
        """Ten times the usual body: many events, and some as large as they may be."""
        with Server() as server, Server() as other:
            client = self.begin(server)
            client.open_session("cli:long", agent="main")
            for number in range(1000):
                client.append("cli:long", f"note {number} " + "x" * 2000)
            for number in range(11):
                client.append("cli:long", f"{number} " + "y" * (7 << 20))
            file = self.download(server, "/v1/sessions/cli%3Along/export")
            self.assertGreater(len(file), 9 * BODY_BYTES)
            client = self.begin(other)
            with Pulse(other) as pulse:
                made = self.upload(other, "/v1/sessions/import", file, "once")
            self.assertEqual(made["id"], "cli:long")
            self.assertLess(pulse.slowest_s, 2 * SLOW_S, "nobody waits for it")
            digests = [hashlib.sha256(self.download(one, f"/v1/sessions/{quote('cli:long')}/export")).hexdigest()
                       for one in (server, other)]
            self.assertEqual(*digests)
            self.assertEqual(other.stop(), 0, other.errors())
            code, said = other.check()
            self.assertEqual(code, 0, said)

    def test_S3l_S3m_a_bundle_that_is_there_is_skipped_and_another_log_refused(self):
        with Server() as server, Server() as other:
            for one, text in ((server, "one"), (other, "another")):
                client = self.begin(one)
                client.open_session("cli:same", agent="main")
                client.post("cli:same", f"say {text}", mode="wait")
            mine, theirs = (self.download(one, "/v1/sessions/cli%3Asame/export") for one in (server, other))
            self.assertEqual(self.upload(server, "/v1/sessions/import", mine)["id"], "cli:same")
            self.assertEqual(self.download(server, "/v1/sessions/cli%3Asame/export"), mine)
            with self.assertRaises(Refused) as refused:
                self.upload(server, "/v1/sessions/import", theirs)
            self.assertEqual(refused.exception.status, 409)
            self.assertIn("another log", refused.exception.body)
            self.assertEqual(self.download(server, "/v1/sessions/cli%3Asame/export"), mine)
