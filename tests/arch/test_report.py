"""The runner's own reading of logs: what passed, what failed, who is charged for a crash."""
import sys
import unittest

from fixture import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from suites.report import count_skipped, parse_cases  # noqa: E402


class Logs(unittest.TestCase):
    def test_passes_and_failures_are_told_apart(self):
        passed, failed = parse_cases("[==========] x: Running 2 test(s).\n[ RUN      ] a\n"
                                     "[       OK ] a\n[ RUN      ] b c\n[  ERROR   ] --- why\n"
                                     "[  FAILED  ] b c\n[==========] x: 2 test(s) run.\n"
                                     "[  PASSED  ] 1 test(s).\n[  FAILED  ] x: 1 test(s), listed below:\n"
                                     "[  FAILED  ] b c\n", 1)
        self.assertEqual(passed, ["a"])
        self.assertEqual(failed, [("b c", ["[  ERROR   ] --- why"])])

    def test_a_crash_is_charged_to_the_running_case(self):
        passed, failed = parse_cases("[ RUN      ] a\n[       OK ] a\n[ RUN      ] b\nAddressSanitizer\n", 1)
        self.assertEqual(passed, ["a"])
        self.assertEqual(failed, [("b (the program died here)", ["AddressSanitizer"])])

    def test_a_leak_after_the_last_case_is_a_failure(self):
        _, failed = parse_cases("[ RUN      ] a\n[       OK ] a\n[  PASSED  ] 1 test(s).\nleaked 3 bytes\n", 1)
        self.assertEqual(failed, [("the program itself", ["leaked 3 bytes"])])

    def test_skipped_cases_are_counted_once(self):
        text = "[ RUN      ] a\n[  SKIPPED ] a\n[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] a\n"
        self.assertEqual(count_skipped(text), 1)
        self.assertEqual(parse_cases(text, 0), ([], []))

    def test_silence_with_an_error_is_a_failure(self):
        self.assertEqual(len(parse_cases("", 127)[1]), 1)
