"""Protected and private agents: to whoever is not admitted they do not exist, on any route."""
import json
import re
import unittest

from client import Refused
from people import People
from scene import Scene

LEVELS = ("protected", "private")
# Where an environment's token is told 403 whatever it asks about.
OPERATORS = ("POST /v1/schedules", "POST /v1/schedules/{schedule_id}", "POST /v1/lanes/import")
UNKNOWN = "agent_nobody_knows_this_one"
# What takes an agent's id, by route: the request that names it. A route of the description that takes one
# and is not here fails the test.
RULE = {"type": "every", "every_ms": 9999999}
NAMING = {
    "GET /v1/agents/{agent_id}": [lambda a: (f"/v1/agents/{a}", None),
                                  lambda a: (f"/v1/agents/{a}?version=1", None),
                                  lambda a: (f"/v1/agents/{a}?version=7", None)],
    "POST /v1/agents/{agent_id}": [lambda a: (f"/v1/agents/{a}", {"name": "b"}),
                                   lambda a: (f"/v1/agents/{a}", {"name": 5})],
    "POST /v1/agents/{agent_id}/archive": [lambda a: (f"/v1/agents/{a}/archive", {})],
    "GET /v1/agents/{agent_id}/versions": [lambda a: (f"/v1/agents/{a}/versions", None)],
    "POST /v1/agents": [lambda a: ("/v1/agents", {
        "name": "n", "model": "demo", "multiagent": {"type": "coordinator", "agents": [a]}})],
    "POST /v1/sessions": [
        lambda a: ("/v1/sessions", {"agent": a}),
        lambda a: ("/v1/sessions", {"agent": {"type": "agent", "id": a, "version": 1}}),
        lambda a: ("/v1/sessions", {"agent": {"type": "agent", "id": a, "version": 7}}),
        lambda a: ("/v1/sessions", {"agent": {"type": "agent_with_overrides", "id": a, "tools": []}}),
        lambda a: ("/v1/sessions", {"agent": a, "environment_id": "env_none"}),
        lambda a: ("/v1/sessions", {"agent": a, "workspace_id": "wksp_none"})],
    "POST /v1/sessions/{session_id}": [],  # its agent has no id of another
    "GET /v1/sessions": [lambda a: (f"/v1/sessions?agent_id={a}", None),
                         lambda a: (f"/v1/sessions?agent_id={a}&include_total=true", None)],
    "GET /v1/search": [lambda a: (f"/v1/search?q=needle&agent_id={a}", None)],
    "POST /v1/sessions/resolve": [
        lambda a: ("/v1/sessions/resolve",
                   {"key": {"surface": "telegram", "surface_id": "9", "agent_id": a}}),
        lambda a: ("/v1/sessions/resolve", {"source": {"platform": "telegram", "chat_id": "9"}, "agent_id": a}),
        lambda a: ("/v1/sessions/resolve", {"source": {"platform": "web", "chat_id": "9"}, "agent_id": a})],
    "POST /agent/chat": [lambda a: ("/agent/chat", {
        "message": "say x", "agentId": a, "surface": "telegram", "surfaceId": "9"})],
    "POST /agent/chat/stream": [lambda a: ("/agent/chat/stream", {
        "message": "say x", "agentId": a, "surface": "telegram", "surfaceId": "9"})],
    "POST /agent/reset": [lambda a: ("/agent/reset", {
        "agentId": a, "surface": "telegram", "surfaceId": "9"})],
    "POST /v1/schedules": [lambda a: ("/v1/schedules", {
        "name": "s", "prompt": "say x", "rule": RULE, "agent_id": a})],
    "POST /v1/schedules/{schedule_id}": [lambda a: ("/v1/schedules/sched_none", {"agent_id": a})],
    "POST /v1/lanes/import": [lambda a: ("/v1/lanes/import", {"k": {"session_id": "s", "agent_id": a}})],
}


def takes_agent(path, operation, schemas):
    """Does the description say that an agent's id goes in there?"""
    names = {one["name"] for one in operation.get("parameters", [])}
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
    names |= set(schemas.get(schema, {}).get("properties", {}))
    return bool({"agent_id", "agentId", "agent", "multiagent"} & names)


