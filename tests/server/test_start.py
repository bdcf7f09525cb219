"""What a person reads when the server starts, or cannot."""
import http.client
import os
import re
import socket
import ssl
import stat
import subprocess
import threading
import time
import unittest

from client import Client, Refused
from server import Server, perdure


def serve(server, *more, **options):
    """A start that is expected to fail: what it said in one line, and the exit code."""
    done = perdure("serve", "--data", server.data, "--listen", "127.0.0.1:0", *more, timeout_s=20,
                   **options)
    return done.stderr, done.returncode


class Start(unittest.TestCase):
    def assert_says(self, said, code, want, want_code):
        self.assertRegex(said, want)
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertEqual(code, want_code)

    def test_P3_the_first_start_says_where_the_token_is(self):
        with Server() as server:
            server.start()
            self.assertRegex(server.greeting, r"(?m)^perdure \S+ is ready:$")
            self.assertRegex(server.greeting, rf"(?m)^  http://127\.0\.0\.1:{server.port}$")
            self.assertIn(f"{server.data}/owner.token (only you can read it)", server.greeting)
            self.assertNotIn(server.token(), server.greeting + server.errors())
            self.assertEqual(server.errors(), "", "a first start has nothing else to say")
            self.assertEqual(stat.S_IMODE(os.stat(server.data).st_mode), 0o700)
            self.assertEqual(stat.S_IMODE(os.stat(server.data / "owner.token").st_mode), 0o600)
            token = server.token()
            self.assertEqual(server.stop(), 0)
            server.start()
            self.assertNotIn("owner.token", server.greeting)
            self.assertEqual(server.token(), token)
            Client(server.port, token).ask("GET", "/v1/sessions")

    def test_S1f_a_data_directory_in_use_is_refused(self):
        with Server() as server:
            server.start()
            said, code = serve(server)
            self.assert_says(said, code, rf"^perdure serve: the data directory {server.data} is held by "
                             rf"pid {server.process.pid}: stop that server, or choose another directory$", 1)

    def test_P3_only_the_one_that_has_the_lock_makes_the_token(self):
        with Server() as server:
            server.start()
            (server.data / "owner.token").unlink()
            serve(server)
            self.assertFalse((server.data / "owner.token").exists())

    def test_P3_of_many_first_starts_one_serves_with_the_token_in_the_file(self):
        with Server() as server:
            others = []
            server.launch()
            threads = [threading.Thread(target=lambda: others.append(serve(server))) for _ in range(4)]
            # They would serve for ever if they came first: a directory of theirs alone is not the point.
            if server.await_ready():
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            self.assertEqual([code for _, code in others], [1] * 4)
            Client(server.port, server.token()).ask("GET", "/v1/sessions")

    def test_a_port_in_use_is_named(self):
        with Server() as server, socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            done = perdure("serve", "--data", server.data, "--listen", f"127.0.0.1:{port}")
            self.assert_says(done.stderr, done.returncode,
                             rf"^perdure serve: cannot listen on 127\.0\.0\.1:{port}: another program "
                             r"does\. Stop it, or choose another address with --listen$", 1)

    def test_an_address_of_another_machine_is_named(self):
        with Server("insecure_listen: true\n") as server:
            done = perdure("serve", "--data", server.data, "--listen", "192.0.2.1:7340",
                           "--config", server.config)
            self.assert_says(done.stderr, done.returncode, r"^perdure serve: cannot listen: "
                             r"192\.0\.2\.1:7340: address not available$", 3)

    def test_P3_a_token_that_others_can_read_is_refused(self):
        with Server() as server:
            server.start()
            self.assertEqual(server.stop(), 0)
            (server.data / "owner.token").chmod(0o640)
            said, code = serve(server)
            self.assert_says(said, code, r"owner\.token can be read by others.*Run: chmod 600 /", 2)

    def test_a_directory_that_cannot_be_made_is_named(self):
        with Server() as server:
            server.data.parent.joinpath("file").write_text("")
            done = perdure("serve", "--data", server.data.parent / "file" / "data", "--listen", "127.0.0.1:0")
            self.assert_says(done.stderr, done.returncode,
                             r"^perdure serve: cannot make the data directory /\S+/file/data: Not a directory$", 3)

    def test_a_foreign_file_in_the_place_of_the_database_is_left_alone(self):
        with Server() as server:
            server.start()
            self.assertEqual(server.stop(), 0)
            database = next(path for path in server.data.iterdir() if path.suffix == ".db")
            for path in server.data.iterdir():
                if path.name.startswith(database.name):
                    path.unlink()
            database.write_bytes(b"not a database at all" * 500)
            said, code = serve(server)
            self.assertEqual(code, 3, said)
            self.assertIn(str(database), said)
            self.assertTrue(database.read_bytes().startswith(b"not a database"))

    def test_wrong_options_are_explained(self):
        for arguments, want in ((("--dat", "x"), r"no option --dat; see perdure serve --help"),
                                (("here",), r"no option here; see perdure serve --help"),
                                (("--data",), r"--data needs a value"),
                                (("--listen", "nowhere"), r"--listen"),
                                (("--config", "/does/not/exist.yaml"), r"/does/not/exist\.yaml")):
            done = perdure("serve", *arguments)
            self.assertRegex(done.stderr, want)
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_an_address_for_everybody_wants_a_word(self):
        with Server() as server:
            done = perdure("serve", "--data", server.data, "--listen", "0.0.0.0:0")
            self.assertEqual(done.returncode, 2)
            self.assertIn("insecure_listen", done.stderr)

    def test_A14c_readyz_says_when_it_serves(self):
        with Server() as server:
            server.start()
            client = Client(server.port, "none")
            client.ask("GET", "/readyz")
            with self.assertRaises(Refused) as caught:
                client.ask("GET", "/v1/sessions")
            self.assertEqual(caught.exception.status, 401)

    def test_systemd_is_told(self):
        with Server() as server, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            path = server.folder / "notify"
            notified.bind(str(path))
            notified.settimeout(10)
            server.start({"NOTIFY_SOCKET": str(path)})
            self.assertEqual(notified.recv(100), b"READY=1")
            self.assertEqual(server.stop(), 0)
            self.assertEqual(notified.recv(100), b"STOPPING=1")

    def test_a_unix_socket_is_served_and_is_for_the_user_alone(self):
        with Server() as server:
            path = server.folder / "s"
            server.arguments = lambda: ["serve", "--data", server.data, "--listen", f"unix:{path}",
                                        "--listen", "127.0.0.1:0"]
            server.start()
            self.assertIn(f"unix:{path}", server.greeting)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            with socket.socket(socket.AF_UNIX) as wire:
                wire.connect(str(path))
                wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertTrue(re.match(rb"HTTP/1.1 200 ", wire.recv(1000)))
            server.kill()
            server.start()  # what the dead one left is replaced
            self.assertEqual(server.stop(), 0)

    def test_P8_with_a_certificate_nothing_is_served_in_the_clear(self):
        with Server() as server:
            server.configure(server.make_certificate())
            server.start()
            self.assertIn(f"  https://127.0.0.1:{server.port}\n", server.greeting)
            context = ssl.create_default_context(cafile=server.folder / "cert.pem")
            wire = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=10, context=context)
            wire.request("GET", "/v1/sessions", headers={"Authorization": f"Bearer {server.token()}"})
            self.assertEqual(wire.getresponse().status, 200)
            wire.close()
            with self.assertRaises(Refused) as caught:
                Client(server.port, server.token()).ask("GET", "/v1/sessions")
            self.assertEqual(caught.exception.status, 400)
            self.assertEqual(server.stop(), 0, server.errors())
            (server.folder / "key.pem").write_text("nothing\n")
            said, code = serve(server, "--config", server.config)
            self.assert_says(said, code, rf"^perdure serve: .*{server.folder}/key\.pem", code)
            self.assertNotEqual(code, 0)

    def test_H5_a_start_after_a_kill_takes_no_second(self):
        with Server() as server:
            server.start()
            server.kill()
            begun = time.monotonic()
            server.start()
            self.assertLess(time.monotonic() - begun, 3)  # with sanitizers, on a busy machine
