import importlib.machinery
import importlib.util
import unittest
from unittest import mock

from fixture import ROOT


def load():
    loader = importlib.machinery.SourceFileLoader("effects", str(ROOT / "tests/effects/run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("effects", loader))
    loader.exec_module(module)
    return module


EFFECTS = load()


class Effects(unittest.TestCase):
    def problems(self, inputs, rows, untested=()):
        return "\n".join(EFFECTS.compare(set(inputs), rows, set(untested)))

    def test_a_row_for_each_input_is_accepted(self):
        self.assertEqual(self.problems({"config model"}, {"config model": ("server", "x")}), "")
        self.assertEqual(self.problems({"config model"}, {}, {"config model"}), "")

    def test_an_input_without_a_row_is_refused(self):
        self.assertIn("config model: no test observes", self.problems({"config model"}, {}))

    def test_a_row_without_an_input_is_refused(self):
        self.assertIn("does not take it", self.problems(set(), {"config model": ("server", "x")}))
        self.assertIn("does not take it", self.problems(set(), {}, {"config model"}))

    def test_an_input_both_tested_and_untested_is_refused(self):
        self.assertIn("has a row now", self.problems({"config model"}, {"config model": ("server", "x")}, {"config model"}))

    def test_a_case_that_does_not_exist_is_refused(self):
        rows = {"config model": ("server", "test_a"), "config data": ("cli", "test_a")}
        self.assertEqual(EFFECTS.absent(rows, ["file.Class.test_a_case"]), [])
        self.assertEqual(EFFECTS.absent(rows, ["file.Class.test_b"]), ["config model: tests/server has no case test_a"])

    def prove(self, *answers):
        with mock.patch.object(EFFECTS, "attempt", side_effect=answers):
            return EFFECTS.prove("config model", "server", "x", {})[1]

    def test_a_test_that_notices_is_accepted(self):
        self.assertTrue(self.prove((1, 0, ""), (0, 1, "")))

    def test_a_test_that_passes_all_the_same_is_refused(self):
        self.assertFalse(self.prove((0, 1, "")))

    def test_a_test_that_never_passes_is_refused(self):
        self.assertFalse(self.prove((1, 0, ""), (1, 0, "")))

    def test_a_name_that_matches_no_case_is_refused(self):
        self.assertFalse(self.prove((1, 0, ""), (0, 0, "")))
