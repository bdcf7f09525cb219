"""What has no effect yet is refused, not accepted: the answer says so and nothing is stored."""
from scene import Scene, each

CONFIG = {"type": "local", "working_directory": "/tmp"}
IMAGE = {"type": "image", "source": {"type": "file", "file_id": "file_none"}}
DOCUMENT = {"type": "document", "source": {"type": "file", "file_id": "file_none"}}


def message(*content):
    return {"events": [{"type": "user.message", "content": list(content)}]}


class NotYet(Scene):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client.open_session("web:not-yet")

    @each((
        ("M4_a_webhook_url", "/v1/sessions", {"agent": "main", "webhook_url": "https://example.com/"}, "webhook_url"),
        ("M1_skills_of_an_agent", "/v1/agents",
         {"name": "a", "skills": [{"type": "custom", "skill_id": "x"}]}, "skills"),
        ("M1_agents_that_an_agent_may_call", "/v1/agents",
         {"name": "a", "multiagent": {"type": "coordinator", "agents": [{"type": "self"}]}}, "multiagent"),
        ("M1_skills_as_an_override", "/v1/sessions",
         {"agent": {"type": "agent_with_overrides", "id": "main",
                    "skills": [{"type": "custom", "skill_id": "x"}]}}, "skills"),
        ("M2_secrets_of_an_environment", "/v1/environments",
         {"name": "e", "config": {**CONFIG, "env": {"KEY": {"secret": "x"}}}}, "env"),
        ("M15_a_file_that_does_not_exist", "/v1/sessions",
         {"agent": "main", "resources": [{"type": "file", "file_id": "file_none"}]}, "file_none"),
        ("M15_a_memory_store_that_does_not_exist", "/v1/sessions",
         {"agent": "main", "resources": [{"type": "memory_store", "memory_store_id": "memstore_none"}]},
         "memstore_none"),
        ("M15_adding_a_file_that_does_not_exist", "/v1/sessions/web:not-yet/resources",
         {"type": "file", "file_id": "file_none"}, "file_none"),
        ("M15_adding_a_repository_with_a_token", "/v1/sessions/web:not-yet/resources",
         {"type": "github_repository", "url": "https://example.com/a", "authorization_token": "sekrit"},
         "authorization_token"),
        ("M11_an_attachment_that_does_not_exist", "/v1/sessions/web:not-yet/messages",
         {"text": "look", "attachments": [{"file_id": "file_none"}]}, "file_none"),
        ("M11_an_image_that_does_not_exist", "/v1/sessions/web:not-yet/events", message(IMAGE), "file_none"),
        ("M11_a_document_that_does_not_exist", "/v1/sessions/web:not-yet/events", message(DOCUMENT), "file_none"),
        ("M10_a_rubric_that_does_not_exist", "/v1/sessions/web:not-yet/events",
         {"events": [{"type": "user.define_outcome", "description": "d",
                      "rubric": {"type": "file", "file_id": "file_none"}}]}, "file_none"),
    ))
    def refused(self, path, body, word):
        head = self.client.session("web:not-yet")["head_seq"]
        error = self.assert_refused(400, "POST", path, body)
        self.assertIn(word, error["message"])
        self.assertEqual(self.client.session("web:not-yet")["head_seq"], head)

    def test_M4_a_session_names_at_most_100_vaults(self):
        error = self.assert_refused(400, "POST", "/v1/sessions", {"agent": "main", "vault_ids": ["v"] * 101})
        self.assertIn("vault_ids: has 101 entries; at most 100 fit", error["message"])

    @each((
        ("M4_no_webhook_url", "/v1/sessions", {"agent": "main", "webhook_url": None}),
        ("M1_no_skills", "/v1/agents", {"name": "a", "skills": []}),
        ("M1_no_agents_that_an_agent_may_call", "/v1/agents", {"name": "a", "multiagent": None}),
        ("M15_a_repository_with_a_token_from_the_start", "/v1/sessions", {"agent": "main", "resources": [
            {"type": "github_repository", "url": "https://example.com/a", "authorization_token": "sekrit"}]}),
        ("M2_no_secrets", "/v1/environments", {"name": "e", "config": {**CONFIG, "env": {}}}),
        ("M15_no_resources", "/v1/sessions", {"agent": "main", "resources": [], "vault_ids": []}),
        ("M11_no_attachments", "/v1/sessions/web:not-yet/messages",
         {"text": "look", "mode": "append", "attachments": []}),
    ))
    def accepted(self, path, body):
        self.client.ask("POST", path, body)
