"""Files: links, .., absolute paths, /proc, hard links, the server's data, what may be written."""
import os
import threading

from rig import SECRET, Case


class Paths(Case):
    """The file tools against everything a path can be."""

    def test_T12_read_through_a_link(self):
        (self.work / "link").symlink_to(self.secret)
        self.assertFailed(self.call("read", {"file_path": "link"}))

    def test_T12_read_through_a_relative_link(self):
        (self.work / "link").symlink_to("../secret.txt")
        self.assertFailed(self.call("read", {"file_path": "link"}))

    def test_T12_read_through_a_linked_folder(self):
        (self.work / "folder").symlink_to(self.place)
        self.assertFailed(self.call("read", {"file_path": "folder/secret.txt"}))

    def test_T12_read_dot_dot(self):
        (self.work / "folder").mkdir()
        self.assertFailed(self.call("read", {"file_path": "../secret.txt"}))
        self.assertFailed(self.call("read", {"file_path": "folder/../../secret.txt"}))
        self.assertFailed(self.call("read", {"file_path": f"{self.work}/../secret.txt"}))

    def test_T12_read_an_absolute_path(self):
        self.assertFailed(self.call("read", {"file_path": str(self.secret)}))
        self.assertFailed(self.call("read", {"file_path": "/etc/passwd"}))
        self.assertFailed(self.call("read", {"file_path": f"{self.work}x/../secret.txt"}))

    def test_T12_read_through_proc(self):
        (self.work / "root").symlink_to("/proc/self/root")
        (self.work / "cwd").symlink_to("/proc/self/cwd/..")
        for path in (f"root{self.secret}", "cwd/secret.txt", "/proc/self/environ", "/proc/1/environ"):
            self.assertFailed(self.call("read", {"file_path": path}))

    def test_T12_links_that_stay_inside_are_followed(self):
        (self.work / "a.txt").write_text("inside\n")
        (self.work / "link").symlink_to("a.txt")
        self.assertSays(self.call("read", {"file_path": "link"}), "inside")
        self.assertSays(self.call("read", {"file_path": f"{self.work}/a.txt"}), "inside")

    def test_T12_write_through_links_and_dot_dot(self):
        (self.work / "link").symlink_to(self.secret)
        (self.work / "folder").symlink_to(self.place)
        for path in ("folder/secret.txt", "folder/new.txt", "../secret.txt", str(self.secret),
                     f"{self.place}/new.txt"):
            self.assertFailed(self.call("write", {"file_path": path, "content": "mine"}))
        self.call("write", {"file_path": "link", "content": "mine"})
        self.assertEqual(self.secret.read_text(), SECRET + "\n")
        self.assertFalse((self.place / "new.txt").exists())

    def test_T12_edit_through_a_link(self):
        (self.work / "link").symlink_to(self.secret)
        self.assertFailed(self.call("edit", {"file_path": "link", "old_string": "nobody", "new_string": "I"}))
        self.assertEqual(self.secret.read_text(), SECRET + "\n")

    def test_T12_write_leaves_a_hard_link_to_the_outside_alone(self):
        os.link(self.secret, self.work / "hard")
        self.assertSays(self.call("write", {"file_path": "hard", "content": "mine"}), "Replaced")
        self.assertEqual(self.secret.read_text(), SECRET + "\n")

    def test_T12_glob_and_grep_do_not_follow_links_out(self):
        (self.work / "folder").symlink_to(self.place)
        (self.work / "link").symlink_to(self.secret)
        (self.work / "own.txt").write_text("nobody\n")
        self.assertEqual(self.call("glob", {"pattern": "**/*.txt"})["output"], "own.txt\n")
        self.assertEqual(self.call("grep", {"pattern": "nobody"})["output"], "own.txt:1:nobody\n")
        self.assertFailed(self.call("glob", {"pattern": "*", "path": ".."}))
        self.assertFailed(self.call("grep", {"pattern": "nobody", "path": "folder"}))
        self.assertFailed(self.call("grep", {"pattern": "nobody", "path": "link"}))

    def test_T12_grep_knows_characters_in_there_too(self):
        (self.work / "words").write_text("café\n", encoding="utf-8")
        self.assertEqual(self.call("grep", {"pattern": "caf.$"})["output"], "words:1:café\n")

    def test_T12_a_pipe_does_not_hang_a_reader(self):
        os.mkfifo(self.work / "pipe")
        self.assertFailed(self.call("read", {"file_path": "pipe"}))
        self.assertSays(self.call("grep", {"pattern": "x"}), "nothing matches")

    def test_T12_a_folder_that_is_swapped_while_it_is_read(self):
        (self.work / "real").mkdir()
        (self.work / "real" / "secret.txt").write_text("harmless\n")
        (self.work / "evil").symlink_to(self.place)
        stop = threading.Event()

        def swap():
            while not stop.is_set():
                for name in ("real", "evil"):
                    os.symlink(name, self.work / "next")
                    os.replace(self.work / "next", self.work / "turn")

        thread = threading.Thread(target=swap)
        thread.start()
        calls = [self.start("read", {"file_path": "turn/secret.txt"}) for _ in range(20)]
        answers = [self.driver.wait(call)["output"] for call in calls]
        stop.set()
        thread.join()
        self.assertFalse([answer for answer in answers if SECRET in answer])


