"""Data of earlier programs: it migrates, checks clean and goes on; that of a newer one is left alone."""
import hashlib
import json
import sqlite3
import tarfile
import time
import unittest
from pathlib import Path

import picture
from client import Client
from server import Server, perdure

HERE = Path(__file__).resolve().parent
FIXTURES = sorted(HERE.glob("fixtures/*.tar.xz"))
AWAIT_S = 60
NEWER = 1000000


def unpack(fixture, server):
    server.data.mkdir(mode=0o700)
    with tarfile.open(fixture) as tar:
        tar.extractall(server.data)


def schema_of(data):
    with sqlite3.connect(f"file:{data}/perdure.db?mode=ro", uri=True) as database:
        return database.execute("PRAGMA user_version").fetchone()[0]


def digest(data):
    return {str(path.relative_to(data)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in data.rglob("*") if path.is_file() and path.stat().st_size > 0
            and not path.name.endswith(("-shm", ".lock"))}


class Upgrade(unittest.TestCase):
    maxDiff = None

    def assert_clean(self, server):
        code, said = server.check()
        self.assertEqual(code, 0, said)

    def await_said(self, client, session, text):
        until = time.monotonic() + AWAIT_S
        while not any(text in json.dumps(event) for event in client.events(session)
                      if event["type"] == "agent.message"):
            self.assertLess(time.monotonic(), until, f"{session} says {text!r}")
            time.sleep(0.05)

    def await_settled(self, client, session):
        """A turn that was cut short goes on, or ends because the server was away for too long."""
        until = time.monotonic() + AWAIT_S
        while client.session(session)["activity"] != "idle":
            self.assertLess(time.monotonic(), until, f"{session} comes to rest")
            time.sleep(0.05)
        said = json.dumps(client.events(session))
        self.assertTrue('"resumed"' in said or "away for too long" in said, said)

    def compare(self, was, now):
        for kind in (*picture.RECORDS, "lanes"):
            for name, row in was[kind].items():
                self.assertEqual(now[kind].get(name), row, f"{kind} {name}")
        for name, runs in was["runs"].items():
            self.assertLessEqual(set(runs), set(now["runs"][name]), f"runs of {name}")
        self.assertLessEqual(set(was["sessions"]), set(now["sessions"]))
        for name, session in was["sessions"].items():
            self.compare_session(name, session, now["sessions"][name])

    def compare_session(self, name, was, now):
        """A log may have gone on: what had been left open runs when the server starts."""
        head = len(was["log"])
        self.assertEqual(now["log"][:head], was["log"], f"the log of {name}")
        self.assertEqual(now["resources"], was["resources"], f"resources of {name}")
        self.assertEqual({key: now[key] for key in picture.SESSION if key in was},
                         {key: was[key] for key in picture.SESSION if key in was})
        if len(now["log"]) == head:
            self.assertEqual(now["messages"], was["messages"], f"what was said in {name}")

    def go_on(self, client, was):
        """What had been left open ends, what was put away is taken up, and new things are made."""
        self.await_said(client, "cli:cut", "queued")
        self.await_settled(client, "cli:cut")
        self.assertEqual(client.post("cli:plain", "say still here", mode="wait")["text"], "still here")
        self.assertEqual(client.post(was["branch"], "say on and on", mode="wait")["text"], "on and on")
        client.ask("POST", "/v1/sessions/cli%3Aasked/commands", {"text": "/approve"})
        self.assertEqual(client.post("cli:asked", "say answered", mode="wait")["text"], "answered")
        chat = {"platform": "telegram", "chat_type": "dm", "chat_id": "1", "user_id": "u1"}
        resolved = client.ask("POST", "/v1/sessions/resolve", {"source": chat})
        self.assertEqual(client.post(resolved["session"]["id"], "say hi again", mode="wait")["text"], "hi again")
        client.open_session("cli:new")
        self.assertEqual(client.post("cli:new", "say new", mode="wait")["text"], "new")
        found = client.ask("GET", "/v1/search?q=hello")["data"]
        self.assertIn("cli:plain", json.dumps(found))

    def newest(self):
        """The schema of an empty directory."""
        with Server() as server:
            server.start()
            return schema_of(server.data)

    def opens(self, fixture):
        was = json.loads(fixture.with_suffix("").with_suffix(".json").read_text())
        with Server() as server:
            unpack(fixture, server)
            self.assert_clean(server)
            server.start()
            client = Client(server.port, server.token(), timeout_s=AWAIT_S)
            self.compare(was, picture.take(client))
            self.assertGreaterEqual(schema_of(server.data), was["schema"])
            self.assertEqual(schema_of(server.data), self.newest(), "it has migrated")
            self.go_on(client, was)
            client.close()
            self.assertEqual(server.stop(), 0, server.errors())
            self.assert_clean(server)
            server.start()
            self.compare(was, picture.take(Client(server.port, server.token())))

    def test_U1_there_are_fixtures(self):
        self.assertTrue(FIXTURES)

    def test_U1d_S1h_a_newer_schema_is_refused_and_left_alone(self):
        with Server() as server:
            unpack(FIXTURES[-1], server)
            database = sqlite3.connect(server.data / "perdure.db")
            database.execute(f"PRAGMA user_version={NEWER}")
            database.close()
            (server.data / "owner.token").write_text("pdr_" + "0" * 64)
            before = digest(server.data)
            for command in (["serve", "--listen", "127.0.0.1:0"], ["check"]):
                done = perdure(*command, "--data", server.data)
                self.assertNotIn(done.returncode, (0, None), done)
                self.assertIn(f"schema {NEWER}", done.stderr, done)
                self.assertIn("newer program", done.stderr)
            self.assertTrue(digest(server.data) == before, "its files are as they were")


for one in FIXTURES:
    setattr(Upgrade, f"test_U1a_U1b_U1c_S1g_{one.name.split('.')[0].replace('-', '_')}_opens_migrates_and_goes_on",
            lambda self, one=one: self.opens(one))
