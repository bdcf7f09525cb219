"""fixture - a small tree in a temporary folder, and a check run on it."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class CheckCase(unittest.TestCase):
    check = None  # path of the script under test

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="perdure-arch-")
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)

    def write(self, path, text=""):
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def git(self):
        """Makes the tree a repository in which every file is tracked."""
        for command in (["init", "-q"], ["add", "-A"]):
            subprocess.run(["git", *command], cwd=self.tree, check=True)

    def run_check(self):
        done = subprocess.run([sys.executable, "-B", ROOT / self.check, self.tree], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def accepts(self):
        code, said = self.run_check()
        self.assertEqual(code, 0, said)

    def refuses(self, *words):
        code, said = self.run_check()
        self.assertEqual(code, 1, f"accepted; it said: {said}")
        for word in words:
            self.assertIn(word, said)
