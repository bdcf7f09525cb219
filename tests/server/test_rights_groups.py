"""Surfaces that several people share, ids that belong to channels, workspaces that do not exist."""
import http.client
import itertools
import unittest

from client import Client
from people import People
from scene import Scene
from server import Server

ROOMS = itertools.count(1)
BUDGET = {"type": "limit", "max_list_cost": {"amount": "100", "currency": "USD"}}


class Groups(Scene):
    config = "platforms:\n  pigeon: {}\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.people = People(cls.server)
        cls.maker, cls.member, cls.other = (cls.people.user() for _ in range(3))
        cls.channel = cls.people.channel("signal-2")

    @classmethod
    def tearDownClass(cls):
        for client in (cls.maker, cls.member, cls.other, cls.channel):
            client.close()
        cls.people.close()
        super().tearDownClass()

    # ---- surface group ----

    def room(self):
        return {"surface": "group", "surface_id": f"room-{next(ROOMS)}"}

    def enter(self, client, key, **more):
        return client.ask("POST", "/v1/sessions/resolve", {"key": key, **more})

    def share(self):
        """A room that one has made and another has entered: (its key, its session, its lane)."""
        key = self.room()
        made = self.enter(self.maker, key)
        entered = self.enter(self.member, key)
        self.assertEqual(entered["session"]["id"], made["session"]["id"])
        return key, made["session"]["id"], made["lane_id"]

    def test_P2_whoever_resolves_a_group_reads_and_posts(self):
        _, session, _ = self.share()
        self.assertEqual(self.member.session(session)["id"], session)
        said = self.member.post(session, "say hello", mode="wait", mentioned=True)
        self.assertIn("hello", said["text"])
        self.assertTrue(self.member.events(session))
        self.assertIn(session, [one["id"] for one in self.member.ask("GET", "/v1/sessions?limit=200")["data"]])
        with self.member.follow(f"/v1/sessions/{session}/events/stream") as stream:
            self.member.append(session, "seen")
            self.assertIn("seen", str(stream.event()))
        self.assertEqual(self.member.ask("POST", f"/v1/sessions/{session}/commands", {"text": "/status"})["command"],
                         "status")
        self.assertIn(self.member.user_id, str(self.client.session(session)["participants"]))

    def controls(self, session, lane):
        yield "POST", f"/v1/sessions/{session}", {"title": "mine"}
        yield "POST", f"/v1/sessions/{session}", {"metadata": {"k": "v"}}
        yield "POST", f"/v1/sessions/{session}", {"budget": BUDGET}
        yield "POST", f"/v1/sessions/{session}", {"agent": {"tools": []}}
        yield "POST", f"/v1/sessions/{session}/archive", {}
        yield "DELETE", f"/v1/sessions/{session}", None
        yield "POST", f"/v1/sessions/{session}/resources", {"type": "github_repository", "url": "https://h.example/r"}
        yield "POST", f"/v1/sessions/{session}/events", {"events": [{"type": "user.interrupt"}]}
        yield "POST", f"/v1/sessions/{session}/events", {"events": [
            {"type": "user.tool_confirmation", "tool_use_id": "sevt_none", "result": "allow"}]}
        yield "POST", f"/v1/sessions/{session}/messages", {"text": "say x", "busy": "interrupt"}
        for text in ("/stop", "/new", "/reset", "/undo", "/retry", "/title mine", "/model demo", "/branch", "/approve"):
            yield "POST", f"/v1/sessions/{session}/commands", {"text": text}
        yield "POST", f"/v1/lanes/{lane}", {"display_name": "mine"}
        for verb in ("reset", "suspend", "rewind", "resume_pending"):
            yield "POST", f"/v1/lanes/{lane}/{verb}", {}
        yield "POST", f"/v1/lanes/{lane}/switch", {"session_id": session}

    def test_P2_resolving_a_group_does_not_grant_control(self):
        key, session, lane = self.share()
        for spoken in (False, True):  # whoever speaks does not get more by that
            for method, path, body in self.controls(session, lane):
                with self.subTest(spoken=spoken, path=path, body=body):
                    self.assert_refused(404, method, path, body, self.member)
            if not spoken:
                self.member.post(session, "say hello", mode="wait", mentioned=True)
        self.assert_refused(404, "POST", "/v1/sessions/resolve", {"key": key, "force_new": True}, self.member)
        self.assert_refused(404, "POST", "/agent/reset",
                            {"surface": key["surface"], "surfaceId": key["surface_id"]}, self.member)
        self.assert_refused(404, "POST", "/v1/sessions", {"id": session, "metadata": {"k": "v"}}, self.member)
        self.assertEqual(self.enter(self.maker, key)["session"]["id"], session)

    def test_P2b_whoever_opened_it_has_control(self):
        _, session, lane = self.share()
        self.maker.ask("POST", f"/v1/sessions/{session}", {"title": "ours"})
        self.maker.ask("POST", f"/v1/sessions/{session}/commands", {"text": "/stop"})
        self.maker.ask("POST", f"/v1/lanes/{lane}/reset", {})
        self.client.ask("POST", f"/v1/lanes/{lane}/reset", {})

    def test_P2_a_reset_does_not_make_members_more(self):
        key, session, lane = self.share()
        self.maker.ask("POST", f"/v1/lanes/{lane}/reset", {})
        after = self.enter(self.member, key)["session"]["id"]
        self.assertNotEqual(after, session)
        self.member.post(after, "say hello", mode="append")
        for method, path, body in self.controls(after, lane):
            self.assert_refused(404, method, path, body, self.member)
        self.maker.ask("POST", f"/v1/sessions/{after}", {"title": "ours"})

    def test_P2j_who_has_not_resolved_it_sees_nothing(self):
        _, session, _ = self.share()
        self.assert_refused(404, "GET", f"/v1/sessions/{session}", None, self.other)
        self.assert_refused(404, "POST", f"/v1/sessions/{session}/messages", {"text": "x"}, self.other)

    def test_P2_agent_chat_in_a_group(self):
        key, session, _ = self.share()
        said = self.other.ask("POST", "/agent/chat", {"message": "say hello", "surface": key["surface"],
                                                      "surfaceId": key["surface_id"]})
        self.assertEqual(said["sessionId"], session)
        self.assert_refused(404, "POST", f"/v1/sessions/{session}/archive", {}, self.other)

    # ---- ids of channels ----

    def test_P3_a_user_takes_no_id_of_a_channel(self):
        for prefix in ("telegram", "slack", "discord", "whatsapp", "signal", "matrix", "irc", "webhook",
                       "signal-2", "pigeon", "schedule"):
            session = f"{prefix}:{next(ROOMS)}"
            error = self.assert_refused(400, "POST", "/v1/sessions", {"id": session}, self.maker)
            self.assertIn(f"{prefix}:", error["message"])
            self.client.ask("POST", "/v1/sessions", {"id": session})  # an owner does
            again = self.assert_refused(400, "POST", "/v1/sessions", {"id": session}, self.maker)
            self.assertEqual(again["message"], error["message"])  # whether it is there is not told
        self.channel.ask("POST", "/v1/sessions", {"id": f"signal-2:{next(ROOMS)}"})
        for prefix in ("cli", "web", "api", "mine", "telegramx"):
            self.maker.ask("POST", "/v1/sessions", {"id": f"{prefix}:{next(ROOMS)}"})
        self.maker.ask("POST", "/v1/sessions", {"id": f"telegram-{next(ROOMS)}"})

    def test_P3_whoever_takes_part_reopens_it(self):
        session = self.resolve(self.chat(), agent_id="main")["session"]["id"]
        self.assertTrue(session.startswith("telegram:"))
        self.assert_refused(400, "POST", "/v1/sessions", {"id": session}, self.maker)
        self.client.ask("POST", "/v1/sessions", {"id": "telegram:mine"})
        promoted = self.people.user("owner")
        promoted.post("telegram:mine", "say x", mode="append")  # a speaker takes part
        self.client.ask("POST", f"/v1/users/{promoted.user_id}", {"role": "user"})
        self.assertEqual(promoted.ask("POST", "/v1/sessions", {"id": "telegram:mine"})["id"], "telegram:mine")
        promoted.close()

    # ---- workspaces ----

    def test_M3_nothing_is_imported_into_an_unknown_workspace(self):
        self.client.ask("POST", "/v1/workspaces", {"id": "elsewhere", "name": "Elsewhere"})
        self.client.ask("POST", "/v1/sessions", {"id": "cli:elsewhere", "workspace_id": "elsewhere"})
        self.enter(self.client, {"surface": "chat", "surface_id": "e", "workspace_id": "elsewhere"})
        lanes = self.client.ask("GET", "/v1/lanes/export")
        bundle = self.raw(self.client, "GET", "/v1/sessions/cli:elsewhere/export")[1]
        with Server() as server:
            server.start()
            there = Client(server.port, server.token())
            self.assertEqual(self.raw(there, "POST", "/v1/sessions/import", bundle)[0], 404)
            self.assert_refused(404, "POST", "/v1/lanes/import", lanes, there)
            there.ask("POST", "/v1/workspaces", {"id": "elsewhere", "name": "Elsewhere"})
            there.ask("POST", "/v1/workspaces", {"id": "acme", "name": "Acme"})
            self.assertEqual(self.raw(there, "POST", "/v1/sessions/import", bundle)[0], 200)
            there.ask("POST", "/v1/lanes/import", lanes)
            there.close()
            self.assertEqual(server.stop(), 0, server.errors())

    def raw(self, client, method, path, body=None):
        wire = http.client.HTTPConnection("127.0.0.1", client.port, timeout=20)
        wire.request(method, path, body, {"Authorization": f"Bearer {client.token}"})
        answer = wire.getresponse()
        found = answer.status, answer.read()
        wire.close()
        return found

    def test_M3_an_unknown_workspace_is_refused_everywhere(self):
        for client in (self.client, self.maker):
            for method, path, body in (
                    ("POST", "/v1/sessions", {"workspace_id": "wksp_none"}),
                    ("POST", "/v1/sessions/resolve", {"key": {**self.room(), "workspace_id": "wksp_none"}}),
                    ("POST", "/v1/sessions/resolve", {"source": {"platform": "web", "chat_id": "1"},
                                                      "workspace_id": "wksp_none"}),
                    ("POST", "/agent/chat", {"message": "say x", "surface": "chat", "surfaceId": "1",
                                             "workspaceId": "wksp_none"}),
                    ("POST", "/agent/reset", {"surface": "chat", "surfaceId": "1", "workspaceId": "wksp_none"}),
                    ("GET", "/v1/sessions?workspace_id=wksp_none", None),
                    ("GET", "/v1/search?q=x&workspace_id=wksp_none", None)):
                error = self.assert_refused(404, method, path, body, client)
                self.assertIn("workspace", error["message"])
        made = self.client.ask("POST", "/v1/workspaces", {"id": "acme", "name": "Acme"})
        self.assertEqual(self.client.ask("POST", "/v1/sessions", {"workspace_id": made["id"]})["workspace_id"], "acme")
        self.assertEqual(len(self.client.ask("GET", "/v1/sessions?workspace_id=acme")["data"]), 1)
        self.enter(self.maker, {**self.room(), "workspace_id": "main"})
        self.enter(self.maker, self.room())  # none is a value of its own


if __name__ == "__main__":
    unittest.main()
