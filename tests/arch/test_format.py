from fixture import ROOT, CheckCase


class Format(CheckCase):
    check = "tests/arch/check_format"

    def setUp(self):
        super().setUp()
        self.write(".clang-format", (ROOT / ".clang-format").read_text())

    def test_the_form_is_accepted(self):
        self.write("a.c", "int\nmain(void)\n{\n\treturn 0;\n}\n")
        self.git()
        self.accepts()

    def test_another_form_is_refused(self):
        self.write("a.c", "int main(void) { return 0; }\n")
        self.git()
        self.refuses("a.c", "make format")
