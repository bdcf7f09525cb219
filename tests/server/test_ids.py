"""Ids that callers choose: an empty or blank one names nothing and is refused wherever it would be made (SPEC M5)."""
import http.client
import json
from urllib.parse import quote

from client import Refused
from scene import Scene

BLANKS = ("", " ", "\u00a0", "\u3000 ")


class Ids(Scene):
    def sessions(self):
        return {one["id"] for one in self.client.ask("GET", "/v1/sessions?limit=200")["data"]}

    def refuse(self, path, body):
        with self.assertRaises(Refused, msg=f"{path} {body}") as refused:
            self.client.ask("POST", path, body)
        self.assertEqual(refused.exception.status, 400, refused.exception)
        return json.loads(refused.exception.body)["error"]["message"]

    def send_bundle(self, text):
        wire = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        wire.request("POST", "/v1/sessions/import", text, {
            "Authorization": f"Bearer {self.server.token()}", "Content-Type": "application/x-ndjson"})
        answer = wire.getresponse()
        status, said = answer.status, answer.read().decode()
        wire.close()
        return status, said

    def test_M5_a_session_is_not_opened_by_a_blank_id(self):
        before = self.sessions()
        for blank in BLANKS:
            self.assertIn("id: a session id must not be", self.refuse("/v1/sessions", {"id": blank}))
        self.assertEqual(self.sessions(), before)
        self.assertTrue(self.client.ask("POST", "/v1/sessions", {"id": None})["id"].startswith("sesn_"))
        self.assertEqual(self.client.ask("POST", "/v1/sessions", {"id": "cli:my work"})["id"], "cli:my work")

    def test_M5_a_lane_is_not_resolved_by_a_blank_id(self):
        before = self.sessions()
        for blank in BLANKS:
            for key in ({"surface": blank}, {"surface_id": blank}, {"workspace_id": blank}, {"agent_id": blank}):
                self.refuse("/v1/sessions/resolve", {"key": {"surface": "web", "surface_id": "1", **key}})
            self.refuse("/agent/chat", {"message": "x", "agentId": "main", "surface": "web", "surfaceId": blank})
            self.refuse("/v1/sessions/resolve", {"source": {"platform": blank, "chat_id": "1"}})
        self.assertEqual(self.sessions(), before)

    def test_M5_nothing_else_is_made_by_a_blank_id(self):
        session = self.client.ask("POST", "/v1/sessions", {})["id"]
        for blank in BLANKS:
            self.refuse("/v1/workspaces", {"id": blank, "name": "x"})
            self.refuse(f"/v1/sessions/{session}/messages", {"text": "x", "message_id": blank})

    def test_M5_a_bundle_with_a_blank_id_is_not_imported(self):
        session = self.client.ask("POST", "/v1/sessions", {"id": "cli:bundle"})["id"]
        self.client.ask("POST", f"/v1/sessions/{quote(session)}/messages", {"text": "say x", "mode": "wait"})
        wire = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        wire.request("GET", f"/v1/sessions/{quote(session)}/export",
                     headers={"Authorization": f"Bearer {self.server.token()}"})
        bundle = wire.getresponse().read().decode()
        wire.close()
        self.assertIn('"cli:bundle"', bundle)
        before = self.sessions()
        for blank in BLANKS:
            status, said = self.send_bundle(bundle.replace('"cli:bundle"', json.dumps(blank)))
            self.assertEqual(status, 400, said)
        self.assertEqual(self.sessions(), before)
