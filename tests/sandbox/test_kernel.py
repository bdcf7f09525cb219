"""The kernel: privileges, namespaces, other processes, devices, settings, terminals, sockets."""
import os
import socket
import threading

from rig import Case

PRELUDE = """
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def attempt(number, *arguments):
    result = libc.syscall(number, *arguments)
    return errno.errorcode.get(ctypes.get_errno(), "?") if result == -1 else "WORKED"
"""
X86_64 = os.uname().machine == "x86_64"


class Kernel(Case):
    def attempts(self, calls):
        """{name: (number, *arguments)} as system calls inside; what became of each."""
        lines = "\n".join(f"print({name!r}, attempt({', '.join(map(str, call))}))" for name, call in calls.items())
        answer = self.python(PRELUDE + lines)
        self.assertEqual(answer["outcome"], "ok", answer["output"])
        return dict(line.split() for line in answer["output"].splitlines())

    def test_T12_no_privilege_and_no_way_to_one(self):
        status = self.bash("cat /proc/self/status")["output"]
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertRegex(status, rf"{name}:\s+0{{16}}\n")
        self.assertRegex(status, r"NoNewPrivs:\s+1\n")
        self.assertRegex(status, r"Seccomp:\s+2\n")

    def test_T12_mount(self):
        self.assertFailed(self.bash("mount -t tmpfs none /tmp"))
        self.assertFailed(self.bash("mount --bind / /tmp"))
        self.assertFailed(self.bash("umount /proc"))
        self.assertFailed(self.bash("mount -o remount,rw /"))

    def test_T12_chroot(self):
        self.assertFailed(self.bash("/usr/sbin/chroot /usr true"))

    def test_T12_new_namespaces(self):
        for kind in ("U", "Ur", "m", "p", "n", "i", "u"):
            self.assertFailed(self.bash(f"unshare -{kind} true"))
        self.assertFailed(self.bash("bwrap --unshare-all --ro-bind /usr /usr true"))
        self.assertFailed(self.bash("nsenter -t 1 -a true"))

    def test_T12_system_calls_that_are_refused(self):
        if not X86_64:
            self.skipTest("the numbers are those of x86-64")
        flags = {"NEWNS": 0x20000, "NEWUSER": 0x10000000, "NEWPID": 0x20000000, "NEWNET": 0x40000000,
                 "NEWIPC": 0x8000000, "NEWUTS": 0x4000000, "NEWCGROUP": 0x2000000}
        found = self.attempts({
            "ptrace": (101, 0, 0, 0, 0), "process_vm_readv": (310, 1, 0, 0, 0, 0, 0), "keyctl": (250, 0, 0, 0),
            "add_key": (248, 0, 0, 0, 0, 0), "bpf": (321, 0, 0, 0), "userfaultfd": (323, 0),
            "io_uring_setup": (425, 1, 0), "perf_event_open": (298, 0, 0, 0, 0, 0), "unshare": (272, 0x10000000),
            "setns": (308, 0, 0), "open_by_handle_at": (304, 0, 0, 0), "kexec_load": (246, 0, 0, 0, 0),
            "init_module": (175, 0, 0, 0), "reboot": (169, 0, 0, 0, 0), "swapon": (167, 0, 0),
            "settimeofday": (164, 0, 0), "fsopen": (430, 0, 0), "move_mount": (429, 0, 0, 0, 0, 0),
            "pidfd_getfd": (438, 0, 0, 0), "personality_is_fine": (135, 0xffffffff),
            **{f"clone_{name}": (56, flag, 0, 0, 0, 0) for name, flag in flags.items()},
        })
        self.assertEqual(found.pop("personality_is_fine"), "WORKED")
        self.assertEqual(set(found.values()), {"EPERM"}, found)

    def test_T12_system_calls_that_do_not_exist(self):
        if not X86_64:
            self.skipTest("the numbers are those of x86-64")
        found = self.attempts({"clone3": (435, 0, 0), "openat2": (437, 0, 0, 0, 0), "x32_ptrace": (0x40000000 + 521, 0, 0, 0, 0)})
        self.assertEqual(set(found.values()), {"ENOSYS"}, found)

    def test_T12_set_user_id(self):
        for command in ("su -c true", "sudo -n true", "/usr/bin/python3 -c 'import os; os.setuid(0)'",
                        "cp /usr/bin/env mine; chmod u+s mine", "cp /usr/bin/env mine; chmod 2755 mine",
                        "cp /usr/bin/env mine; chown 0:0 mine && chmod 4755 mine",
                        "/usr/bin/python3 -c 'import os; os.open(\"own\", os.O_CREAT | os.O_WRONLY, 0o4755)'"):
            self.assertFailed(self.bash(command))
        self.assertFalse([path for path in self.work.iterdir() if path.stat().st_mode & 0o6000])

    def test_T12_device_nodes(self):
        self.assertFailed(self.bash("mknod disk b 8 0"))
        self.assertFailed(self.bash("mknod memory c 1 1"))
        self.assertSays(self.bash("mkfifo pipe && echo fine"), "fine")
        names = self.bash("ls /dev")["output"].split()
        self.assertLessEqual(set(names), {"core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr",
                                          "stdin", "stdout", "tty", "urandom", "zero", "console"})

    def test_T12_words_put_into_a_terminal(self):
        answer = self.python("""
import fcntl, os, pty, termios
for what in (lambda: os.open("/dev/tty", os.O_RDWR), lambda: fcntl.ioctl(pty.openpty()[1], termios.TIOCSTI, b"x"),
             lambda: fcntl.ioctl(pty.openpty()[1], 0x541C, b"x")):
    try:
        what()
        print("WORKED")
    except OSError:
        print("refused")
""")
        self.assertEqual(answer["output"], "refused\n" * 3)


