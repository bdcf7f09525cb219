"""The operator's own programs: told what happens, asked before it does."""
import json
import os
import signal
import time
import unittest

from client import Client
from server import Server
from verify import text_of

NOTE = """#!/bin/sh
# Appends what it is told, a line each.
line=$(cat)
echo "$line" >> "$1"
"""
GATE = """#!/bin/sh
# Refuses while there is a file, and is slow while there is another.
[ -e "$1.slow" ] && sleep 60
if [ -e "$1.shut" ]; then echo "closed for today"; exit 1; fi
env > "$1.env"
"""
AWAIT_S = 30


class Hooks(unittest.TestCase):
    def put(self, server, name, text):
        path = server.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def heard(self, server):
        path = server.folder / "heard"
        return [json.loads(line) for line in path.read_text().splitlines() if line] if path.exists() else []

    def await_heard(self, server, want):
        until = time.monotonic() + AWAIT_S
        while (names := sorted(fact["event"] for fact in self.heard(server))) != sorted(want):
            self.assertLess(time.monotonic(), until, names)
            time.sleep(0.05)

    def test_H4a_H4b_H4c_H4l_H4m_H4s_H4u_H4v_a_session_is_told_once_after_each_commit(self):
        with Server() as server:
            note = self.put(server, "note", NOTE)
            server.configure("hooks:\n" + "".join(
                f"  - {{event: {event}, command: [{note}, {server.folder}/heard]}}\n"
                for event in ("session_create", "session_save", "session_delete", "after_turn")))
            server.start()
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            self.await_heard(server, ["session_create"])
            client.post("cli:a", "say hello", mode="wait")
            self.await_heard(server, ["session_create", "session_save", "after_turn"])
            client.ask("POST", "/v1/sessions/cli:a", {"metadata": {"k": "v"}})
            self.await_heard(server, ["session_create", "session_save", "after_turn", "session_save"])
            client.ask("DELETE", "/v1/sessions/cli:a")
            self.await_heard(server, ["session_create", "session_save", "after_turn", "session_save",
                                      "session_delete"])
            self.assertEqual({fact["session_id"] for fact in self.heard(server)}, {"cli:a"})
            ended = next(fact for fact in self.heard(server) if fact["event"] == "after_turn")
            self.assertEqual(ended["log_event"]["payload"]["stop_reason"]["type"], "end_turn")
            server.kill()
            server.start()
            time.sleep(0.5)
            self.assertEqual(len(self.heard(server)), 5)
            self.assertEqual(server.stop(), 0)

    def test_H4k_H4o_H4q_a_turn_waits_for_its_hook_and_can_be_refused(self):
        with Server() as server:
            gate = self.put(server, "gate", GATE)
            server.configure("hooks:\n  - {event: before_turn, command: "
                             f"[{gate}, {server.folder}/gate], timeout_ms: 500 ms, on_failure: closed}}\n")
            server.start({"SECRET_OF_OURS": "hunter2"})
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            self.assertEqual(client.post("cli:a", "say one", mode="wait")["text"], "one")
            self.assertNotIn("hunter2", (server.folder / "gate.env").read_text())
            (server.folder / "gate.shut").touch()
            self.assertEqual(client.post("cli:a", "say two", mode="wait")["stop_reason"]["type"], "cancelled")
            errors = [event["error"] for event in client.events("cli:a") if event["type"] == "session.error"]
            self.assertEqual(errors[0]["type"], "hook_denied_error")
            self.assertIn("closed for today", errors[0]["message"])
            (server.folder / "gate.shut").unlink()
            (server.folder / "gate.slow").touch()
            began = time.monotonic()
            self.assertEqual(client.post("cli:a", "say three", mode="wait")["stop_reason"]["type"], "cancelled")
            self.assertLess(time.monotonic() - began, 20)
            (server.folder / "gate.slow").unlink()
            self.assertEqual(client.post("cli:a", "say four", mode="wait")["text"], "four")
            self.assertEqual(server.stop(), 0)
            self.assertEqual(server.check()[0], 0)

    def test_R6c_R6d_H4e_H4f_an_automatic_reset_is_told_before_and_after_and_can_wait(self):
        with Server() as server:
            note, gate = self.put(server, "note", NOTE), self.put(server, "gate", GATE)
            server.configure(
                "session_reset: {mode: idle, idle_minutes: 5}\nhooks:\n"
                f"  - {{event: before_reset, command: [{note}, {server.folder}/heard]}}\n"
                f"  - {{event: before_reset, command: [{gate}, {server.folder}/gate]}}\n"
                f"  - {{event: after_reset, command: [{note}, {server.folder}/heard]}}\n")
            key = {"key": {"surface": "telegram", "surface_id": "1", "agent_id": "main"}}
            server.start()
            client = Client(server.port, server.token())
            first = client.ask("POST", "/v1/sessions/resolve", key)["session"]["id"]
            client.post(first, "say hello", mode="wait")
            server.kill()
            (server.folder / "gate.shut").touch()
            server.start({"PERDURE_CLOCK_OFFSET_MS": "3600000"})
            client = Client(server.port, server.token())
            self.assertEqual(client.ask("POST", "/v1/sessions/resolve", key)["session"]["id"], first)
            self.await_heard(server, ["before_reset"])
            server.kill()
            (server.folder / "gate.shut").unlink()
            server.start({"PERDURE_CLOCK_OFFSET_MS": "9600000"})
            client = Client(server.port, server.token())
            resolved = client.ask("POST", "/v1/sessions/resolve", key)
            self.assertEqual((resolved["is_new"], resolved["reset_reason"]), (True, "idle"))
            self.await_heard(server, ["before_reset", "before_reset", "after_reset"])
            told = next(fact for fact in self.heard(server) if fact["event"] == "after_reset")
            self.assertEqual(told["session_id"], first)
            self.assertEqual(told["log_event"]["payload"]["new_session_id"], resolved["session"]["id"])
            self.assertEqual(self.heard(server)[0]["reason"], "idle")

    def test_H4_a_server_that_stops_kills_its_hooks(self):
        with Server() as server:
            server.configure("hooks:\n  - {event: session_create, command: [/bin/sh, -c, "
                             f"'echo $$ > {server.folder}/pid; sleep 600'], timeout_ms: 300 s}}\n")
            server.start()
            Client(server.port, server.token()).open_session("cli:a")
            until = time.monotonic() + AWAIT_S
            while not (server.folder / "pid").exists() or not (server.folder / "pid").read_text():
                self.assertLess(time.monotonic(), until)
                time.sleep(0.05)
            self.assertEqual(server.stop(), 0)
            with self.assertRaises(ProcessLookupError):
                os.kill(int((server.folder / "pid").read_text()), 0)

    def slow_gate(self, server, more=""):
        """A server whose turns wait a minute for a hook, and a client of it whose message does."""
        server.configure(f"{more}hooks:\n  - {{event: before_turn, command: [/bin/sh, -c, "
                         f"'echo $$ > {server.folder}/pid; sleep 60'], timeout_ms: 300 s}}\n")
        server.start()
        client = Client(server.port, server.token())
        client.open_session("cli:a")
        client.post("cli:a", "say hello")
        until = time.monotonic() + AWAIT_S
        while not (server.folder / "pid").exists() or not (server.folder / "pid").read_text():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def assert_runs_later(self, server):
        self.assertNotIn("Sanitizer", server.errors())
        with self.assertRaises(ProcessLookupError):
            os.kill(int((server.folder / "pid").read_text()), 0)
        server.configure("")
        server.start()
        client = Client(server.port, server.token())
        until = time.monotonic() + AWAIT_S
        while not any(event["type"] == "session.status_idle" for event in client.events("cli:a")):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        self.assertIn("hello", [text_of(event) for event in client.events("cli:a")])
        self.assertEqual(server.stop(), 0)
        self.assertEqual(server.check()[0], 0)

    def test_H5_a_stop_waits_no_longer_for_a_hook_than_for_a_turn(self):
        with Server() as server:
            self.slow_gate(server, "agent: {drain_timeout_s: 1}\n")
            began = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - began, 10)
            self.assert_runs_later(server)

    def test_H5_the_second_signal_ends_a_stop_that_waits_for_a_hook(self):
        with Server() as server:
            self.slow_gate(server)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            self.assertTrue(server.is_running())
            began = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - began, 10)
            self.assert_runs_later(server)

    def test_H4_a_command_is_needed(self):
        with Server() as server:
            server.configure("hooks:\n  - {event: before_turn, command: []}\n")
            server.launch()
            self.assertFalse(server.await_ready())
            self.assertIn("hooks[0].command", server.errors())
            self.assertEqual(server.end(), 2)
