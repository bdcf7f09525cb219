"""Killed while bursts arrive in every busy mode: each trigger gets its turn once, in its order."""
import os
import random
import time
import unittest
from collections import Counter
from urllib.parse import quote

from client import Client, Refused
from load import Load, Write, Writer
from order import Queue
from server import Server
from test_kills import failpoints
from test_tool_kills import Model, grammar, speech
from verify import text_of, turn_problems

CYCLES = int(os.environ.get("PERDURE_BUSY_CYCLES", "60"))
SEED = os.environ.get("PERDURE_SEED", "1")
SESSIONS = [f"cli:s{number}" for number in range(32)]
MODES = ("queue", "queue", "steer", "steer", "interrupt", "collect", "collect", "reject", "append",
         "/queue", "/steer")
LINES = ("", "", "wait 0.05\n", "tool process_list {}\n", "wait 0.05\ntool process_list {}\n")
CONFIG = "queue: {quiet_ms: 40 ms}\n"
KEY = {"MODEL_KEY": "sk-test-0123456789abcdef0123"}
LIFE_S = 0.5
QUIET_S = 120
TOOLS = [{"type": "agent_toolset_20260401",
          "default_config": {"enabled": True, "permission_policy": {"type": "always_allow"}}}]


class Reader(Model):
    """Remembers what it was told: {the last line: every line a person wrote}."""

    def __init__(self):
        super().__init__()
        self.read = {}

    def answer(self, dialect, body):
        lines = [line for kind, text in grammar.transcript(dialect, body) if kind == "user"
                 for line in text.splitlines()]
        self.read[lines[-1]] = Counter(lines)
        yield speech.begun(dialect) + speech.said(dialect, "Read.") + speech.over(dialect)


class Input(Write):
    """A message in one of the modes, or a command that is one."""

    def __init__(self, name, session, text, mode):
        super().__init__(name, session, text, True, mode.lstrip("/"))
        self.mode = mode
        self.refusals = (409, 429) if mode == "reject" else (429,)

    def send(self, client):
        if self.mode.startswith("/"):
            self.event_id = client.ask("POST", f"/v1/sessions/{quote(self.session)}/commands", {
                "text": f"{self.mode} {self.text}"}, self.name)["data"]["event_id"]
            return
        how = {"mode": "append"} if self.mode == "append" else {"busy": self.mode}
        self.event_id = client.post(self.session, self.text, key=self.name, **how)["event_id"]


class Burster(Writer):
    """Several messages to one session, then several to another; some are taken back."""
    left = 0

    def next_write(self):
        if self.left == 0:
            self.left = self.random.randint(2, 8)
            self.session = self.random.choice(self.load.sessions)
        self.left -= 1
        self.count += 1
        mode, name = self.random.choice(MODES), f"b{self.number}-{self.count}"
        line = self.random.choice(LINES) if mode not in ("append", "/queue", "/steer") else ""
        return Input(name, self.session, f"{line}say {name}", mode)

    def pause_s(self):
        return self.random.random() * 0.05 if self.left == 0 else 0

    def attempt(self, client):
        super().attempt(client)
        chance = self.random.random()
        try:
            if chance < 0.02:
                client.ask("POST", f"/v1/sessions/{quote(self.session)}/commands", {"text": "/stop"})
            elif chance < 0.06:
                self.take_back(client)
        except (ConnectionError, Refused):
            pass  # its turn has begun, or the server is dead: the log tells

    def take_back(self, client):
        path = f"/v1/sessions/{quote(self.session)}/queue"
        for one in client.ask("GET", path)["data"][-1:]:
            client.ask("DELETE", f"{path}/{one['message_id']}")


