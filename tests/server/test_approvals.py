"""Approvals over HTTP: which calls run, which ask, which are denied, and by whose word.

Four words count: the tool block's policy, the agent's rules, the operator's rules, a person's "always"."""
import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

from scene import Scene, each

MARKS = itertools.count(1)
CUSTOM = {"type": "custom", "name": "deploy", "description": "d", "input_schema": {"type": "object"}}
DENIED = "This tool call was denied"


def block(policy):
    return {"type": "agent_toolset_20260401", "default_config": {"permission_policy": {"type": policy}}}


def rule(action, pattern=None, tool="bash", **more):
    return {"tool": tool, "action": action, **({"pattern": pattern} if pattern else {}), **more}


def operators(*rules, **settings):
    """The configuration with these rules, as YAML takes it: JSON."""
    return json.dumps({"approvals": {"rules": list(rules), **settings}}) + "\n"


class Judged(Scene):
    """Each case has an agent of its own; the operator's rules are reloaded where a case needs others."""

    def agent(self, policy="always_allow", rules=(), tools=(), **more):
        made = self.client.ask("POST", "/v1/agents", {"name": "A", "model": "demo", "tools": [block(policy), *tools],
                                                      "approval_rules": list(rules), **more})
        return made["id"]

    def session(self, agent, **more):
        return self.client.ask("POST", "/v1/sessions", {"agent": agent, "environment_id": "local-default",
                                                        **more})["id"]

    def events(self, session, *kinds):
        return [one for one in self.client.events(session) if one["type"] in kinds]

    def call(self, session, tool, arguments):
        """Sends it; (the call's event, its result's text) once the turn is over or waits."""
        rests = len(self.events(session, "session.status_idle"))
        self.client.post(session, f"tool {tool} {json.dumps(arguments)}\nsay over")
        self.await_that(lambda: len(self.events(session, "session.status_idle")) > rests, "the turn rests")
        return self.outcome(session)

    def outcome(self, session):
        """Of the last call."""
        use = self.events(session, "agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use")[-1]
        results = [one for one in self.client.events(session)
                   if use["id"] in (one.get("tool_use_id"), one.get("mcp_tool_use_id"), one.get("custom_tool_use_id"))
                   and one["type"].endswith("tool_result")]
        return use, text_of(results[-1]) if results else None

    def bash(self, session, prefix=""):
        """A command that leaves a mark: (allow, ask or deny; the text of its result)."""
        mark = f"mark{next(MARKS)}"
        use, text = self.call(session, "bash", {"command": f"touch {prefix}{mark}"})
        word = use["evaluated_permission"]
        self.assertEqual(self.has_run(mark), word == "allow", (word, text))
        if word == "deny":
            self.assertIn(DENIED, text)
        return word, text

    def has_run(self, mark):
        return any(self.server.data.rglob(f"*{mark}"))

    def confirm(self, session, result="allow", **more):
        use = self.events(session, "agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use")[-1]
        self.client.ask("POST", f"/v1/sessions/{quote(session)}/events", {"events": [
            {"type": "user.tool_confirmation", "tool_use_id": use["id"], "result": result, **more}]})
        return use

    def operate(self, *rules, **settings):
        self.reload(operators(*rules, **settings))
        self.addCleanup(self.reload, "")


