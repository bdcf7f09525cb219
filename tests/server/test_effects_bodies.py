"""Every field of a body does what it says: each case sees what only that one can cause (tests/effects/table.txt)."""
import http.client
import json

from asked import CUSTOM, HOURLY, LATER, NOW, Made, beside, name, twice
from model_peer import KEY, ModelPeer
from scene import each
from server import has_hooks
from test_approvals import Tools

ALL_ALLOWED = {"type": "agent_toolset_20260401", "default_config": {"permission_policy": {"type": "always_allow"}}}
ONE_CENT = {"type": "limit", "max_list_cost": {"amount": "1", "currency": "USD"}}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Agents(Made):
    @each(twice(("M1d_name_of_an_agent", {"name": "Ada"}), ("M1_description_of_an_agent", {"description": "Writes."}),
                ("M1k_metadata_of_an_agent", {"metadata": {"team": "blue"}})))
    def shown(self, when, fields):
        self.assert_shows(self.record("agents", when, {}, **fields), **fields)

    def agent(self, when, **fields):
        return self.record("agents", when, {"model": "demo"}, **fields).split("/")[-1]

    @each(twice(("M1g_tools_of_an_agent",)))
    def tools(self, when):
        session = self.open(agent=self.agent(when, tools=[CUSTOM]))
        self.client.post(session, "tool deploy {}", mode="wait")
        self.assertIn("agent.custom_tool_use", self.kinds(session))

    @each(twice(("T10_mcp_servers_of_an_agent",)))
    def servers(self, when):
        toolset = {"type": "mcp_toolset", "mcp_server_name": "far",
                   "default_config": {"permission_policy": {"type": "always_allow"}}}
        tools = Tools("search")
        self.addCleanup(tools.server_close)
        self.addCleanup(tools.shutdown)
        url = f"http://127.0.0.1:{tools.server_address[1]}/mcp"
        agent = self.agent(when, tools=[toolset], mcp_servers=[{"type": "url", "name": "far", "url": url}])
        self.client.post(self.open(agent=agent), "tool search {}", mode="wait")
        self.assertEqual(tools.calls, 1)

    @each(twice(("M1j_M8i_limits_of_an_agent",)))
    def limits(self, when):
        agent = self.agent(when, tools=[ALL_ALLOWED], limits={"max_steps": 1})
        answer = self.client.post(self.open(agent=agent), 'tool bash {"command": "true"}\nsay over', mode="wait")
        self.assertEqual(answer["stop_reason"]["type"], "limit_reached")

    @each(twice(("P7c_access_of_an_agent",)))
    def access(self, when):
        agent = self.agent(when, access="private")
        self.assert_refused(404, "POST", "/v1/sessions", {"agent": agent}, self.user(role="guest")[1])

    @each(twice(("M1_skills_of_an_agent", "skills", [{"type": "custom", "skill_id": "x"}]),
                ("M1_multiagent_of_an_agent", "multiagent", {"type": "coordinator", "agents": [{"type": "self"}]})))
    def refused(self, when, field, value):
        path = "/v1/agents" if when == NOW else f"/v1/agents/{self.make('agents')}"
        error = self.assert_refused(400, "POST", path, {"name": "a", field: value})
        self.assertIn("yet", error["message"])

    def test_M1o_version_of_an_agent(self):
        path = f"/v1/agents/{self.make('agents')}"
        self.post(path, {"name": "second", "version": 1})
        self.assert_refused(409, "POST", path, {"name": "third", "version": 1})