class PathsWithoutSandbox(Paths):
    """The same with the environment's sandbox mode off: there the file tools are on their own."""
    sandboxed = False


class View(Case):
    """What a shell sees of the machine."""

    def test_T12_nothing_beside_the_workspace(self):
        self.assertFailed(self.bash(f"cat {self.secret}"))
        self.assertFailed(self.bash("cat ../secret.txt"))
        self.assertEqual(self.bash(f"ls -A {self.place}")["output"], "work\n")

    def test_T12_links_and_hard_links_out(self):
        (self.work / "link").symlink_to(self.secret)
        self.assertFailed(self.bash("cat link"))
        self.assertFailed(self.bash(f"ln {self.secret} hard"))
        self.assertFailed(self.bash("ln /usr/bin/env hard"))

    def test_T12_proc_leads_nowhere(self):
        for path in ("/proc/1/root", "/proc/self/root", "/proc/1/cwd/..", "/proc/2/root",
                     "/proc/self/task/*/root"):
            self.assertFailed(self.bash(f"cat {path}{self.secret}"))
        self.assertNotIn(SECRET, self.bash("cat /proc/1/cwd/../secret.txt; cat /proc/*/cwd/../secret.txt")["output"])

    def test_T12_no_descriptor_leads_out(self):
        answer = self.bash("for f in /proc/self/fd/* /proc/$$/fd/* /proc/1/fd/*; do readlink $f; done | sort -u; true")
        for line in answer["output"].splitlines():
            self.assertRegex(line, r"^(/dev/null|pipe:\[\d+\]|/proc/\d+/fd|/memfd:job \(deleted\)|socket:\[\d+\]|anon_inode:.*)$")
        self.assertFailed(self.bash(f"cat /proc/1/fd/*/secret.txt /proc/self/fd/*{self.secret}"))

    def test_T12_no_variable_of_the_server(self):
        answer = self.bash("env; cat /proc/*/environ | tr '\\0' '\\n'")
        self.assertNotIn(SECRET, answer["output"])
        names = {line.split("=")[0] for line in self.bash("env -0 | tr '\\0' '\\n'")["output"].splitlines()}
        self.assertLessEqual(names, {"PATH", "HOME", "LANG", "PWD", "SHLVL", "_", "OLDPWD"})

    def test_T12_no_process_of_the_host(self):
        numbers = self.bash("ls /proc | grep -E '^[0-9]+$'")["output"].split()
        self.assertLess(len(numbers), 8)
        self.assertNotIn(str(self.driver.process.pid), self.bash("ps -e -o pid= 2>/dev/null; true")["output"].split())

    def test_T12_home_and_system_secrets_are_not_there(self):
        for path in ("/root", "/home", "/etc/shadow", "/etc/ssh", "/etc/ssl/private", "/var/lib", "/sys",
                     "/boot", "/srv", "/opt", "/mnt"):
            self.assertFailed(self.bash(f"ls {path}"))

    def test_T12_the_system_cannot_be_written(self):
        for path in ("/usr/bin/x", "/etc/x", "/etc/passwd", "/x", "/dev/x", "/run/x", "/run/perdure",
                     "/var/x", "/proc/self/comm"):
            self.assertFailed(self.bash(f"echo x >> {path}"))

    def test_T12_kernel_settings_cannot_be_written(self):
        with open("/proc/sys/vm/swappiness") as before:
            value = before.read()
        self.assertFailed(self.bash(f"echo {value.strip()} > /proc/sys/vm/swappiness"))
        self.assertFailed(self.bash(": >> /proc/sys/kernel/core_pattern"))
        self.assertFailed(self.bash("echo h > /proc/sysrq-trigger"))

    def test_T12_what_it_does_stays_in_the_workspace(self):
        self.assertSays(self.bash("echo hi > a.txt; mkdir -p b; echo ho > b/c.txt; echo x > /tmp/only-here; cat a.txt"), "hi")
        self.assertEqual((self.work / "b" / "c.txt").read_text(), "ho\n")
        self.assertFalse(os.path.exists("/tmp/only-here"))
        self.assertFailed(self.bash("cat /tmp/only-here"))