class Signals(Case):
    def assertAlive(self):
        self.assertIsNone(self.driver.process.poll())
        self.assertSays(self.bash("echo still there"), "still there")

    def test_T12_the_server_cannot_be_signalled(self):
        pid = self.driver.process.pid
        self.assertFailed(self.bash(f"kill -9 {pid}"))
        self.assertFailed(self.bash(f"kill -STOP {os.getppid()}"))
        self.assertAlive()

    def test_T12_kill_everybody(self):
        self.bash("kill -9 -1")
        self.bash("kill -9 0")
        self.bash("kill -9 1; kill -STOP 1; kill -TERM 1")
        self.bash("trap '' TERM; kill -TERM -1; kill -HUP -1")
        self.assertAlive()

    def test_T12_numbers_of_the_host_mean_nothing(self):
        answer = self.python("""
import os
found = 0
for pid in range(10, 40000):
    try:
        os.kill(pid, 0)
        found += 1
    except ProcessLookupError:
        pass
print(found)
""")
        self.assertEqual(answer["output"], "0\n")
        self.assertAlive()


class Network(Case):
    CONNECT = """
import socket, sys
s = socket.socket(socket.AF_INET)
s.settimeout(3)
s.connect(("{}", {}))
print(s.recv(100).decode())
"""

    def setUp(self):
        super().setUp()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        self.heard = []
        threading.Thread(target=self.serve, args=(self.listener,), daemon=True).start()

    def serve(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.heard.append(listener)
            connection.sendall(b"hello from outside")
            connection.close()

    def test_T12_loopback_of_the_host(self):
        self.assertFailed(self.python(self.CONNECT.format("127.0.0.1", self.listener.getsockname()[1])))
        self.assertEqual(self.heard, [])

    def test_T12_the_world(self):
        answer = self.python(self.CONNECT.format("192.0.2.1", 80))
        self.assertFailed(answer)
        self.assertIn("unreachable", answer["output"])
        self.assertEqual(self.bash("ls /sys/class/net 2>/dev/null; cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '")["output"], "lo\n")

    def test_T12_a_granted_network_is_there(self):
        answer = self.python(self.CONNECT.format("127.0.0.1", self.listener.getsockname()[1]), network=True)
        self.assertSays(answer, "hello from outside")

    def test_T12_other_kinds_of_sockets(self):
        for network in (False, True):
            answer = self.python("""
import socket
for family, kind in ((socket.AF_VSOCK, socket.SOCK_STREAM), (socket.AF_PACKET, socket.SOCK_RAW), (38, 5),
                     (socket.AF_INET, socket.SOCK_RAW), (socket.AF_BLUETOOTH, socket.SOCK_RAW)):
    try:
        socket.socket(family, kind, 0 if kind != 3 else 1)
        print("WORKED", family)
    except OSError:
        print("refused")
""", network=network)
            self.assertEqual(answer["output"], "refused\n" * 5)

    def test_T12_unix_sockets_of_the_host(self):
        path = self.place / "socket"
        abstract = f"\0perdure-test-{os.getpid()}"
        for name in (str(path), abstract):
            listener = socket.socket(socket.AF_UNIX)
            self.addCleanup(listener.close)
            listener.bind(name)
            listener.listen()
            threading.Thread(target=self.serve, args=(listener,), daemon=True).start()
            self.assertFailed(self.python(f"""
import socket
s = socket.socket(socket.AF_UNIX)
s.connect({name!r})
print(s.recv(100).decode())
"""))
        self.assertEqual(self.heard, [])
