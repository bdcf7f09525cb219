"""Five calls in one answer, killed after each of them (SPEC T7): none runs again, none is lost."""
import threading
import time
import unittest
from collections import Counter

from client import Client
from server import Server
from test_tool_kills import TOOLS, Model, new_id, pair_problems
from verify import log_problems

import speech
import grammar

CALLS = 5
AWAIT_S = 30


def batch(task):
    """An answer of five calls, in Anthropic's dialect; their effects come one after the other."""
    yield speech.begun("claude") + speech.event({"type": "content_block_stop", "index": 0})
    for n in range(1, CALLS + 1):
        command = f"sleep {0.15 * n}; echo {task}-{n} >>effects; sleep 0.1"
        block = {"type": "tool_use", "id": new_id(), "name": "bash", "input": {}}
        text = speech.json.dumps({"command": command})
        yield (speech.event({"type": "content_block_start", "index": n, "content_block": block})
               + speech.event({"type": "content_block_delta", "index": n,
                               "delta": {"type": "input_json_delta", "partial_json": text}})
               + speech.event({"type": "content_block_stop", "index": n}))
    yield (speech.event({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}})
           + speech.event({"type": "message_stop"}))


class BatchModel(Model):
    """Asks for a batch, and says what it got. The answer to the results can be held back."""

    def __init__(self):
        self.asked_again, self.goes_on = threading.Event(), threading.Event()
        self.goes_on.set()
        super().__init__()

    def answer(self, dialect, body):
        self.requests += 1
        self.problems += grammar.PROBLEMS[dialect](body)
        said = list(grammar.transcript(dialect, body))
        if not any(kind == "call" for kind, _ in said):
            yield from batch(next(text for kind, text in said if kind == "user"))
            return
        self.asked_again.set()
        self.goes_on.wait(AWAIT_S)
        yield speech.begun(dialect) + speech.said(dialect, "done") + speech.over(dialect)


class Batch(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())
        self.model = BatchModel()
        self.addCleanup(self.model.server_close)
        self.addCleanup(self.model.shutdown)
        self.addCleanup(self.model.goes_on.set)
        self.work = self.server.folder / "work"
        self.work.mkdir()
        self.env = {"MODEL_KEY": "sk-test-0123456789abcdef0123"}
        self.server.configure(self.model.config())
        self.start()
        self.place = self.client.ask("POST", "/v1/environments", {"name": "work", "config": {
            "type": "local", "working_directory": str(self.work),
            "sandbox": {"mode": "workspace", "workspace_access": "rw", "network": "off"}}})
        self.agent = self.client.ask("POST", "/v1/agents", {"name": "b", "model": "claude/claude", "tools": TOOLS})

    def start(self):
        self.server.start(self.env)
        self.client = Client(self.server.port, self.server.token())

    def restart(self):
        self.client.close()
        self.server.kill()
        self.start()

    def await_that(self, what, holds):
        until = time.monotonic() + AWAIT_S
        while not holds():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.01)

    def effects(self):
        path = self.work / "effects"
        return Counter(path.read_text().split() if path.exists() else [])

    def begin(self, task):
        session = f"cli:{task}"
        self.client.ask("POST", "/v1/sessions", {"id": session, "agent": self.agent["id"],
                                                 "environment_id": self.place["id"]})
        self.client.post(session, task)
        return session

    def finish(self, session):
        """Its log, once the turn has come to its end."""
        self.await_that("rest", lambda: self.client.events(session)[-1]["type"] == "session.status_idle")
        log = self.client.events(session)
        self.assertEqual([*log_problems(log), *pair_problems(log)], [])
        return log

    def results(self, log):
        return [one for one in log if one["type"] == "agent.tool_result"]

    def test_T7a_T7d_T7g_incU14_a_batch_that_is_killed_after_each_call_runs_none_again(self):
        for calls in range(1, CALLS + 1):
            task = f"t{calls}"
            session = self.begin(task)
            self.await_that(f"{calls} effects", lambda: sum(
                one.startswith(f"{task}-") for one in self.effects()) >= calls)
            self.restart()
            log = self.finish(session)
            mine = {one: count for one, count in self.effects().items() if one.startswith(f"{task}-")}
            self.assertEqual(set(mine.values()), {1}, mine)
            self.assertGreaterEqual(len(mine), calls)
            self.assertEqual(len(self.results(log)), CALLS, "each call has one result, done or interrupted")
        self.assertEqual(self.model.problems, [])

    def test_T7b_incD22_outcomes_are_durable_before_the_model_is_asked_again(self):
        self.model.goes_on.clear()
        session = self.begin("held")
        self.assertTrue(self.model.asked_again.wait(AWAIT_S))
        self.restart()
        self.model.goes_on.set()
        results = self.results(self.finish(session))
        self.assertEqual([one.get("is_error", False) for one in results], [False] * CALLS)
        self.assertEqual(self.effects(), Counter(f"held-{n}" for n in range(1, CALLS + 1)))


if __name__ == "__main__":
    unittest.main()