class Environments(Made):
    @each(twice(("M2c_name_of_an_environment", {"name": "Box"}),
                ("M2_description_of_an_environment", {"description": "Mine."}),
                ("M2_metadata_of_an_environment", {"metadata": {"team": "blue"}})))
    def shown(self, when, fields):
        self.assert_shows(self.record("environments", when, {}, **fields), **fields)

    @each(twice(("M2f_config_of_an_environment",)))
    def config_of_an_environment(self, when):
        folder = self.server.folder / name("place")
        folder.mkdir()
        config = {"type": "local", "working_directory": str(folder)}
        environment = self.record("environments", when, {}, config=config).split("/")[-1]
        session = self.open(agent=self.make("agents", model="demo", tools=[ALL_ALLOWED]), environment_id=environment)
        self.client.post(session, 'tool bash {"command": "touch mark"}', mode="wait")
        self.assertTrue((folder / "mark").exists())

    def test_T11_metadata_of_a_work_item(self):
        environment = self.environment()
        path = self.work(environment, f"/{self.taken(environment)}")
        self.post(path, {"metadata": {"box": "7"}})
        self.assert_shows(path, metadata={"box": "7"})

    def test_T11d_force_of_a_stop(self):
        environment = self.environment()
        path = self.work(environment, f"/{self.taken(environment)}")
        self.post(f"{path}/heartbeat")
        self.post(f"{path}/stop", {"force": True})
        self.assert_shows(path, state="stopped")


class Lanes(Made):
    def reached(self, resolved, **body):
        return self.post(f"/v1/lanes/{resolved['lane_id']}", body)

    def test_K7i_max_age_days_of_a_prune(self):
        old = self.resolve(self.chat())
        self.clock.advance(days=10)
        young = self.resolve(self.chat())
        self.post("/v1/lanes/prune", {"max_age_days": 5})
        listed = self.ids("/v1/lanes", limit=200)
        self.assertNotIn(old["lane_id"], listed)
        self.assertIn(young["lane_id"], listed)

    def test_K7h_max_age_seconds_of_what_was_active(self):
        resolved = self.talk()[1]
        self.clock.advance(minutes=10)
        self.post("/v1/lanes/suspend_recently_active", {"max_age_seconds": 3600})
        self.assertTrue(self.lane(resolved)["resume_pending"])

    def test_K7b_busy_of_a_lane(self):
        resolved = self.resolve(self.chat())
        self.reached(resolved, busy="reject")
        session = resolved["session"]["id"]
        self.client.post(session, "wait 60")
        self.addCleanup(self.command, session, "/stop")
        self.await_activity(session, "running")
        self.assert_refused(409, "POST", self.path(session, "messages"), {"text": "say late"})

    @each((("K7b_display_name_of_a_lane", {"display_name": "The kitchen"}),
           ("K7b_last_prompt_tokens_of_a_lane", {"last_prompt_tokens": 77})))
    def noted(self, fields):
        resolved = self.resolve(self.chat())
        self.reached(resolved, **fields)
        self.assert_shows(f"/v1/lanes/{resolved['lane_id']}", **fields)

    def test_K7c_display_name_of_a_reset(self):
        resolved = self.talk()[1]
        self.ask_lane(resolved, "reset", {"display_name": "Anew"})
        self.assertEqual(self.lane(resolved)["display_name"], "Anew")

    def test_K7f_reason_of_a_mark(self):
        resolved = self.talk()[1]
        self.ask_lane(resolved, "resume_pending", {"reason": "shutdown_timeout"})
        self.assertEqual(self.lane(resolved)["resume_reason"], "shutdown_timeout")

    def test_K7p_turns_of_a_rewind(self):
        source, resolved = self.talk(text="say one")
        session = resolved["session"]["id"]
        for text in ("say two", "say three"):
            self.client.post(session, text, mode="wait")
        self.ask_lane(resolved, "rewind", {"turns": 2})
        self.assertEqual(len(self.ids(self.path(session, "messages"))), 2)

    def test_K7d_session_of_a_switch(self):
        source, resolved = self.talk()
        first = resolved["session"]["id"]
        self.ask_lane(resolved, "reset")
        self.ask_lane(resolved, "switch", {"session_id": first})
        self.assertEqual(self.resolve(source)["session"]["id"], first)


