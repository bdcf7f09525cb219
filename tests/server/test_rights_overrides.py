"""What those who use an agent may choose when they open a session, and what takes an owner."""
import json
import re
import unittest
from pathlib import Path

from client import Refused
from people import People
from scene import Scene

TOOLSET = {"type": "agent_toolset_20260401", "default_config": {"permission_policy": {"type": "always_ask"}}}
FREE = {"type": "agent_toolset_20260401", "default_config": {"permission_policy": {"type": "always_allow"}}}
CUSTOM = {"type": "custom", "name": "deploy", "description": "d", "input_schema": {"type": "object"}}
SERVER = {"type": "url", "name": "docs", "url": "https://mcp.example/mcp"}
BUDGET = {"type": "limit", "max_list_cost": {"amount": "100", "currency": "USD"}}
MORE = {"type": "limit", "max_list_cost": {"amount": "900", "currency": "USD"}}


def overriding(agent, **members):
    return {"type": "agent_with_overrides", "id": agent, **members}


class Overrides(Scene):
    config = ("providers:\n  - name: near\n    kind: openai-chat\n    base_url: http://127.0.0.1:9/v1\n"
              "    api_key_env: NEAR_KEY\n")
    env = {"NEAR_KEY": "none"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.people = People(cls.server)
        cls.user, cls.guest = cls.people.user(), cls.people.user("guest")
        cls.master = cls.people.user("owner")
        cls.channel = cls.people.channel()
        cls.off = cls.environment(sandbox={"mode": "off"}, working_directory=str(cls.server.data))
        cls.other = cls.environment()

    @classmethod
    def tearDownClass(cls):
        for client in (cls.user, cls.guest, cls.master, cls.channel):
            client.close()
        cls.people.close()
        super().tearDownClass()

    @classmethod
    def environment(cls, **config):
        config = {"type": "local", "working_directory": None, **config}
        return cls.people.owner.ask("POST", "/v1/environments", {"name": "e", "config": config})["id"]

    def open(self, client, **body):
        return client.ask("POST", "/v1/sessions", {"agent": "main", **body})

    def refusal(self, client, **body):
        with self.assertRaises(Refused) as refused:
            self.open(client, **body)
        return refused.exception.status, re.sub(r',"request_id":"[^"]*"', "", refused.exception.body)

    # ---- environments ----

    def test_M2_an_environment_that_is_not_listed_is_unknown(self):
        unknown = self.refusal(self.user, environment_id="env_nobody_knows")
        self.assertEqual(unknown[0], 404)
        for client in (self.user, self.guest):
            for environment in (self.off, self.other):
                denied = self.refusal(client, environment_id=environment)
                self.assertEqual((denied[0], denied[1].replace(environment, "?")),
                                 (unknown[0], unknown[1].replace("env_nobody_knows", "?")))
        self.assertEqual(self.refusal(self.channel, id="telegram:off", environment_id=self.off)[0], 404)
        for client in (self.client, self.master):
            session = self.open(client, environment_id=self.off)
            self.assertEqual(session["environment_id"], self.off)
        self.assertEqual(self.open(self.user, environment_id="local-default")["environment_id"],
                         "local-default")

    def test_M2_a_guest_gets_nothing_through_a_sandbox_that_is_off(self):
        secret = (Path(self.server.data) / "owner.token").read_text().strip()
        agent = self.people.agent(tools=[FREE])["id"]
        self.assertEqual(self.refusal(self.guest, agent=agent, environment_id=self.off)[0], 404)
        session = self.open(self.guest, agent=agent)["id"]
        said = self.guest.post(session, f"tool bash {json.dumps({'command': f'cat {self.server.data}/owner.token'})}",
                               mode="wait")
        self.assertNotIn(secret, json.dumps(said))
        self.assertNotIn(secret, json.dumps(self.guest.events(session)))

    def test_M2_an_agents_first_environment_is_its_default(self):
        agent = self.people.agent(environments=[self.other, "local-default"])["id"]
        self.assertEqual(self.client.ask("GET", f"/v1/agents/{agent}")["environments"],
                         [self.other, "local-default"])
        self.assertEqual(self.open(self.user, agent=agent)["environment_id"], self.other)
        self.assertEqual(self.open(self.client, agent=agent)["environment_id"], self.other)
        self.assertEqual(self.open(self.user, agent=agent, environment_id="local-default")["environment_id"],
                         "local-default")
        resolved = self.user.ask("POST", "/v1/sessions/resolve",
                                 {"key": {"surface": "chat", "surface_id": "1", "agent_id": agent}})
        self.assertEqual(resolved["session"]["environment_id"], self.other)
        said = self.user.ask("POST", "/agent/chat", {"message": "say x", "agentId": agent,
                                                     "surface": "chat", "surfaceId": "2"})
        self.assertEqual(self.user.session(said["sessionId"])["environment_id"], self.other)
        schedule = self.client.ask("POST", "/v1/schedules", {
            "name": "s", "prompt": "say x", "agent_id": agent, "rule": {"type": "every", "every_ms": 9999999}})
        self.assertEqual(schedule["environment_id"], self.other)

    def test_M2_what_is_listed_now_counts_whatever_version_is_named(self):
        agent = self.people.agent(environments=["local-default", self.other])["id"]
        self.open(self.user, agent=agent, environment_id=self.other)
        self.client.ask("POST", f"/v1/agents/{agent}", {"environments": None})
        first = {"type": "agent", "id": agent, "version": 1}
        self.assertEqual(self.refusal(self.user, agent=first, environment_id=self.other)[0], 404)
        self.restart_clients()
        self.assertEqual(self.refusal(self.user, agent=first, environment_id=self.other)[0], 404)

    def restart_clients(self):
        self.restart()
        for client in (self.user, self.guest, self.master, self.channel, self.people.owner):
            client.close()
            client.port = self.server.port

    def test_M2_a_sandbox_that_is_off_is_the_owners_alone(self):
        agent = self.people.agent(environments=["local-default", self.off])["id"]
        for client in (self.user, self.guest):
            status, body = self.refusal(client, agent=agent, environment_id=self.off)
            self.assertEqual(status, 403, body)
            self.assertIn("sandbox", body)
        self.assertEqual(self.open(self.master, agent=agent, environment_id=self.off)["environment_id"],
                         self.off)
        self.client.ask("POST", f"/v1/agents/{agent}", {"environments": [self.off]})  # also as a default
        self.assertEqual(self.refusal(self.user, agent=agent)[0], 403)
        key = {"surface": "chat", "surface_id": "off", "agent_id": agent}
        self.assert_refused(403, "POST", "/v1/sessions/resolve", {"key": key}, self.user)
        self.assert_refused(403, "POST", "/agent/chat", {"message": "say x", "agentId": agent,
                                                         "surface": "chat", "surfaceId": "off"}, self.user)
        self.assertEqual(self.open(self.client, agent=agent)["environment_id"], self.off)

    def test_M2_a_listed_environment_exists(self):
        self.assert_refused(404, "POST", "/v1/agents", {"name": "a", "model": "demo", "environments": ["env_none"]})
        agent = self.people.agent()["id"]
        self.assert_refused(404, "POST", f"/v1/agents/{agent}", {"environments": ["local-default", "env_none"]})

    # ---- tools ----

    def test_M2_tools_of_their_own_take_an_owner(self):
        for tools in ([FREE], [FREE, CUSTOM], [{**TOOLSET, "configs": [{"name": "bash", "enabled": True,
                      "permission_policy": {"type": "always_allow"}}]}]):
            for client in (self.user, self.guest):
                status, body = self.refusal(client, agent=overriding("main", tools=tools))
                self.assertEqual(status, 403, body)
                self.assertIn("tools", body)
            self.open(self.master, agent=overriding("main", tools=tools[:1]))
        session = self.open(self.user)["id"]
        self.assert_refused(403, "POST", f"/v1/sessions/{session}", {"agent": {"tools": [FREE]}}, self.user)
        self.client.ask("POST", f"/v1/sessions/{session}", {"agent": {"tools": [FREE]}})
        # whatever an owner gave it may stay, and nothing more comes of it
        self.user.ask("POST", f"/v1/sessions/{session}", {"agent": {"tools": [FREE, CUSTOM]}})
        self.user.ask("POST", f"/v1/sessions/{session}", {"agent": {"tools": [CUSTOM]}})
        self.assert_refused(403, "POST", f"/v1/sessions/{session}", {"agent": {"tools": [FREE]}}, self.user)

    def test_M2_tools_that_the_client_executes_are_no_override(self):
        own = self.client.ask("GET", "/v1/agents/main")["tools"]
        for tools in ([CUSTOM], [*own, CUSTOM], own, []):
            session = self.open(self.user, agent=overriding("main", tools=tools))
            self.assertEqual(len(session["agent"]["tools"]), len(tools))
            self.user.ask("POST", f"/v1/sessions/{session['id']}", {"agent": {"tools": []}})
        session = self.open(self.guest, agent=overriding("main", tools=[CUSTOM]))["id"]
        said = self.guest.post(session, "tool deploy {}", mode="wait")
        self.assertEqual(said["stop_reason"]["type"], "requires_action")

    def test_M2_instructions_of_a_request_are_no_override(self):
        session = self.open(self.user, agent=overriding("main", system="Be brief."))
        self.assertEqual(session["agent"]["system"], "Be brief.")

    def test_M2_mcp_servers_of_their_own_take_an_owner(self):
        for body in ({"mcp_servers": [SERVER]},
                     {"mcp_servers": [SERVER], "tools": [{"type": "mcp_toolset", "mcp_server_name": "docs"}]}):
            self.assertEqual(self.refusal(self.user, agent=overriding("main", **body))[0], 403)
        self.open(self.master, agent=overriding("main", mcp_servers=[SERVER]))
        session = self.open(self.user)["id"]
        self.assert_refused(403, "POST", f"/v1/sessions/{session}", {"agent": {"mcp_servers": [SERVER]}}, self.user)
        self.user.ask("POST", f"/v1/sessions/{session}", {"agent": {"mcp_servers": []}})

    # ---- models ----

    def test_M2_models_are_those_that_the_agent_lists(self):
        agent = self.people.agent(models=["near/listed"])["id"]
        self.assertEqual(self.client.ask("GET", f"/v1/agents/{agent}")["models"], ["near/listed"])
        self.assertEqual(self.refusal(self.user, agent=overriding(agent, model="near/other"))[0], 403)
        self.assertEqual(self.refusal(self.user, agent=overriding(agent, model={"id": "near/other"}))[0], 403)
        session = self.open(self.user, agent=overriding(agent, model="near/listed"))
        self.assertEqual(session["agent"]["model"]["id"], "near/listed")
        session = self.open(self.user, agent=agent)["id"]
        for path, body in ((f"/v1/sessions/{session}", {"agent": {"model": "near/other"}}),
                           (f"/v1/sessions/{session}/commands", {"text": "/model near/other"}),
                           (f"/v1/sessions/{session}/messages", {"text": "x", "model": "near/other"}),
                           (f"/v1/sessions/{session}/messages", {"text": "x", "model": "no such one"})):
            error = self.assert_refused(403, "POST", path, body, self.user)
            self.assertIn("near/listed", error["message"])
            self.assertNotIn("demo", error["message"])  # what else there is is not theirs to know
        self.user.ask("POST", f"/v1/sessions/{session}", {"agent": {"model": "near/listed"}})
        self.user.ask("POST", f"/v1/sessions/{session}/commands", {"text": "/model near/listed"})
        self.user.post(session, "x", mode="append", model="near/listed")
        self.client.ask("POST", f"/v1/agents/{agent}", {"models": ["near/listed", "near/second"]})
        self.user.post(session, "x", mode="append", model="near/second")
        for client in (self.client, self.master):
            client.ask("POST", f"/v1/sessions/{session}", {"agent": {"model": "near/other"}})
            said = client.post(session, "say owned", mode="wait", model="demo")["text"]
            self.assertTrue(said.endswith("owned"), said)
            self.assert_refused(400, "POST", f"/v1/sessions/{session}/messages",
                                {"text": "x", "model": "no such one"}, client)

    def test_M2_an_agent_that_lists_no_models_offers_none(self):
        session = self.open(self.user)["id"]
        self.assert_refused(403, "POST", f"/v1/sessions/{session}/messages", {"text": "x", "model": "demo"}, self.user)
        stranger = self.people.user()
        self.assert_refused(404, "POST", f"/v1/sessions/{session}/messages", {"text": "x", "model": "demo"}, stranger)

    # ---- budgets ----

    def test_M2_a_budget_that_an_owner_set_stays(self):
        session = self.open(self.user)["id"]
        path = f"/v1/sessions/{session}"
        self.user.ask("POST", path, {"budget": BUDGET})  # nobody's so far
        self.user.ask("POST", path, {"budget": MORE})
        self.client.ask("POST", path, {"budget": BUDGET})
        for budget in (MORE, None):
            self.assert_refused(403, "POST", path, {"budget": budget}, self.user)
        self.assertEqual(self.user.session(session)["budget"], BUDGET)
        self.user.ask("POST", path, {"title": "t"})
        reset = self.user.ask("POST", f"{path}/commands", {"text": "/new"})["data"]["session_id"]
        self.assert_refused(403, "POST", f"/v1/sessions/{reset}", {"budget": None}, self.user)
        self.client.ask("POST", f"/v1/sessions/{reset}", {"budget": None})
        self.user.ask("POST", f"/v1/sessions/{reset}", {"budget": MORE})

    def test_M2_also_one_that_the_session_was_opened_with(self):
        opened = self.open(self.client, budget=BUDGET)["id"]
        speaker = self.people.user("owner")  # who speaks takes part, also as an owner no more
        speaker.post(opened, "x", mode="append")
        self.client.ask("POST", f"/v1/users/{speaker.user_id}", {"role": "user"})
        self.assert_refused(403, "POST", f"/v1/sessions/{opened}", {"budget": MORE}, speaker)
        speaker.close()
        resolved = self.client.ask("POST", "/v1/sessions/resolve", {
            "key": {"surface": "chat", "surface_id": "budget", "user_id": self.user.user_id}})["session"]["id"]
        self.client.ask("POST", f"/v1/sessions/{resolved}", {"budget": BUDGET})
        self.assert_refused(403, "POST", f"/v1/sessions/{resolved}", {"budget": MORE}, self.user)
        own = self.open(self.user, budget=BUDGET)["id"]
        self.user.ask("POST", f"/v1/sessions/{own}", {"budget": MORE})
        self.restart_clients()
        self.assert_refused(403, "POST", f"/v1/sessions/{resolved}", {"budget": MORE}, self.user)
        self.user.ask("POST", f"/v1/sessions/{own}", {"budget": None})


if __name__ == "__main__":
    unittest.main()
