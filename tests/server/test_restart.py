"""A server that restarts itself: same process, nothing lost, turns that take too long go on afterwards."""
import os
import signal
import socket
import threading
import time
import unittest

from client import Client, Refused
from server import Server, perdure
from verify import is_terminal, log_problems, text_of

SHORT = "agent:\n  drain_timeout_s: 1\n"
DM = {"source": {"platform": "telegram", "chat_id": "4711", "user_id": "77"}}
SESSION = "cli:a"


class Restarted(Server):
    """On a port that was chosen before: the next instance is to be found there."""

    def __init__(self, config=None):
        super().__init__(config)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]


def reasons(log):
    return [event["reason"] for event in log if event["type"] == "session.status_rescheduled"]


class Restart(unittest.TestCase):
    def begin(self, server, text):
        """A server with a turn that runs."""
        server.start()
        client = Client(server.port, server.token())
        client.open_session(SESSION)
        client.post(SESSION, text)
        self.until(lambda: client.session(SESSION)["activity"] == "running")
        return client

    def until(self, is_so, timeout_s=30):
        until = time.monotonic() + timeout_s
        while not is_so():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def instance(self, server):
        """Which one serves; None while none does."""
        try:
            return Client(server.port, server.token()).ask("GET", "/v1/server")["instance_id"]
        except (Refused, OSError):
            return None

    def await_next(self, server, before):
        self.until(lambda: self.instance(server) not in (None, before))
        return Client(server.port, server.token())

    def log_at_rest(self, client, session=SESSION):
        # in this order: a turn may just have begun
        self.until(lambda: all(event["processed_at"] for event in client.events(session))
                   and client.session(session)["activity"] == "idle")
        log = client.events(session)
        self.assertEqual(list(log_problems(log)), [])
        return log

    def assert_went_on(self, log, reason):
        """One turn, put off once for that reason, and done."""
        self.assertEqual(reasons(log), [reason])
        self.assertEqual(len({event["turn_id"] for event in log if event["type"] == "session.status_running"}), 1)
        self.assertEqual(sum(map(is_terminal, log)), 1)
        self.assertIn("done", "".join(map(text_of, log)))

    def assert_whole(self, server):
        """It ends as any server does, and what it leaves is whole."""
        self.assertEqual(server.stop(), 0, server.errors())
        self.assertNotIn("Sanitizer", server.errors())
        code, said = server.check()
        self.assertEqual(code, 0, said)

    def command(self, client, text, **more):
        return client.ask("POST", f"/v1/sessions/{SESSION}/commands", {"text": text}, **more)

    def user(self, client):
        """A client of somebody who is no owner."""
        user = client.ask("POST", "/v1/users", {"name": "ann"})
        token = client.ask("POST", "/v1/tokens", {"kind": "user", "user_id": user["id"]})
        return Client(client.port, token["token"])

    def test_H5l_H5r_A4f_perdure_restart_carries_a_long_turn_over(self):
        with Restarted(SHORT) as server:
            client = self.begin(server, "say begun\nwait 4\nsay done")
            pid, before = server.process.pid, self.instance(server)
            with client.follow(f"/v1/sessions/{SESSION}/events/stream?after=0") as stream:
                done = perdure("restart", "--data", server.data, "--server", f"http://127.0.0.1:{server.port}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r"^restarted in \d+\.\d s; 1 turn carried over\n$")
                self.assertIn("1 turn is still at work: waiting up to 1 s", done.stderr)
                seen = []
                while (event := stream.event()) is not None:
                    seen.append(event)
            self.assertEqual(seen[-1]["type"], "session.status_rescheduled")
            self.assertTrue(server.is_running())
            self.assertEqual(server.process.pid, pid)
            client = Client(server.port, server.token())
            self.assertNotEqual(self.instance(server), before)
            with client.follow(f"/v1/sessions/{SESSION}/events/stream?after={seen[-1]['seq']}") as stream:
                while not is_terminal(event := stream.event(20)):
                    seen.append(event)
                seen.append(event)
            log = self.log_at_rest(client)
            self.assertEqual([event["id"] for event in seen], [event["id"] for event in log])
            self.assert_went_on(log, "restart_timeout")
            self.assert_whole(server)

    def test_L3v_H5l_H5s_slash_restart_works_while_busy_and_marks_the_lane(self):
        with Restarted(SHORT) as server:
            server.start()
            client = Client(server.port, server.token())
            session = client.ask("POST", "/v1/sessions/resolve", DM)["session"]["id"]
            client.post(session, "wait 4\nsay done")
            self.until(lambda: client.session(session)["activity"] == "running")
            before = self.instance(server)
            answer = client.ask("POST", f"/v1/sessions/{session}/commands", {"text": "/restart"}, key="k")
            self.assertEqual((answer["command"], answer["data"]["running_turns"]), ("restart", 1))
            client = self.await_next(server, before)
            lane = client.ask("GET", "/v1/lanes")["data"][0]
            self.assertEqual((lane["resume_pending"], lane["resume_reason"]), (True, "restart_timeout"))
            now = self.instance(server)
            again = client.ask("POST", f"/v1/sessions/{session}/commands", {"text": "/restart"}, key="k")
            self.assertEqual(again["data"], answer["data"])
            self.assertEqual(client.headers["idempotency-replayed"], "true")
            self.assert_went_on(self.log_at_rest(client, session), "restart_timeout")
            self.assertEqual(self.instance(server), now)  # a repeat restarts nothing
            self.until(lambda: not client.ask("GET", "/v1/lanes")["data"][0]["resume_pending"])

    def test_H5t_nobody_but_an_owner_may_restart_it(self):
        with Restarted() as server:
            server.start()
            client = Client(server.port, server.token())
            ann, before = self.user(client), self.instance(server)
            ann.open_session(SESSION)
            with self.assertRaises(Refused) as caught:
                self.command(ann, "/restart")
            self.assertEqual(caught.exception.status, 403)
            with self.assertRaises(Refused) as caught:
                ann.ask("POST", "/v1/server/restart")
            self.assertEqual(caught.exception.status, 404)
            done = perdure("restart", "--server", f"http://127.0.0.1:{server.port}", env={"PERDURE_TOKEN": ann.token})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("only an owner may restart the server", done.stderr)
            self.assertEqual(self.instance(server), before)
            self.assertNotIn("serve.restarting", server.errors())

    def test_H5_without_a_server_it_says_so(self):
        done = perdure("restart", "--server", "http://127.0.0.1:1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no server at http://127.0.0.1:1", done.stderr)

    def test_H5_a_turn_that_ends_in_time_makes_it_a_clean_restart(self):
        with Restarted() as server:
            client = self.begin(server, "wait 1\nsay done")
            before = self.instance(server)
            client.ask("POST", "/v1/server/restart")
            with self.assertRaises(Refused) as caught:  # from that answer on
                client.ask("GET", "/readyz")
            self.assertEqual(caught.exception.status, 503)
            client = self.await_next(server, before)
            log = self.log_at_rest(client)
            self.assertEqual((reasons(log), sum(map(is_terminal, log))), ([], 1))
            self.assertEqual(client.ask("GET", "/v1/server")["carried_over_turns"], 0)
            self.assertNotIn("recover.unclean_start", server.errors())
            self.assertFalse((server.data / ".clean_shutdown").exists())
            self.assert_whole(server)

    def test_H5_a_service_manager_is_told_that_it_stays(self):
        with Restarted() as server, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            notified.bind(str(server.folder / "notify"))
            notified.settimeout(10)
            server.start({"NOTIFY_SOCKET": str(server.folder / "notify")})
            self.assertEqual(notified.recv(100), b"READY=1")
            Client(server.port, server.token()).ask("POST", "/v1/server/restart")
            self.assertRegex(notified.recv(100), rb"^RELOADING=1\nMONOTONIC_USEC=\d+$")
            self.assertEqual(notified.recv(100), b"READY=1")
            self.assertEqual(server.stop(), 0)
            self.assertEqual(notified.recv(100), b"STOPPING=1")

    def test_H5m_the_reason_of_a_stop_is_another(self):
        with Restarted(SHORT) as server:
            client = self.begin(server, "wait 4\nsay done")
            client.close()
            self.assertEqual(server.stop(), 0, server.errors())
            server.start()
            self.assert_went_on(self.log_at_rest(Client(server.port, server.token())), "shutdown_timeout")

    def test_H5n_a_kill_in_the_middle_of_the_drain_is_an_interruption(self):
        with Restarted() as server:
            client = self.begin(server, "say begun\nwait 4\nsay done")
            client.post(SESSION, "say also")
            client.ask("POST", "/v1/server/restart")
            time.sleep(0.3)
            self.assertTrue(server.is_running())
            server.kill()
            server.start()
            client = Client(server.port, server.token())
            log = self.log_at_rest(client)
            self.assertEqual(reasons(log), ["restart_interrupted"])
            self.assertEqual(sum(map(is_terminal, log)), 2)
            self.assertIn("also", "".join(map(text_of, log)))
            self.assert_whole(server)

    def test_H5_a_stop_in_the_middle_of_a_restart_is_a_stop(self):
        with Restarted(SHORT) as server:
            client = self.begin(server, "wait 20\nsay done")
            client.ask("POST", "/v1/server/restart")
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertEqual(server.errors().count("serve.restarting"), 1)
            server.start()
            client = Client(server.port, server.token())
            self.assertEqual(reasons(client.events(SESSION))[:1], ["shutdown_timeout"])

    def test_H5_a_stop_at_any_moment_of_a_restart_is_clean(self):
        with Restarted() as server:
            for step in range(12):
                server.start()
                Client(server.port, server.token()).ask("POST", "/v1/server/restart")
                time.sleep(step * 0.01)
                code = server.stop()
                self.assertIn(code, (0, -signal.SIGTERM), server.errors())
            self.assertNotIn("Sanitizer", server.errors())
            code, said = server.check()
            self.assertEqual(code, 0, said)

    def test_H5_what_would_not_come_up_again_is_not_restarted(self):
        with Restarted() as server:
            client = self.begin(server, "wait 1\nsay done")
            before = self.instance(server)
            server.configure("no_such_key: 1\n")
            with self.assertRaises(Refused) as caught:
                client.ask("POST", "/v1/server/restart")
            self.assertEqual(caught.exception.status, 409)
            self.assertIn("no_such_key", caught.exception.body)
            self.assertEqual(self.instance(server), before)
            server.configure("queue:\n  depth: 3\n")
            client.ask("POST", "/v1/server/restart")
            self.await_next(server, before)

    def test_H5_nothing_that_was_acknowledged_is_lost_over_restarts(self):
        with Restarted(SHORT) as server:
            server.start()
            client = Client(server.port, server.token())
            client.open_session(SESSION)
            stop, acknowledged = threading.Event(), []

            def write():
                mine, number = Client(server.port, server.token()), 0
                while not stop.is_set():
                    try:
                        acknowledged.append(mine.append(SESSION, f"note {number}", key=f"note-{number}")["id"])
                        number += 1
                    except (Refused, OSError):
                        time.sleep(0.02)  # the same again, under its key

            writer = threading.Thread(target=write)
            writer.start()
            try:
                open_files = []
                for _ in range(5):
                    enough, before = len(acknowledged) + 20, self.instance(server)
                    self.until(lambda: len(acknowledged) > enough)
                    client.ask("POST", "/v1/server/restart")
                    client = self.await_next(server, before)
                    open_files.append(len(os.listdir(f"/proc/{server.process.pid}/fd")))
            finally:
                stop.set()
                writer.join()
            self.assertLess(open_files[-1], open_files[0] + 5, open_files)
            log = client.events(SESSION)
            self.assertEqual(list(log_problems(log)), [])
            ids = [event["id"] for event in log]
            self.assertEqual([one for one in ids if one in set(acknowledged)], acknowledged)
            notes = [text_of(event) for event in log if text_of(event).startswith("note ")]
            self.assertEqual(len(notes), len(set(notes)))
            self.assert_whole(server)
