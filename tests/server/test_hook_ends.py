"""What a hook started ends with it, wherever it went."""
import os
import signal
import time
import unittest
import uuid

from client import Client
from hands import running, within
from server import Server

GONE_S = 5
DAEMON = "setsid bash -c '(setsid bash -c \"exec -a {mark} sleep 300\" &) ; exec -a {mark} sleep 300' >/dev/null 2>&1 </dev/null &"


class HookEnds(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())
        self.mark = f"m{uuid.uuid4().hex[:12]}"
        self.addCleanup(lambda: [os.kill(pid, signal.SIGKILL) for pid in running(self.mark)])  # of a case that failed

    def begin(self, script, event="session_create", **more):
        """A server with one hook, and a client."""
        hook = self.server.folder / "hook"
        hook.write_text(script if script.startswith("#!") else f"#!/bin/bash\n{script}\n")
        hook.chmod(0o755)
        self.server.configure(f"hooks:\n  - {{event: {event}, command: [{hook}, --strict]"
                              + "".join(f", {name}: {value}" for name, value in more.items()) + "}\n")
        self.server.start()
        self.client = Client(self.server.port, self.server.token())
        self.addCleanup(self.client.close)

    def start(self, rest, **more):
        self.begin(DAEMON.format(mark=self.mark) + f"\n{rest}", **more)
        self.client.open_session("cli:a")
        self.assertTrue(within(20, lambda: len(running(self.mark)) == 2), running(self.mark))

    def assert_gone(self):
        self.assertTrue(within(GONE_S, lambda: not running(self.mark)), f"{running(self.mark)} still run")
        self.assertNotIn("Sanitizer", self.server.errors())

    def test_H4_what_a_hook_started_ends_at_its_timeout(self):
        self.start("sleep 300", timeout_ms="6 s")
        self.assertTrue(within(20, lambda: "it took too long" in self.server.errors()))
        self.assert_gone()
        self.assertEqual(self.server.stop(), 0)

    def test_H4_what_a_hook_left_behind_ends_with_it(self):
        self.start(f"while [ ! -e {self.server.folder}/go ]; do sleep 0.05; done; exit 0", timeout_ms="300 s")
        (self.server.folder / "go").touch()
        self.assert_gone()
        self.assertEqual(self.server.stop(), 0)

    def test_H4_what_a_hook_started_ends_with_the_server(self):
        self.start("sleep 300", timeout_ms="300 s")
        self.assertEqual(self.server.stop(), 0)
        self.assertFalse(running(self.mark))
        self.server.start()
        Client(self.server.port, self.server.token()).open_session("cli:b")
        self.assertTrue(within(20, lambda: len(running(self.mark)) == 2))
        self.server.kill()
        self.assert_gone()

    def ask(self, script, on_failure):
        """What becomes of a turn that such a hook is asked about: (its stop, the error's words)."""
        self.begin(script, "before_turn", on_failure=on_failure, timeout_ms="20 s")
        self.client.open_session("cli:a")
        stop = self.client.post("cli:a", "say hello", mode="wait")["stop_reason"]["type"]
        said = [event["error"]["message"] for event in self.client.events("cli:a") if event["type"] == "session.error"]
        self.assertEqual(self.server.stop(), 0)
        return stop, " ".join(said)

    def test_H4p_H4q_the_answer_of_a_hook_is_its_own(self):
        for script, on_failure, stop, said in (
                ("cat >/dev/null; exit 0", "closed", "end_turn", ""),
                ("echo no $1; exit 1", "open", "cancelled", "refused it: no --strict"),
                ("exit 127", "open", "cancelled", "refused it"),
                ("kill -9 $$", "open", "end_turn", ""),
                ("kill -9 $$", "closed", "cancelled", "gave no answer"),
                ("#!/no/such/interpreter\n", "open", "end_turn", ""),
                ("#!/no/such/interpreter\n", "closed", "cancelled", "gave no answer"),
        ):
            with self.subTest(script=script, on_failure=on_failure), Server() as self.server:
                self.assertEqual((got := self.ask(script, on_failure))[0], stop)
                self.assertIn(said, got[1])
                said_then = self.server.errors()
                self.assertNotIn("Sanitizer", said_then)
                if "interpreter" in script:
                    self.assertIn("it cannot be started", said_then)

    def test_H4a_H4m_a_hook_reads_its_facts_and_its_pipes_end(self):
        self.begin(f"cat >{self.server.folder}/facts.new; mv {self.server.folder}/facts.new {self.server.folder}/facts")
        self.client.open_session("cli:a")
        facts = self.server.folder / "facts"
        self.assertTrue(within(20, facts.exists))
        self.assertIn('"session_id":"cli:a"', facts.read_text())
        began = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - began, 20)
