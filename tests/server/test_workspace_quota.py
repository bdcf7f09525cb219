"""A session's own folder holds so much, and a call that would add to more is told what to do."""
import signal
import time

from hands import Hands, within

LIMIT = "limits: {workspace_bytes: 1 MiB}\n"
FILL = "for i in 1 2 3; do head -c 524288 /dev/urandom >f$i; done; sync; echo filled"


class WorkspaceQuota(Hands):
    config = LIMIT

    def assert_tells(self, said):
        for word in ("1.5 MiB", "1.0 MiB", "limits.workspace_bytes", "delete"):
            self.assertIn(word, said)

    def test_T12_writing_calls_are_refused_above_the_limit(self):
        self.begin()
        session = self.open()
        said, _ = self.bash(session, FILL)
        self.assertIn("filled", said)
        self.assert_tells(said)
        for tool, arguments in (("write", {"file_path": "a", "content": "x"}),
                                ("edit", {"file_path": "f1", "old_string": "a", "new_string": "b"})):
            said, failed = self.call(session, tool, **arguments)
            self.assertTrue(failed, said)
            self.assertIn(f"{tool} was not run", said)
            self.assert_tells(said)
        self.assertFalse(self.call(session, "glob", pattern="*")[1])
        said, failed = self.bash(session, "echo more >>f1")
        self.assertTrue(failed, said)
        self.assert_tells(said)
        said, failed = self.bash(session, "rm f2 f3; ls")
        self.assertEqual((said, failed), ("f1\n", False))
        self.assertFalse(self.call(session, "write", file_path="a", content="x")[1])
        self.end()

    def test_T12_no_file_grows_beyond_the_limit(self):
        self.begin()
        session = self.open()
        said, _ = self.bash(session, "head -c 9000000 /dev/zero >big; stat -c 'big has %s' big")
        self.assertIn("big has 1048576\n", said)
        self.end()

    def test_T12_a_command_that_overfills_is_ended(self):
        self.begin()
        session = self.open()
        began = time.monotonic()
        said, failed = self.bash(session, "while i=$((i+1)); do head -c 200000 /dev/zero >f.$i; sleep 0.05; done", timeout_ms=50000)
        self.assertTrue(failed, said)
        self.assertIn("ended: the workspace holds", said)
        self.assertIn("limits.workspace_bytes", said)
        self.assertLess(time.monotonic() - began, 40)
        self.end()

    def test_T12_a_background_process_that_overfills_is_ended(self):
        self.begin()
        session = self.open()
        self.bash(session, "echo $$; while i=$((i+1)); do head -c 200000 /dev/zero >f.$i; sleep 0.05; done", background=True)
        listed = within(40, lambda: "ended: the workspace" in (text := self.call(session, "process_list")[0]) and text)
        self.assertIn("limits.workspace_bytes", listed or self.call(session, "process_list")[0])
        self.end()

    def test_T12_many_small_files_count(self):
        self.begin()
        session = self.open()
        said, _ = self.bash(session, "for i in {1..300}; do : >e$i; done")
        self.assertIn("limits.workspace_bytes", said)
        self.assertTrue(self.call(session, "write", file_path="a", content="x")[1])
        self.end()

    def test_T12_what_cannot_be_measured_counts_as_full(self):
        self.begin()
        session = self.open()
        deep = "for i in {1..60}; do mkdir {a..a}$(printf %0100d 0) && cd a*; done; true"
        said, _ = self.bash(session, deep)
        self.assertIn("cannot be measured", said)
        self.assertIn("cannot be measured", self.call(session, "write", file_path="a", content="x")[0])
        self.assertFalse(self.bash(session, "rm -rf a*")[1])
        self.assertFalse(self.call(session, "write", file_path="a", content="x")[1])
        self.end()

    def test_T12_a_folder_of_the_operators_is_not_measured(self):
        self.begin()
        work = self.server.folder / "work"
        work.mkdir()
        environment = self.environment(working_directory=str(work), sandbox={"mode": "workspace", "workspace_access": "rw"})
        session = self.open(environment_id=environment)
        self.assertEqual(self.bash(session, FILL), ("filled\n", False))
        self.assertFalse(self.call(session, "write", file_path="a", content="x")[1])
        self.end()

    def test_T12_zero_is_no_limit_and_a_reload_counts(self):
        self.server.configure("limits: {workspace_bytes: 0}\n")
        self.begin()
        session = self.open()
        self.assertEqual(self.bash(session, FILL), ("filled\n", False))
        self.server.configure(LIMIT)
        self.server.process.send_signal(signal.SIGHUP)
        self.assertTrue(within(20, lambda: "serve.reloaded" in self.server.errors()))
        self.assertTrue(self.call(session, "write", file_path="a", content="x")[1])
        self.end()
