import subprocess

from fixture import CheckCase


class CorePure(CheckCase):
    check = "tests/arch/check_core_pure"

    def core(self, text):
        archive = self.write("build/release/src/core/libcore.a")
        archive.unlink()
        member = self.tree / "policy.o"
        subprocess.run(["gcc", "-O1", "-w", "-fPIE", "-x", "c", "-", "-c", "-o", member], input=text,
                       text=True, check=True)
        subprocess.run(["ar", "rc", archive, member], check=True)

    def test_pure_code_and_constant_tables_are_accepted(self):
        self.core("#include <string.h>\nstatic const char *const names[] = {\"a\", \"b\"};\n"
                  "const char *name(int i, const char *o) { return strcmp(o, names[i]) ? o : names[i]; }\n")
        self.accepts()

    def test_impure_calls_are_refused(self):
        for call in ("malloc(1)", "time(0)", "getenv(\"A\")", "pthread_self()", "clock_now_ms()",
                     "open(\"a\", 0)"):
            with self.subTest(call):
                name = call.split("(")[0]
                self.core(f"extern long {name}(); long f(void) {{ return (long){call}; }}\n")
                self.refuses(f"calls {name}")

    def test_state_is_refused(self):
        for state, section in (("static int n; int f(void) { return ++n; }", ".bss"),
                               ("static int n = 4; int f(void) { return ++n; }", ".data")):
            with self.subTest(section):
                self.core(state + "\n")
                self.refuses("policy.o: owns 4 bytes of " + section)