class Schedules(Made):
    NEEDS = {"prompt": "say usual", "rule": HOURLY, "enabled": False}

    def schedule(self, when, **fields):
        return self.record("schedules", when, self.NEEDS, **fields)

    def run_of(self, path):
        """Runs it now; the run when it is over."""
        self.post(f"{path}/run")

        def over():
            if has_hooks():
                self.clock.advance(seconds=1)
            return not self.get(path)["open_run_id"]
        self.await_that(over, "it ends")
        return self.get(f"{path}/runs")["data"][0]

    @each(twice(("H3_name_of_a_schedule", {"name": "Nightly"}), ("H3_metadata_of_a_schedule", {"metadata": {"a": "b"}})))
    def shown(self, when, fields):
        self.assert_shows(self.schedule(when, **fields), **fields)

    @each((("H3_agent_of_a_schedule_now", "agent_id", "agents"),
           ("H3_environment_of_a_schedule_now", "environment_id", "environments")))
    def made_with(self, field, kind):
        chosen = self.make(kind, **({"model": "demo"} if kind == "agents" else {}))
        session = self.client.session(self.run_of(self.schedule(NOW, **{field: chosen}))["session_id"])
        self.assertEqual({"agent_id": session["agent"]["id"], "environment_id": session["environment_id"]}[field], chosen)

    @each((("H3_agent_of_a_schedule_later", "agent_id", "agents"),
           ("H3_environment_of_a_schedule_later", "environment_id", "environments")))
    def stays(self, field, kind):
        self.assert_refused(409, "POST", self.schedule(NOW), {field: self.make(kind)})

    @each(twice(("H3_prompt_of_a_schedule",)))
    def prompt(self, when):
        self.assertEqual(self.said(self.run_of(self.schedule(when, prompt="say mine"))["session_id"]), ["mine"])

    @each(twice(("H3d_rule_of_a_schedule",)))
    def rule(self, when):
        instant = "2039-03-01T09:00:00Z"
        path = self.schedule(when, rule={"type": "at", "at": instant}, enabled=True)
        self.assertEqual(self.get(path)["next_run_at"], instant)

    @each((("H3_enabled_of_a_schedule_now", NOW, False), ("H3_enabled_of_a_schedule_later", LATER, True)))
    def enabled(self, when, on):
        self.assertEqual(self.get(self.schedule(when, enabled=on))["next_run_at"] is not None, on)

    @each(twice(("H3l_timeout_of_a_schedule",)))
    def timeout(self, when):
        run = self.run_of(self.schedule(when, prompt="wait 20", timeout_ms=1000))
        self.assertEqual(run["status"], "timed_out")

    @each(twice(("H3p_delivery_of_a_schedule",)))
    def delivery(self, when):
        told = self.open()
        self.run_of(self.schedule(when, delivery={"type": "session", "session_id": told}))
        self.assertIn("usual", str(self.client.events(told)[-1].get("content")))

    @each(twice(("H3y_origin_of_a_schedule",)))
    def origin(self, when):
        run = self.run_of(self.schedule(when, origin={"platform": "telegram", "chat_id": "7"}))
        self.assertEqual(run["delivery"]["status"], "dead_letter")

    @each(twice(("H3h_missed_of_a_schedule",)))
    def missed(self, when):
        path = self.schedule(when, missed={"type": "skip"})
        self.post(f"{path}/resume")
        due = self.get(path)["next_run_at"]
        self.clock.advance(minutes=90)
        self.await_that(lambda: self.get(path)["next_run_at"] != due, "its slot passes")
        self.post(f"{path}/pause")
        self.assertEqual(self.get(f"{path}/runs")["data"], [])


