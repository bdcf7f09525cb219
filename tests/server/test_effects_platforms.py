"""What the file says of platforms: what the model is told of them, whose ids it reads, what a busy session does."""
import unittest
from urllib.parse import quote

from model_peer import KEY, ModelPeer
from scene import Scene
from server import Server

HASHED = r"user_[0-9a-f]{12}"


class Platforms(Scene):
    env = KEY

    @classmethod
    def setUpClass(cls):
        cls.peer = cls.enterClassContext(ModelPeer())
        cls.config = "model: fake/x\n" + cls.peer.provider()
        super().setUpClass()

    def told(self, config, source):
        """What the model reads about where it is."""
        self.reload(config + self.config)
        self.talk(source, "hello")
        return self.peer.requests[-1].contents("system")[0]

    def test_K8f_the_model_is_told_of_home_channels(self):
        told = self.told("platforms: {slack: {home_channel: C0FFEE}}\n", self.chat())
        self.assertRegex(told, r"Home channels:\n.*slack.*C0FFEE")
        self.assertIn("home slack", told)

    def test_K9a_redact_pii_hides_who_it_is_from_the_model_alone(self):
        source = self.chat()
        told = self.told("privacy: {redact_pii: true}\n", source)
        self.assertRegex(told, HASHED)
        self.assertNotIn(source["user_id"], told)
        self.assertIn(source["chat_id"], self.lane(self.resolve(source))["session_key"])

    def test_K9h_ids_are_told_by_default(self):
        source = self.chat()
        self.assertIn(source["user_id"], self.told("", source))

    def test_K9g_a_platform_marked_pii_safe_is_redacted_too(self):
        for safe in (False, True):
            source = self.chat(platform="slack")
            told = self.told(f"privacy: {{redact_pii: true}}\nplatforms: {{slack: {{pii_safe: {str(safe).lower()}}}}}\n",
                             source)
            self.assertEqual(source["user_id"] not in told, safe, told)

    def test_Q3b_a_platform_has_its_own_busy_mode(self):
        self.reload("platforms: {slack: {busy: reject}}\n" + self.config.replace("fake/x", "demo"))
        for platform, refused in (("slack", True), ("telegram", False)):
            session = self.resolve(self.chat(platform=platform))["session"]["id"]
            self.client.post(session, "tool process_list {}")
            self.await_activity(session, "requires_action")
            if refused:
                self.assert_refused(409, "POST", f"/v1/sessions/{quote(session)}/messages", {"text": "say more"})
            else:
                self.assertEqual(self.client.post(session, "say more")["queue_position"], 1)
            self.command(session, "/stop")


class Unknown(unittest.TestCase):
    def test_L2p_a_key_without_an_effect_is_refused_with_its_line(self):
        with Server("platforms:\n  irc:\n    allow_bots: true\n") as server:
            server.launch()
            self.assertFalse(server.await_ready())
            self.assertEqual(server.end(), 2)
            self.assertIn("perdure.yaml:3:5: 'platforms.irc.allow_bots' is not a key", server.errors())


if __name__ == "__main__":
    unittest.main()
