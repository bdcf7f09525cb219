from fixture import CheckCase


def function(name, lines, parameters="void"):
    return f"int\n{name}({parameters})\n{{\n" + "\tstep();\n" * (lines - 3) + "}\n"


class Size(CheckCase):
    check = "tools/check_size"

    def test_limits_are_inclusive(self):
        self.write("src/a.c", function("a_run", 100, "int a, int b, int c, int d, int e, int f"))
        self.write("src/b.h", "/* */\n" * 800)
        self.accepts()

    def test_one_line_over_is_refused(self):
        self.write("src/a.c", function("a_run", 101))
        self.refuses("src/a.c:a_run: 101")

    def test_a_long_file_is_refused(self):
        self.write("tests/a.c", "/* */\n" * 801)
        self.refuses("tests/a.c: 801")

    def test_a_long_script_is_refused(self):
        self.write("tests/a.js", "//\n" * 801)
        self.refuses("tests/a.js: 801")

    def test_what_npm_installed_is_not_ours(self):
        self.write("tests/a/node_modules/b/b.h", "/* */\n" * 801)
        self.accepts()

    def test_a_seventh_parameter_is_refused(self):
        self.write("src/a.c", function("a_run", 9, "int a, int b, int c,\n      int d, int e, int f,"
                                                   " int (*g)(int, int)"))
        self.refuses("7 parameters")

    def test_an_exception_holds_at_its_size(self):
        self.write("src/a.c", "/* */\n" * 900)
        self.write("tools/size_exceptions.txt", "# why\nsrc/a.c 900\n")
        self.accepts()

    def test_an_exception_may_not_grow(self):
        self.write("src/a.c", "/* */\n" * 901)
        self.write("tools/size_exceptions.txt", "src/a.c 900\n")
        self.refuses("may only shrink")

    def test_an_exception_follows_what_shrinks(self):
        self.write("src/a.c", "/* */\n" * 850)
        self.write("tools/size_exceptions.txt", "src/a.c 900\n")
        self.refuses("shrank to 850")

    def test_an_exception_no_longer_needed_is_refused(self):
        self.write("src/a.c", "/* */\n")
        self.write("tools/size_exceptions.txt", "src/a.c 900\n")
        self.refuses("remove it")

    def test_an_exception_for_nothing_is_refused(self):
        self.write("src/a.c", "/* */\n")
        self.write("tools/size_exceptions.txt", "src/gone.c 900\n")
        self.refuses("src/gone.c", "remove it")
