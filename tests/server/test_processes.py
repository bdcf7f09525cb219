"""Background processes end with the session they belong to."""
import uuid

from hands import Hands, running, within

GONE_S = 2


class Processes(Hands):
    def setUp(self):
        super().setUp()
        self.begin()

    def start(self, session, command="exec -a {mark} sleep 300"):
        """A background process, and the word on its command line by which it is known."""
        mark = f"m{uuid.uuid4().hex[:12]}"
        said, failed = self.bash(session, command.format(mark=mark), background=True)
        self.assertFalse(failed, said)
        self.assertTrue(within(20, lambda: running(mark)), said)
        return mark

    def assert_gone(self, *marks):
        for mark in marks:
            self.assertTrue(within(GONE_S, lambda: not running(mark)), f"{running(mark)} still run")

    def group(self):
        """A session that everybody of a chat shares."""
        source = {"platform": "telegram", "chat_id": "-1", "chat_type": "group", "user_id": "u1"}
        return self.client.ask("POST", "/v1/sessions/resolve", {"source": source, "agent_id": self.agent})["session"]["id"]

    def test_P6a_T12n_T12t_T12u_T12v_delete_ends_the_sessions_processes(self):
        session, other = self.open(), self.open()
        marks = [self.start(session), self.start(session)]
        stays = self.start(other)
        self.assertEqual(self.client.session(session)["tool_processes"]["background"], 2)
        self.client.ask("DELETE", self.path(session))
        self.assert_gone(*marks)
        self.assertTrue(running(stays))
        self.end()
        self.assertFalse(running(stays))

    def test_T12_archive_ends_the_sessions_processes(self):
        session = self.open()
        mark = self.start(session)
        self.client.ask("POST", self.path(session, "archive"))
        self.assert_gone(mark)
        self.assertEqual(self.client.session(session)["status"], "idle")
        self.end()

    def test_T12_archive_ends_what_left_its_process_group(self):
        tree = "(setsid bash -c '(exec -a {mark} sleep 300) & exec -a {mark} sleep 300' >/dev/null 2>&1 &) ; " \
               "exec -a {mark} sleep 300"
        off = self.environment(working_directory=str(self.server.folder), sandbox={"mode": "off"})
        for environment in ("local-default", off):
            with self.subTest(environment=environment):
                session = self.open(environment_id=environment)
                mark = self.start(session, tree)
                self.assertTrue(within(20, lambda: len(running(mark)) >= 3), running(mark))
                self.client.ask("POST", self.path(session, "archive"))
                self.assert_gone(mark)
        self.end()

    def test_P6_archive_ends_the_processes_of_a_group(self):
        session = self.group()
        mark = self.start(session)
        self.client.ask("POST", self.path(session, "archive"))
        self.assert_gone(mark)
        self.end()