class Approvals(Judged):
    # ---- block, agent, operator ----

    # What the block says, the agent's rules, the operator's; what becomes of `touch`.
    @each([
        ("T8a_block_allows", "always_allow", [], [], "allow"),
        ("T8b_block_asks", "always_ask", [], [], "ask"),
        ("T8c_block_leaves_it_to_nobody", "auto", [], [], "ask"),
        ("T8d_T8g_M1i_agent_deny_vetoes_the_block", "always_allow", [rule("deny")], [], "deny"),
        ("T8e_T8g_agent_deny_by_pattern", "always_allow", [rule("deny", "touch *")], [], "deny"),
        ("T8e_agent_deny_of_something_else", "always_allow", [rule("deny", "rm *")], [], "allow"),
        ("T8_agent_ask_where_the_block_allows", "always_allow", [rule("ask", "touch *")], [], "ask"),
        ("T8_agent_allow_where_the_block_asks", "always_ask", [rule("allow", "touch *")], [], "allow"),
        ("T8_agent_allow_where_the_block_is_auto", "auto", [rule("allow", "touch *")], [], "allow"),
        ("T8f_agent_last_match_wins", "always_ask", [rule("deny"), rule("allow", "touch *")], [], "allow"),
        ("T8f_agent_last_match_denies", "always_ask", [rule("allow", "touch *"), rule("deny")], [], "deny"),
        ("T8_agent_deny_of_every_tool", "always_allow", [rule("deny", tool="*")], [], "deny"),
        ("T8_operator_deny_vetoes_the_block", "always_allow", [], [rule("deny", "touch *")], "deny"),
        ("T8_operator_deny_of_something_else", "always_allow", [], [rule("deny", "rm *")], "allow"),
        ("T8_operator_deny_vetoes_the_agent", "always_ask", [rule("allow")], [rule("deny")], "deny"),
        ("T8g_agent_deny_vetoes_the_operator", "always_ask", [rule("deny")], [rule("allow")], "deny"),
        ("T8_operator_ask_where_the_block_allows", "always_allow", [], [rule("ask", "touch *")], "ask"),
        ("T8_operator_ask_where_the_agent_allows", "auto", [rule("allow")], [rule("ask")], "ask"),
        ("T8_operator_allow_where_the_agent_asks", "always_ask", [rule("ask")], [rule("allow")], "allow"),
        ("T8f_operator_last_match_wins", "always_ask", [], [rule("deny"), rule("allow", "touch *")], "allow"),
    ])
    def layers(self, policy, of_agent, of_operator, want):
        if of_operator:
            self.operate(*of_operator)
        session = self.session(self.agent(policy, of_agent))
        word, text = self.bash(session)
        self.assertEqual(word, want, text)

    @each([
        ("T8_the_model_is_told_the_agents_rule", [rule("deny", "touch *")], [], "a rule of the agent (bash: touch *)"),
        ("T8_the_model_is_told_a_rule_without_pattern", [rule("deny")], [], "a rule of the agent (bash)"),
        ("T8_the_model_is_told_the_operators_rule", [], [rule("deny", "touch *")],
         "a rule of the operator (bash: touch *)"),
    ])
    def told(self, of_agent, of_operator, why):
        if of_operator:
            self.operate(*of_operator)
        session = self.session(self.agent("always_allow", of_agent))
        word, text = self.bash(session)
        self.assertEqual(word, "deny")
        self.assertIn(why, text)
        self.assertIn("It has not run.", text)
        self.assertIn(why, "\n".join(self.said(session)), "the model read it")

    @each([
        ("T8z_a_rule_for_commands_covers_no_file", [rule("allow", "git *")], "git log > git\\ x", "ask"),
        ("T8_a_rule_for_commands_covers_no_file_it_reads", [rule("allow", "cat *")], "cat < cat\\ x", "ask"),
        ("T8z_a_redirection_is_allowed_as_a_path", [rule("allow", "echo *"), rule("allow", "out/*", tool="write")],
         "echo x > out/x", "allow"),
        ("T8z_a_redirection_is_denied_as_a_path", [rule("deny", "*/secret", tool="write")], "echo x > d/secret", "deny"),
        ("T8h_deny_before_ask_and_allow", [rule("allow", "a *"), rule("ask", "b *"), rule("deny", "c *")], "a | b; c x", "deny"),
        ("T8h_ask_before_allow", [rule("allow", "a *"), rule("ask", "b *"), rule("deny", "c *")], "a && b y", "ask"),
        ("T8h_all_are_allowed", [rule("allow", "true *"), rule("allow", "echo *")], "true && echo y", "allow"),
        ("T8t_substitution_asks", [rule("allow", "*")], "echo $(id)", "ask"),
        ("T8t_backticks_ask", [rule("allow", "*")], "echo `id`", "ask"),
        ("T8u_expansion_asks", [rule("allow", "*")], "echo $HOME", "ask"),
        ("T8u_a_home_asks", [rule("allow", "*")], "ls ~", "ask"),
        ("T8v_a_here_document_asks", [rule("allow", "*")], "cat <<E\nx\nE", "ask"),
        ("T8w_process_substitution_asks", [rule("allow", "*")], "cat <(id)", "ask"),
        ("T8x_eval_asks", [rule("allow", "*")], "eval id", "ask"),
        ("T8y_sh_c_asks", [rule("allow", "*")], "sh -c id", "ask"),
        ("T8y_sh_c_behind_others_asks", [rule("allow", "*")], "nohup /bin/sh -c id", "ask"),
        ("T8aa_an_open_quote_asks", [rule("allow")], "echo 'x", "ask"),
        ("T8aa_an_open_group_asks", [rule("allow")], "(id", "ask"),
        ("T8_a_close_ends_where_bash_ends_it", [rule("allow", "*")], '<& -eval echo "; id"', "ask"),
        ("T8_what_follows_a_close_is_a_command", [rule("allow"), rule("deny", "eval *")], '<& -eval echo "; id"', "deny"),
    ])
    def commands(self, of_agent, command, want):
        session = self.session(self.agent("always_ask", of_agent))
        self.assertEqual(self.call(session, "bash", {"command": command})[0]["evaluated_permission"], want)

    # ---- "allow always" ----

    def test_T8k_once_is_once(self):
        session = self.session(self.agent("always_ask"))
        mark = f"mark{next(MARKS)}"
        self.call(session, "bash", {"command": f"touch {mark}"})
        self.confirm(session)
        self.await_idle(session)
        self.assertTrue(self.has_run(mark))
        self.assertEqual(self.bash(session)[0], "ask", "the next one is asked about again")

    def test_T8o_a_denial_carries_its_message_to_the_model(self):
        session = self.session(self.agent("always_ask"))
        self.assertEqual(self.bash(session)[0], "ask")
        self.confirm(session, "deny", deny_message="use mkdir instead")
        self.await_idle(session)
        self.assertIn("use mkdir instead", self.outcome(session)[1])
        self.assertIn("use mkdir instead", self.said(session)[-1])

    def test_T8i_T8j_T8q_a_question_waits_through_restarts_under_its_id(self):
        session = self.session(self.agent("always_ask"))
        mark = f"mark{next(MARKS)}"
        asked = self.call(session, "bash", {"command": f"touch {mark}"})[0]["id"]
        type(self).restart()
        self.clock.advance(days=100)
        self.assertEqual(self.client.session(session)["activity"], "requires_action")
        parked = self.events(session, "session.status_idle")[-1]["stop_reason"]
        self.assertEqual(parked, {"type": "requires_action", "event_ids": [asked]})
        self.assertEqual(self.confirm(session)["id"], asked)
        self.await_idle(session)
        self.assertTrue(self.has_run(mark))

    def test_T8_always_for_a_redirection_is_about_the_file(self):
        session = self.session(self.agent("always_ask"))
        self.assertEqual(self.call(session, "bash", {"command": "echo x > ls"})[0]["evaluated_permission"], "ask")
        self.confirm(session, scope="always")
        self.await_idle(session)
        self.assertEqual(self.call(session, "bash", {"command": "echo y > ls"})[0]["evaluated_permission"], "allow")
        self.assertEqual(self.call(session, "bash", {"command": "ls"})[0]["evaluated_permission"], "ask")

    def always(self, session):
        """A person allows `touch *` for good in this session."""
        self.assertEqual(self.bash(session)[0], "ask")
        self.confirm(session, scope="always")
        self.await_idle(session)
        self.assertEqual(self.bash(session)[0], "allow")

    @each([
        ("T8l_always_beats_the_blocks_ask", "always_ask", [], []),
        ("T8_always_beats_an_agents_ask", "always_allow", [rule("ask")], []),
        ("T8_always_beats_an_operators_ask", "always_allow", [], [rule("ask")]),
    ])
    def beaten(self, policy, of_agent, of_operator):
        if of_operator:
            self.operate(*of_operator)
        self.always(self.session(self.agent(policy, of_agent)))

    def test_T8_always_does_not_override_an_operators_deny(self):
        session = self.session(self.agent("always_ask"))
        self.always(session)
        self.operate(rule("deny", "touch *"))
        self.assertEqual(self.bash(session)[0], "deny")
        self.reload("")
        self.assertEqual(self.bash(session)[0], "allow", "what was allowed for good still is")

    def test_T8_always_for_one_command_does_not_allow_what_is_denied_in_it(self):
        session = self.session(self.agent("always_ask", [rule("deny", "touch secret*")]))
        self.always(session)
        self.assertEqual(self.bash(session, "secret")[0], "deny")

    def test_T8_M7d_a_deny_that_comes_while_a_question_waits_is_final(self):
        session = self.session(self.agent("always_ask"))
        self.client.post(session, 'tool bash {"command": "touch latecomer"}\nsay over')
        self.await_activity(session, "requires_action")
        self.operate(rule("deny", "touch *"))
        self.confirm(session)
        self.await_idle(session)
        self.assertFalse(self.has_run("latecomer"))
        self.assertIn("a rule of the operator (bash: touch *)", self.outcome(session)[1])

    def test_T8_a_deny_that_comes_while_a_clients_tool_asks_is_final(self):
        session = self.session(self.agent("always_allow", [rule("ask", tool="deploy")], [CUSTOM]))
        self.assertEqual(self.call(session, "deploy", {})[0]["evaluated_permission"], "ask")
        self.operate(rule("deny", tool="deploy"))
        self.confirm(session)
        self.await_idle(session)
        self.assertIn("a rule of the operator (deploy)", self.outcome(session)[1])
        self.assertIn("over", self.said(session)[-1])

    # ---- versions of the agent ----

    def test_T8_a_deny_of_a_later_version_bites_in_open_sessions(self):
        agent = self.agent("always_allow", [rule("ask", "touch asked*")])
        session = self.session(agent)
        self.assertEqual(self.bash(session)[0], "allow")
        self.client.ask("POST", f"/v1/agents/{agent}", {"version": 1, "approval_rules": [rule("deny", "touch mark*")]})
        self.assertEqual(self.bash(session)[0], "deny")
        self.assertEqual(self.bash(session, "asked")[0], "ask", "and the session's own version holds too")

    def test_T8_what_a_later_version_allows_waits_for_the_session_to_follow(self):
        agent = self.agent("always_allow", [rule("deny", "touch *")])
        session = self.session(agent)
        self.client.ask("POST", f"/v1/agents/{agent}", {"version": 1, "approval_rules": [rule("allow")]})
        self.assertEqual(self.bash(session)[0], "deny")
        self.assertEqual(self.bash(self.session(agent))[0], "allow", "a new session has the new version")

    def test_T8_a_session_with_overrides_keeps_the_agents_rules(self):
        agent = self.agent("always_allow", [rule("deny", "touch *")])
        session = self.session({"type": "agent_with_overrides", "id": agent, "system": "x",
                                "tools": [block("always_allow")]})
        self.assertEqual(self.bash(session)[0], "deny")
        later = self.session({"type": "agent_with_overrides", "id": self.agent(), "tools": [block("always_allow")]})
        self.assertEqual(self.bash(later)[0], "allow")
        self.client.ask("POST", f"/v1/agents/{self.client.session(later)['agent']['id']}",
                        {"version": 1, "approval_rules": [rule("deny")]})
        self.assertEqual(self.bash(later)[0], "deny")

    def test_T8m_rules_hold_after_a_restart(self):
        session = self.session(self.agent("always_ask", [rule("deny", "touch secret*")]))
        self.always(session)
        type(self).restart()
        self.assertEqual(self.bash(session)[0], "allow")
        self.assertEqual(self.bash(session, "secret")[0], "deny")

    # ---- nobody answers ----

    @each([
        ("T8r_unattended_asks_become_denials", {}, [], [], "nobody is there"),
        ("T8r_unattended_asks_become_allowed", {"unattended": "allow"}, [], [], None),
        ("T8_unattended_allow_is_no_answer_to_an_agents_deny", {"unattended": "allow"}, [rule("deny")], [],
         "a rule of the agent"),
        ("T8_unattended_allow_is_no_answer_to_an_operators_deny", {"unattended": "allow"}, [], [rule("deny")],
         "a rule of the operator"),
        ("T8_unattended_deny_does_not_touch_what_is_allowed", {}, [rule("allow", "touch *")], [], None),
    ])
    def unattended(self, settings, of_agent, of_operator, why):
        self.operate(*of_operator, **settings)
        session = self.session(self.agent("always_ask", of_agent), source={"kind": "api", "interactive": False})
        mark = f"mark{next(MARKS)}"
        self.client.post(session, f'tool bash {{"command": "touch {mark}"}}\nsay over')
        self.await_idle(session)
        self.assertEqual(self.has_run(mark), why is None)
        if why:
            self.assertIn(why, self.outcome(session)[1])

    @each([
        ("T8p_an_expired_question_is_denied", {}, [], "nobody answered in time"),
        ("T8p_an_expired_question_is_allowed", {"expired": "allow"}, [], None),
        ("T8_an_expired_question_is_denied_by_a_rule_that_came", {"expired": "allow"}, [rule("deny")],
         "a rule of the operator"),
    ])
    def expired(self, settings, came, why):
        self.operate(expire_after_s=300, **settings)
        session = self.session(self.agent("always_ask"))
        mark = f"mark{next(MARKS)}"
        self.client.post(session, f'tool bash {{"command": "touch {mark}"}}\nsay over')
        self.await_activity(session, "requires_action")
        if came:
            self.reload(operators(*came, expire_after_s=300, **settings))
        self.clock.advance(seconds=301)
        self.await_idle(session)
        self.assertEqual(self.has_run(mark), why is None)
        if why:
            self.assertIn(why, self.outcome(session)[1])

    # ---- custom tools ----

    @each([
        ("T8_a_custom_tool_is_the_clients", [], [], "allow"),
        ("T8_a_custom_tool_is_denied_by_the_agent", [rule("deny", tool="deploy")], [], "deny"),
        ("T8_a_custom_tool_is_denied_by_its_argument", [rule("deny", "prod*", tool="deploy")], [], "deny"),
        ("T8_a_custom_tool_is_denied_by_the_operator", [], [rule("deny", tool="dep*")], "deny"),
        ("T8_a_custom_tool_asks", [rule("ask", tool="deploy")], [], "ask"),
    ])
    def custom(self, of_agent, of_operator, want):
        if of_operator:
            self.operate(*of_operator)
        session = self.session(self.agent("always_allow", of_agent, [CUSTOM]))
        use, text = self.call(session, "deploy", {"to": "prod-1"})
        self.assertEqual(use["evaluated_permission"], want)
        if want == "deny":
            self.assertIn(DENIED, text)
            return
        if want == "ask":
            self.confirm(session)
            self.await_that(lambda: self.client.events(session)[-1].get("stop_reason", {}).get("event_ids") == [use["id"]]
                            and self.events(session, "user.tool_confirmation"), "it waits for its result")
        self.client.ask("POST", f"/v1/sessions/{quote(session)}/events", {"events": [
            {"type": "user.custom_tool_result", "custom_tool_use_id": use["id"],
             "content": [{"type": "text", "text": "deployed"}]}]})
        self.await_idle(session)
        self.assertIn("deployed", "\n".join(self.said(session)))

    # ---- bad rules ----

    @each([
        ("T8_a_rule_with_a_bad_action", [rule("forbid")], "approval_rules[0].action"),
        ("T8_a_rule_without_action", [{"tool": "bash"}], "approval_rules[0].action"),
        ("T8_a_rule_without_tool", [{"action": "deny"}], "approval_rules[0].tool"),
        ("T8_a_rule_with_an_empty_tool", [rule("deny", tool="")], "approval_rules[0].tool"),
        ("T8_a_rule_with_a_long_tool", [rule("deny", tool="x" * 129)], "approval_rules[0].tool"),
        ("T8_a_rule_with_an_empty_pattern", [rule("deny"), {**rule("deny"), "pattern": ""}],
         "approval_rules[1].pattern"),
        ("T8_a_rule_with_a_long_pattern", [rule("deny", "x" * 2049)], "approval_rules[0].pattern"),
        ("T8_a_rule_with_a_pattern_that_is_no_text", [rule("deny", ["x"])], "approval_rules[0].pattern"),
        ("T8_a_rule_with_an_empty_server", [rule("deny", mcp_server_name="")], "approval_rules[0].mcp_server_name"),
        ("T8_a_rule_with_an_unknown_field", [rule("deny", layer="x")], "approval_rules[0].layer"),
        ("T8_a_rule_that_is_no_object", ["bash"], "approval_rules[0]"),
        ("T8_too_many_rules", [rule("deny")] * 257, "approval_rules"),
    ])
    def bad(self, rules, path):
        error = self.assert_refused(400, "POST", "/v1/agents", {"name": "A", "model": "demo", "approval_rules": rules})
        self.assertIn(path, error["message"])
        agent = self.agent()
        error = self.assert_refused(400, "POST", f"/v1/agents/{agent}", {"version": 1, "approval_rules": rules})
        self.assertIn(path, error["message"])

    def test_T8_an_override_cannot_bring_rules(self):
        error = self.assert_refused(400, "POST", "/v1/sessions", {
            "agent": {"type": "agent_with_overrides", "id": self.agent(), "approval_rules": []},
            "environment_id": "local-default"})
        self.assertIn("approval_rules", error["message"])


