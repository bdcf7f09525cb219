"""server - one `perdure serve` of the test's own: started, asked, killed, stopped."""
import functools
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("PERDURE_PROGRAM", ROOT / "build/dev/src/app/perdure"))
RELEASE = ROOT / "build" / "perdure"  # for what the sanitizers would hide: its memory
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
HOOKS = ("PERDURE_FAILPOINTS", "PERDURE_CLOCK_OFFSET_MS")  # variables that only a test build reads
NEEDS = "this needs a build with test hooks"
READY_S = 30
STOP_S = 30
ADDRESS = re.compile(r"https?://([0-9.]+):(\d+)")


class NeedsHooks(unittest.SkipTest):
    """Raised by a case in a program without test hooks: it is for a test build to play."""


@functools.cache
def has_hooks():
    """Does the program have failpoints and a clock that can be set?"""
    return HOOKS[0].encode() in PROGRAM.read_bytes()


def need_hooks(what):
    if not has_hooks():
        raise NeedsHooks(f"{what}: {NEEDS}")


def environment(extra=None):
    return {**SANITIZERS, **os.environ, **(extra or {})}


def perdure(*arguments, timeout_s=60, env=None, within=(), **options):
    """Runs a command to its end."""
    return subprocess.run([*within, PROGRAM, *map(str, arguments)], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout_s,
                          env=environment(env), **options)


class Server:
    """A data directory of its own, and the process that holds it, if one does."""

    def __init__(self, config=None, program=PROGRAM):
        self.program = program
        self.folder = Path(tempfile.mkdtemp(prefix="perdure-"))
        self.data = self.folder / "data"
        self.config = self.folder / "perdure.yaml"
        self.said = self.folder / "stderr"
        self.process = None
        self.port = 0
        self.greeting = ""
        self.within = []  # what runs the program: it may see the disk otherwise
        self.said.touch()
        self.configure(config or "")

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def configure(self, text):
        self.config.write_text(text)

    def arguments(self):
        # The port stays the same, as it does for everybody's server.
        return ["serve", "--config", self.config, "--data", self.data,
                "--listen", f"127.0.0.1:{self.port}"]

    def launch(self, env=None, **options):
        """Starts it without waiting for anything."""
        for hook in set(env or {}) & set(HOOKS):
            need_hooks(hook)
        with open(self.said, "ab") as said:
            self.process = subprocess.Popen([*self.within, self.program, *map(str, self.arguments())],
                                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=said, env=environment(env), **options)
        self.greeting = ""

    def await_ready(self):
        """True once it says that it serves; False when it ended instead."""
        until = time.monotonic() + READY_S
        while "Talk to it" not in self.greeting:
            left = until - time.monotonic()
            if left <= 0:
                raise AssertionError(f"not ready after {READY_S} s: {self.greeting!r}")
            if not select.select([self.process.stdout], [], [], left)[0]:
                continue
            piece = os.read(self.process.stdout.fileno(), 65536)
            if not piece:
                return False
            self.greeting += piece.decode()
        self.port = int(ADDRESS.search(self.greeting).group(2))
        return True

    def start(self, env=None, **options):
        self.launch(env, **options)
        if not self.await_ready():
            raise AssertionError(f"it does not start: {self.errors()}")

    def make_certificate(self):
        """A self-signed one, and the configuration that uses it."""
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                               "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj",
                               "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / "key.pem", "-out",
                               self.folder / "cert.pem"], capture_output=True, check=False)
        assert made.returncode == 0, made.stderr
        return f"tls:\n  certificate: {self.folder}/cert.pem\n  key: {self.folder}/key.pem\n"

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def anonymous_bytes(self):
        """Memory of its own that is in RAM (RssAnon); nothing to go by under a sanitizer."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no RssAnon")

    def token(self):
        return (self.data / "owner.token").read_text().strip()

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def end(self, timeout_s=STOP_S):
        """Waits for its end; the exit code, negative for a signal."""
        code = self.process.wait(timeout_s)
        self.process.stdout.close()
        self.process = None
        return code

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.end()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.end()

    def errors(self):
        return self.said.read_text(errors="replace")

    def check(self):
        """What `perdure check` says of the data: (exit code, text)."""
        done = perdure("check", "--data", self.data, within=self.within)
        return done.returncode, done.stdout + done.stderr
