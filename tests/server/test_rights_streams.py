"""Open streams deliver what their reader may see now: a right that is taken away ends it within a second."""
import time
import unittest

from client import Refused
from people import People, Socket
from scene import Scene

SOON_S = 1


class Streams(Scene):
    def setUp(self):
        self.people = People(self.server)
        self.theirs = self.client.ask("POST", "/v1/sessions", {"agent": "main"})["id"]
        self.start = f"/v1/sessions/{self.theirs}/events/stream?after=0"

    def tearDown(self):
        self.people.close()

    def demote(self, somebody, role="user"):
        self.client.ask("POST", f"/v1/users/{somebody.user_id}", {"role": role})
        return time.monotonic()

    def assert_ends(self, stream, since):
        while stream.frame(5) is not None:
            pass
        self.assertLess(time.monotonic() - since, SOON_S)

    def await_subscribed(self, socket, number):
        while (heard := socket.hear()).get("type") != "subscribed" or heard["id"] != number:
            self.assertNotIn("closed", heard)

    def own_session(self, somebody):
        return somebody.ask("POST", "/v1/sessions", {"agent": "main"})["id"]

    def test_P2m_demotion_ends_a_session_stream(self):
        somebody = self.people.user("owner")
        with somebody.follow(self.start) as stream:
            self.assertEqual(stream.event()["type"], "session.created")
            self.assert_ends(stream, self.demote(somebody))
        with self.assertRaises(Refused) as refused:
            somebody.ask("GET", self.start)
        self.assertEqual(refused.exception.status, 404)

    def test_P2m_demotion_keeps_what_is_still_theirs(self):
        somebody = self.people.user("owner")
        own = self.own_session(somebody)
        with somebody.follow(f"/v1/sessions/{own}/events/stream") as stream:
            self.demote(somebody)
            time.sleep(SOON_S)
            self.client.append(own, "still here")
            self.assertIn("still here", str(stream.event()))

    def assert_narrowed(self, hear, own):
        """Of what is said from now on only their own is told, and in order."""
        time.sleep(SOON_S)
        self.client.append(self.theirs, "not for them")
        self.client.append(own, "for them")
        while "for them" not in (heard := str(hear())):
            self.assertNotIn("not for them", heard)
        self.assertNotIn("not for them", heard)

    def test_P2m_demotion_narrows_the_firehose(self):
        somebody = self.people.user("owner")
        own = self.own_session(somebody)
        with somebody.follow("/v1/events/stream") as stream:
            self.client.append(self.theirs, "before")
            self.assertIn("before", str(stream.event()))
            self.demote(somebody)
            self.assert_narrowed(stream.event, own)

    def test_P2m_promotion_widens_the_firehose(self):
        somebody = self.people.user()
        with somebody.follow("/v1/events/stream") as stream:
            self.demote(somebody, "owner")
            time.sleep(SOON_S)
            self.client.append(self.theirs, "for them now")
            self.assertIn("for them now", str(stream.event()))

    def test_P2n_demotion_ends_streams_of_a_websocket(self):
        somebody = self.people.user("owner")
        own = self.own_session(somebody)
        with Socket(self.server.port, somebody.token) as socket:
            socket.say(id=1, path=self.start)
            self.await_subscribed(socket, 1)
            socket.say(id=2, path="/v1/events/stream")
            self.await_subscribed(socket, 2)
            since = self.demote(somebody)
            while (heard := socket.hear()).get("type") != "unsubscribed":
                self.assertNotIn("closed", heard)
            self.assertEqual((heard["id"], heard["reason"]), (1, "interrupted"))
            self.assertLess(time.monotonic() - since, SOON_S)
            self.assert_narrowed(socket.hear, own)
            socket.say(id=3, path=f"/v1/sessions/{self.theirs}")
            while (heard := socket.hear()).get("id") != 3:
                pass
            self.assertEqual(heard["status"], 404)

    def test_P7_an_agent_made_private_ends_its_streams(self):
        for level in ("protected", "private"):
            agent = self.people.agent()["id"]
            somebody = self.people.user("guest")
            session = somebody.ask("POST", "/v1/sessions", {"agent": agent})["id"]
            own = self.own_session(somebody)
            self.theirs = session
            with somebody.follow(f"/v1/sessions/{session}/events/stream") as stream, \
                    somebody.follow("/v1/events/stream") as all_of_them:
                self.client.append(session, "before")
                self.assertIn("before", str(stream.event()))
                self.assertIn("before", str(all_of_them.event()))
                self.client.ask("POST", f"/v1/agents/{agent}", {"access": level})
                self.assert_ends(stream, time.monotonic())
                self.assert_narrowed(all_of_them.event, own)

    def test_P7_a_wait_ends_with_the_right_to_see_it(self):
        agent = self.people.agent()["id"]
        somebody = self.people.user()
        session = somebody.ask("POST", "/v1/sessions", {"agent": agent})["id"]
        with Socket(self.server.port, somebody.token) as socket:
            socket.say(id=1, method="POST", path=f"/v1/sessions/{session}/messages",
                       body={"text": "wait 20\nsay secret", "mode": "stream"})
            self.await_subscribed(socket, 1)
            self.await_activity(session, "running")
            self.client.ask("POST", f"/v1/agents/{agent}", {"access": "private"})
            since = time.monotonic()
            while (heard := socket.hear()).get("type") != "unsubscribed":
                self.assertNotIn("secret", str(heard))
            self.assertLess(time.monotonic() - since, SOON_S)
        self.finish(session)

    def test_P2m_many_streams_are_asked_about_at_once(self):
        somebody = self.people.user("owner")
        streams = [somebody.follow(self.start) for _ in range(40)]
        for stream in streams:
            stream.event()
        for role in ("user", "owner", "user"):  # the last word counts
            self.demote(somebody, role)
        since = time.monotonic()
        for stream in streams:
            self.assert_ends(stream, since)
            stream.close()


if __name__ == "__main__":
    unittest.main()
