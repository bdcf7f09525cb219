"""The log: a file of its own that may be rotated, and what a reload says of itself."""
import json
import os
import shutil
import signal
import socket
import ssl
import stat
import threading
import time
import unittest

from client import Client
from scene import Clock
from server import Server, perdure

AWAIT_S = 20


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def await_that(question, what):
    until = time.monotonic() + AWAIT_S
    while not (answer := question()):
        assert time.monotonic() < until, what()
        time.sleep(0.02)
    return answer


def await_line(path, event, since=0):
    """The first line of that event behind so many others."""
    return await_that(lambda: next((line for line in lines(path)[since:] if line["event"] == event), None),
                      lambda: f"no {event} in {lines(path)[since:]}")


class Log(unittest.TestCase):
    def hang_up(self, server, path, event):
        since = len(lines(path))
        server.process.send_signal(signal.SIGHUP)
        return await_line(path, event, since)

    def test_L2_a_rotated_file_is_opened_again_and_no_line_is_lost(self):
        with Server() as server:
            log, old = server.folder / "perdure.log", server.folder / "perdure.log.1"
            log.write_text('{"event":"before"}\n')
            server.configure(f"log:\n  level: debug\n  file: {log}\n")
            server.start()
            self.assertEqual(server.errors(), "")
            asked, stop = [0], threading.Event()

            def ask():
                client = Client(server.port, server.token())
                while not stop.is_set():
                    client.ask("GET", "/v1/lanes/any")
                    asked[0] += 1

            asker = threading.Thread(target=ask)
            asker.start()
            for _ in range(3):  # as logrotate does
                time.sleep(0.1)
                if log.exists():
                    with open(old, "ab") as kept:
                        moved = server.folder / "moved"
                        log.rename(moved)
                        server.process.send_signal(signal.SIGHUP)
                        await_line(log, "serve.reloaded")
                        kept.write(moved.read_bytes())
                        moved.unlink()
            stop.set()
            asker.join()
            self.assertEqual(server.stop(), 0, server.errors())
            told = lines(old) + lines(log)
            self.assertEqual(told[0]["event"], "before")  # what was there is appended to
            self.assertEqual(sum(line.get("route") == "/v1/lanes/any" for line in told), asked[0])
            self.assertGreater(asked[0], 3)
            self.assertEqual(stat.S_IMODE(os.stat(log).st_mode) & ~0o640, 0)
            self.assertEqual(server.errors(), "")

    def test_L2_another_file_is_taken_over_by_a_reload(self):
        with Server() as server:
            first, second = server.folder / "a.log", server.folder / "b.log"
            server.configure(f"log:\n  file: {first}\n")
            server.start()
            server.configure(f"log:\n  file: {second}\n")
            server.process.send_signal(signal.SIGHUP)
            await_line(second, "serve.reloaded")
            server.configure("")
            server.process.send_signal(signal.SIGHUP)
            await_that(lambda: "serve.reloaded" in server.errors(), server.errors)
            self.assertEqual(server.stop(), 0, server.errors())

    def test_L2_a_file_that_cannot_be_written_is_refused_at_the_start(self):
        with Server() as server:
            for path, why in ((server.folder, "Is a directory"), (server.folder / "no" / "a.log", "No such file"),
                              (server.folder / "pipe", "not a regular file")):
                if path.name == "pipe":
                    os.mkfifo(path)
                server.configure(f"log:\n  file: {path}\n")
                done = perdure("serve", "--config", server.config, "--data", server.data, "--listen", "127.0.0.1:0",
                               timeout_s=20)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, rf"^perdure serve: log\.file {path}: .*{why}")

    def test_L2_a_file_that_cannot_be_opened_again_is_kept_and_told(self):
        with Server() as server:
            folder = server.folder / "logs"
            folder.mkdir()
            log, kept = folder / "perdure.log", server.folder / "kept"
            server.configure(f"log:\n  file: {log}\n")
            server.start()
            server.process.send_signal(signal.SIGHUP)
            await_line(log, "serve.reloaded")
            folder.rename(kept)
            line = self.hang_up(server, kept / "perdure.log", "log.kept")
            self.assertIn(str(log), line["reason"])
            server.configure(f"log:\n  file: {server.folder}\nqueue:\n  depth: 7\n")
            line = self.hang_up(server, kept / "perdure.log", "serve.reload_refused")
            self.assertRegex(line["reason"], r"log\.file .*directory")
            self.assertNotIn("reloaded", (kept / "perdure.log").read_text().split("log.kept")[1])
            self.assertEqual(server.stop(), 0, server.errors())