def text_of(event):
    content = event.get("content", [])
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


class Tools(ThreadingHTTPServer):
    """An MCP server (streamable HTTP, answers as JSON) with one tool; counts its calls."""
    daemon_threads = True

    def __init__(self, tool):
        super().__init__(("127.0.0.1", 0), Answer)
        self.tool, self.calls = tool, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, method):
        if method == "initialize":
            return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "t", "version": "1"}}
        if method == "tools/list":
            return {"tools": [{"name": self.tool, "description": "d", "inputSchema": {"type": "object"}}]}
        if method == "tools/call":
            self.calls += 1
            return {"content": [{"type": "text", "text": "found"}]}
        return {}


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in asked:
            self.reply(202, b"")
            return
        self.reply(200, json.dumps({"jsonrpc": "2.0", "id": asked["id"],
                                    "result": self.server.answer(asked["method"])}).encode())

    def do_GET(self):
        self.reply(405, b"")

    do_DELETE = do_GET

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class ServersTools(Judged):
    """Rules about MCP tools: the name that a tool is offered by depends on who else is there."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tools = {"near": Tools("search"), "far": Tools("search")}

    @classmethod
    def tearDownClass(cls):
        for one in cls.tools.values():
            one.shutdown()
            one.server_close()
        super().tearDownClass()

    def searcher(self, servers, rules=(), policy="always_allow"):
        """An agent with these servers. One alone has its tool's own name; of two each has the server's before it."""
        toolset = {"type": "mcp_toolset", "default_config": {"permission_policy": {"type": policy}}}
        return self.session(self.agent(
            rules=rules, tools=[{**toolset, "mcp_server_name": name} for name in servers],
            mcp_servers=[{"type": "url", "name": name, "url": f"http://127.0.0.1:{self.tools[name].server_port}/mcp"}
                         for name in servers]))

    def search(self, session, server, name):
        """What becomes of a call of the server's tool, offered by that name."""
        before = self.tools[server].calls
        use, text = self.call(session, name, {"q": "x"})
        self.assertEqual((use["type"], use["mcp_server_name"]), ("agent.mcp_tool_use", server), text)
        self.assertEqual(self.tools[server].calls - before, use["evaluated_permission"] == "allow")
        return use["evaluated_permission"]

    # The rule's tool and server, its action, what the block says; what becomes of near's, and of far's.
    @each([
        ("T8_deny_of_a_name_is_every_servers", rule("deny", tool="search"), "always_allow", "deny", "deny"),
        ("T8_ask_of_a_name_is_every_servers", rule("ask", tool="search"), "always_allow", "ask", "ask"),
        ("T8_deny_of_one_server", rule("deny", tool="far__search"), "always_allow", "allow", "deny"),
        ("T8_deny_of_the_server_that_has_the_name", rule("deny", tool="near__search"), "always_allow", "deny", "allow"),
        ("T8_deny_of_all_of_a_server", rule("deny", tool="far__*"), "always_allow", "allow", "deny"),
        ("T8_deny_by_servers_name", rule("deny", tool="*", mcp_server_name="far"), "always_allow", "allow", "deny"),
        ("T8_deny_by_servers_and_tools_name", rule("deny", tool="search", mcp_server_name="near"), "always_allow",
         "deny", "allow"),
        ("T8_allow_of_one_server", rule("allow", tool="far__search"), "always_ask", "ask", "allow"),
        ("T8_allow_of_the_server_that_has_the_name", rule("allow", tool="near__search"), "always_ask", "allow", "ask"),
        ("T8_allow_by_servers_name", rule("allow", tool="sea*", mcp_server_name="f*"), "always_ask", "ask", "allow"),
        ("T8_allow_of_a_name_is_no_servers", rule("allow", tool="search"), "always_ask", "ask", "ask"),
        ("T8_allow_of_everything", rule("allow", tool="*"), "always_ask", "allow", "allow"),
    ])
    def named(self, one, policy, near, far):
        """By the agent and by the operator; with both servers there, and with one of them."""
        want = {"near": near, "far": far}
        for of_operator in (False, True):
            if of_operator:
                self.operate(one)
            rules = [] if of_operator else [one]
            for servers in (("near", "far"), ("near",), ("far",)):
                session = self.searcher(servers, rules, policy)
                for server in servers:
                    got = self.search(session, server, "search" if len(servers) == 1 else f"{server}__search")
                    self.assertEqual(got, want[server], (of_operator, servers, server))
                    if got == "ask":
                        self.confirm(session, "deny")
                        self.await_idle(session)


