"""server - the program on a free port with a data directory of its own, and what it has stored."""
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("PERDURE_PROGRAM", ROOT / "build" / "perdure")
READY_S = 20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, config=None):
        self.home = Path(tempfile.mkdtemp(prefix="perdure-badinput-"))
        self.data = self.home / "data"
        self.port = free_port()
        command = ["setpriv", "--pdeathsig", "KILL", PROGRAM, "serve", "--data", self.data,
                   "--listen", f"127.0.0.1:{self.port}"]
        if config:
            (self.home / "perdure.yaml").write_text(config)
            command += ["--config", self.home / "perdure.yaml"]
        self.log = open(self.home / "server.log", "wb")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=subprocess.STDOUT)
        try:
            self.await_ready()
        except RuntimeError:
            self.end()
            raise
        self.token = (self.data / "owner.token").read_text().strip()

    def await_ready(self):
        until = time.monotonic() + READY_S
        while time.monotonic() < until and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=1):
                    return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError(f"the server does not answer: {self.said()}")

    def said(self):
        return (self.home / "server.log").read_text(errors="replace")[-3000:]

    def complaints(self):
        """What the sanitizers found."""
        return [line for line in self.said().splitlines() if "Sanitizer" in line or "runtime error" in line]

    def is_alive(self):
        return self.process.poll() is None

    def ask(self, method, path, body=None):
        """A good request; what it answers, as JSON where it is."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method,
                                         headers={"X-Api-Key": self.token})
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read().decode()
            is_json = answer.headers["Content-Type"].startswith("application/json")
        return json.loads(text) if is_json else text

    def stored(self):
        """Rows of every table, less what search and chores keep for themselves."""
        base = sqlite3.connect(f"file:{self.data / 'perdure.db'}?mode=ro", uri=True, timeout=10)
        try:
            tables = [name for (name,) in base.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search%'")]
            counts = {name: base.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
                      for name in sorted(tables)}
        finally:
            base.close()
        counts["session heads"] = [(one["id"], one["head_seq"], one["updated_at"]) for one in
                                   self.ask("GET", "/v1/sessions?include_archived=true&limit=200")["data"]]
        for kind in ("agents", "environments", "users", "workspaces"):
            counts[kind] = self.ask("GET", f"/v1/{kind}?limit=100")["data"]
        return counts

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.home)