class Agents(Scene):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.people = People(cls.server)
        owner = cls.people.owner
        cls.hidden = {level: cls.people.agent(access=level)["id"] for level in LEVELS}
        for agent in cls.hidden.values():  # something to be found by a list and a search
            for name in (f"cli:{agent}", f"telegram:{agent}"):
                owner.open_session(name, agent=agent)
                owner.post(name, "say needle", mode="wait")
        environment = owner.ask("POST", "/v1/environments", {"name": "e", "config": {"type": "self_hosted"}})
        cls.callers = {
            "user": cls.people.user(), "guest": cls.people.user("guest"),
            "channel": cls.people.channel(), "worker": cls.people.worker(),
            "environment": cls.people.environment(environment["id"]),
        }

    @classmethod
    def tearDownClass(cls):
        for client in cls.callers.values():
            client.close()
        cls.people.close()
        super().tearDownClass()

    def answer(self, client, method, target, body):
        """(status, the body without what names the request)"""
        try:
            return 200, json.dumps(client.ask(method, target, body))
        except ValueError:
            return 200, "no JSON"  # a stream
        except Refused as refused:
            return refused.status, re.sub(r',"request_id":"[^"]*"', "", refused.body)

    def test_P7_every_route_that_takes_an_agent_is_in_the_table(self):
        described = self.client.ask("GET", "/v1/openapi.json")
        taking = {f"{method.upper()} {path}" for path, operations in described["paths"].items()
                  for method, operation in operations.items()
                  if takes_agent(path, operation, described["components"]["schemas"])}
        self.assertEqual(taking - set(NAMING), set())

    def test_P7b_P7c_P2k_a_denied_agent_is_answered_like_an_unknown_one(self):
        for route, requests in NAMING.items():
            method = route.split()[0]
            for make in requests:
                for who, client in self.callers.items():
                    unknown = self.answer(client, method, *make(UNKNOWN))
                    self.assertLess(unknown[0], 500, (route, who, unknown))
                    for level, agent in self.hidden.items():
                        denied = self.answer(client, method, *make(agent))
                        with self.subTest(route=route, who=who, level=level, body=make("A")):
                            self.assertEqual((denied[0], denied[1].replace(agent, "?")),
                                             (unknown[0], unknown[1].replace(UNKNOWN, "?")))
                            self.assertTrue(denied[0] != 403 or route in OPERATORS)

    def test_P7_lists_leave_hidden_agents_out(self):
        for who in ("user", "guest", "channel"):
            seen, target = [], "/v1/agents?limit=1"
            while True:  # no empty page either, which would tell how many there are
                page = self.callers[who].ask("GET", target)
                self.assertEqual(len(page["data"]), 1, (who, page))
                seen += [agent["id"] for agent in page["data"]]
                if not page["next_page"]:
                    break
                target = f"/v1/agents?limit=1&page={page['next_page']}"
            self.assertIn("main", seen)
            self.assertFalse(set(seen) & set(self.hidden.values()), who)
        self.assertTrue(set(self.hidden.values()) <= {
            agent["id"] for agent in self.client.ask("GET", "/v1/agents?limit=100")["data"]})

    def test_P7c_P2l_P2o_a_session_of_a_hidden_agent_is_hidden_from_its_channel(self):
        agent, channel = self.hidden["private"], self.callers["channel"]
        for method, path, body in (("GET", "", None), ("GET", "/events", None), ("GET", "/messages", None),
                                   ("POST", "/messages", {"text": "say x"}), ("GET", "/events/stream", None)):
            denied = self.answer(channel, method, f"/v1/sessions/telegram:{agent}{path}", body)
            unknown = self.answer(channel, method, f"/v1/sessions/telegram:{UNKNOWN}{path}", body)
            self.assertEqual(unknown[0], 404)
            self.assertEqual((denied[0], denied[1].replace(agent, "?")),
                             (unknown[0], unknown[1].replace(UNKNOWN, "?")))
        listed = {session["id"] for session in channel.ask("GET", "/v1/sessions?limit=200")["data"]}
        self.assertNotIn(f"telegram:{agent}", listed)
        found = channel.ask("GET", "/v1/search?q=needle")["data"]
        self.assertFalse([hit for hit in found if agent in json.dumps(hit)])
        self.assertFalse(channel.ask("GET", "/v1/lanes")["data"])

    def test_P7a_P7c_P2p_whoever_loses_the_agent_loses_its_sessions(self):
        agent = self.people.agent()["id"]
        somebody = self.people.user()
        session = somebody.ask("POST", "/v1/sessions", {"agent": agent})["id"]
        somebody.post(session, "say before", mode="wait")
        self.client.ask("POST", f"/v1/agents/{agent}", {"access": "private"})
        for method, path, body in (("GET", "", None), ("POST", "", {"title": "t"}), ("GET", "/export", None),
                                   ("POST", "/messages", {"text": "say x"}), ("POST", "/archive", {}),
                                   ("POST", "/commands", {"text": "/status"}), ("DELETE", "", None)):
            self.assert_refused(404, method, f"/v1/sessions/{session}{path}", body, somebody)
        self.assertEqual(somebody.ask("GET", "/v1/sessions?include_total=true")["data"], [])
        self.assertEqual(somebody.ask("GET", "/v1/search?q=before")["data"], [])
        self.client.ask("POST", f"/v1/agents/{agent}", {"access": "public"})
        self.assertEqual(somebody.session(session)["id"], session)
        self.client.ask("POST", f"/v1/agents/{agent}", {"access": "protected"})
        self.restart()  # who is admitted is known from the start on
        somebody.port = self.people.owner.port = self.server.port
        somebody.close()
        self.assert_refused(404, "GET", f"/v1/sessions/{session}", None, somebody)
        self.assertEqual(self.client.session(session)["id"], session)
        for client in (*self.callers.values(), self.people.owner):
            client.close()
            client.port = self.server.port

    def test_P2h_P2i_an_owner_by_role_is_admitted_everywhere(self):
        owner = self.people.user("owner")
        for agent in self.hidden.values():
            self.assertEqual(owner.ask("GET", f"/v1/agents/{agent}")["id"], agent)
            session = owner.ask("POST", "/v1/sessions", {"agent": agent})["id"]
            self.assertEqual(owner.post(session, "say hello", mode="wait")["text"], "hello")
        owner.close()


if __name__ == "__main__":
    unittest.main()
