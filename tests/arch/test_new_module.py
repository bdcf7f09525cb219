"""What new_module makes passes the checks, compiles, and fails its first row."""
import shutil
import subprocess
import sys

from fixture import ROOT, CheckCase


class NewModule(CheckCase):
    check = "tests/arch/check_format"

    def setUp(self):
        super().setUp()
        for name in ("src", "tests/unit", "tests/meson.build", ".clang-format"):
            source = ROOT / name
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, self.tree / name)
            else:
                shutil.copy(source, self.tree / name)

    def make(self, *arguments):
        return subprocess.run([sys.executable, "-B", ROOT / "tools/new_module", *arguments],
                              cwd=self.tree, capture_output=True, text=True)

    def test_files_and_lists_are_made(self):
        self.assertEqual(self.make("core/moon_phase", "is it full?").returncode, 0)
        for path in ("src/core/moon_phase.h", "src/core/moon_phase.c",
                     "tests/unit/core/test_moon_phase.c"):
            self.assertTrue((self.tree / path).exists(), path)
        self.assertIn("  'moon_phase.c',\n", (self.tree / "src/core/meson.build").read_text())
        tests = (self.tree / "tests/unit/meson.build").read_text()
        entries = tests.split("unit_tests = [\n")[1].split("]")[0].splitlines()
        self.assertIn("  'core/moon_phase',", entries)
        self.git()
        self.accepts()
        self.check = "tests/arch/check_mirror"
        _, said = self.run_check()
        self.assertNotIn("moon_phase", said)

    def test_what_exists_is_left_alone(self):
        self.assertNotEqual(self.make("base/arena", "again?").returncode, 0)

    def test_names_are_checked(self):
        self.assertNotEqual(self.make("core/Moon-Phase", "?").returncode, 0)
        self.assertNotEqual(self.make("nowhere/moon", "?").returncode, 0)
