"""Killed in every phase of a turn that uses tools: what a tool does happens at most once."""
import json
import os
import random
import re
import sys
import threading
import time
import unittest
import uuid
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from client import Client
from server import ROOT, Server
from test_kills import failpoints
from verify import is_terminal, log_problems, text_of

sys.path.insert(0, str(ROOT / "tests" / "providers"))
import grammar  # noqa: E402
import speech  # noqa: E402

CYCLES = int(os.environ.get("PERDURE_TOOL_CYCLES", "60"))
SEED = os.environ.get("PERDURE_SEED", "1")
SESSIONS = {f"cli:{dialect}": dialect for dialect in speech.DIALECTS}
QUIET_S = 60
PIECE_S = 0.03
TOOLS = [{"type": "agent_toolset_20260401",
          "default_config": {"enabled": True, "permission_policy": {"type": "always_allow"}}}]


class Model(ThreadingHTTPServer):
    """For each task: says something, appends a line to a file, reads it, says that it is done. Speaks
    every dialect, and remembers what a provider would have refused."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.problems, self.requests = [], 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def config(self):
        return "providers:\n" + "".join(
            f"  - {{name: {name}, kind: {kind}, base_url: 'http://127.0.0.1:{self.server_port}{base}', "
            "api_key_env: MODEL_KEY}\n" for name, (kind, base) in speech.DIALECTS.items())

    def answer(self, dialect, body):
        """The pieces of the answer."""
        self.requests += 1
        self.problems += [f"{dialect}: {one}" for one in grammar.PROBLEMS[dialect](body)]
        task, calls = "0", 0
        for kind, text in grammar.transcript(dialect, body):
            found = re.search(r"task (\d+)", text) if kind == "user" else None
            task, calls = (found.group(1), 0) if found else (task, calls + (kind == "call"))
        yield speech.begun(dialect)
        if calls == 0:
            yield speech.said(dialect, "I will ")
            yield speech.said(dialect, f"do {task}.")
            yield speech.called(dialect, new_id(), "bash", {"command": f"echo effect-{task} >>effects; sleep 0.1"})
        elif calls == 1:
            yield speech.called(dialect, new_id(), "read", {"file_path": "effects"})
        else:
            yield speech.said(dialect, "Done ")
            yield speech.said(dialect, f"{task}.") + speech.over(dialect)


class Answer(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for piece in self.server.answer(body["model"], body):
                self.wfile.write(piece)
                time.sleep(PIECE_S)
        except OSError:
            pass  # who asked is dead

    def log_message(self, *arguments):
        pass


def new_id():
    return "call_" + uuid.uuid4().hex[:12]


def pair_problems(log):
    results = Counter(one["tool_use_id"] for one in log if one["type"] == "agent.tool_result")
    for one in log:
        if one["type"] == "agent.tool_use" and results[one["id"]] != 1:
            yield f"{one['name']} at {one['seq']} has {results[one['id']]} results"


class ToolKills(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())
        self.model = Model()
        self.addCleanup(self.model.server_close)
        self.addCleanup(self.model.shutdown)
        self.work = self.server.folder / "work"
        self.work.mkdir()
        self.env = {"MODEL_KEY": "sk-test-0123456789abcdef0123"}
        self.server.configure(self.model.config())

    def client(self):
        return Client(self.server.port, self.server.token())

    def prepare(self):
        client = self.client()
        place = client.ask("POST", "/v1/environments", {"name": "work", "config": {
            "type": "local", "working_directory": str(self.work),
            "sandbox": {"mode": "workspace", "workspace_access": "rw", "network": "off"}}})
        for session, dialect in SESSIONS.items():
            agent = client.ask("POST", "/v1/agents", {
                "name": dialect, "model": f"{dialect}/{dialect}", "tools": TOOLS})
            client.ask("POST", "/v1/sessions", {"id": session, "agent": agent["id"],
                                                "environment_id": place["id"]})
        client.close()

    def await_rest(self, client):
        until = time.monotonic() + QUIET_S
        for session in SESSIONS:
            while not all(event["processed_at"] for event in client.events(session)) or \
                    client.session(session)["activity"] != "idle":  # in this order: a turn may just have begun
                self.assertLess(time.monotonic(), until, f"{session} does not come to rest")
                time.sleep(0.02)

    def one_life(self, number, chance, points):
        """A task, killed somewhere on the way, then brought to its end."""
        env = dict(self.env)
        if chance.random() < 0.4:
            env["PERDURE_FAILPOINTS"] = f"{chance.choice(points)}={chance.randint(1, 25)}:crash"
        self.server.launch(env)
        if self.server.await_ready():
            client = self.client()
            try:
                client.post(chance.choice(list(SESSIONS)), f"task {number}", message_id=f"task-{number}")
                time.sleep(chance.uniform(0.0, 0.8))
            except OSError:
                pass  # it fell before it could answer
            client.close()
        self.server.kill()
        self.server.start(self.env)
        client = self.client()
        self.await_rest(client)
        client.close()
        self.server.kill()

    def judge(self, log, effects):
        """At most one effect of each call, and exactly one where the call is said to be done."""
        counts = Counter()
        results = {one["tool_use_id"]: one for one in log if one["type"] == "agent.tool_result"}
        for one in log:
            counts["turns"] += is_terminal(one)
            counts["turns continued"] += one["type"] == "session.status_rescheduled"
            counts["turns interrupted"] += is_terminal(one) and one["stop_reason"]["type"] == "interrupted"
            if one["type"] != "agent.tool_use" or one["name"] != "bash":
                continue
            effect, done = one["input"]["command"].split()[1], not results[one["id"]].get("is_error")
            counts["calls done" if done else "calls interrupted"] += 1
            self.assertLessEqual(effects[effect], 1, effect)
            if done:
                self.assertEqual(effects[effect], 1, text_of(results[one["id"]]))
        return counts

    def test_T7a_T7b_T7d_T7g_incU13_an_effect_happens_at_most_once_wherever_it_is_killed(self):
        chance, points, counts = random.Random(SEED), failpoints(), Counter()
        self.server.start(self.env)
        self.prepare()
        self.server.kill()
        for number in range(CYCLES):
            self.one_life(number, chance, points)
        self.server.start(self.env)
        client = self.client()
        effects = Counter((self.work / "effects").read_text().split())
        for session in SESSIONS:
            log = client.events(session)
            self.assertEqual([*log_problems(log), *pair_problems(log)], [], session)
            counts += self.judge(log, effects)
        client.close()
        self.assertEqual(self.server.stop(), 0, self.server.errors())
        self.assertEqual(self.model.problems, [])
        code, said = self.server.check()
        self.assertEqual(code, 0, said)
        self.assertNotIn("Sanitizer", self.server.errors())
        self.assertGreater(counts["turns continued"], CYCLES // 4)
        self.assertGreater(counts["calls done"], CYCLES // 4)
        print(f"{CYCLES} kills, seed {SEED}, {self.model.requests} requests: {dict(counts)}")
