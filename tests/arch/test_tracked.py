from fixture import CheckCase


class Tracked(CheckCase):
    check = "tests/arch/check_tracked"

    def test_ordinary_text_is_accepted(self):
        self.write("a.md", "mounted at /workspace, /var/lib/perdure; apt-get install gcc\n")
        self.git()
        self.accepts()

    def test_a_folder_of_one_machine_is_refused(self):
        for path in ("/home" + "/ada/src", "/root" + "/.cache/x", "/Users" + "/ada/src"):
            with self.subTest(path):
                self.write("a.md", f"first\nsee {path}\n")
                self.git()
                self.refuses("a.md:2", "one machine")

    def test_a_registry_host_is_refused(self):
        self.write("a.sh", "curl http://deb." + "debian.org/x\n")
        self.git()
        self.refuses("a.sh:1", "registry")
