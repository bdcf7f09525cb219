"""What whoever started the server had open is not handed on to what the server starts."""
import os

from hands import Hands, within
from server import perdure

SECRET = "nobody-may-read-this"
LIST = "ls -l /proc/self/fd; cat /proc/self/fd/[3-9]* 2>/dev/null; true"


class Descriptors(Hands):
    def setUp(self):
        super().setUp()
        secret = self.server.folder / "secret"
        secret.write_text(SECRET)
        self.fds = [os.open(secret, os.O_RDONLY) for _ in range(3)]
        self.addCleanup(lambda: [os.close(fd) for fd in self.fds])

    def assert_clean(self, listing):
        self.assertIn("->", listing)
        self.assertNotIn(SECRET, listing)
        self.assertNotIn("secret", listing)
        numbers = {int(line.split("->")[0].split()[-1]) for line in listing.splitlines() if "->" in line}
        # 3 is the folder that ls reads.
        self.assertLessEqual(numbers, {0, 1, 2, 3}, listing)

    def test_T12_a_tool_has_no_descriptor_of_the_servers(self):
        self.begin(pass_fds=self.fds)
        self.assert_clean(self.bash(self.open(), LIST)[0])
        off = self.environment(working_directory=str(self.server.folder), sandbox={"mode": "off"})
        self.assert_clean(self.bash(self.open(environment_id=off), LIST)[0])
        self.bash(self.open(), f"({LIST}) >fds 2>&1; sleep 60", background=True)
        self.assert_clean(within(20, lambda: self.background_says()))
        self.end()

    def background_says(self):
        """What the background process has written, once it is whole."""
        found = [file.read_text() for file in self.server.data.rglob("workspace/fds")]
        return found and found[0].count("->") >= 4 and found[0]

    def test_H4_a_hook_has_no_descriptor_of_the_servers(self):
        heard = self.server.folder / "heard"
        self.server.configure("hooks:\n  - {event: session_create, command: [/bin/sh, -c, "
                              f"'({LIST}) >{heard}.new; mv {heard}.new {heard}']}}\n")
        self.begin(pass_fds=self.fds)
        self.open()
        self.assertTrue(within(30, heard.exists))
        self.assert_clean(heard.read_text())
        self.end()

    def test_M2_an_mcp_server_has_no_descriptor_of_the_servers(self):
        for mode in ("workspace", "off"):
            with self.subTest(mode=mode):
                place = self.server.folder / mode
                place.mkdir()
                if not self.server.is_running():
                    self.begin(pass_fds=self.fds)
                environment = self.environment(
                    working_directory=str(place), sandbox={"mode": mode, "workspace_access": "rw"},
                    mcp_servers=[{"type": "stdio", "name": "nosy", "command": "/bin/sh", "args": [
                        "-c", f"({LIST}) >fds.new; mv fds.new fds"]}])
                session = self.client.ask("POST", "/v1/sessions", {"environment_id": environment, "agent": {
                    "type": "agent_with_overrides", "id": self.agent,
                    "tools": [{"type": "mcp_toolset", "mcp_server_name": "nosy"}]}})["id"]
                self.client.post(session, "say hello")
                self.assertTrue(within(30, (place / "fds").exists), self.server.errors())
                self.assert_clean((place / "fds").read_text())
        self.end()

    def test_M2_a_probe_of_doctor_has_no_descriptor(self):
        """doctor starts bubblewrap: here one that tells what it was given."""
        heard = self.server.folder / "heard"
        bwrap = self.server.folder / "bin" / "bwrap"
        bwrap.parent.mkdir()
        bwrap.write_text(f"#!/bin/sh\n({LIST}) >{heard}\n")
        bwrap.chmod(0o755)
        perdure("doctor", "--data", self.server.data, pass_fds=self.fds,
                env={"PATH": f"{bwrap.parent}:{os.environ['PATH']}"})
        self.assert_clean(heard.read_text())
