"""scene - scenarios that share one running server: its clock is moved, its configuration reloaded."""
import itertools
import json
import math
import signal
import struct
import time
import unittest
from datetime import datetime, timezone
from urllib.parse import quote

from client import Client, Refused
from server import Server, has_hooks, need_hooks

AWAIT_S = 30
LONG_S = 20 if has_hooks() else 4  # a turn that is under way for so long; see Scene.finish
PEOPLE = itertools.count(5000)


class Clock:
    """A server's clock, in builds with test hooks. Days can pass, or it is just set."""

    def __init__(self, path):
        self.path, self.clock_ms, self.timers_ms = path, 0, 0
        self.write()

    def environment(self):
        return {"PERDURE_CLOCK_FILE": str(self.path)}

    def write(self):
        with open(self.path, "r+b" if self.path.exists() else "wb") as file:
            file.write(struct.pack("=qq", self.clock_ms, self.timers_ms))

    def set(self, text):
        """It is this instant (UTC) now; timers wait as long as before."""
        need_hooks("the clock is set")
        ahead = datetime.fromisoformat(text).replace(tzinfo=timezone.utc) - datetime.now(timezone.utc)
        self.clock_ms = math.ceil(ahead.total_seconds()) * 1000
        self.write()

    def advance(self, **times):
        """This much time passes, for timers too: seconds, minutes, hours, days."""
        need_hooks("time passes")
        units = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
        passed_ms = sum(count * units[unit] * 1000 for unit, count in times.items())
        self.clock_ms += passed_ms
        self.timers_ms += passed_ms
        self.write()


def each(table):
    """Makes a case of every row: (its name, the judge's arguments…)."""
    def mark(judge):
        judge.table = table
        return judge
    return mark


class Scene(unittest.TestCase):
    """The server of a class of cases; whoever comes keeps to a chat of their own."""
    config = ""
    env = {}

    def __init_subclass__(cls):
        for judge in list(vars(cls).values()):
            for name, *row in getattr(judge, "table", ()):
                assert not hasattr(cls, f"test_{name}"), name
                setattr(cls, f"test_{name}", lambda self, judge=judge, row=row: judge(self, *row))

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server(cls.config))
        cls.clock = Clock(cls.server.folder / "clock")
        cls.start()

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.server.process.send_signal(signal.SIGTERM)
        while has_hooks() and cls.server.is_running():  # whatever still waits in there, it is over soon
            cls.clock.advance(minutes=1)
            time.sleep(0.02)
        until = time.monotonic() + 3
        while cls.server.is_running() and time.monotonic() < until:
            time.sleep(0.02)
        if cls.server.is_running():
            cls.server.process.send_signal(signal.SIGTERM)  # it waits for a turn; the second one does not
        code = cls.server.end()
        assert code == 0, cls.server.errors()
        code, said = cls.server.check()
        assert code == 0, said
        assert "Sanitizer" not in cls.server.errors(), cls.server.errors()

    @classmethod
    def start(cls, **env):
        cls.server.start({**cls.clock.environment(), **cls.env, **env})
        cls.client = Client(cls.server.port, cls.server.token())

    @classmethod
    def kill(cls):
        cls.client.close()
        if cls.server.process:
            cls.server.kill()

    @classmethod
    def restart(cls, **env):
        """Killed, and another one."""
        cls.kill()
        cls.start(**env)

    def run(self, result=None):
        """A case that was left in its middle, for want of hooks, may leave a server that is dead or stops."""
        before = len(result.skipped)
        super().run(result)
        if len(result.skipped) > before and not self.serves():
            self.restart()

    def serves(self):
        try:
            return self.client.ask("GET", "/readyz") is not None
        except (Refused, OSError):
            return False

    @classmethod
    def reload(cls, text):
        said = len(cls.server.errors())
        cls.server.configure(text)
        cls.server.process.send_signal(signal.SIGHUP)
        until = time.monotonic() + AWAIT_S
        while "serve.reload" not in (line := cls.server.errors()[said:]):
            assert time.monotonic() < until, "it does not reload"
            time.sleep(0.005)
        assert "serve.reloaded" in line, line

    def await_that(self, question, what):
        until = time.monotonic() + AWAIT_S
        while not (answer := question()):
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.01)
        return answer

    # ---- conversations ----

    def chat(self, **more):
        """A private chat that nobody had before."""
        name = str(next(PEOPLE))
        return {"platform": "telegram", "chat_id": name, "user_id": f"u{name}", **more}

    def resolve(self, source, client=None, **more):
        return (client or self.client).ask("POST", "/v1/sessions/resolve", {"source": source, **more})

    def lane(self, resolved):
        return self.client.ask("GET", f"/v1/lanes/{resolved['lane_id']}")

    def ask_lane(self, resolved, verb, body=None, method="POST"):
        return self.client.ask(method, f"/v1/lanes/{resolved['lane_id']}/{verb}", body)

    def talk(self, source=None, text="say hello"):
        """A conversation in which something was said: (its source, the answer to resolve)."""
        source = source or self.chat()
        resolved = self.resolve(source)
        self.client.post(resolved["session"]["id"], text, mode="wait")
        return source, resolved

    def command(self, session, text):
        return self.client.ask("POST", f"/v1/sessions/{quote(session)}/commands", {"text": text})

    def waiting(self, session):
        return [one["content"][0]["text"] for one in
                self.client.ask("GET", f"/v1/sessions/{quote(session)}/queue")["data"]]

    def await_activity(self, session, *activities):
        return self.await_that(lambda: self.client.session(session)["activity"] in activities,
                               f"{session} becomes {activities}")

    def await_idle(self, session):
        # In this order: what no longer waits runs, or has.
        self.await_that(lambda: not self.waiting(session)
                        and self.client.session(session)["activity"] == "idle", f"{session} comes to rest")

    def finish(self, session):
        """What waits for a while (20 s at most) in a turn has waited, and what waits behind it has run."""
        def over():
            if has_hooks():
                self.clock.advance(seconds=20)  # again and again: the turn may not wait yet
            time.sleep(0.01)
            return not self.waiting(session) and self.client.session(session)["activity"] == "idle"
        self.await_that(over, f"{session} comes to rest")

    def said(self, session):
        return ["".join(part["text"] for part in event["content"])
                for event in self.client.events(session) if event["type"] == "agent.message"]

    def assert_refused(self, status, method, path, body=None, client=None):
        with self.assertRaises(Refused) as refused:
            (client or self.client).ask(method, path, body)
        self.assertEqual(refused.exception.status, status, refused.exception.body)
        return json.loads(refused.exception.body)["error"]
