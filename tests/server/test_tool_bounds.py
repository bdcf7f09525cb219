"""What tools may take of the whole machine: calls at once, memory."""
import re
import signal
import time
import urllib.request

from client import Client
from hands import AWAIT_S, Hands, within
from server import perdure

CALLS = 6
GATED = "echo {name} >>order; touch on.{name}; ls on.* | wc -l >>seen; until [ -e go ]; do sleep 0.05; done; rm on.{name}"


class ToolBound(Hands):
    def begin_with(self, config):
        self.server.configure(config)
        self.begin()
        self.work = self.server.folder / "work"
        self.work.mkdir()
        self.shared = self.environment(working_directory=str(self.work), sandbox={
            "mode": "workspace", "workspace_access": "rw"})

    def ask(self, session, command, **more):
        """Nobody waits for the answer."""
        words = ",".join([f'"command":"{command}"', *(f'"{name}":{value}' for name, value in more.items())])
        self.client.post(session, f"tool bash {{{words}}}")

    def load(self, session):
        return self.client.session(session)["tool_processes"]

    def await_load(self, session, **want):
        def question():
            load = self.load(session)
            return all(load[name] == value for name, value in want.items())
        self.assertTrue(within(AWAIT_S, question), f"{self.load(session)}, wanted {want}")

    def await_idle(self, session):
        self.assertTrue(within(AWAIT_S, lambda: self.client.session(session)["activity"] == "idle"))

    def results(self, session):
        return [(event["content"][0]["text"], event.get("is_error", False))
                for event in self.client.events(session) if event["type"] == "agent.tool_result"]

    def gauges(self):
        request = urllib.request.Request(f"http://127.0.0.1:{self.server.port}/metrics",
                                         headers={"Authorization": f"Bearer {self.server.token()}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return {name: float(value) for name, value in
                    re.findall(r"^perdure_(tool_\w+) (\S+)$", answer.read().decode(), re.M)}

    def test_T12_as_many_calls_as_allowed_run_and_the_rest_wait_in_order(self):
        self.begin_with("limits: {tool_processes: 2}\n")
        sessions = [self.open(environment_id=self.shared) for _ in range(CALLS)]
        for at, session in enumerate(sessions):
            self.ask(session, GATED.format(name=at))
            self.await_load(session, **({"running": 1} if at < 2 else {"waiting": 1}))
        self.assertEqual(self.gauges(), {"tool_processes": 2, "tool_processes_waiting": CALLS - 2,
                                         "tool_processes_limit": 2})
        shown = perdure("session", "show", sessions[2], "--server", f"http://127.0.0.1:{self.server.port}",
                        "--data", self.server.data)
        self.assertIn("tools waiting\t1\n", shown.stdout, shown.stderr)
        status = self.client.ask("POST", self.path(sessions[2], "commands"), {"text": "/status"})
        self.assertIn("1 tool calls waiting", status["text"])
        self.assertEqual(status["data"]["waiting_tools"], 1)
        (self.work / "go").touch()
        for session in sessions:
            self.await_idle(session)
            self.assertEqual([failed for _, failed in self.results(session)], [False])
        self.assertLessEqual(max(map(int, (self.work / "seen").read_text().split())), 2)
        self.assertEqual([*map(int, (self.work / "order").read_text().split())][2:], [*range(2, CALLS)])
        self.assertEqual(self.gauges()["tool_processes_waiting"], 0)
        self.end()

    def test_T12_a_waiting_call_is_not_timed_out_and_can_be_interrupted(self):
        self.begin_with("limits: {tool_processes: 1}\n")
        self.agent = self.client.ask("POST", "/v1/agents", {
            "name": "hasty", "model": "demo", "limits": {"tool_timeout_s": 1},
            "tools": self.client.ask("GET", f"/v1/agents/{self.agent}")["tools"]})["id"]
        holder, waits, leaves = self.open(), self.open(), self.open()
        self.bash(holder, "sleep 300", background=True)
        self.ask(waits, "echo done")
        self.await_load(waits, waiting=1)
        self.ask(leaves, "echo never")
        self.await_load(leaves, waiting=1)
        self.client.ask("POST", self.path(leaves, "events"), {"events": [{"type": "user.interrupt"}]})
        self.await_idle(leaves)
        self.await_load(leaves, waiting=0)
        time.sleep(7)  # longer than the call's own second and what the engine grants on top
        self.await_load(waits, waiting=1)
        self.client.ask("DELETE", self.path(holder))
        self.await_idle(waits)
        self.assertEqual(self.results(waits), [("done\n", False)])
        self.end()

    def test_T12_background_processes_leave_room_for_calls(self):
        self.begin_with("limits: {tool_processes: 4}\n")
        holder, late, quick = self.open(), self.open(), self.open()
        for _ in range(3):
            self.bash(holder, "sleep 300", background=True)
        self.ask(late, "sleep 300", background="true")
        self.await_load(late, waiting=1)
        self.assertEqual(self.bash(quick, "echo hi")[0], "hi\n")
        self.await_load(late, waiting=1)
        self.client.ask("DELETE", self.path(holder))
        self.await_idle(late)
        self.assertIn("Runs in the background", self.results(late)[0][0])
        self.end()

    def test_T12_a_reload_raises_the_bound(self):
        self.begin_with("limits: {tool_processes: 1}\n")
        sessions = [self.open(environment_id=self.shared) for _ in range(2)]
        for at, session in enumerate(sessions):
            self.ask(session, GATED.format(name=at))
            self.await_load(session, running=1 - at, waiting=at)
        self.server.configure("limits: {tool_processes: 2}\n")
        self.server.process.send_signal(signal.SIGHUP)
        self.await_load(sessions[1], running=1)
        (self.work / "go").touch()
        for session in sessions:
            self.await_idle(session)
        self.end()