class Sessions(Made):
    def test_M4b_agent_of_a_session(self):
        agent = self.make("agents")
        self.assertEqual(self.client.session(self.open(agent=agent))["agent"]["id"], agent)

    def test_M5a_id_of_a_session(self):
        session = f"cli:{name()}"
        self.open(id=session)
        self.assertEqual(self.client.session(session)["id"], session)

    @each((("M4g_title_of_a_session", {"title": "The kitchen"}), ("M4l_metadata_of_a_session", {"metadata": {"a": "b"}}),
           ("M4e_source_of_a_session", {"source": {"kind": "web", "interactive": False, "platform": "kiosk",
                                                   "trigger_id": "t", "type": "direct"}})))
    def shown(self, fields):
        shown = self.client.session(self.open(**fields))
        for field, value in fields.items():
            self.assertEqual(shown[field], value)

    @each((("M4c_environment_of_a_session", "environment_id", "environments"),
           ("M4d_workspace_of_a_session", "workspace_id", "workspaces")))
    def within(self, field, kind):
        place = self.make(kind)
        self.assertEqual(self.client.session(self.open(**{field: place}))[field], place)

    def test_M4n_resources_of_a_session(self):
        session = self.open(resources=[{"type": "github_repository", "url": "https://example.com/a"}])
        self.assertEqual([one["url"] for one in self.get(self.path(session, "resources"))["data"]],
                         ["https://example.com/a"])

    def test_M10_initial_events_of_a_session(self):
        session = self.open(initial_events=[{"type": "user.message", "content": [{"type": "text", "text": "say first"}]}])
        self.assertIn("user.message", self.kinds(session))
        self.await_idle(session)
        self.assertEqual(self.said(session), ["first"])

    @each((("A9q_title_of_a_session_changed", {"title": "The garden"}),
           ("A1o_metadata_of_a_session_changed", {"metadata": {"a": "c"}})))
    def changed(self, fields):
        session = self.open()
        self.post(self.path(session, "")[:-1], fields)
        self.assert_shows(self.path(session, "")[:-1], **fields)

    def test_A1o_agent_of_a_session_changed(self):
        session = self.open(agent=self.make("agents", model="demo"))
        self.post(self.path(session, "")[:-1], {"agent": {"tools": [CUSTOM]}})
        self.client.post(session, "tool deploy {}", mode="wait")
        self.assertIn("agent.custom_tool_use", self.kinds(session))

    def test_C11i_L3f_text_of_a_command(self):
        session = self.open()
        self.post(self.path(session, "commands"), {"text": "/title The cellar"})
        self.assertEqual(self.client.session(session)["title"], "The cellar")

    def test_A2a_events_that_are_sent(self):
        session = self.open()
        self.client.append(session, "noted")
        self.assertEqual(self.kinds(session)[-1], "system.message")

    # ---- resources ----

    @each((("M15g_type_and_url_of_a_resource", {}), ("M15h_mount_path_of_a_resource", {"mount_path": "/workspace/a"}),
           ("M15_checkout_of_a_resource", {"checkout": {"type": "branch", "name": "b"}})))
    def resource(self, fields):
        path = self.path(self.open(), "resources")
        given = {"type": "github_repository", "url": "https://example.com/a", **fields}
        self.assert_shows(f"{path}/{self.post(path, given)['id']}", **given)

    def test_M15_authorization_token_of_a_resource_rotated(self):
        session = self.open(resources=[{"type": "github_repository", "url": "https://example.com/a",
                                        "authorization_token": "sekrit"}])
        path = self.path(session, "resources")
        before = self.get(path)["data"][0]
        self.clock.advance(seconds=1)
        self.post(f"{path}/{before['id']}", {"authorization_token": "other"})
        self.assertGreater(self.get(f"{path}/{before['id']}")["updated_at"], before["updated_at"])

    # ---- resolving ----

    def test_A8a_key_of_a_conversation(self):
        key = {"surface": "web", "surface_id": name(), "agent_id": "main"}
        lane = self.lane(self.post("/v1/sessions/resolve", {"key": key}))
        self.assertEqual({field: lane[field] for field in key}, key)

    def test_A8g_source_of_a_conversation(self):
        source = self.chat()
        origin = self.lane(self.resolve(source))["origin"]
        self.assertEqual({field: origin[field] for field in source}, source)

    @each((("A8e_agent_of_a_conversation", "agent_id", "agents"),
           ("A8f_workspace_of_a_conversation", "workspace_id", "workspaces")))
    def resolved(self, field, kind):
        chosen = self.make(kind)
        self.assertEqual(self.lane(self.resolve(self.chat(), **{field: chosen}))[field], chosen)

    def test_A8q_force_new_of_a_conversation(self):
        source, first = self.talk()
        again = self.resolve(source, force_new=True)
        self.assertEqual((again["is_new"], again["reset_reason"]), (True, "manual"))
        self.assertNotEqual(again["session"]["id"], first["session"]["id"])


