"""hands - a server whose agent may use every tool, and what a test asks it to do with them."""
import json
import time
import unittest
from pathlib import Path
from urllib.parse import quote

from client import Client
from server import Server

AWAIT_S = 60
ALLOWED = [{"type": "agent_toolset_20260401", "default_config": {
    "enabled": True, "permission_policy": {"type": "always_allow"}}}]


def running(marker):
    """Process ids of this machine whose command line contains marker as a word of its own."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if marker.encode() in words:
            found.append(int(entry.name))
    return found


def within(seconds, question):
    """What the question answers once it is not false; the last answer when the time is over."""
    until = time.monotonic() + seconds
    while not (answer := question()) and time.monotonic() < until:
        time.sleep(0.02)
    return answer


class Hands(unittest.TestCase):
    """Every case has a server of its own."""
    config = ""

    def setUp(self):
        self.server = self.enterContext(Server(self.config))

    def begin(self, **options):
        self.server.start(**options)
        self.client = Client(self.server.port, self.server.token(), timeout_s=AWAIT_S)
        self.addCleanup(self.client.close)
        self.agent = self.client.ask("POST", "/v1/agents", {"name": "hands", "model": "demo", "tools": ALLOWED})["id"]

    def open(self, session=None, **more):
        """A session of that agent; in its own folder and sandbox unless more says otherwise."""
        return self.client.ask("POST", "/v1/sessions", {
            **({"id": session} if session else {}), "agent": self.agent, "environment_id": "local-default", **more})["id"]

    def environment(self, **config):
        return self.client.ask("POST", "/v1/environments", {"name": "e", "config": {"type": "local", **config}})["id"]

    def call(self, session, tool, **arguments):
        """The result of one call: (its text, did it fail?)."""
        seen = len(self.client.events(session))
        self.client.post(session, f"tool {tool} {json.dumps(arguments)}", mode="wait", timeout_ms=AWAIT_S * 1000)
        result = next(event for event in self.client.events(session)[seen:] if event["type"] == "agent.tool_result")
        text = "".join(part["text"] for part in result["content"])
        if "cannot isolate" in text:
            self.skipTest(text)
        return text, result.get("is_error", False)

    def bash(self, session, command, **more):
        return self.call(session, "bash", command=command, **more)

    def end(self):
        self.client.close()
        self.assertEqual(self.server.stop(), 0, self.server.errors())
        self.assertNotIn("Sanitizer", self.server.errors())
        self.assertEqual(self.server.check()[0], 0)

    def path(self, session, *rest):
        return "/".join(["/v1/sessions", quote(session, safe=""), *rest])