class Data(Case):
    """The server's own data directory, also where the workspace holds it."""

    def setUp(self):
        super().setUp()
        self.inner = self.work / "data"
        self.inner.mkdir()
        (self.inner / "owner.token").write_text(SECRET + "\n")
        self.driver.close()
        self.data = self.inner
        self.driver = self.new_driver()

    def test_T12_owner_token_is_not_readable(self):
        self.assertFailed(self.bash("cat data/owner.token"))
        self.assertNotIn(SECRET, self.bash("find . -type f | xargs cat; grep -r nobody .; true")["output"])
        self.assertFailed(self.call("read", {"file_path": "data/owner.token"}))
        self.assertFailed(self.call("read", {"file_path": f"{self.inner}/owner.token"}))

    def test_T12_owner_token_is_not_writable(self):
        self.assertFailed(self.bash("echo mine > data/owner.token"))
        self.assertFailed(self.call("write", {"file_path": "data/owner.token", "content": "mine"}))
        self.assertFailed(self.call("write", {"file_path": "data/new", "content": "mine"}))
        self.bash("mv data elsewhere; rm -rf data")
        self.assertEqual((self.inner / "owner.token").read_text(), SECRET + "\n")

    def test_T12_the_data_is_not_found(self):
        self.assertNotIn("owner", self.call("glob", {"pattern": "**/*"})["output"])
        self.assertNotIn(SECRET, self.call("grep", {"pattern": "may"})["output"])

    def test_T12_the_data_is_no_working_directory(self):
        self.assertFailed(self.bash("cat owner.token", directory=str(self.inner)))
        self.assertFailed(self.call("read", {"file_path": "owner.token"}, directory=str(self.inner)))

    def test_T12_a_folder_below_the_data_is_one(self):
        folder = self.inner / "sessions" / "one"
        folder.mkdir(parents=True)
        self.assertSays(self.bash("echo hi > a; cat a; ls -A ../..", directory=str(folder)), "hi\nsessions\n")
        self.assertSays(self.call("read", {"file_path": "a"}, directory=str(folder)), "hi")
        self.assertFailed(self.bash("cat ../../owner.token", directory=str(folder)))


class DeepCase(Case):
    """The data some levels below the workspace, as in a home."""
    levels = (".local", "state", "perdure")

    def setUp(self):
        super().setUp()
        self.driver.close()
        self.data = self.work.joinpath(*self.levels)
        self.data.mkdir(parents=True)
        (self.data / "owner.token").write_text(SECRET + "\n")
        self.driver = self.new_driver()
        self.ancestors = [path for path in self.data.parents if self.work in path.parents]

    def assertKept(self):
        self.assertEqual((self.data / "owner.token").read_text(), SECRET + "\n")
        for find in ("find . -type f | xargs -r cat", "grep -rs nobody ."):
            self.assertNotIn(SECRET, self.bash(f"{find}; true")["output"])


