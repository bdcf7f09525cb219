"""A server that is asked to stop brings to an end what it can, and says so."""
import http.client
import json
import signal
import socket
import ssl
import threading
import time
import unittest

from client import Client, Refused
from server import RELEASE, Server
from verify import is_terminal, log_problems, text_of


def session_with(server, text, session="cli:a"):
    """A client, and a session in which this message was posted."""
    client = Client(server.port, server.token())
    client.open_session(session)
    client.post(session, text)
    return client


def await_event(client, session, kind):
    until = time.monotonic() + 10
    while not any(event["type"] == kind for event in client.events(session)):
        assert time.monotonic() < until, f"no {kind} in {session}"
        time.sleep(0.01)


class Stop(unittest.TestCase):
    def log_after_restart(self, server, session="cli:a"):
        """Starts it again and waits until the session is at rest."""
        server.start()
        client = Client(server.port, server.token())
        until = time.monotonic() + 30
        while client.session(session)["activity"] != "idle":
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)
        log = client.events(session)
        self.assertEqual(list(log_problems(log)), [])
        client.close()
        return log

    def assert_clean(self, server, code):
        self.assertEqual(code, 0, server.errors())
        self.assertNotIn("Sanitizer", server.errors())
        code, said = server.check()
        self.assertEqual(code, 0, said)

    def test_H5_a_running_turn_ends_before_the_server_does(self):
        with Server() as server:
            server.start()
            client = session_with(server, "wait 1\nsay done")
            await_event(client, "cli:a", "session.status_running")
            self.assert_clean(server, server.stop())
            log = self.log_after_restart(server)
            self.assertIn("done", [text_of(event) for event in log])
            self.assertEqual(sum(map(is_terminal, log)), 1)
            self.assertNotIn("session.status_rescheduled", [event["type"] for event in log])

    def test_H5i_H5m_a_turn_that_takes_too_long_is_put_off_and_goes_on(self):
        with Server("agent:\n  drain_timeout_s: 1\n") as server:
            server.start()
            client = session_with(server, "say begun\nwait 5\nsay done")
            await_event(client, "cli:a", "session.status_running")
            begun = time.monotonic()
            self.assert_clean(server, server.stop())
            self.assertLess(time.monotonic() - begun, 4)
            log = self.log_after_restart(server)
            self.assertIn("session.status_rescheduled", [event["type"] for event in log])
            self.assertIn("done", "".join(text_of(event) for event in log))
            self.assertEqual(sum(map(is_terminal, log)), 1)

    def test_H5_the_second_signal_ends_it_at_once(self):
        with Server() as server:
            server.start()
            client = session_with(server, "wait 20\nsay done")
            await_event(client, "cli:a", "session.status_running")
            client.post("cli:a", "say next")
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            self.assertTrue(server.is_running())
            begun = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            self.assert_clean(server, server.end())
            self.assertLess(time.monotonic() - begun, 3)

    def test_H5_what_comes_while_it_stops_is_refused_and_may_come_again(self):
        with Server() as server:
            server.start()
            client = session_with(server, "wait 2\nsay done")
            await_event(client, "cli:a", "session.status_running")
            server.process.send_signal(signal.SIGTERM)
            until = time.monotonic() + 1.5
            while True:  # until the signal has arrived
                try:
                    client.ask("GET", "/readyz")
                except Refused as refusal:
                    self.assertEqual(refusal.status, 503)
                    break
                self.assertLess(time.monotonic(), until)
            with self.assertRaises(Refused) as caught:
                client.post("cli:a", "say more")
            self.assertEqual(caught.exception.status, 503)
            self.assertIn("try again", caught.exception.body)
            self.assert_clean(server, server.end())

    def test_A11b_A11k_a_chat_that_is_not_told_to_its_end_says_so(self):
        with Server("agent:\n  drain_timeout_s: 1\n") as server:
            server.start()
            wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
            wire.request("POST", "/agent/chat/stream", json.dumps({
                "message": "say begun\nwait 20\nsay done", "agentId": "main", "surface": "chat", "surfaceId": "a"}),
                {"Authorization": "Bearer " + server.token(), "Content-Type": "application/json"})
            answer = wire.getresponse()
            told = b""
            while b"begun" not in told:
                told += answer.readline()
            self.assertEqual(server.stop(), 0, server.errors())
            *_, last = (told + answer.read()).decode().strip().split("\n\n")
            wire.close()
            kind, _, data = last.partition("\n")
            self.assertEqual(kind, "event: error")
            failure = json.loads(data.removeprefix("data: "))
            self.assertIn("goes on", failure["error"])
            self.assertTrue(failure["sessionId"])

    def test_H5_readers_see_the_last_turn_end_before_their_stream_does(self):
        with Server() as server:
            server.start()
            client = session_with(server, "wait 1\nsay done")
            with client.follow("/v1/sessions/cli:a/events/stream?after=0") as stream:
                kinds = [stream.event()["type"]]
                while kinds[-1] != "session.status_running":  # one that has not begun waits for the next start
                    kinds.append(stream.event()["type"])
                server.process.send_signal(signal.SIGTERM)
                while (event := stream.event()) is not None:
                    kinds.append(event["type"])
                self.assertEqual(kinds[-1], "session.status_idle")
            client.close()
            self.assert_clean(server, server.end())

    def time_to_stop(self, server, connect):
        """How long it takes with these connections open, which are (what was sent, is it answered)."""
        server.start()
        wires = []
        for data, is_answered in connect:
            wire = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            wire.sendall(data)
            if is_answered:
                self.assertTrue(wire.recv(65536).startswith(b"HTTP/1.1 200"))
            wires.append(wire)
        Client(server.port, server.token()).ask("GET", "/readyz")  # the others have arrived
        begun = time.monotonic()
        self.assertEqual(server.stop(), 0, server.errors())
        took = time.monotonic() - begun
        said = []
        for wire in wires:
            said.append(b"")
            try:
                while piece := wire.recv(65536):
                    said[-1] += piece
            except ConnectionResetError:
                pass
            wire.close()
        return took, said

    def test_H5_idle_and_half_sent_requests_do_not_hold_it_up(self):
        whole = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        with Server(program=RELEASE) as server:
            server.start()
            auth = f"Host: 127.0.0.1\r\nX-Api-Key: {server.token()}\r\n".encode()
            self.assertEqual(server.stop(), 0)
            post = b"POST /v1/agents HTTP/1.1\r\n" + auth
            alone, _ = self.time_to_stop(server, [])
            took, said = self.time_to_stop(server, [
                (b"", False), (whole, True), (whole, True), (whole + whole[:20], True),
                (whole[:20], False), (whole[:-2], False), (post + b"Content-Length: 100\r\n\r\n{", False),
                (post + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{", False)])
            self.assertLess(took, alone + 0.9)
            for answer in said[4:]:  # who had begun is told to come again
                self.assertRegex(answer, rb"^HTTP/1.1 503 (?s:.*)shutting down")
            for answer in said[:3]:
                self.assertEqual(answer, b"")

    def test_H5_idle_connections_over_tls_do_not_hold_it_up(self):
        with Server(program=RELEASE) as server:
            server.configure(server.make_certificate())
            server.start()
            context = ssl.create_default_context(cafile=server.folder / "cert.pem")
            wires = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(4)]
            wires[0].sendall(b"\x16\x03\x01")  # a handshake that does not go on
            secure = [context.wrap_socket(wire, server_hostname="127.0.0.1") for wire in wires[2:]]
            secure[0].sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            self.assertTrue(secure[0].recv(1000).startswith(b"HTTP/1.1 200"))
            secure[1].sendall(b"GET /hea")
            begun = time.monotonic()
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertLess(time.monotonic() - begun, 1.2)
            for wire in wires[:2] + secure:
                wire.close()

    def test_A7_who_waits_for_an_answer_gets_it_before_the_end(self):
        with Server() as server:
            server.start()
            client = session_with(server, "say first")
            answers = []
            asker = threading.Thread(target=lambda: answers.append(
                client.post("cli:a", "wait 1\nsay done", mode="wait")))
            asker.start()
            time.sleep(0.4)
            self.assert_clean(server, server.stop())
            asker.join()
            self.assertEqual(answers[0]["text"], "done")

    def test_H5_a_stop_at_any_moment_of_the_start_is_clean(self):
        with Server() as server:
            server.start()
            client = session_with(server, "wait 30\nsay done")
            await_event(client, "cli:a", "session.status_running")
            client.close()
            server.kill()
            for step in range(25):
                server.launch()
                time.sleep(step * 0.012)
                server.process.send_signal(signal.SIGTERM)
                time.sleep(0.3)
                if server.is_running():  # the turn it continued would take its time
                    server.process.send_signal(signal.SIGTERM)
                code = server.end()
                self.assertIn(code, (0, -signal.SIGTERM), server.errors())
            self.assertNotIn("Sanitizer", server.errors())
            code, said = server.check()
            self.assertEqual(code, 0, said)