class Certificate(unittest.TestCase):
    def serial(self, server):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", server.port)) as wire:
            with context.wrap_socket(wire) as secure:
                return secure.getpeercert(binary_form=True)

    def test_P8_a_bad_certificate_is_no_reload_and_the_old_one_goes_on(self):
        with Server() as server:
            config = server.make_certificate()
            log = server.folder / "log"
            server.configure(config + f"log:\n  file: {log}\n")
            server.start()
            before = self.serial(server)
            shutil.copy(server.folder / "key.pem", server.folder / "old.pem")
            for name, text in (("cert.pem", "nothing\n"), ("key.pem", "nothing\n"), ("key.pem", None)):
                good = (server.folder / name).read_text()
                (server.folder / name).unlink()
                if text is not None:
                    (server.folder / name).write_text(text)
                since = len(lines(log))
                server.process.send_signal(signal.SIGHUP)
                line = await_line(log, "serve.reload_refused", since)
                self.assertIn(str(server.folder / name), line["reason"])
                self.assertEqual(line["level"], "error")
                self.assertNotIn("serve.reloaded", [one["event"] for one in lines(log)[since:]])
                self.assertEqual(self.serial(server), before)
                (server.folder / name).write_text(good)
            server.make_certificate()
            since = len(lines(log))
            server.process.send_signal(signal.SIGHUP)
            await_line(log, "serve.reloaded", since)
            self.assertNotEqual(self.serial(server), before)
            self.assertEqual(server.stop(), 0, server.errors())


class RefusedLogins(unittest.TestCase):
    def ask(self, server, headers="", target="/v1/sessions"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as wire:
            wire.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{headers}\r\n".encode())
            return wire.recv(100).split()[1]

    def test_P3_a_refused_login_is_logged_with_address_and_reason_but_never_the_token(self):
        wrong = "pdr_" + "wrongwrong" * 4
        with Server() as server:
            log = server.folder / "log"
            server.configure(f"log:\n  file: {log}\n")
            server.start()
            client = Client(server.port, server.token())
            made = client.ask("POST", "/v1/tokens", {"kind": "owner"})
            client.ask("DELETE", f"/v1/tokens/{made['id']}")
            since = len(lines(log))
            for headers, target, reason in (
                    (f"Authorization: Bearer {wrong}\r\n", "/v1/sessions", "unknown"),
                    (f"X-Api-Key: {made['token']}\r\n", "/v1/sessions", "unknown, revoked or expired"),
                    ("", "/v1/sessions", "no token"), ("", f"/v1/sessions?token={wrong}", "URL"),
                    (f"Upgrade: websocket\r\nSec-WebSocket-Protocol: perdure.token.{wrong}\r\n", "/v1/ws", "unknown")):
                self.assertEqual(self.ask(server, headers, target), b"401")
                line = await_line(log, "auth.refused", since)
                since = len(lines(log))
                self.assertEqual((line["level"], line["address"]), ("warn", "127.0.0.1"))
                self.assertIn(reason, line["reason"])
            text = log.read_text()
            for secret in (wrong, made["token"], server.token()):
                self.assertNotIn(secret, text)
                self.assertNotIn(secret[8:], text)
            self.assertEqual(server.stop(), 0, server.errors())

    def test_P3_a_flood_of_refused_logins_does_not_flood_the_log(self):
        with Server() as server:
            log = server.folder / "log"
            clock = Clock(server.folder / "clock")
            server.configure(f"log:\n  file: {log}\n")
            server.start(clock.environment())
            for _ in range(200):
                self.assertEqual(self.ask(server, "X-Api-Key: nonsense\r\n"), b"401")
            refused = [line for line in lines(log) if line["event"] == "auth.refused"]
            self.assertTrue(1 <= len(refused) <= 10, len(refused))
            clock.advance(minutes=2)
            self.assertEqual(self.ask(server, "X-Api-Key: nonsense\r\n"), b"401")
            last = [line for line in lines(log) if line["event"] == "auth.refused"][-1]
            self.assertEqual(last["unlogged"], 200 - len(refused))
            self.assertEqual(server.stop(), 0, server.errors())
