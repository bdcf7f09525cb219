"""Files of a session whose id makes a long name."""
import json
import hashlib
from urllib.parse import quote

from scene import Scene

ALLOWED = [{"type": "agent_toolset_20260401",
            "default_config": {"permission_policy": {"type": "always_allow"}}}]


class SessionFiles(Scene):
    def test_M5_an_id_of_200_bytes_has_a_folder_for_its_files(self):
        agent = self.client.ask("POST", "/v1/agents", {"name": "files", "model": "demo", "tools": ALLOWED})
        session = "cli:" + ":" * 196
        self.client.ask("POST", "/v1/sessions", {"id": session, "agent": agent["id"],
                                                 "environment_id": "local-default"})
        line = "tool write " + json.dumps({"file_path": "note.txt", "content": "kept"})
        answer = self.client.post(session, line, mode="wait")
        self.assertEqual(answer["stop_reason"]["type"], "end_turn", answer)
        name = ("cli" + "%3A" * 197)[:100] + "-" + hashlib.sha256(session.encode()).hexdigest()[:16]
        folder = self.server.data / "agents" / quote(agent["id"], safe="") / "sessions" / name
        self.assertTrue(folder.is_dir(), [str(path) for path in folder.parent.iterdir()])
        notes = list(folder.rglob("note.txt"))
        self.assertEqual([note.read_text() for note in notes], ["kept"], answer)
