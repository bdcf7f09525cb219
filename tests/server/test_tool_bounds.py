"""What tools may take of the whole machine: calls at once, memory."""
import os
import re
import signal
import time
import urllib.request
from pathlib import Path

from hands import AWAIT_S, Hands, within
from server import perdure

CALLS = 6
GATED = "touch on.{name}; ls on.* | wc -l >>seen; until [ -e go.{name} ]; do sleep 0.05; done; rm on.{name}"


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
        for at, session in enumerate(sessions):
            (self.work / f"go.{at}").touch()
            self.await_idle(session)
            self.assertEqual([failed for _, failed in self.results(session)], [False])
            # Of those that wait the first came next, and no other.
            begun = min(at + 3, CALLS)
            if begun > at + 1:
                self.await_load(sessions[begun - 1], running=1, waiting=0)
            self.assertEqual([self.load(one)["waiting"] for one in sessions[begun:]], [1] * (CALLS - begun))
        self.assertLessEqual(max(map(int, (self.work / "seen").read_text().split())), 2)
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
        for at, session in enumerate(sessions):
            (self.work / f"go.{at}").touch()
            self.await_idle(session)
        self.end()


class MemoryGroup:
    """A kernel group in which processes share so much memory; None where one cannot be made."""

    def __init__(self, case, limit_bytes):
        own = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines())
        self.path = Path(f"/sys/fs/cgroup/memory{own.get('memory', '')}/perdure-test-{os.getpid()}")
        try:
            self.path.mkdir()
            case.addCleanup(self.remove)
            (self.path / "memory.limit_in_bytes").write_text(str(limit_bytes))
        except OSError as refused:
            case.skipTest(f"no group with a limit of memory can be made here: {refused}")

    def take(self, pid):
        (self.path / "cgroup.procs").write_text(str(pid))

    def remove(self):
        for pid in (self.path / "cgroup.procs").read_text().split():  # of a case that failed
            (self.path.parent / "cgroup.procs").write_text(pid)
        self.path.rmdir()


class ToolMemory(Hands):
    GREEDY = "python3 -c 'b = bytearray(2 << 30); print(len(b))'"

    def score(self, pid="self"):
        return int(Path(f"/proc/{pid}/oom_score_adj").read_text())

    def test_T12_whatever_runs_for_a_model_is_killed_before_the_server(self):
        self.begin()
        off = self.environment(working_directory=str(self.server.folder), sandbox={"mode": "off"})
        ours = self.score(self.server.process.pid)
        self.assertEqual(ours, self.score())
        for environment in ("local-default", off):
            said, _ = self.bash(self.open(environment_id=environment), "cat /proc/self/oom_score_adj")
            self.assertEqual(int(said), min(ours + 500, 1000), environment)
        self.end()

    def test_M2_mcp_servers_are_killed_before_the_server(self):
        self.begin()
        for mode in ("workspace", "off"):
            with self.subTest(mode=mode):
                place = self.server.folder / mode
                place.mkdir()
                environment = self.environment(
                    working_directory=str(place), sandbox={"mode": mode, "workspace_access": "rw"},
                    mcp_servers=[{"type": "stdio", "name": "peer", "command": "/bin/sh", "args": [
                        "-c", "cat /proc/self/oom_score_adj >new; mv new score"]}])
                session = self.client.ask("POST", "/v1/sessions", {"environment_id": environment, "agent": {
                    "type": "agent_with_overrides", "id": self.agent,
                    "tools": [{"type": "mcp_toolset", "mcp_server_name": "peer"}]}})["id"]
                self.client.post(session, "say hello")
                self.assertTrue(within(30, (place / "score").exists), self.server.errors())
                self.assertEqual(int((place / "score").read_text()), min(self.score() + 500, 1000))
        self.end()

    def test_T12_a_call_that_was_killed_for_memory_says_so(self):
        group = MemoryGroup(self, 1 << 30)
        self.begin()
        group.take(self.server.process.pid)
        said, failed = self.bash(self.open(), self.GREEDY)
        self.assertTrue(failed, said)
        self.assertIn("memory", said)
        self.assertIn("137", said)
        self.assertNotIn("memory", self.bash(self.open(), "kill -9 $$")[0])
        session = self.open()
        self.bash(session, self.GREEDY, background=True)
        listed = within(AWAIT_S, lambda: "exit code" in (text := self.call(session, "process_list")[0]) and text)
        self.assertIn("memory", listed)
        self.end()
