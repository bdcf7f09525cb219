"""Deleted sessions: hidden at once, and after retention.deleted_days gone to the last byte."""
import os
import random
import sqlite3
import threading
import time
import unittest
from urllib.parse import quote

from client import Client, Refused
from scene import Scene
from server import Server

KILLS = int(os.environ.get("PERDURE_CYCLES", "20")) // 2
SEED = os.environ.get("PERDURE_SEED", "1")
GONE_S = 5
PATIENCE = float(os.environ.get("PERDURE_PATIENCE", "6"))  # sanitizers, and a machine that does other things too
SLOWEST_S = 2
AT_ONCE = "retention:\n  deleted_days: 0\nmirror: on\n"
TOOLS = [{"type": "agent_toolset_20260401",
          "default_config": {"enabled": True, "permission_policy": {"type": "always_allow"}}}]
AGENT = {"type": "agent_with_overrides", "id": "main", "tools": TOOLS}
MARKS = iter(range(1, 1000))


def mark():
    """A word that stands nowhere else."""
    return f"zyxmark{next(MARKS):05d}q"


def files_with(data, word):
    """Which files of the data directory have the word in them, or in their name."""
    found = []
    for folder, folders, files in os.walk(data):  # what goes meanwhile is passed over
        for name in folders + files:
            path = os.path.join(folder, name)
            if word in name:
                found.append(path)
            try:
                if name in files and word.encode() in open(path, "rb").read():
                    found.append(path)
            except OSError:
                continue
    return found


