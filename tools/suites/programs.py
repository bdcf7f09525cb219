"""programs - runs test programs one a core, each into a log of its own."""
import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}


def run_logged(name, command, log, cwd, timeout_s, env=None):
    """One program; (name, log, exit code), 124 when its time ran out."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as out:
        try:
            code = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out,
                                  stderr=subprocess.STDOUT, timeout=timeout_s,
                                  env={**os.environ, **SANITIZERS, **(env or {})}).returncode
        except subprocess.TimeoutExpired:
            out.write(f"\nstopped: still running after {timeout_s} s\n".encode())
            code = 124
    return name, log, code


def run_all(jobs, per_core=1):
    """jobs: argument tuples of run_logged. Yields results in the order given."""
    with ThreadPoolExecutor(max_workers=per_core * (os.cpu_count() or 2)) as pool:
        yield from pool.map(lambda job: run_logged(*job), jobs)


def build(root, kind, *targets):
    log = root / "build" / "logs" / f"build-{kind}.txt"
    _, log, code = run_logged(kind, [root / "tools" / "build", kind, *targets], log, root, 3600)
    with open(log, "a") as out:
        # A build is a case only when it fails: it proves nothing by itself.
        out.write("" if code == 0 else f"\n[  FAILED  ] build {kind}\n")
    return kind, log, code


def unit(root, kind, only=None, env=None, timeout_s=None):
    """The unit test programs of one build; only(name) chooses among them. Those of the wires wait for
    real timeouts most of their time: two a core, so that others work meanwhile."""
    yield from run_all(jobs_of(root, kind, "unit", only, env, timeout_s), per_core=2)


def tests(root, kind, wanted, only=None, env=None, timeout_s=None):
    """The programs that one build has in the suite called wanted."""
    yield from run_all(jobs_of(root, kind, wanted, only, env, timeout_s))


def jobs_of(root, kind, wanted, only, env, timeout_s):
    known = json.loads((root / "build" / kind / "meson-info" / "intro-tests.json").read_text())
    jobs = []
    for test in known:
        name = test["name"]
        if wanted not in [suite.split(":")[-1] for suite in test["suite"]] or only and not only(name):
            continue
        log = root / "build" / "logs" / f"{wanted}-{kind}" / (name.replace("/", "_") + ".txt")
        jobs.append((name, wrapped(kind, test["cmd"]), log, root, timeout_s or test["timeout"], env))
    return jobs


def simulator(root, kind, seeds, timeout_s):
    """tests/sim, its seeds shared out among the cores; each share is large enough to fill the table."""
    share = max(-(-seeds // (os.cpu_count() or 2)), 4000)
    command = [root / "build" / kind / "tests" / "sim" / "test_sim"]
    jobs = []
    for first in range(0, seeds, share):
        env = {"PERDURE_SEEDS": str(min(share, seeds - first)), "PERDURE_SEED_FIRST": str(first)}
        log = root / "build" / "logs" / f"sim-{kind}" / f"{first}.txt"
        jobs.append((f"sim {first}", command, log, root, timeout_s, env))
    yield from run_all(jobs)


def program(root, kind):
    return root / "build" / kind / "src" / "app" / "perdure"


def wrapped(kind, command):
    """The thread sanitizer of gcc 12 wants the old, less random, layout of memory."""
    if kind == "tsan" and subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0:
        return ["setarch", "-R", *command]
    return command


def with_threads(root):
    """Which unit tests start threads: those that name a call that does."""
    starts = re.compile(r"\b(pthread_create|thrd_create|uv_thread_create|probe_start|cli_rig_start|writer_new|reader_pool_new)\b")
    found = set()
    unit = root / "tests" / "unit"
    for path in sorted(unit.rglob("test_*.c")):
        if starts.search(path.read_text()):
            found.add(f"{path.parent.relative_to(unit)}/{path.stem[len('test_'):]}")
    return found


def fuzz_targets(root):
    return [path.stem[len("fuzz_"):] for path in sorted(Path(root, "tests", "fuzz").glob("fuzz_*.c"))]
