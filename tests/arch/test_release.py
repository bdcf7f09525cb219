import subprocess

from fixture import CheckCase

HOOKS = "int failpoint_hit(void){return 1;} int failpoint_test_reload(void){return 1;}\n" \
        "int clock_test_set_ms(void){return 1;} int clock_test_passed_ms(void){return 1;}\n" \
        "int ignored_is(void){return 1;}\n"
# Enough for every protection to leave its trace: a buffer on the stack, a checked print.
PROGRAM = "#include <stdio.h>\n#include <string.h>\nint main(int n, char **v)\n{ char b[64];" \
          " memset(b, n, sizeof b); snprintf(b, (size_t)n, v[0]); printf(b); return b[1]; }\n"
HARD = ["-O2", "-fPIE", "-pie", "-Wl,-z,relro,-z,now", "-fstack-protector-strong",
        "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3", "-w"]


class Release(CheckCase):
    check = "tests/arch/check_release"

    def setUp(self):
        super().setUp()
        for kind in ("release", "clang"):
            self.program(kind, HARD)
            self.library(kind, "int other;\n")
        self.library("dev", HOOKS)

    def gcc(self, text, *arguments):
        subprocess.run(["gcc", "-x", "c", "-", *arguments], input=text, text=True, check=True)

    def program(self, kind, flags, text=PROGRAM):
        out = self.write(f"build/{kind}/src/app/perdure")
        self.gcc(text, *flags, "-o", out)

    def library(self, kind, text):
        archive = self.write(f"build/{kind}/src/base/libbase.a")
        archive.unlink()
        member = self.tree / f"{kind}.o"
        self.gcc(text, "-c", "-o", member)
        subprocess.run(["ar", "rc", archive, member], check=True)

    def test_a_hardened_build_without_hooks_is_accepted(self):
        self.accepts()

    def test_a_hook_in_a_release_library_is_refused(self):
        self.library("release", HOOKS)
        self.refuses("release: carries failpoint_hit", "release: carries clock_test_set_ms")

    def test_a_hook_in_a_release_program_is_refused(self):
        self.program("clang", HARD, HOOKS + PROGRAM)
        self.refuses("clang: carries failpoint_hit")

    def test_a_dev_build_without_hooks_is_refused(self):
        self.library("dev", "int other;\n")
        self.refuses("dev: src/base/libbase.a lacks failpoint_hit")

    def test_each_missing_protection_is_named(self):
        for without, named in ((["-no-pie", "-fno-pie"], "PIE"), (["-Wl,-z,norelro"], "RELRO"),
                               (["-Wl,-z,lazy"], "BIND_NOW"), (["-Wl,-z,execstack"], "executable"),
                               (["-fno-stack-protector"], "stack protector"),
                               (["-U_FORTIFY_SOURCE"], "FORTIFY")):
            with self.subTest(named):
                self.program("release", [*HARD, *without])
                self.refuses(f"release: src/app/perdure lacks", named)