class Purge(unittest.TestCase):
    def begin(self, server, **options):
        server.start(**options)
        return Client(server.port, server.token(), timeout_s=60)

    def talk(self, client, session, word, **more):
        """The word everywhere: title, metadata, log, a large result, a file, a wake, a rule, a name."""
        client.open_session(session, agent=AGENT, title=f"about {word}", metadata={"k": word}, **more)
        client.post(session, f"say {word} once", mode="wait", message_id=f"m-{word}", key=f"key-{word}")
        client.post(session, f'tool bash {{"command":"echo {word} > note.txt; yes {word} | head -c 100000"}}',
                    mode="wait")
        client.post(session, f'tool session_directive {{"outcome":"sleep","wakes":[{{"reason":"{word}",'
                    f'"note":"{word}","delay_seconds":3000}}]}}', mode="wait")
        client.ask("POST", f"/v1/sessions/{quote(session)}/commands", {"text": f"/title {word} again"})
        client.ask("POST", f"/v1/sessions/{quote(session)}", {"metadata": {"k": f"{word} two"}})

    def delete(self, client, session):
        client.ask("DELETE", f"/v1/sessions/{quote(session)}")

    def number(self, server, sql):
        """From the database, seen from outside."""
        with sqlite3.connect(f"file:{server.data}/perdure.db?mode=ro", uri=True) as database:
            return database.execute(sql).fetchone()[0]

    def await_gone(self, server, word, seconds=GONE_S):
        until = time.monotonic() + seconds * PATIENCE
        while (found := files_with(server.data, word)):
            self.assertLess(time.monotonic(), until, f"{word} is still in {found}")
            time.sleep(0.05)

    def assert_sound(self, server):
        self.assertEqual(server.stop(), 0, server.errors())
        code, said = server.check()
        self.assertEqual(code, 0, said)
        self.assertNotIn("Sanitizer", server.errors())

    def test_P6a_P6f_with_0_days_every_byte_is_gone_within_seconds(self):
        with Server(AT_ONCE) as server:
            client = self.begin(server)
            word, other = mark(), mark()
            for number in range(3):
                self.talk(client, f"cli:{other}-{number}", other)
            self.talk(client, f"cli:{word}", word)
            self.talk(client, f"cli:{other}-3", other)
            self.assertTrue(files_with(server.data, word))
            self.delete(client, f"cli:{word}")
            self.await_gone(server, word)
            for number in range(4):
                said = str(client.events(f"cli:{other}-{number}"))
                self.assertGreater(said.count(other), 8000, "the others keep what they have")
            self.assertTrue(client.ask("GET", f"/v1/search?q={other}")["data"])
            self.assertFalse(client.ask("GET", f"/v1/search?q={word}")["data"])
            self.assert_sound(server)
            self.assertFalse(files_with(server.data, word))

    def test_P6f_every_second_of_many_leaves_nothing_behind(self):
        """Rows move between pages while others come and go: no page keeps a copy."""
        with Server(AT_ONCE) as server:
            client = self.begin(server)
            chance, doomed = random.Random(SEED), []
            for number in range(24):
                word = mark()
                client.open_session(f"cli:{word}", title=f"{word} " + "t" * chance.randrange(100), agent="main",
                                    metadata={"k": word * chance.randrange(1, 20)})
                for turn in range(chance.randrange(1, 6)):
                    text = f"say {word} " + "x" * chance.randrange(3000)
                    client.post(f"cli:{word}", text, mode="wait")
                    client.ask("POST", f"/v1/sessions/cli%3A{word}", {"metadata": {"n": f"{word}{turn}" * turn}})
                if number % 2:
                    doomed.append(word)
                    if number % 4 == 1:
                        self.delete(client, f"cli:{word}")
            for word in doomed[1::2]:
                self.delete(client, f"cli:{word}")
            for word in doomed:
                self.await_gone(server, word)
            self.assert_sound(server)

    def test_M14b_P6f_what_another_session_says_too_stays(self):
        with Server(AT_ONCE) as server:
            client = self.begin(server)
            text, word = "say " + "both " * 10000, mark()
            for session in ("cli:one", "cli:two", "cli:three"):
                client.open_session(session, agent="main")
                client.post(session, text, mode="wait")
            client.open_session(f"cli:{word}", agent="main")
            client.post(f"cli:{word}", "say " + f"{word} " * 10000, mode="wait")
            self.assertEqual(self.number(server, "SELECT count(DISTINCT blob) FROM event"), 4, "each text once")
            self.assertEqual(self.number(server, "SELECT max(length(payload)) > 32768 FROM event"), 0)
            self.delete(client, "cli:one")
            self.delete(client, f"cli:{word}")
            self.await_gone(server, word)
            self.assertEqual(self.number(server, "SELECT count(DISTINCT digest) FROM blob"), 2)
            self.assertEqual(str(client.events("cli:two")).count("both "), 19999)
            client.open_session("cli:four", agent="main")
            client.post("cli:four", "say " + f"{word} " * 10000, mode="wait")
            self.assertGreater(str(client.events("cli:four")).count(word), 10000, "a blob that was purged comes back")
            self.assert_sound(server)

    def test_P6f_the_id_is_free_again(self):
        with Server(AT_ONCE) as server:
            client = self.begin(server)
            word = mark()
            self.talk(client, "cli:again", word)
            self.delete(client, "cli:again")
            self.await_gone(server, word)
            with self.assertRaises(Refused) as refused:
                client.session("cli:again")
            self.assertEqual(refused.exception.status, 404)
            made = client.open_session("cli:again", agent="main")
            self.assertEqual(made["title"], None)
            self.assertEqual(client.post("cli:again", "say fresh", mode="wait", message_id=f"m-{word}")["text"],
                             "fresh", "nothing is remembered of the first one, not even its keys")
            self.assertEqual(client.events("cli:again")[0]["seq"], 1)
            self.assert_sound(server)

    def test_C11_what_a_branch_inherits_stays_until_the_last_branch_is_gone(self):
        with Server(AT_ONCE) as server:
            client = self.begin(server)
            word = mark()
            client.open_session("cli:parent", agent="main")
            client.post("cli:parent", f"say {word}", mode="wait")
            branch = client.ask("POST", "/v1/sessions/cli%3Aparent/commands", {"text": "/branch"})["data"]["session_id"]
            twig = client.ask("POST", f"/v1/sessions/{quote(branch)}/commands", {"text": "/branch"})["data"]["session_id"]
            self.delete(client, "cli:parent")
            other = mark()
            client.open_session(f"cli:{other}", agent="main")
            self.delete(client, f"cli:{other}")
            self.await_gone(server, other)
            for session in (branch, twig):
                said = client.ask("GET", f"/v1/sessions/{quote(session)}/messages")["data"]
                self.assertIn(word, str(said))
            self.delete(client, branch)
            self.assertEqual(client.post(twig, "say on", mode="wait")["text"], "on")
            self.assertIn(word, str(client.ask("GET", f"/v1/sessions/{quote(twig)}/messages")["data"]))
            self.delete(client, twig)
            self.await_gone(server, word)
            self.assert_sound(server)

    def test_P6_only_folders_of_the_server_go(self):
        with Server(AT_ONCE) as server:
            client = self.begin(server)
            outside = server.folder / "outside"
            outside.mkdir()
            (outside / "kept.txt").write_text("kept")
            far = client.ask("POST", "/v1/environments", {"name": "dir", "config": {
                "type": "local", "working_directory": str(outside)}})["id"]
            client.open_session("cli:outside", agent=AGENT, environment_id=far)
            client.post("cli:outside", 'tool bash {"command":"pwd; echo made > made.txt"}', mode="wait")
            client.open_session("cli:inside", agent=AGENT)
            client.post("cli:inside", 'tool bash {"command":"mkdir -p a/b; echo x > a/b/c; chmod 0 a/b a; ln -s '
                        f'{outside} link; ln -s {outside}/kept.txt file"}}', mode="wait")
            inside = next(server.data.glob("agents/main/sessions/cli%3Ainside"))
            for session in ("cli:outside", "cli:inside"):
                self.delete(client, session)
            until = time.monotonic() + GONE_S * PATIENCE
            while inside.exists() or list(server.data.glob("agents/main/sessions/cli%3Aoutside")):
                self.assertLess(time.monotonic(), until, "the folders are gone")
                time.sleep(0.05)
            self.assertEqual(sorted(path.name for path in outside.iterdir()), ["kept.txt", "made.txt"])
            self.assert_sound(server)

    def test_P6f_killed_in_the_middle_it_goes_on_at_the_next_start(self):
        chance = random.Random(SEED)
        with Server(AT_ONCE) as server:
            client = self.begin(server)
            kept = mark()
            self.talk(client, "cli:kept", kept)
            for _ in range(KILLS):
                word = mark()
                client.open_session(f"cli:{word}", agent=AGENT)
                for number in range(8):
                    client.append(f"cli:{word}", f"{word} {number} " * 5000)
                client.post(f"cli:{word}", f'tool bash {{"command":"echo {word} > f"}}', mode="wait")
                self.delete(client, f"cli:{word}")
                time.sleep(chance.uniform(0, 1.5))
                client.close()
                server.kill()
                code, said = server.check()
                self.assertEqual(code, 0, said)
                client = self.begin(server)
                self.await_gone(server, word)
            self.assertGreater(str(client.events("cli:kept")).count(kept), 8000)
            self.assert_sound(server)

    def test_P6_a_long_log_is_purged_beside_others_that_work(self):
        with Server(AT_ONCE) as server:
            client = self.begin(server)
            word = mark()
            client.open_session(f"cli:{word}", agent="main")
            for _ in range(2000):
                client.append(f"cli:{word}", f"{word} {'y' * 400}")
            for _ in range(100):
                client.post(f"cli:{word}", f"say {word}", mode="wait")
            client.open_session("cli:busy", agent="main")
            slowest, ended = [0.0], threading.Event()

            def work():
                mine = Client(server.port, server.token())
                while not ended.is_set():
                    since = time.monotonic()
                    mine.append("cli:busy", "x")
                    slowest[0] = max(slowest[0], time.monotonic() - since)
                mine.close()
            worker = threading.Thread(target=work)
            worker.start()
            try:
                self.delete(client, f"cli:{word}")
                self.await_gone(server, word, 30)
            finally:
                ended.set()
                worker.join()
            self.assertLess(slowest[0], SLOWEST_S, "nobody waits for it")
            self.assert_sound(server)

    def test_P6b_P6c_P6e_what_runs_or_waits_is_not_deleted(self):
        with Server() as server:
            client = self.begin(server)
            asks = [{"type": "agent_toolset_20260401",
                     "default_config": {"enabled": True, "permission_policy": {"type": "always_ask"}}}]
            client.open_session("cli:runs", agent="main")
            client.post("cli:runs", "wait 600")
            client.open_session("cli:waits", agent={**AGENT, "tools": asks})
            client.post("cli:waits", 'tool bash {"command":"date"}', mode="wait")
            for session, activity in (("cli:runs", "running"), ("cli:waits", "requires_action")):
                self.assertEqual(client.session(session)["activity"], activity)
                with self.assertRaises(Refused) as refused:
                    self.delete(client, session)
                self.assertEqual(refused.exception.status, 409, refused.exception.body)
                client.ask("POST", f"/v1/sessions/{quote(session)}/commands", {"text": "/stop"})
                until = time.monotonic() + GONE_S * PATIENCE
                while client.session(session)["activity"] != "idle":
                    self.assertLess(time.monotonic(), until)
                    time.sleep(0.02)
                self.delete(client, session)
                for answer, ask in ((404, lambda: client.session(session)), (409, lambda: client.open_session(session))):
                    with self.assertRaises(Refused) as refused:
                        ask()
                    self.assertEqual(refused.exception.status, answer, "a tombstone")
            self.assert_sound(server)

    def test_P6d_group_sessions_are_kept(self):
        with Server(AT_ONCE) as server:
            client = self.begin(server)
            made = client.ask("POST", "/v1/sessions/resolve", {"source": {
                "platform": "telegram", "chat_type": "thread", "chat_id": "1", "thread_id": "2", "user_id": "u"}})
            session = made["session"]["id"]
            with self.assertRaises(Refused) as refused:
                self.delete(client, session)
            self.assertEqual(refused.exception.status, 409)
            self.assertIn("group sessions are kept", refused.exception.body)
            self.assertEqual(client.session(session)["id"], session)

    def test_L2_other_keys_of_retention_are_not_known_yet(self):
        with Server("retention:\n  sessions_days: 3\n") as server:
            server.launch()
            self.assertFalse(server.await_ready())
            self.assertEqual(server.end(), 2)
            self.assertRegex(server.errors(), "retention.sessions_days")


