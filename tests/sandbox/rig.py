"""rig - a toolset in a process of its own, a workspace, and things outside that nobody may get at."""
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("PERDURE_BUILD", ROOT / "build" / "dev"))
PROGRAM = BUILD / "src" / "app" / "perdure"
DRIVER = BUILD / "tests" / "sandbox" / "driver"
SECRET = "nobody-may-read-this"
PATIENCE_S = 60


class Driver:
    """The toolset; answers come in any order and wait until they are asked for."""

    def __init__(self, data, env=None, within=()):
        self.process = subprocess.Popen([*within, DRIVER, PROGRAM, data], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env={**os.environ, **(env or {})})
        self.answers, self.busy_answers, self.count = {}, [], 0
        self.changed = threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            with self.changed:
                if "busy" in answer:
                    self.busy_answers.append(answer["busy"])
                else:
                    self.answers[answer["id"]] = answer
                self.changed.notify_all()

    def tell(self, command):
        self.process.stdin.write(json.dumps(command, separators=(",", ":")).encode() + b"\n")
        self.process.stdin.flush()

    def start(self, tool, arguments, **place):
        self.count += 1
        self.tell({"id": str(self.count), "tool": tool, "arguments": arguments, **place})
        return str(self.count)

    def wait(self, call, patience_s=PATIENCE_S):
        with self.changed:
            if not self.changed.wait_for(lambda: call in self.answers, patience_s):
                raise AssertionError(f"no answer to call {call} within {patience_s} s")
            return self.answers.pop(call)

    def busy(self, session):
        self.tell({"busy": session})
        with self.changed:
            self.changed.wait_for(lambda: self.busy_answers, PATIENCE_S)
            return self.busy_answers.pop()

    def close(self):
        """As at the end of the server: everything it started ends too."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        return self.process.wait(PATIENCE_S)


def running(marker):
    """The processes of this machine that have marker on their command line, but for the helpers' own."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if marker.encode() in words:
            found.append(int(entry.name))
    return found


def until(condition, patience_s=10):
    end = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Case(unittest.TestCase):
    """Each has a workspace; beside it lie a secret and the server's data."""
    sandboxed = True

    def setUp(self):
        # Not below /tmp: the private one would hide by itself what is there.
        self.place = Path(tempfile.mkdtemp(prefix="perdure-sandbox-", dir=os.environ.get("PERDURE_OUTSIDE", "/var/tmp")))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        self.work, self.data = self.place / "work", self.place / "data"
        self.work.mkdir()
        self.data.mkdir()
        self.secret = self.place / "secret.txt"
        self.secret.write_text(SECRET + "\n")
        (self.data / "owner.token").write_text(SECRET + "\n")
        self.driver = self.new_driver()
        if self.sandboxed:
            self.check_sandbox()

    def check_sandbox(self):
        """What follows would do harm on the host itself."""
        seen = self.bash("ls /proc | grep -c '^[0-9]'")
        if "cannot isolate" in seen["output"]:
            self.skipTest(seen["output"])
        self.assertSays(seen, "")
        self.assertLess(int(seen["output"]), 12, "there is no sandbox at all: nothing is attempted")

    def new_driver(self, **options):
        driver = Driver(self.data, env={"PERDURE_CANARY": SECRET}, **options)
        self.addCleanup(lambda: driver.process.poll() is None and (driver.process.kill(), driver.process.wait()))
        self.addCleanup(lambda: driver.process.stdin.closed or driver.process.stdin.close())
        self.addCleanup(driver.process.stdout.close)
        return driver

    def tearDown(self):
        if self.driver.process.poll() is None:
            self.assertEqual(self.driver.close(), 0)

    def start(self, tool, arguments, **place):
        return self.driver.start(tool, arguments, **{
            "directory": str(self.work), "access": "rw", "network": False, "sandboxed": self.sandboxed,
            "session": "s", "timeout_ms": 60000, **place})

    def call(self, tool, arguments, **place):
        return self.driver.wait(self.start(tool, arguments, **place))

    def bash(self, command, **place):
        return self.call("bash", {"command": command}, **place)

    def python(self, program, **place):
        """A program inside, as a file of the workspace."""
        (self.work / "attempt.py").write_text(program)
        return self.call("bash", {"command": "/usr/bin/python3 attempt.py"}, **place)

    def background(self, command, **place):
        answer = self.call("bash", {"command": command, "background": True}, **place)
        self.assertEqual(answer["outcome"], "ok", answer["output"])
        return next(word.rstrip(";") for word in answer["output"].split() if word.startswith("proc_"))

    def assertFailed(self, answer):
        self.assertEqual(answer["outcome"], "error", answer["output"])
        self.assertNotIn(SECRET, answer["output"])

    def assertSays(self, answer, text):
        self.assertEqual(answer["outcome"], "ok", answer["output"])
        self.assertIn(text, answer["output"])

    def assertGone(self, marker):
        self.assertTrue(until(lambda: not running(marker)), f"{marker} still runs: {running(marker)}")
