"""The owner's token is the one in owner.token: replacing or removing the file ends the one before."""
import signal
import time
import unittest

from client import Client, Refused
from server import Server

SOON_S = 10


class OwnerToken(unittest.TestCase):
    def begin(self):
        server = self.enterContext(Server())
        server.start()
        return server

    def file(self, server):
        return server.data / "owner.token"

    def another(self, server, text=None):
        """Somebody puts another secret into the file; the one that was there."""
        before = server.token()
        self.file(server).write_text((text or "pdr_" + "7" * len(before[4:])) + "\n")
        return before

    def status(self, server, token):
        client = Client(server.port, token)
        try:
            client.ask("GET", "/v1/agents/main")
            return 200
        except Refused as refused:
            return refused.status
        finally:
            client.close()

    def restart(self, server):
        self.assertEqual(server.stop(), 0, server.errors())
        server.start()

    def hangup(self, server, said="serve.reloaded"):
        before = len(server.errors())
        server.process.send_signal(signal.SIGHUP)
        until = time.monotonic() + SOON_S
        while said not in server.errors()[before:]:
            self.assertLess(time.monotonic(), until, server.errors())
            time.sleep(0.01)

    def await_status(self, server, token, status):
        until = time.monotonic() + SOON_S
        while self.status(server, token) != status:
            self.assertLess(time.monotonic(), until, f"it does not become {status}")
            time.sleep(0.01)

    def end(self, server):
        self.assertEqual(server.stop(), 0, server.errors())
        self.assertEqual(server.check()[0], 0)
        self.assertNotIn("Sanitizer", server.errors())

    def test_P3_a_replaced_file_ends_the_old_secret_at_the_start(self):
        server = self.begin()
        old = self.another(server)
        self.assertEqual(self.status(server, old), 200)  # nobody was told yet
        self.restart(server)
        self.assertEqual((self.status(server, old), self.status(server, server.token())), (401, 200))
        self.restart(server)  # and stays so
        self.assertEqual((self.status(server, old), self.status(server, server.token())), (401, 200))
        self.end(server)

    def test_P3_a_removed_file_ends_it_too(self):
        server = self.begin()
        old = server.token()
        self.file(server).unlink()
        self.restart(server)
        self.assertNotEqual(server.token(), old)
        self.assertEqual((self.status(server, old), self.status(server, server.token())), (401, 200))
        self.end(server)

    def test_P3_a_hangup_reads_the_file_again(self):
        server = self.begin()
        old = self.another(server)
        self.hangup(server)
        self.await_status(server, old, 401)
        self.assertEqual(self.status(server, server.token()), 200)
        new = server.token()
        self.file(server).unlink()
        self.hangup(server)
        self.await_status(server, new, 401)
        self.assertEqual(self.status(server, server.token()), 200)
        self.hangup(server)  # nothing has changed
        self.assertEqual(self.status(server, server.token()), 200)
        self.assertEqual(self.file(server).stat().st_mode & 0o777, 0o600)
        self.end(server)

    def test_P3k_a_hangup_ends_the_streams_of_the_old_one(self):
        server = self.begin()
        client = Client(server.port, self.another(server))
        with client.follow("/v1/events/stream") as stream:
            self.hangup(server)
            self.await_status(server, client.token, 401)
            since = time.monotonic()
            while stream.frame(5) is not None:
                pass
            self.assertLess(time.monotonic() - since, 1)
        self.end(server)

    def test_P3_a_file_that_holds_no_token_changes_nothing(self):
        server = self.begin()
        old = self.another(server, "not a token")
        self.hangup(server, "serve.owner_token_kept")
        self.assertEqual(self.status(server, old), 200)
        self.file(server).write_text(old + "\n")
        self.file(server).chmod(0o644)
        self.hangup(server, "serve.owner_token_kept")
        self.assertEqual(self.status(server, old), 200)
        self.file(server).chmod(0o600)
        self.end(server)

    def test_P3_other_tokens_of_owners_stay(self):
        server = self.begin()
        client = Client(server.port, server.token())
        made = client.ask("POST", "/v1/tokens", {"kind": "owner", "name": "mine"})["token"]
        with self.assertRaises(Refused) as refused:  # the name says which one is the file's
            client.ask("POST", "/v1/tokens", {"kind": "owner", "name": "owner.token"})
        self.assertEqual(refused.exception.status, 400)
        client.close()
        old = self.another(server)
        self.restart(server)
        self.assertEqual((self.status(server, old), self.status(server, made)), (401, 200))
        self.end(server)

    def test_P3_a_secret_that_was_ended_does_not_come_back(self):
        server = self.begin()
        old = self.another(server)
        self.restart(server)
        self.another(server, old)
        self.restart(server)
        self.assertEqual(self.status(server, old), 401)
        self.assertIn("identity.owner_token_is_revoked", server.errors())
        self.file(server).unlink()
        self.hangup(server)
        self.await_status(server, server.token(), 200)
        self.end(server)


if __name__ == "__main__":
    unittest.main()