class Model(ThreadingHTTPServer):
    """Asks for two calls at once, and is content with whatever they bring."""
    daemon_threads = True
    COMMANDS = ("touch first", "touch second")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            calls = [{"index": at, "id": f"call_{at}", "type": "function",
                      "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
                     for at, command in enumerate(Model.COMMANDS)]
            over = any(message["role"] == "tool" for message in asked["messages"])
            delta = {"content": "over"} if over else {"tool_calls": calls}
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for part in ({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                         {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop" if over else "tool_calls"}]},
                         {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}):
                self.wfile.write(b"data: " + json.dumps(part).encode() + b"\n\n")
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class SeveralCalls(Judged):
    env = {"NEAR_KEY": "none"}

    @classmethod
    def setUpClass(cls):
        cls.model = Model()
        cls.config = json.dumps({"providers": [{
            "name": "near", "kind": "openai-chat", "api_key_env": "NEAR_KEY",
            "base_url": f"http://127.0.0.1:{cls.model.server_port}/v1"}]}) + "\n"
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.model.shutdown()
        cls.model.server_close()

    def test_T8n_always_answers_the_other_questions_like_it(self):
        session = self.session(self.agent("always_ask", model="near/two"))
        self.client.post(session, "go on")
        self.await_activity(session, "requires_action")
        uses = self.events(session, "agent.tool_use")
        self.assertEqual([use["evaluated_permission"] for use in uses], ["ask", "ask"])
        self.confirm(session, scope="always")
        self.await_idle(session)
        self.assertEqual([self.has_run(command.split()[1]) for command in Model.COMMANDS], [True, True])
        answers = self.events(session, "user.tool_confirmation")
        self.assertEqual({one["tool_use_id"] for one in answers}, {use["id"] for use in uses})
        self.assertEqual(self.said(session)[-1], "over")
