"""What the next process makes of the end of the last one: killed, or stopped in good order."""
import time
import unittest

from client import Client
from server import Server
from verify import is_terminal, log_problems, text_of

DM = {"source": {"platform": "telegram", "chat_id": "4711", "user_id": "77"}}


class Recover(unittest.TestCase):
    def lane(self, client):
        """The conversation's lane, as the server tells it."""
        return next(lane for lane in client.ask("GET", "/v1/lanes")["data"])

    def begin(self, server, text):
        """A turn that runs in a lane: the client and its session."""
        server.start()
        client = Client(server.port, server.token())
        session = client.ask("POST", "/v1/sessions/resolve", DM)["session"]["id"]
        client.post(session, text)
        self.await_activity(client, session, "running")
        return client, session

    def await_activity(self, client, session, activity):
        until = time.monotonic() + 30
        while client.session(session)["activity"] != activity:
            self.assertLess(time.monotonic(), until, client.session(session))
            time.sleep(0.02)

    def test_H5b_H5c_H5n_H5u_killed_in_mid_turn_the_same_turn_goes_on(self):
        with Server() as server:
            client, session = self.begin(server, "say begun\nwait 2\nsay done")
            client.close()
            server.kill()
            self.assertFalse((server.data / ".clean_shutdown").exists())
            server.start()
            client = Client(server.port, server.token())
            lane = self.lane(client)
            self.assertEqual((lane["resume_pending"], lane["resume_reason"]), (True, "restart_interrupted"))
            self.assertEqual(client.ask("POST", "/v1/sessions/resolve", DM)["session"]["id"], session)
            self.await_activity(client, session, "idle")
            log = client.events(session)
            self.assertEqual(list(log_problems(log)), [])
            self.assertEqual(len({event["turn_id"] for event in log
                                  if event["type"] == "session.status_running"}), 1)
            self.assertEqual(sum(map(is_terminal, log)), 1)
            self.assertIn("done", "".join(map(text_of, log)))
            until = time.monotonic() + 10
            while self.lane(client)["resume_pending"]:  # it follows the end of the turn
                self.assertLess(time.monotonic(), until)

    def test_H5a_H5p_H5q_stopped_in_good_order_nothing_is_marked(self):
        with Server() as server:
            client, session = self.begin(server, "wait 1\nsay done")
            client.close()
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertTrue((server.data / ".clean_shutdown").exists())
            server.start()
            self.assertFalse((server.data / ".clean_shutdown").exists())
            self.assertFalse(self.lane(Client(server.port, server.token()))["resume_pending"])
            self.assertEqual(server.stop(), 0)

    def test_H5i_H5p_a_turn_that_was_put_off_marks_its_lane(self):
        with Server("agent:\n  drain_timeout_s: 1\n") as server:
            client, session = self.begin(server, "wait 5\nsay done")
            client.close()
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertFalse((server.data / ".clean_shutdown").exists())
            server.start()
            lane = self.lane(Client(server.port, server.token()))
            self.assertEqual((lane["resume_pending"], lane["resume_reason"]), (True, "shutdown_timeout"))
