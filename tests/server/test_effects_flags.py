"""Options of the command line whose effect takes a clock."""
from scene import Scene
from server import perdure


class Flags(Scene):
    def listed(self, *arguments):
        done = perdure("lane", "list", *arguments, "--server", f"http://127.0.0.1:{self.server.port}", "--data",
                       self.server.data)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_K7j_lane_list_active_leaves_out_lanes_without_recent_activity(self):
        self.resolve({"platform": "irc", "chat_id": "quiet", "user_id": "u"})
        self.clock.advance(minutes=10)
        self.resolve({"platform": "irc", "chat_id": "lively", "user_id": "u"})
        self.assertIn("quiet", self.listed())
        active = self.listed("--active", "5")
        self.assertIn("lively", active)
        self.assertNotIn("quiet", active)