class Surfaces(Made):
    """The routes of a surface find the session of the key that their body says: each part of it counts."""

    def key(self):
        """(the body, the session that the same key resolves to)"""
        agent, workspace = self.make("agents", model="demo"), self.make("workspaces")
        surface, place = name("kiosk"), name("tab")
        session = self.post("/v1/sessions/resolve", {"key": {
            "surface": surface, "surface_id": place, "agent_id": agent, "workspace_id": workspace}})["session"]["id"]
        return {"agentId": agent, "surface": surface, "surfaceId": place, "workspaceId": workspace}, session

    def test_A11a_A11d_every_field_of_a_chat(self):
        body, session = self.key()
        answer = self.post("/agent/chat", {"message": "say one", **body})
        self.assertEqual((answer["content"], answer["sessionId"]), ("one", session))

    def test_A11b_A11d_every_field_of_a_streamed_chat(self):
        body, session = self.key()
        wire = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        self.addCleanup(wire.close)
        wire.request("POST", "/agent/chat/stream", json.dumps({"message": "say one", **body}), {
            "Authorization": f"Bearer {self.server.token()}", "Content-Type": "application/json"})
        lines = wire.getresponse().read().decode().splitlines()
        done = json.loads([line for line in lines if line.startswith("data: ")][-1].removeprefix("data: "))
        self.assertEqual((done["content"], done["sessionId"]), ("one", session))

    def test_A11c_A11d_every_field_of_a_reset(self):
        body, session = self.key()
        self.client.post(session, "say one", mode="wait")
        self.assertEqual(self.post("/agent/reset", body)["archivedSessionId"], session)


class Messages(Made):
    def test_A7_text_of_a_message(self):
        self.assertEqual(self.client.post(self.open(), "say one", mode="wait")["text"], "one")

    def test_A7e_mode_of_a_message(self):
        session = self.open()
        self.client.post(session, "say one", mode="append")
        self.client.post(session, "say two")
        self.await_that(lambda: "two" in "".join(self.said(session)), "it is answered")
        self.assertEqual(self.kinds(session).count("session.status_running"), 1)

    def test_A7g_timeout_of_a_message(self):
        session = self.open()
        self.addCleanup(self.command, session, "/stop")
        self.assert_refused(504, "POST", self.path(session, "messages"),
                            {"text": "wait 4\nsay over", "mode": "wait", "timeout_ms": 50})

    def test_Q3k_busy_of_a_message(self):
        self.assert_refused(409, "POST", self.path(self.busy(), "messages"), {"text": "say late", "busy": "reject"})

    def test_A7_message_id_of_a_message(self):
        session = self.open()
        first = self.client.post(session, "say one", mode="append", message_id="mine")
        again = self.client.post(session, "say one", mode="append", message_id="mine")
        self.assertEqual((first["message_id"], again["event_id"]), ("mine", first["event_id"]))
        self.assertEqual(self.kinds(session).count("user.message"), 1)

    def test_M11_metadata_of_a_message(self):
        session = self.open()
        self.client.post(session, "say one", mode="append", metadata={"a": "b"})
        self.assertEqual(self.get(self.path(session, "messages"))["data"][0].get("metadata"), {"a": "b"})

    def test_Q9b_text_of_a_message_that_waits(self):
        session = self.busy()
        waiting = self.client.post(session, "say before")["message_id"]
        self.post(self.path(session, f"queue/{waiting}"), {"text": "say after"})
        self.assertEqual(self.waiting(session), ["say after"])


