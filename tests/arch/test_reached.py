import json
import shutil
import subprocess

from fixture import CheckCase

MAIN = "int reached(void);\nint\nmain(void)\n{\n\treturn reached();\n}\n"
ASKED = "int\nreached(void)\n{\n\treturn 0;\n}\n\nint\nforgotten(void)\n{\n\treturn 1;\n}\n"


class Reached(CheckCase):
    check = "tests/arch/check_reached"

    def build(self, **sources):
        """A program of these files in build/reach, as tools/build makes it."""
        build = self.tree / "build/reach"
        shutil.rmtree(build, ignore_errors=True)
        build.mkdir(parents=True)
        rows, rules = [], []
        for path, text in {"src/app/main.c": MAIN, **sources}.items():
            self.write(path, text)
            output = path.replace("/", "_") + ".o"
            subprocess.run(["gcc", "-O0", "-w", "-fPIE", "-ffunction-sections", "-fdata-sections", "-c",
                            self.tree / path, "-o", build / output], check=True)
            rows.append({"directory": str(build), "file": f"../../{path}", "output": output})
            rules.append(output)
        (build / "compile_commands.json").write_text(json.dumps(rows))
        (build / "build.ninja").write_text("rule link\n command = gcc -o src/app/perdure\n"
                                           "build src/app/perdure: link\n")

    def test_a_function_nobody_calls_is_refused(self):
        self.build(**{"src/core/policy.c": ASKED})
        self.refuses("src/core/policy.c: the program never reaches forgotten")

    def test_a_listed_one_is_accepted_with_its_part(self):
        self.build(**{"src/core/policy.c": ASKED})
        self.write("tests/arch/unreached.txt", "src/core/policy.c forgotten context\n")
        self.accepts()

    def test_a_listed_one_that_is_reached_is_refused(self):
        self.build(**{"src/core/policy.c": ASKED})
        self.write("tests/arch/unreached.txt",
                   "src/core/policy.c forgotten context\nsrc/core/policy.c reached context\n")
        self.refuses("reached is reached or gone")

    def test_a_row_without_a_known_part_is_refused(self):
        self.build(**{"src/core/policy.c": ASKED})
        self.write("tests/arch/unreached.txt", "src/core/policy.c forgotten someday\n")
        self.refuses("is not FILE FUNCTION PART")

    def test_what_explain_alone_asks_is_not_reached_but_may_be_spelt(self):
        asks = "int forgotten(void), forgotten_name(void);\nint\nexplain(void)\n{\n\treturn forgotten() + forgotten_name();\n}\n"
        calls = MAIN.replace("int reached", "int explain(void), reached").replace("return ", "return explain() + ")
        self.build(**{"src/app/main.c": calls, "src/cli/explain_policy.c": asks,
                      "src/core/policy.c": ASKED + "\nint\nforgotten_name(void)\n{\n\treturn 2;\n}\n"})
        self.refuses("never reaches forgotten:")
        self.assertNotIn("forgotten_name", self.run_check()[1])

    def test_an_unused_table_reaches_nothing(self):
        table = "extern int forgotten(void);\nint (*const TABLE[])(void) = { forgotten };\n"
        self.build(**{"src/core/policy.c": ASKED, "src/core/table.c": table})
        self.refuses("never reaches forgotten")
