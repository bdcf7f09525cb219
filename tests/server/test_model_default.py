"""The model of an agent that names none: the file's `model:`, and what the API says about it."""
import json
import sqlite3
import unittest
from contextlib import contextmanager

import test_reload
from client import Client, Refused
from model_peer import KEY, ModelPeer
from server import Server, perdure

HELLO = "say the demo speaks"
PEER, DEMO = "the peer speaks", "the demo speaks"


class ModelDefault(unittest.TestCase):
    reload = test_reload.Reload.reload

    @contextmanager
    def serving(self, server):
        """It runs, and is well at the end."""
        server.start(KEY)
        client = Client(server.port, server.token())
        yield client
        client.close()
        self.assertEqual(server.stop(), 0, server.errors())
        self.assertNotIn("Sanitizer", server.errors())

    def ask(self, client, session, **more):
        return client.post(session, HELLO, mode="wait", **more)["text"]

    def shown(self, agent):
        return agent["model"]["id"], agent["model_source"]

    def test_T3_model_of_the_file_is_asked_by_main(self):
        with ModelPeer() as peer, Server("model: fake/x\n" + peer.provider()) as server:
            with self.serving(server) as client:
                client.open_session("cli:a")
                self.assertEqual(self.ask(client, "cli:a"), PEER)
                done = perdure("chat", "-m", HELLO, cwd=server.folder, env={
                    "PERDURE_SERVER": f"http://127.0.0.1:{server.port}", "PERDURE_TOKEN": server.token()})
                self.assertEqual((done.returncode, done.stdout), (0, PEER + "\n"), done.stderr)
                self.assertEqual(peer.models(), ["x", "x"])
                agent = client.ask("GET", "/v1/agents/main")
                self.assertEqual(self.shown(agent), ("fake/x", "server"))
                self.assertEqual(agent["version"], 1)
                for listed in (client.ask("GET", "/v1/agents")["data"][0],
                               client.ask("GET", "/v1/agents/main?version=1"),
                               client.ask("GET", "/v1/agents/main/versions")["data"][0],
                               client.session("cli:a")["agent"]):
                    self.assertEqual(self.shown(listed), ("fake/x", "server"))

    def test_T3m_without_model_in_the_file_it_is_demo(self):
        with Server() as server, self.serving(server) as client:
            client.open_session("cli:a")
            self.assertEqual(self.ask(client, "cli:a"), DEMO)
            self.assertEqual(self.shown(client.ask("GET", "/v1/agents/main")), ("demo", "default"))

    def test_T3_reload_counts_from_the_next_turn(self):
        with ModelPeer() as peer, Server("model: fake/x\n" + peer.provider()) as server:
            with self.serving(server) as client:
                client.open_session("cli:a")  # holds version 1 of its agent from here on
                self.assertEqual(self.ask(client, "cli:a"), PEER)
                self.reload(server, "model: fake/y\n" + peer.provider(), "serve.reloaded")
                self.assertEqual(self.ask(client, "cli:a"), PEER)
                self.assertEqual(peer.models(), ["x", "y"])
                self.assertEqual(self.shown(client.session("cli:a")["agent"]), ("fake/y", "server"))
                self.reload(server, "model: demo\n" + peer.provider(), "serve.reloaded")
                self.assertEqual(self.ask(client, "cli:a"), DEMO)
                self.assertEqual(self.shown(client.ask("GET", "/v1/agents/main")), ("demo", "server"))
                self.reload(server, peer.provider(), "serve.reloaded")
                self.assertEqual(self.shown(client.ask("GET", "/v1/agents/main")), ("demo", "default"))

    def test_T3r_unknown_model_in_the_file_is_refused_with_its_line_and_the_known_ones(self):
        known = "providers:\n  - {name: fake, kind: openai-chat, api_key_env: K, models: [{id: x}]}\n" \
                "  - {name: open, kind: anthropic, api_key_env: K}\n"
        for wrong in ("fak/x", "fake", "fake/", "Demo", "/x"):
            with self.subTest(wrong), Server(f"queue: {{depth: 3}}\nmodel: {wrong}\n{known}") as server:
                server.launch(KEY)
                self.assertFalse(server.await_ready())
                self.assertEqual(server.end(), 2)
                said = server.errors()
                for part in ("perdure.yaml:2:8", f"'{wrong}'", "demo", "fake/x", "open/MODEL"):
                    self.assertIn(part, said)
        with Server("model: fake/x\n" + known) as server, self.serving(server) as client:
            line = self.reload(server, "\n\nmodel: gone/x\n" + known, "serve.reload_refused")
            for part in ("perdure.yaml:3:8", "'gone/x'", "demo", "fake/x", "open/MODEL"):
                self.assertIn(part, line["reason"])
            line = self.reload(server, "model: fake/x\n", "serve.reload_refused")  # its provider went
            self.assertIn("perdure.yaml:1:8", line["reason"])
            self.assertEqual(self.shown(client.ask("GET", "/v1/agents/main")), ("fake/x", "server"))

    # ---- agents ----

    def test_T3q_M1e_M1n_an_agent_may_leave_model_out_name_one_and_take_it_back(self):
        with ModelPeer() as peer, Server("model: fake/x\n" + peer.provider()) as server:
            with self.serving(server) as client:
                for number, body in enumerate(({"name": "none"}, {"name": "null", "model": None})):
                    agent = client.ask("POST", "/v1/agents", body)
                    self.assertEqual(self.shown(agent), ("fake/x", "server"))
                    client.open_session(f"cli:n{number}", agent=agent["id"])
                    self.assertEqual(self.ask(client, f"cli:n{number}"), PEER)
                path = f"/v1/agents/{agent['id']}"
                for model in ("demo", {"id": "demo", "effort": "high"}):
                    agent = client.ask("POST", path, {"model": model})
                    self.assertEqual(self.shown(agent), ("demo", "agent"))
                self.assertEqual(agent["model"], {"id": "demo", "effort": {"type": "high"}, "speed": "standard"})
                self.assertEqual(agent["version"], 3)
                self.assertEqual(self.ask(client, "cli:n1"), PEER)  # it holds version 1
                client.open_session("cli:named", agent=agent["id"])
                self.assertEqual(self.ask(client, "cli:named"), DEMO)
                agent = client.ask("POST", path, {"model": None})
                self.assertEqual(self.shown(agent), ("fake/x", "server"))
                self.assertEqual(agent["version"], 4)
                versions = client.ask("GET", f"{path}/versions")["data"]
                self.assertEqual([self.shown(one)[1] for one in versions], ["server", "agent", "agent", "server"])
                with self.assertRaises(Refused) as refused:
                    client.ask("POST", "/v1/agents", {"name": "bad", "model": ""})
                self.assertEqual(refused.exception.status, 400)

    def test_T3n_T3o_L3q_M3c_prompt_over_session_over_workspace_over_agent_over_server(self):
        with ModelPeer() as peer, Server("model: fake/server\n" + peer.provider()) as server:
            with self.serving(server) as client:
                client.ask("POST", "/v1/workspaces", {"name": "W", "id": "w"})
                client.open_session("cli:a", workspace_id="w")

                def asks(name, source, **more):
                    self.assertEqual(self.ask(client, "cli:a", **more), PEER)
                    self.assertEqual(peer.models()[-1], name)
                    if not more:
                        self.assertEqual(self.shown(client.session("cli:a")["agent"]), (f"fake/{name}", source))

                asks("server", "server")
                client.ask("POST", "/v1/workspaces/w", {"config": {"model": "fake/workspace"}})
                asks("workspace", "workspace")
                answer = client.ask("POST", "/v1/sessions/cli:a/commands", {"text": "/model fake/session"})
                self.assertIn("fake/session", answer["text"])
                asks("session", "session")
                asks("prompt", None, model="fake/prompt")
                asks("session", "session")
                # who changes something else of the agent for a session has not chosen its model
                client.open_session("cli:b", agent={"type": "agent_with_overrides", "id": "main", "system": "Hi."})
                self.assertEqual(self.ask(client, "cli:b"), PEER)
                self.assertEqual(peer.models()[-1], "server")
                changed = client.ask("POST", "/v1/sessions/cli:b", {"agent": {"tools": []}})
                self.assertEqual(self.shown(changed["agent"]), ("fake/server", "server"))
                told = [one for one in client.events("cli:b") if one["type"] == "session.updated"]
                self.assertEqual(self.shown(told[-1]["agent"]), ("fake/server", "server"))
                self.reload(server, "model: fake/later\n" + peer.provider(), "serve.reloaded")
                self.assertEqual(self.ask(client, "cli:b"), PEER)
                self.assertEqual(peer.models()[-1], "later")

    # ---- data of earlier releases ----

    def make_old(self, server, edit=lambda client: None):
        """A data directory in which main names the demo model, as earlier releases made it."""
        with self.serving(server) as client:
            client.open_session("cli:old")
            edit(client)
        with sqlite3.connect(server.data / "perdure.db") as db:
            rows = db.execute("SELECT kind, id, body FROM record WHERE kind IN ('agent', 'agent_version')").fetchall()
            for kind, name, body in rows:
                agent = json.loads(body)
                if agent["id"] == "main" and agent["model"] is None:
                    agent["model"] = {"id": "demo", "speed": "standard"}
                    db.execute("UPDATE record SET body = ? WHERE kind = ? AND id = ?", (json.dumps(agent), kind, name))
        db.close()

    def test_T3_unedited_main_of_an_earlier_release_names_no_model_any_more(self):
        with ModelPeer() as peer, Server() as server:
            self.make_old(server)
            server.configure("model: fake/x\n" + peer.provider())
            for _ in range(2):  # done once, and nothing happens to it later
                with self.serving(server) as client:
                    agent = client.ask("GET", "/v1/agents/main")
                    self.assertEqual((self.shown(agent), agent["version"]), (("fake/x", "server"), 1))
                    self.assertEqual(self.shown(client.ask("GET", "/v1/agents/main/versions")["data"][0]),
                                     ("fake/x", "server"))
                    self.assertEqual(self.ask(client, "cli:old"), PEER)
            self.assertEqual(server.check()[0], 0)

    def test_T3_edited_main_of_an_earlier_release_stays(self):
        with ModelPeer() as peer, Server() as server:
            self.make_old(server, lambda client: client.ask("POST", "/v1/agents/main", {"system": "Be brief."}))
            server.configure("model: fake/x\n" + peer.provider())
            with self.serving(server) as client:
                agent = client.ask("GET", "/v1/agents/main")
                self.assertEqual((self.shown(agent), agent["version"]), (("demo", "agent"), 2))
                self.assertEqual(self.ask(client, "cli:old"), DEMO)
                client.open_session("cli:new")
                self.assertEqual(self.ask(client, "cli:new"), DEMO)
                agent = client.ask("POST", "/v1/agents/main", {"model": None})  # and its owner can change it
                self.assertEqual(self.shown(agent), ("fake/x", "server"))

    def test_T3_archived_main_of_an_earlier_release_stays(self):
        with ModelPeer() as peer, Server() as server:
            self.make_old(server, lambda client: client.ask("POST", "/v1/agents/main/archive"))
            server.configure("model: fake/x\n" + peer.provider())
            with self.serving(server) as client:
                self.assertEqual(self.shown(client.ask("GET", "/v1/agents/main")), ("demo", "agent"))

    def test_T3_main_set_to_demo_by_its_owner_stays(self):
        with ModelPeer() as peer, Server("model: fake/x\n" + peer.provider()) as server:
            for _ in range(2):
                with self.serving(server) as client:
                    agent = client.ask("POST", "/v1/agents/main", {"model": "demo"})
                    self.assertEqual((self.shown(agent), agent["version"]), (("demo", "agent"), 2))


if __name__ == "__main__":
    unittest.main()
