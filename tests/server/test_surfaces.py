"""Sessions by surface (SPEC A8, A11, R4; seed 002): the composite key part by part, its routes, manual resets."""
import http.client
import itertools
import json
import unittest

from client import Client
from scene import Scene, each

SURFACES = itertools.count(1)
PARTS = (  # name, what differs, is it the same session
    ("A8a_the_same_key_is_the_same_session", {}, True),
    ("A8c_another_surface_is_another", {"surface": "telegram"}, False),
    ("A8d_another_surface_id_is_another", {"surface_id": "other"}, False),
    ("A8e_another_agent_is_another", {"agent_id": "AGENT"}, False),
    ("A8f_another_workspace_is_another", {"workspace_id": "main"}, False),
    ("A8b_another_user_is_another", {"user_id": "USER"}, False),
)


class Surfaces(Scene):
    config = "agents: {main: {session: {idleTimeoutMinutes: 60}}}\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.people = []
        for name in ("ann", "bob"):
            user = cls.client.ask("POST", "/v1/users", {"name": name})["id"]
            token = cls.client.ask("POST", "/v1/tokens", {"kind": "user", "user_id": user})["token"]
            cls.people.append((user, Client(cls.server.port, token)))
        cls.agent = cls.client.ask("POST", "/v1/agents", {"name": "other", "model": "demo"})["id"]

    @classmethod
    def tearDownClass(cls):
        for _, client in cls.people:
            client.close()  # a stop waits a while for connections that are open
        super().tearDownClass()

    def key(self, **more):
        return {"surface": "chat", "surface_id": f"tab {next(SURFACES)}", "agent_id": "main", **more}

    def open(self, key, client=None):
        return (client or self.client).ask("POST", "/v1/sessions/resolve", {"key": key})

    def say(self, key, message, client=None):
        return (client or self.client).ask("POST", "/agent/chat", {
            "message": message, "surface": key["surface"], "surfaceId": key["surface_id"],
            "agentId": key["agent_id"]})

    # ---- the key ----

    @each(PARTS)
    def judge(self, differs, same):
        real = {"AGENT": self.agent, "USER": self.people[0][0]}
        key = self.key()
        first = self.open(key)
        self.assertTrue(first["is_new"])
        other = self.open({**key, **{name: real.get(value, value) for name, value in differs.items()}})
        self.assertEqual(other["session"]["id"] == first["session"]["id"], same)
        self.assertEqual(other["is_new"], not same)
        self.assertEqual(self.open(key)["session"]["id"], first["session"]["id"], "and the first is still there")

    def test_A8m_K3j_a_group_is_one_session_for_all_of_its_workspace(self):
        key = self.key(surface="group", workspace_id="main")
        first = self.open(key, self.people[0][1])
        self.assertEqual(self.open(key)["session"]["id"], first["session"]["id"])
        self.assertEqual(self.open({**key, "surface_id": "elsewhere"}, self.people[0][1])["is_new"], True)
        self.assertNotEqual(self.open({**key, "workspace_id": None})["session"]["id"], first["session"]["id"])

    def test_A8_only_an_owner_names_another_user(self):
        self.assert_refused(400, "POST", "/v1/sessions/resolve", {"key": self.key(user_id=self.people[0][0])},
                            self.people[1][1])

    def test_M4_the_session_shows_its_surface(self):
        lane = self.lane(self.open(self.key(surface="web", surface_id="page")))
        self.assertEqual((lane["surface"], lane["surface_id"], lane["agent_id"]), ("web", "page", "main"))

    # ---- resolution on every chat request ----

    def test_A11a_A11d_M7s_M7t_a_chat_makes_continues_and_resets(self):
        self.clock.set("2027-02-01T10:00:00")
        key = self.key()
        first = self.say(key, "say one")
        self.assertEqual((first["content"], first["isNew"], first["resetReason"]), ("one", True, None))
        again = self.say(key, "say two")
        self.assertEqual((again["isNew"], again["sessionId"]), (False, first["sessionId"]))
        self.clock.set("2027-02-01T10:59:30")
        self.assertFalse(self.say(key, "say three")["isNew"])
        self.clock.set("2027-02-01T12:00:00")
        after = self.say(key, "say four")
        self.assertEqual((after["isNew"], after["resetReason"]), (True, "idle"))
        self.assertEqual(self.said(first["sessionId"]), ["one", "two", "three"], "archived, and readable")
        self.assertEqual(self.client.session(first["sessionId"])["record_status"], "archived")
        self.assertEqual(self.client.session(after["sessionId"])["record_status"], "active")

    def test_A11_an_archived_session_is_listed_when_asked_for(self):
        key = self.key()
        first = self.say(key, "say one")
        self.client.ask("POST", "/agent/reset", {"agentId": "main", "surface": key["surface"],
                                                 "surfaceId": key["surface_id"]})
        listed = self.client.ask("GET", "/v1/sessions?statuses[]=archived&limit=200")["data"]
        self.assertIn(first["sessionId"], [one["id"] for one in listed])

    def test_T1e_the_message_is_in_the_log_before_the_model_is_asked(self):
        log = self.client.events(self.say(self.key(), "say one")["sessionId"])
        kinds = [one["type"] for one in log]
        self.assertLess(kinds.index("user.message"), kinds.index("span.model_request_start"))

    def test_A11_an_unknown_agent_is_not_found(self):
        self.assert_refused(404, "POST", "/agent/chat", {"message": "x", "agentId": "nobody", "surface": "chat",
                                                         "surfaceId": "1"})

    def test_A11b_A11e_A11f_A11j_a_stream_begins_with_the_session_and_ends_with_done(self):
        key = self.key()
        names = self.frames(key, "say one two three")
        self.assertEqual((names[0], names[-1]), ("session_resolved", "done"))
        self.assertEqual(set(names[1:-1]), {"content"})

    def frames(self, key, message):
        wire = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        wire.request("POST", "/agent/chat/stream", json.dumps({
            "message": message, "agentId": "main", "surface": key["surface"], "surfaceId": key["surface_id"]}),
            {"Authorization": f"Bearer {self.server.token()}", "Content-Type": "application/json"})
        lines = wire.getresponse().read().decode().splitlines()
        wire.close()
        return [line[len("event: "):] for line in lines if line.startswith("event: ")]

    # ---- manual resets ----

    def reset(self, key):
        return self.client.ask("POST", "/agent/reset", {"agentId": "main", "surface": key["surface"],
                                                        "surfaceId": key["surface_id"]})

    def test_R4c_A11c_agent_reset_archives_and_names_the_next_session(self):
        key = self.key()
        first = self.say(key, "say one")
        done = self.reset(key)
        self.assertEqual((done["reset"], done["archivedSessionId"]), (True, first["sessionId"]))
        after = self.say(key, "say two")
        self.assertEqual(after["sessionId"], done["sessionId"])
        self.assertEqual(self.client.session(first["sessionId"])["lifecycle"], "archived")

    def test_R4b_L3c_reset_as_a_command_does_the_same(self):
        key = self.key()
        first = self.say(key, "say one")
        after = self.command(first["sessionId"], "/reset")["data"]["session_id"]
        self.assertEqual(self.say(key, "say two")["sessionId"], after)
        self.assertEqual(self.client.session(first["sessionId"])["lifecycle"], "archived")

    def test_R4c_R4d_M7b_agent_reset_ends_what_runs_and_clears_what_waits(self):
        key = self.key()
        session = self.open(key)["session"]["id"]
        self.client.post(session, "wait 60")
        self.client.post(session, "say never")
        done = self.reset(key)
        self.assertEqual(done["archivedSessionId"], session)
        self.assertEqual(self.client.session(session)["activity"], "idle")
        self.assertEqual(self.waiting(session), [])
        self.assertEqual(self.said(session), [])

    def test_R4_nothing_to_reset_is_said(self):
        done = self.reset(self.key())
        self.assertIsNone(done["archivedSessionId"])

    def test_A8s_logs_say_surface_and_surface_id(self):
        key = self.key(surface="kiosk")
        self.say(key, "say one")
        self.await_that(lambda: f"kiosk:{key['surface_id']}" in self.server.errors(), "a line that names it")


if __name__ == "__main__":
    unittest.main()
