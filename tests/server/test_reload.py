"""SIGHUP: the configuration is read again, and taken over whole or not at all."""
import json
import signal
import time
import unittest

from client import Client, Refused
from server import Server


class Reload(unittest.TestCase):
    def reload(self, server, text, event):
        """Writes the file, asks for it, and gives the line with which the server answers."""
        said = len(server.errors().splitlines())
        server.configure(text)
        server.process.send_signal(signal.SIGHUP)
        until = time.monotonic() + 10
        while time.monotonic() < until:
            for line in server.errors().splitlines()[said:]:
                if event in line:
                    return json.loads(line)
            time.sleep(0.01)
        raise AssertionError(f"no {event}: {server.errors()}")

    def post_until_refused(self, client, session):
        """A turn that waits, and how many messages fit behind it."""
        client.open_session(session)
        client.post(session, "wait 60\nsay done")
        for number in range(100):
            try:
                client.post(session, f"say {number}")
            except Refused as refusal:
                self.assertEqual(refusal.status, 429)
                return number
        raise AssertionError("everything fits")

    def test_L2_what_may_change_changes(self):
        with Server("queue:\n  depth: 3\n") as server:
            server.start()
            client = Client(server.port, server.token())
            self.assertEqual(self.post_until_refused(client, "cli:a"), 3)
            line = self.reload(server, "queue:\n  depth: 5\nhosts: [example.org]\n", "serve.reloaded")
            self.assertEqual(line["changes"], 2)
            self.assertEqual(self.post_until_refused(client, "cli:b"), 5)
            for _ in range(4):  # what earlier ones held is not used any more
                self.reload(server, "queue:\n  depth: 4\nmodel: demo\n", "serve.reloaded")
            self.assertEqual(self.post_until_refused(client, "cli:c"), 4)
            client.open_session("cli:d")
            self.assertEqual(client.post("cli:d", "say hi", mode="wait")["text"], "hi")
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.1)
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertNotIn("Sanitizer", server.errors())

    def test_L2_what_needs_a_restart_is_named_and_nothing_changes(self):
        with Server("queue:\n  depth: 3\n") as server:
            server.start()
            client = Client(server.port, server.token())
            line = self.reload(server, "queue:\n  depth: 5\nmirror: on\n", "serve.reload_needs_restart")
            self.assertEqual(line["key"], "mirror")
            self.assertEqual(self.post_until_refused(client, "cli:a"), 3)

    def test_L2p_a_broken_file_is_refused_and_the_server_goes_on(self):
        with Server("queue:\n  depth: 3\n") as server:
            server.start()
            client = Client(server.port, server.token())
            line = self.reload(server, "queue:\n  depht: 5\n", "serve.reload_refused")
            self.assertIn("depht", line["reason"])
            self.assertIn("perdure.yaml:2", line["reason"])
            self.assertEqual(self.post_until_refused(client, "cli:a"), 3)
            server.config.unlink()
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.2)
            client.ask("GET", "/readyz")
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.1)
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertNotIn("Sanitizer", server.errors())

    def test_L2_open_streams_live_through_it(self):
        with Server() as server:
            server.start()
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            with client.follow("/v1/sessions/cli:a/events/stream?after=0") as stream:
                self.assertEqual(stream.event()["seq"], 1)
                self.reload(server, "log:\n  level: debug\n", "serve.reloaded")
                client.append("cli:a", "after")
                self.assertEqual(stream.event()["seq"], 2)