class Spoken(Made):
    """What a model receives, and what it may cost."""
    env = KEY

    @classmethod
    def setUpClass(cls):
        cls.peer = cls.enterClassContext(ModelPeer())
        cls.config = "model: fake/x\n" + cls.peer.provider(prices="{input: 900000, output: 900000}")
        super().setUpClass()

    @each(twice(("M1f_system_of_an_agent",)))
    def system(self, when):
        agent = self.record("agents", when, {}, system="Speak of marmalade.").split("/")[-1]
        self.client.post(self.open(agent=agent), "hello", mode="wait")
        self.assertIn("Speak of marmalade.", self.peer.requests[-1].text())

    @each((("M11s_attachments_of_a_message_by_data", {"data": PIXEL, "mime_type": "image/png"}, PIXEL),
           ("M11r_attachments_of_a_message_by_path", {"path": "notes/marmalade.txt"}, "notes/marmalade.txt")))
    def attached(self, attachment, seen):
        self.client.post(self.open(), "look", mode="wait", attachments=[attachment])
        self.assertIn(seen, self.peer.requests[-1].text())

    def test_M8f_budget_of_a_session_opened(self):
        answer = self.client.post(self.open(budget=ONE_CENT), "hello", mode="wait")
        self.assertEqual(answer["stop_reason"]["type"], "budget_reached")

    def test_M8f_budget_of_a_session_changed(self):
        session = self.open()
        self.post(self.path(session, "")[:-1], {"budget": ONE_CENT})
        answer = self.client.post(session, "hello", mode="wait")
        self.assertEqual(answer["stop_reason"]["type"], "budget_reached")

    def test_M3c_config_of_a_workspace(self):
        workspace = self.make("workspaces", config={"model": "fake/of-the-workspace"})
        self.client.post(self.open(workspace_id=workspace), "hello", mode="wait")
        self.assertEqual(self.peer.models()[-1], "of-the-workspace")


class People(Made):
    @each(twice(("M3_name_of_a_workspace", "workspaces"), ("P1a_name_of_a_user", "users")))
    def named(self, when, kind):
        self.assert_shows(self.record(kind, when, {}, name="Marmalade"), name="Marmalade")

    @each(twice(("P2_role_of_a_user",)))
    def role(self, when):
        path = self.record("users", when, {}, role="owner")
        self.assertEqual(self.holder(kind="user", user_id=path.split("/")[-1]).ask("GET", path)["role"], "owner")

    def test_P3f_kind_and_user_of_a_token(self):
        user, client = self.user()
        session = client.ask("POST", "/v1/sessions", {"agent": "main"})["id"]
        self.assertIn(session, self.ids("/v1/sessions", participant=user))
        self.assert_refused(404, "GET", f"/v1/sessions/{self.open()}", client=client)

    def test_P3g_namespace_of_a_token(self):
        client = self.holder(kind="channel", namespace="telegram")
        self.assertTrue(self.resolve(self.chat(), client)["is_new"])
        self.assert_refused(400, "POST", "/v1/sessions/resolve", {"source": self.chat(platform="slack")}, client)

    def test_P3i_environment_of_a_token(self):
        environment = self.environment()
        client = self.holder(kind="environment", environment_id=environment)
        self.assertIsNone(client.ask("GET", self.work(environment, "/poll")))

    def test_P3j_expiry_of_a_token(self):
        now = self.get(f"/v1/agents/{self.make('agents')}")["created_at"]
        client = self.holder(kind="owner", expires_at=beside(now, 60000))
        client.ask("GET", "/v1/agents")
        self.clock.advance(seconds=61)
        self.assert_refused(401, "GET", "/v1/agents", client=client)

    def test_P3_name_of_a_token(self):
        token = self.make("tokens", kind="worker", name="the box in the hall")
        self.assertIn((token, "the box in the hall"),
                      [(one["id"], one["name"]) for one in self.get("/v1/tokens", limit=100)["data"]])
