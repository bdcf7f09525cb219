"""The mirror: session files beside the database that restore every session."""
import json
import random
import threading
import time
import unittest
from pathlib import Path

from client import Client
from server import Server, perdure

SESSIONS = [f"cli:{name}" for name in ("a", "b", "c", "d")]
WAKE = {"outcome": "sleep", "wakes": [{"reason": "look again", "note": "a \"quoted\" one", "delay_seconds": 3600}]}


def folder(server, session):
    return server.data / "agents/main/sessions" / session.replace(":", "%3A")


def head_of(lines):
    """The seq and the hash of the last event, and whether seqs are dense."""
    events = [record for record in map(json.loads, lines) if "seq" in record]
    dense = [event["seq"] for event in events] == list(range(1, len(events) + 1))
    return (events[-1]["seq"], events[-1]["hash"]) if events else (0, None), dense


class Mirror(unittest.TestCase):
    def ask(self, server, *words):
        done = perdure(*words, "--server", f"http://127.0.0.1:{server.port}",
                       env={"PERDURE_TOKEN": server.token()})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def export(self, server, session):
        return self.ask(server, "session", "export", session)

    def await_mirror(self, server, exports):
        """Until the files say what the bundles say."""
        until = time.monotonic() + 30
        for session, bundle in exports.items():
            header = json.loads(bundle.splitlines()[0])
            while True:
                file = folder(server, session) / "events.jsonl"
                text = file.read_text() if file.exists() else ""
                head, dense = head_of(text.splitlines() if text.endswith("\n") else [])
                if head == (header["head_seq"], header["head_hash"]):
                    break
                self.assertLess(time.monotonic(), until, f"{session}: {head} of {header}")
                time.sleep(0.05)
            self.assertTrue(dense)

    def talk(self, server, stop):
        client = Client(server.port, server.token())
        chance = random.Random(7)
        while not stop.is_set():
            try:
                client.post(chance.choice(SESSIONS), chance.choice(["say hello", "think hm\nsay so"] * 10 + ["wait 1\nsay late"]))
            except ConnectionError:  # it is killed under us
                return
            time.sleep(0.03)

    def test_M13k_M13m_M13n_M13o_M5h_a_killed_servers_mirror_restores_every_session(self):
        with Server("mirror: on\nqueue:\n  depth: 200\n") as server, Server() as fresh:
            server.start()
            client = Client(server.port, server.token())
            for session in SESSIONS:
                client.open_session(session, metadata={"of": session})
            for cycle in range(4):
                stop = threading.Event()
                talking = threading.Thread(target=self.talk, args=(server, stop))
                talking.start()
                time.sleep(0.4 + 0.3 * cycle)
                server.kill()
                stop.set()
                talking.join()
                if cycle == 1:  # what a power cut may do besides
                    torn = folder(server, SESSIONS[0]) / "events.jsonl"
                    torn.write_bytes(torn.read_bytes()[:-7])
                if cycle == 2:
                    (folder(server, SESSIONS[1]) / "session.json").unlink(missing_ok=True)
                server.start()
            client = Client(server.port, server.token())
            self.settle(client)
            client.post(SESSIONS[0], "tool session_directive " + json.dumps(WAKE), mode="wait")
            exports = {session: self.export(server, session) for session in SESSIONS}
            self.assertIn("look again", exports[SESSIONS[0]].splitlines()[0])
            self.assertGreater(sum(map(len, map(str.splitlines, exports.values()))), 60)
            self.await_mirror(server, exports)
            self.await_wake(server)
            server.kill()

            fresh.start()
            imported = self.ask(fresh, "import", "--mirror", server.data)
            self.assertEqual(sorted(imported.split()), SESSIONS)
            for session in SESSIONS:
                self.assertEqual(self.export(fresh, session), exports[session])
            self.assertEqual(self.ask(fresh, "import", "--mirror", folder(server, SESSIONS[1])).split(),
                             [SESSIONS[1]])  # what is there stays
            self.assertEqual(fresh.stop(), 0, fresh.errors())
            for one in (fresh, server):
                code, text = one.check()
                self.assertEqual(code, 0, text)
                self.assertNotIn("Sanitizer", one.errors())

    def settle(self, client):
        until = time.monotonic() + 60
        while any(client.session(session)["status"] != "idle" for session in SESSIONS):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.1)

    def await_wake(self, server):
        until = time.monotonic() + 30
        queue = folder(server, SESSIONS[0]) / "wake-queue.jsonl"
        while "look again" not in queue.read_text():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def test_M13i_off_writes_none_and_delete_takes_it_away(self):
        with Server() as server:
            server.start()
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            client.post("cli:a", "say hi", mode="wait")
            self.assertEqual(server.stop(), 0)
            self.assertFalse((folder(server, "cli:a") / "events.jsonl").exists())
            server.configure("mirror: on\n")
            server.start()  # what was said before is written now
            client = Client(server.port, server.token())
            self.await_mirror(server, {"cli:a": self.export(server, "cli:a")})
            client.ask("DELETE", "/v1/sessions/cli:a")
            until = time.monotonic() + 30
            while (folder(server, "cli:a") / "events.jsonl").exists():
                self.assertLess(time.monotonic(), until)
                time.sleep(0.05)
            self.assertTrue(Path(folder(server, "cli:a") / "runtime").exists())
            self.assertEqual(server.stop(), 0)
            self.assertNotIn("Sanitizer", server.errors())
