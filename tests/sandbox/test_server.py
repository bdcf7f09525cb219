"""The whole server: a session's agent calls the tools, and nothing outlives the process."""
import os
import sys
import unittest
import uuid

from rig import PROGRAM, ROOT, running, until

os.environ.setdefault("PERDURE_PROGRAM", str(PROGRAM))
sys.path.insert(0, str(ROOT / "tests" / "server"))
from client import Client  # noqa: E402
from server import Server  # noqa: E402

ALLOWED = [{"type": "agent_toolset_20260401", "default_config": {
    "enabled": True, "permission_policy": {"type": "always_allow"}}}]


class RelativeData(Server):
    """Its data directory is named as seen from where it runs."""

    def arguments(self):
        return ["data" if word == self.data else word for word in super().arguments()]

    def launch(self, env=None, **options):
        super().launch(env, cwd=self.folder, **options)


class Tools(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(RelativeData())
        self.server.start()
        self.client = Client(self.server.port, self.server.token())
        self.addCleanup(self.client.close)
        agent = self.client.ask("POST", "/v1/agents", {"name": "hands", "model": "demo", "tools": ALLOWED})["id"]
        self.session = self.client.ask("POST", "/v1/sessions", {"agent": agent, "environment_id": "local-default"})["id"]

    def results(self, text):
        """What the tools of one message's turn said."""
        path = f"/v1/sessions/{self.session}/events"
        before = len(self.client.events(self.session))
        self.client.ask("POST", path, {"events": [{"type": "user.message", "content": [{"type": "text", "text": text}]}]})

        def ended():
            return any(event["type"] == "session.status_idle" for event in self.client.events(self.session)[before:])

        self.assertTrue(until(ended, 60))
        said = [event["content"][0]["text"] for event in self.client.events(self.session)[before:]
                if event["type"] == "agent.tool_result"]
        if said and "cannot isolate" in said[0]:
            self.skipTest(said[0])
        return said

    def test_T12a_T12b_T12f_M2d_M10m_tools_work_in_the_sessions_own_folder(self):
        said = self.results('tool bash {"command":"echo hi > a.txt; cat a.txt; cat ../../../../../owner.token; true"}\n'
                            'tool read {"file_path":"a.txt"}\ntool grep {"pattern":"h"}')
        self.assertEqual(len(said), 3)
        self.assertIn("hi\ncat: ", said[0])
        self.assertNotIn(self.server.token(), said[0])
        self.assertEqual(said[1:], ["hi\n", "a.txt:1:hi\n"])

    def test_T12u_a_background_process_ends_with_the_server(self):
        for end in (self.server.stop, self.server.kill):
            mark = f"m{uuid.uuid4().hex[:12]}"
            said = self.results(f'tool bash {{"command":"exec -a {mark} sleep 300","background":true}}')
            self.assertIn("Runs in the background", said[0])
            self.assertTrue(until(lambda: running(mark)))
            end()
            self.client.close()
            self.assertTrue(until(lambda: not running(mark)))
            if end == self.server.stop:
                self.server.start()
        self.assertNotIn("Sanitizer", self.server.errors())
