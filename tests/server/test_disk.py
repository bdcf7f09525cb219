"""A disk that is full or broken: a clear answer, nothing lost, and work goes on afterwards."""
import resource
import signal
import subprocess
import time
import unittest

from client import Client, Refused
from server import Server, perdure
from verify import log_problems, text_of

SMALL_BYTES = 3 * 1024 * 1024
MOUNT = 'mount -t tmpfs -o size="$1" tmpfs "$0" && echo mounted && read line'


class SmallDisk:
    """A file system of a few megabytes that only those see who are let in."""

    def __init__(self, place, size_bytes=SMALL_BYTES):
        place.mkdir(exist_ok=True)
        self.place = place
        self.holder = subprocess.Popen(["unshare", "-rm", "sh", "-c", MOUNT, place, str(size_bytes)],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
        self.usable = self.holder.stdout.readline() == b"mounted\n"
        self.within = ["nsenter", "-t", str(self.holder.pid), "-U", "-m", "--preserve-credentials"]

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.holder.communicate(b"\n")

    def run(self, command):
        return subprocess.run([*self.within, "sh", "-c", command], cwd="/", check=True, text=True,
                              capture_output=True).stdout

    def fill(self):
        self.run(f"dd if=/dev/zero of='{self.place}/ballast' bs=4k 2>/dev/null || true")

    def make_room(self):
        self.run(f"rm -f '{self.place}/ballast'")


def await_rest(case, client, session):
    until = time.monotonic() + 20
    while True:  # idle alone is not enough: a message may still wait for a turn that could not begin
        if client.session(session)["activity"] == "idle" and all(
                event["processed_at"] for event in client.events(session)):
            return
        case.assertLess(time.monotonic(), until)
        time.sleep(0.1)


class Full(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())
        self.disk = self.enterContext(SmallDisk(self.server.data))
        if not self.disk.usable:
            self.skipTest("this machine lets nobody mount a small disk")
        self.server.within = self.disk.within

    def tearDown(self):
        if self.server.is_running():
            self.assertEqual(self.server.stop(), 0, self.server.errors())
            code, said = self.server.check()
            self.assertEqual(code, 0, said)
        self.assertNotIn("Sanitizer", self.server.errors())

    def start(self):
        self.server.start()
        token = self.disk.run(f"cat '{self.server.data}/owner.token'").strip()
        self.client = Client(self.server.port, token)

    def append_until_refused(self, accepted):
        while len(accepted) < 10000:
            text = f"{len(accepted)} " + "x" * 2000
            try:
                self.client.append("cli:a", text)
            except Refused as refusal:
                return text, refusal
            accepted.append(text)
        raise AssertionError("the disk does not fill up")

    def test_S1_a_full_disk_is_said_and_nothing_is_lost(self):
        self.start()
        self.client.open_session("cli:a")
        accepted = []
        for _ in range(3):
            self.disk.fill()
            refused, refusal = self.append_until_refused(accepted)
            self.assertEqual(refusal.status, 507, refusal)
            self.assertIn("this was not written: database or disk is full", refusal.body)
            self.assertEqual(self.client.session("cli:a")["head_seq"], 1 + len(accepted))
            self.disk.make_room()
            self.client.append("cli:a", refused)  # the same server goes on
            accepted.append(refused)
        log = self.client.events("cli:a")
        self.assertEqual([text_of(event) for event in log[1:]], accepted)
        self.assertEqual(list(log_problems(log)), [])

    def test_Q1_a_turn_on_a_full_disk_ends_once_there_is_room(self):
        self.start()
        self.client.open_session("cli:a")
        self.client.post("cli:a", "wait 0.5\nsay " + "word " * 4000)
        self.disk.fill()
        time.sleep(1.5)
        with self.assertRaises(Refused):
            self.append_until_refused([])
            self.client.append("cli:a", "x" * 30000)
        self.disk.make_room()
        await_rest(self, self.client, "cli:a")
        log = self.client.events("cli:a")
        self.assertEqual(list(log_problems(log)), [])
        self.assertTrue(any(text_of(event).startswith("word word") for event in log))

    def test_S1_killed_on_a_full_disk_it_starts_when_there_is_room(self):
        self.start()
        self.client.open_session("cli:a")
        self.client.append("cli:a", "kept")
        self.disk.fill()
        self.append_until_refused([])
        self.client.close()
        self.server.kill()
        self.server.launch()
        if self.server.await_ready():  # reading needs no room
            self.server.kill()
        else:
            self.assertEqual(self.server.end(), 3)
            self.assertRegex(self.server.errors().splitlines()[-1],
                             rf"^perdure serve: .*{self.server.data}.*disk is full")
        self.disk.make_room()
        self.start()
        self.assertEqual(text_of(self.client.events("cli:a")[1]), "kept")

    def test_S1_a_first_start_without_room_says_so(self):
        self.disk.fill()
        done = perdure(*self.server.arguments(), within=self.disk.within)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertRegex(done.stderr, rf"{self.server.data}.*(disk is full|No space left)")
        self.disk.make_room()
        self.start()


class Broken(unittest.TestCase):
    """Writes that fail for another reason: what is durable is in doubt, so it ends by itself."""

    def test_S1_one_failed_batch_fails_alone(self):
        with Server() as server:
            server.start({"PERDURE_FAILPOINTS": "writer.after_begin=30:fail"})
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            refused = 0
            for number in range(60):
                try:
                    client.append("cli:a", str(number), key=f"k{number}")
                except Refused as refusal:
                    refused += 1
                    self.assertEqual(refusal.status, 507)
                    client.append("cli:a", str(number), key=f"k{number}")
            self.assertEqual(refused, 1)
            texts = [text_of(event) for event in client.events("cli:a")]
            self.assertEqual(texts[1:], [str(number) for number in range(60)])
            self.assertEqual(server.stop(), 0, server.errors())

    def test_S1_a_disk_that_refuses_writes_ends_the_server_and_loses_nothing(self):
        def survive_limits():  # a file over its limit fails then, instead of ending the process
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        with Server() as server:
            server.start(preexec_fn=survive_limits)
            client = Client(server.port, server.token())
            client.open_session("cli:a")
            largest = max(path.stat().st_size for path in server.data.iterdir())
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE,
                             (largest, resource.RLIM_INFINITY))
            accepted = []
            with self.assertRaises((Refused, ConnectionError)) as caught:
                for number in range(10000):
                    client.append("cli:a", f"{number} " + "x" * 2000, key=str(number))
                    accepted.append(str(number))
            if isinstance(caught.exception, Refused):
                self.assertEqual(caught.exception.status, 503)
                self.assertRegex(caught.exception.body, "repeat it with the same key|stopped writing for good")
            self.assertEqual(server.end(), 3)
            self.assertRegex(server.errors().splitlines()[-1], r"^perdure serve: the store has stopped "
                             r"writing for good; what it acknowledged is kept\. Check the disk and restart")
            server.start()
            client = Client(server.port, server.token())
            client.append("cli:a", f"{len(accepted)} " + "x" * 2000, key=str(len(accepted)))
            log = client.events("cli:a")
            self.assertEqual([text_of(event).split()[0] for event in log[1:]],
                             [*accepted, str(len(accepted))])
            self.assertEqual(server.stop(), 0, server.errors())
            code, said = server.check()
            self.assertEqual(code, 0, said)
