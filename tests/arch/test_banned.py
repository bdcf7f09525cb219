import json

from fixture import ROOT, CheckCase


class Banned(CheckCase):
    check = "tests/arch/check_banned"

    def setUp(self):
        super().setUp()
        self.header = (ROOT / "src/base/banned.h").read_text()
        self.write("src/base/banned.h", self.header)

    def test_the_ban_as_it_is_holds(self):
        self.accepts()

    def test_a_ban_that_vanished_is_refused(self):
        self.write("src/base/banned.h", self.header.replace("#define strcpy(...)", "#define other(...)"))
        self.refuses("strcpy: is no longer banned")

    def test_a_ban_without_effect_is_refused(self):
        self.write("src/base/banned.h", self.header.replace("BANNED(atoi)", "0"))
        self.refuses("atoi: a call compiles")

    def test_lifting_a_ban_is_refused(self):
        self.write("src/core/a.c", "#undef strcpy\n")
        self.refuses("src/core/a.c: lifts the ban on strcpy")

    def test_a_build_without_the_ban_is_refused(self):
        entry = {"file": "a.c", "command": "cc -c a.c"}
        self.write("build/x/compile_commands.json", json.dumps([entry]))
        self.refuses("a.c is compiled without")
