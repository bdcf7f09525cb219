"""report - counts cases, times suites against their budgets, and says what failed and where to look.

Every suite hands over one log per program, in cmocka's line form; a program that died is charged to
the case it was running.
"""
import re
import sys
import time
from pathlib import Path

from suites.outside import BEHIND_THE_DOOR

RAN, OK, FAILED = "[ RUN      ] ", "[       OK ] ", "[  FAILED  ] "
SKIPPED = "[  SKIPPED ] "
SUMMARY = re.compile(r"\[  (PASSED|FAILED)  \] (.*: )?\d+ test\(s\)")
EXCERPT_LINES = 25


def parse_cases(text, exit_code):
    """The names that passed, and a list of (name, what the log says about it)."""
    passed, failed, running, said, closing = [], [], None, [], False
    for line in text.splitlines():
        closing = closing or bool(SUMMARY.match(line))
        if closing and line.startswith("["):
            continue  # the summary repeats the names
        if line.startswith(RAN):
            running, said = line[len(RAN):], []
        elif line.startswith(OK):
            passed.append(line[len(OK):])
            running = None
        elif line.startswith(FAILED):
            failed.append((line[len(FAILED):], said))
            running, said = None, []
        else:
            said.append(line)
    if exit_code != 0 and not failed:
        name = f"{running} (the program died here)" if running else "the program itself"
        failed.append((name, said or text.splitlines()))
    return passed, failed


def count_skipped(text):
    """Cases that this machine cannot play; cmocka's summary names each a second time."""
    return len({line for line in text.splitlines() if line.startswith(SKIPPED) and "test(s)" not in line})


class Report:
    def __init__(self, root, budgets_s):
        self.root = root
        self.budgets_s = budgets_s
        self.spent_s = {}
        self.passed = self.failed = self.skipped = 0
        self.ran = []
        self.front_door = []  # what the program did for a user: "build program: case"
        self.started = time.monotonic()

    def suite(self, group, name, run, build=None):
        """run() yields (program, log path, exit code); prints one line, more when it is red. build: of
        the program that its cases use from outside; its suites run side by side and know their own time."""
        begun = time.monotonic()
        passed, skipped, failures = 0, 0, []
        for program, log, exit_code in run():
            text = Path(log).read_text(errors="replace")
            ok, bad = parse_cases(text, exit_code)
            skipped += count_skipped(text)
            passed += len(ok)
            self.ran += [f"{program}: {case}" for case in ok]
            if build and program not in BEHIND_THE_DOOR:
                self.front_door += [f"{build} {program}: {case}" for case in ok]
            failures += [(program, case, said, log) for case, said in bad]
        took = time.monotonic() - begun
        self.spent_s[group] = self.spent_s.get(group, 0) + took
        took = run.took() if hasattr(run, "took") else took
        self.passed += passed
        self.failed += len(failures)
        self.skipped += skipped
        verdict = f"{len(failures)} FAILED" if failures else "ok"
        verdict += f", {skipped} skipped" if skipped else ""
        count = f"{passed:>6} passed" if passed or failures else " " * 13
        print(f"{name:<18} {count}  {took:>6.1f} s  {verdict}", flush=True)
        for failure in failures:
            self.explain(*failure)
        return not failures

    def explain(self, program, case, said, log):
        print(f"  FAILED {program}: {case}")
        for line in [text for text in said if text.strip()][:EXCERPT_LINES]:
            print(f"      {line}")
        print(f"      log: {Path(log).resolve().relative_to(self.root)}", flush=True)

    def close(self):
        """The times, the warnings, the closing line; returns the exit code."""
        total = time.monotonic() - self.started
        times = ", ".join(f"{group} {spent:.0f} s" for group, spent in self.spent_s.items())
        print(f"\ntime: {total:.0f} s in all ({times})")
        budgets = dict(self.budgets_s)
        whole = budgets.pop("all", None)
        for group, spent in self.spent_s.items():
            if spent > budgets.get(group, float("inf")):
                print(f"warning: {group} took {spent:.0f} s, its budget is {budgets[group]} s")
        if whole and total > whole:
            print(f"warning: the whole run took {total:.0f} s, its budget is {whole} s")
        if self.skipped:
            print(f"{self.skipped} skipped: this machine cannot play them (their logs say why)")
        print(f"{self.passed} passed, {self.failed} failed")
        sys.stdout.flush()
        return 1 if self.failed or not self.passed else 0