class Days(Scene):
    """By the clock: seven days unless said otherwise."""

    def test_P6e_P6f_a_deleted_session_is_kept_for_seven_days(self):
        word = mark()
        self.client.open_session("cli:week", agent="main", title=word)
        self.client.post("cli:week", f"say {word}", mode="wait")
        self.clock.advance(days=30)  # it is the deletion that counts, not the last message
        self.client.ask("DELETE", "/v1/sessions/cli%3Aweek")
        self.assert_refused(404, "GET", "/v1/sessions/cli%3Aweek")
        for _ in range(6):
            self.clock.advance(days=1)
            time.sleep(0.3)
        self.assertTrue(files_with(self.server.data, word))
        self.assert_refused(409, "POST", "/v1/sessions", {"id": "cli:week", "agent": "main"})
        self.clock.advance(days=1, minutes=11)
        self.await_that(lambda: not files_with(self.server.data, word), "it is purged")
        self.client.open_session("cli:week", agent="main")

    def test_P6_what_was_due_while_the_server_was_away_goes_at_its_start(self):
        word = mark()
        self.client.open_session("cli:away", agent="main", title=word)
        self.client.ask("DELETE", "/v1/sessions/cli%3Aaway")
        self.kill()
        self.clock.advance(days=8)
        self.start()
        self.await_that(lambda: not files_with(self.server.data, word), "it is purged")

    def test_P6_a_reload_counts(self):
        word = mark()
        self.client.open_session("cli:reload", agent="main", title=word)
        self.client.ask("DELETE", "/v1/sessions/cli%3Areload")
        self.assertTrue(files_with(self.server.data, word))
        self.reload("retention:\n  deleted_days: 0\n")
        self.await_that(lambda: not files_with(self.server.data, word), "it is purged")
        self.reload("")
