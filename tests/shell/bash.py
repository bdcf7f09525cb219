"""bash - what a real bash does with command lines: which commands it runs, which files it opens.

It runs in bubblewrap: nothing is writable but a tmpfs, there is no network, and commands do nothing but
tell that they were called (oracle.bash)."""
import io
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BATCH_S = 600
# Commands of the lines; all others cost bash a process to find that they are not there.
NAMES = ("a", "b", "c", "git", "rm", "ls", "id", "cat", "sudo", "env", "sh", "/bin/rm", "./x")
FILES = ("f", "g", "x y", "git x", "-eval", "d/f")  # those that are there when commands succeed
BOX = ("bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
       "--tmpfs", "/tmp")
SCRIPT = """
mkdir /tmp/said /tmp/at && cd /tmp/at || exit 1
if [[ $1 == yes ]]; then mkdir d && touch -- "${@:3}"; else seq -f %.0f 0 "$2" | xargs mkdir; fi || exit 1
bash --norc --noprofile /tmp/oracle.bash "$1" $NAMES 200>&1 >/dev/null 2>/tmp/own </tmp/lines | cat >/tmp/calls
cd /tmp && tar c said at own calls
"""
# A file that could not be opened is told by its name.
OPENED = re.compile(rb"[^\n]*?: line \d+: (.*): (?:No such file or directory|Is a directory|Not a directory|"
                    rb"Permission denied|Read-only file system|File name too long|No such device or address)", re.S)


def is_there():
    """Can this machine isolate?"""
    try:
        return subprocess.run([*BOX, "true"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
    except OSError:
        return False


class Deeds:
    """What came of one line."""

    def __init__(self):
        self.calls = []  # words of each command
        self.files = set()  # opened by redirections, as far as it shows


def collect(archive, deeds):
    with tarfile.open(fileobj=io.BytesIO(archive), encoding="utf-8", errors="surrogateescape") as tar:
        for member in tar:
            place, _, rest = member.name.partition("/")
            number, _, name = rest.partition("/")
            if place == "at" and name and number.isdigit() and len(deeds) > int(number):
                deeds[int(number)].files.add(name.encode("utf-8", "surrogateescape"))
            elif place == "said" and member.size:
                for text in re.split(rb"\n(?=/tmp/oracle)", tar.extractfile(member).read().rstrip(b"\n")):
                    if found := OPENED.fullmatch(text):
                        deeds[int(number)].files.add(found.group(1))
            elif place == "calls":
                told = iter(tar.extractfile(member).read().split(b"\0")[:-1])
                for number in told:
                    words = [next(told).replace(b"\2", b"\n") for _ in range(int(next(told)))]
                    deeds[int(number)].calls.append(words)


def run(lines, locale="C.UTF-8"):
    """The deeds of each line: of a run in which commands succeed, and one in which they fail."""
    deeds = [Deeds() for _ in lines]
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(line + b"\0" for line in lines))
        file.flush()
        for mode in ("yes", "no"):
            done = subprocess.run(
                [*BOX, "--ro-bind", file.name, "/tmp/lines", "--ro-bind", HERE / "oracle.bash", "/tmp/oracle.bash",
                 "--setenv", "LC_ALL", locale, "--setenv", "NAMES", " ".join(NAMES),
                 "bash", "-c", SCRIPT, "bash", mode, str(len(lines)), *FILES],
                stdin=subprocess.DEVNULL, capture_output=True, timeout=BATCH_S, check=True)
            collect(done.stdout, deeds)
    return deeds