class BusyKills(unittest.TestCase):
    def setUp(self):
        self.reader = Reader()
        self.addCleanup(self.reader.server_close)
        self.addCleanup(self.reader.shutdown)
        self.server = self.enterContext(Server(CONFIG + self.reader.config()))
        self.choices = 0

    def client(self):
        return Client(self.server.port, self.server.token())

    def prepare(self):
        client = self.client()
        agent = client.ask("POST", "/v1/agents", {"name": "busy", "model": "demo", "tools": TOOLS})
        for session in SESSIONS:
            client.open_session(session, agent=agent["id"])
        client.close()

    def one_life(self, load, chance, points):
        env = {}
        if chance.random() < 0.4:
            env["PERDURE_FAILPOINTS"] = f"{chance.choice(points)}={chance.randint(1, 200)}:crash"
        self.server.launch({**KEY, **env})
        if self.server.await_ready():
            load.port = self.server.port
            until = time.monotonic() + chance.uniform(0.0, LIFE_S)
            while time.monotonic() < until and self.server.is_running():
                time.sleep(0.005)
        load.port = 0
        self.server.kill()

    def settle(self, load):
        """Every writer hears the outcome of what it had open."""
        load.port = self.server.port
        load.finish()
        client = self.client()
        for writer in load.writers:
            while writer.open:
                writer.attempt(client)
        client.close()
        self.assertEqual(load.problems, [])

    def await_rest(self, client):
        until = time.monotonic() + QUIET_S
        for session in SESSIONS:
            # In this order: what no longer waits runs, or has.
            while client.ask("GET", f"/v1/sessions/{quote(session)}/queue")["data"] or \
                    client.session(session)["activity"] != "idle":
                self.assertLess(time.monotonic(), until, f"{session} does not come to rest")
                time.sleep(0.05)

    def transcript(self, client, session):
        """How often each event stands in it."""
        found, page = Counter(), ""
        while page is not None:
            answer = client.ask("GET", f"/v1/sessions/{quote(session)}/messages?limit=200"
                                + (f"&page={page}" if page else ""))
            found.update(one["id"] for one in answer["data"])
            page = answer["next_page"]
        return found

    def stored_inputs(self, log, writes):
        """{event id: write}: each acknowledged one is there, none twice, none that was refused."""
        texts, stored = {write.text: write for write in writes}, {}
        for event in log:
            if event["type"] == "user.message":
                stored[event["id"]] = texts[text_of(event)]
        times = Counter(stored.values())
        for write in writes:
            self.assertEqual(times[write], 0 if write.refused else 1, f"{write.mode} {write.text!r}")
            if write.event_id:
                self.assertIs(stored.get(write.event_id), write)
        return stored

    def next_context(self, client, session):
        """The lines that a model is told with the next message: how often each."""
        path = f"/v1/sessions/{quote(session)}/commands"
        client.ask("POST", path, {"text": "/model chat/chat"})
        client.post(session, f"the end of {session}", mode="wait")
        return self.reader.read[f"the end of {session}"]

    def judge(self, log, stored, shown, told):
        """What became of each input: {(mode, fate): how many}. shown: ids in the transcript."""
        queue = Queue({name: write.busy for name, write in stored.items() if write.mode != "append"})
        for event in log:
            queue.feed(event)
        self.assertEqual([*queue.problems, *turn_problems(log)], [])
        self.assertEqual([event["seq"] for event in log], list(range(1, len(log) + 1)))
        self.assertEqual([event["seq"] for event in log if not event["processed_at"]], [])
        self.assertEqual(queue.told(queue.pending), [], "these got no turn")
        for name, write in stored.items():
            expected = 0 if queue.fates.get(name) == "cancelled" else 1
            self.assertEqual(shown[name], expected, f"{write.mode} {write.text!r} in the transcript")
            self.assertEqual(told[write.text.splitlines()[-1]], expected,
                             f"{write.mode} {write.text!r} in the next context")
        self.choices += queue.choices
        return Counter((write.busy, queue.fates.get(name, "shown")) for name, write in stored.items())

    def test_Q1a_Q1c_Q3f_Q3h_Q3i_Q3j_Q4a_Q4c_Q3_Q4_every_trigger_gets_one_turn_in_its_order_wherever_it_is_killed(self):
        chance, points, fates = random.Random(SEED), failpoints(), Counter()
        self.server.start(KEY)
        self.prepare()
        load = Load(SESSIONS, self.server.token(), SEED, writers=8, kind=Burster)
        self.server.kill()
        for _ in range(CYCLES):
            self.one_life(load, chance, points)
        self.server.start(KEY)
        self.settle(load)
        client = self.client()
        self.await_rest(client)
        for session in SESSIONS:
            log = client.events(session)
            stored = self.stored_inputs(log, [one for one in load.writes if one.session == session])
            with self.subTest(session):
                fates += self.judge(log, stored, self.transcript(client, session),
                                    self.next_context(client, session))
        client.close()
        self.assertEqual(self.server.stop(), 0, self.server.errors())
        code, said = self.server.check()
        self.assertEqual(code, 0, said)
        self.assertNotIn("Sanitizer", self.server.errors())
        self.assertEqual(self.reader.problems, [])
        for fate in (("queue", "run"), ("interrupt", "run"), ("collect", "shared"),
                     ("steer", "steered"), ("queue", "cancelled"), ("append", "shown")):
            self.assertGreater(fates[fate], 0, f"{fate} never happened")
        triggers = sum(count for (mode, _), count in fates.items() if mode != "append")
        print(f"{CYCLES} kills, seed {SEED}: {triggers} triggers, {fates[('append', 'shown')]} passive "
              f"inputs, {self.choices} choices; { {' '.join(fate): count for fate, count in sorted(fates.items())} }")
