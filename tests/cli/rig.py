"""rig - a server with a folder of its own, the program as a client of it, and terminals to run it in."""
import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
WAIT_S = 20
CASES = []


class Failure(Exception):
    pass


def check(good, what):
    if not good:
        raise Failure(what)


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


class Terminal:
    """A program in a pseudo-terminal: type, and expect what comes."""

    def __init__(self, command, env, cwd, columns):
        self.seen, self.at, self.code = "", 0, None
        self.bytes = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.execve(command[0], command, env)

    def read(self, seconds):
        """False: nothing more will come."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.fd, 65536)
        except OSError:
            return False
        self.bytes += piece
        self.seen = self.bytes.decode(errors="ignore")
        return bool(piece)

    def expect(self, text):
        end = time.monotonic() + WAIT_S
        while True:
            found = self.seen.find(text, self.at)
            if found >= 0:
                self.at = found + len(text)
                return
            check(time.monotonic() < end and self.read(0.1), f"no {text!r} in {self.seen[self.at:]!r}")

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait(self):
        """The exit code; negative: the signal."""
        end = time.monotonic() + WAIT_S
        while self.code is None and time.monotonic() < end:
            more = self.read(0.05)
            pid, status = os.waitpid(self.pid, 0 if not more else os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        while self.code is not None and select.select([self.fd], [], [], 0)[0] and self.read(0):
            pass
        check(self.code is not None, f"it does not end: {self.seen!r}")
        return self.code

    def close(self):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


class Rig:
    def __init__(self, program):
        self.program = str(program)
        self.folder = tempfile.TemporaryDirectory(prefix="perdure-cli-")
        self.home = Path(self.folder.name)
        self.url, self.server = None, None
        self.start()

    def start(self):
        address = self.url.removeprefix("http://") if self.url else "127.0.0.1:0"
        self.server = subprocess.Popen(
            [self.program, "serve", "--data", str(self.home / "data"), "--listen", address],
            stdout=subprocess.PIPE, stderr=open(self.home / "serve.log", "a"), text=True,
            env=self.env(server=False), cwd=self.home)
        for line in self.server.stdout:
            if line.strip().startswith("http://"):
                self.url = line.strip()
            if "Talk to it" in line:
                return
        raise Failure("the server does not start: " + (self.home / "serve.log").read_text()[-2000:])

    def kill(self):
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()

    def close(self):
        self.server.terminate()
        try:
            self.server.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        self.server.stdout.close()
        self.folder.cleanup()

    def env(self, server=True, **more):
        own = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TERM": "xterm", "LANG": "C.UTF-8",
               "XDG_STATE_HOME": str(self.home / "state"), "PERDURE_DATA": str(self.home / "data")}
        own |= {name: os.environ[name] for name in ("ASAN_OPTIONS", "PERDURE_IGNORE") if name in os.environ}
        if server:
            own["PERDURE_SERVER"] = self.url
        return {**own, **more}

    def run(self, *arguments, stdin="", env=None, cwd=None):
        return subprocess.run([self.program, *arguments], input=stdin, text=True, capture_output=True,
                              env=self.env(**(env or {})), cwd=cwd or self.home, timeout=WAIT_S * 3)

    def api(self, method, path, body):
        """What the command line has no words for; the answer."""
        token = (self.home / "data/owner.token").read_text().strip()
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), method=method, headers={
            "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
            return json.load(answer)

    def ok(self, *arguments, **more):
        done = self.run(*arguments, **more)
        check(done.returncode == 0, f"{arguments}: exit {done.returncode}: {done.stderr}")
        return done.stdout

    def shell(self, script):
        return subprocess.run(["bash", "-c", script], text=True, capture_output=True, env=self.env(),
                              cwd=self.home, timeout=WAIT_S)

    @contextlib.contextmanager
    def background(self, *arguments):
        running = subprocess.Popen([self.program, *arguments], text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.env(),
                                   cwd=self.home)
        try:
            yield running
        finally:
            running.kill()
            running.wait()
            running.stdout.close()

    @contextlib.contextmanager
    def terminal(self, *arguments, columns=80, env=None):
        terminal = Terminal([self.program, *arguments], self.env(**(env or {})), self.home, columns)
        try:
            yield terminal
        finally:
            terminal.close()

    def until(self, good):
        end = time.monotonic() + WAIT_S
        while not good():
            check(time.monotonic() < end, "it does not happen")
            time.sleep(0.02)
