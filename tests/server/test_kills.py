"""Killed at any moment, the server has lost nothing it acknowledged and does nothing twice."""
import json
import os
import random
import re
import time
import unittest
from collections import Counter

from client import Client
from load import Load
from server import ROOT, Server
from verify import log_problems, text_of

CYCLES = int(os.environ.get("PERDURE_CYCLES", "20"))
SEED = os.environ.get("PERDURE_SEED", "1")
SESSIONS = [f"cli:s{number}" for number in range(4)]
QUIET_S = 120
CHECK_EVERY = 10


def failpoints():
    found = set()
    for source in sorted((ROOT / "src").rglob("*.c")):
        found.update(re.findall(r'FAILPOINT\("([^"]+)"\)', source.read_text()))
    return sorted(found - {"migrate.before_commit", "migrate.after_commit"})  # a start's own


class Kills(unittest.TestCase):
    def one_life(self, server, load, chance, points):
        """Starts it, lets it work and ends it: by a failpoint it runs into, or from outside."""
        env = {}
        if chance.random() < 0.5:
            env["PERDURE_FAILPOINTS"] = f"{chance.choice(points)}={chance.randint(1, 60)}:crash"
        server.launch(env)
        if server.await_ready():
            load.port = server.port
            until = time.monotonic() + chance.uniform(0.0, 0.8)
            while time.monotonic() < until and server.is_running():
                time.sleep(0.005)
        load.port = 0
        fell_by_itself = not server.is_running()
        code = server.kill()
        self.assertTrue(code == -9 or fell_by_itself and env, f"it ended with {code}: {server.errors()}")
        return fell_by_itself

    def wake_what_is_held(self, server, client):
        """After three starts in a row that found open turns and saw none succeed, turns wait to be asked
        for; else they go on unasked. How many waited."""
        said = [json.loads(line) for line in server.errors().splitlines() if '"recover.' in line]
        held = [one for one in said[-2:] if one["event"] == "recover.turns_held"]  # by the last start
        if not held:
            return 0
        self.assertGreaterEqual(held[0]["unclean_starts"], 3)
        waiting = [session for session in SESSIONS if client.session(session)["activity"] == "rescheduling"]
        for session in waiting:
            client.ask("POST", f"/v1/sessions/{session}/wake")
        return len(waiting)

    def await_rest(self, client):
        until = time.monotonic() + QUIET_S
        for session in SESSIONS:
            while True:
                done = all(event["processed_at"] for event in client.events(session))
                state = client.session(session)  # after the log: a turn may just have begun
                if done and state["activity"] == "idle":
                    break
                self.assertLess(time.monotonic(), until, f"{session} does not come to rest: {state}")
                time.sleep(0.05)

    def check_writes(self, load, logs):
        stored = {session: Counter(text_of(event) for event in log
                                   if event["type"] in ("system.message", "user.message"))
                  for session, log in logs.items()}
        places = {event["id"]: text_of(event) for log in logs.values() for event in log}
        for write in load.writes:
            times = stored[write.session][write.text]
            self.assertEqual(times, 0 if write.refused else 1,
                             f"{write.text!r} in {write.session} (refused: {write.refused})")
            if write.event_id:
                self.assertEqual(places.get(write.event_id), write.text)

    def test_Q1a_A2d_A10d_M9b_A2_nothing_acknowledged_is_lost_or_done_twice(self):
        chance, points = random.Random(SEED), failpoints()
        with Server() as server:
            server.start()
            client = Client(server.port, server.token())
            for session in SESSIONS:
                client.open_session(session)
            client.close()
            load = Load(SESSIONS, server.token(), SEED)
            server.kill()
            fallen = 0
            for cycle in range(CYCLES):
                fallen += self.one_life(server, load, chance, points)
                if cycle % CHECK_EVERY == 0:
                    code, said = server.check()
                    self.assertEqual(code, 0, said)
            server.start()
            load.port = server.port
            load.finish()  # every writer hears the outcome of what it had open
            for writer in load.writers:
                while writer.open:
                    writer.attempt(client_of(server))
            self.assertEqual(load.problems, [])
            client = client_of(server)
            held = self.wake_what_is_held(server, client)
            self.await_rest(client)
            logs = {session: client.events(session) for session in SESSIONS}
            client.close()
            for session, log in logs.items():
                self.assertEqual(list(log_problems(log)), [], session)
            self.check_writes(load, logs)
            self.assertEqual(server.stop(), 0, server.errors())
            code, said = server.check()
            self.assertEqual(code, 0, said)
            self.assertNotIn("Sanitizer", server.errors())
            self.assertNotIn("runtime error", server.errors())
            acknowledged = sum(1 for write in load.writes if write.event_id)
            print(f"{CYCLES} kills, {fallen} of them at failpoints; {acknowledged} writes "
                  f"acknowledged, {sum(map(len, logs.values()))} events, {held} turns had to be asked for, "
                  f"seed {SEED}")


def client_of(server):
    return Client(server.port, server.token())
