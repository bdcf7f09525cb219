"""What `perdure check` finds in a data directory that somebody changed behind the server's back."""
import sqlite3
import unittest

from client import Client
from server import Server


class Check(unittest.TestCase):
    def tampered(self, sql):
        """What check says after this was done to a log of a few turns: (exit code, text)."""
        with Server() as server:
            server.start()
            client = Client(server.port, server.token())
            client.open_session("cli:log", agent="main")
            for word in ("one", "two"):
                client.post("cli:log", f"say {word}", mode="wait")
            client.close()
            self.assertEqual(server.stop(), 0)
            self.assertEqual(server.check()[0], 0, "it is whole")
            with sqlite3.connect(server.data / "perdure.db") as database:
                database.execute(sql)
            database.close()
            return server.check()

    def assert_found(self, sql, *words):
        code, said = self.tampered(sql)
        self.assertEqual(code, 1, said)
        for word in words:
            self.assertIn(word, said)

    def test_S3a_a_changed_event_breaks_the_chain(self):
        self.assert_found("UPDATE event SET payload=replace(payload, 'one', 'ONE') WHERE seq=2", "cli:log", "hash")

    def test_S3b_a_missing_event_is_a_gap(self):
        self.assert_found("DELETE FROM event WHERE seq=3", "cli:log", "seq")

    def test_S3c_a_row_that_the_log_does_not_give_is_found(self):
        self.assert_found("UPDATE session SET messages=messages+1", "cli:log", "messages")

    def test_S3_a_blob_that_nobody_refers_to_is_found(self):
        self.assert_found("INSERT INTO blob VALUES (zeroblob(32), 0, x'00')", "that no event refers to")