class DeepData(DeepCase):
    """No folder on the way to the data gives way."""

    def test_T12_no_folder_above_the_data_is_renamed(self):
        for access in ("rw", "ro"):
            for path in (self.data, *self.ancestors):
                self.assertFailed(self.bash(f"mv -T {path} {self.work}/x", access=access))
                self.assertKept()

    def test_T12_no_decoy_takes_the_place_of_the_data(self):
        self.bash(f"mv {self.levels[0]} x; mkdir -p {self.data}")
        self.assertKept()
        self.assertFailed(self.bash(f"cat x/{'/'.join(self.levels[1:])}/owner.token"))

    def test_T12_no_folder_is_exchanged_for_one_above_the_data(self):
        self.assertSays(self.bash("mkdir other"), "")
        for path in self.ancestors:
            self.assertFailed(self.python(
                "import ctypes, os, sys\n"
                "libc = ctypes.CDLL(None, use_errno=True)\n"
                f"rc = libc.renameat2(-100, b'{path}', -100, b'{self.work}/other', 2)\n"
                "sys.exit(os.strerror(ctypes.get_errno()) if rc else 0)\n"))
            self.assertKept()

    def test_T12_no_folder_above_the_data_is_removed(self):
        for path in self.ancestors:
            self.assertFailed(self.bash(f"rm -rf {path}"))
            self.assertKept()

    def test_T12_what_lies_beside_the_data_is_still_a_place_to_work(self):
        for folder in self.ancestors:
            self.assertSays(self.bash(f"cd {folder} && echo hi > a && mv a b && mkdir c && mv b c/b && cat c/b"), "hi")
            self.assertEqual((folder / "c" / "b").read_text(), "hi\n")
            self.assertSays(self.call("write", {"file_path": f"{folder}/new", "content": "ho"}), "")
            self.assertSays(self.bash(f"mv {folder}/new {self.work}/new && cat new"), "ho")

    def test_T12_data_that_is_gone_stops_every_call(self):
        self.data.rename(self.work / "moved")
        for answer in (self.bash("cat moved/owner.token"), self.call("read", {"file_path": "moved/owner.token"}),
                       self.call("read", {"file_path": "moved/owner.token"}, sandboxed=False)):
            self.assertFailed(answer)
            self.assertIn(str(self.data), answer["output"])


class DeepDataTwoLevels(DeepData):
    """With one folder between."""
    levels = ("state", "perdure")


class DeepDataByALink(DeepCase):
    """The server was given its data by a link that lies in the workspace; who turns it gains nothing."""

    def setUp(self):
        super().setUp()
        self.driver.close()
        (self.work / "link").symlink_to(self.levels[0])
        kept, self.data = self.data, self.work.joinpath("link", *self.levels[1:])
        self.driver, self.data = self.new_driver(), kept

    def test_T12_the_link_is_turned(self):
        self.assertSays(self.bash(f"mkdir -p decoy/{'/'.join(self.levels[1:])} && ln -sfn decoy link"), "")
        self.assertKept()


class DataWithoutSandbox(Case):
    """With the sandbox off a shell is the server's equal; the file tools still keep away."""
    sandboxed = False

    def test_T12_file_tools_do_not_see_the_data(self):
        self.assertFailed(self.call("read", {"file_path": "data/owner.token"}, directory=str(self.place)))
        self.assertFailed(self.call("write", {"file_path": "data/x", "content": ""}, directory=str(self.place)))
        self.assertNotIn("owner", self.call("glob", {"pattern": "**/*"}, directory=str(self.place))["output"])
        self.assertNotIn("owner", self.call("grep", {"pattern": "nobody"}, directory=str(self.place))["output"])


class Access(Case):
    """workspace_access ro and none."""

    def setUp(self):
        super().setUp()
        (self.work / "a.txt").write_text("old\n")

    def test_T12_read_only_cannot_be_written(self):
        self.assertSays(self.bash("cat a.txt", access="ro"), "old")
        for command in ("echo x > a.txt", "echo x > new", "rm a.txt", "mv a.txt b", "chmod 777 a.txt", "mkdir d",
                        "ln a.txt b", "touch a.txt"):
            self.assertFailed(self.bash(command, access="ro"))
        self.assertFailed(self.call("write", {"file_path": "a.txt", "content": "x"}, access="ro"))
        self.assertFailed(self.call("write", {"file_path": "d/new", "content": "x"}, access="ro"))
        self.assertFailed(self.call("edit", {"file_path": "a.txt", "old_string": "old", "new_string": "x"}, access="ro"))
        self.assertEqual([(path.name, path.read_text()) for path in self.work.iterdir()], [("a.txt", "old\n")])

    def test_T12_none_sees_an_empty_place(self):
        self.assertEqual(self.bash("ls -A; pwd", access="none")["output"], f"{self.work}\n")
        self.assertFailed(self.call("read", {"file_path": "a.txt"}, access="none"))
        self.assertSays(self.bash("echo x > b && cat b", access="none"), "x")
        self.call("write", {"file_path": "c", "content": "x"}, access="none")
        self.assertEqual([path.name for path in self.work.iterdir()], ["a.txt"])

    def test_T12_places_that_would_show_the_host_are_refused(self):
        for directory in ("/", "/proc", "/proc/sys", "/dev", "/sys/fs", "/nowhere/at/all"):
            self.assertFailed(self.bash("true", directory=directory))
