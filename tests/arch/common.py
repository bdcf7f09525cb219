"""common - what every check shares: where the tree is, and how to say what is wrong."""
import subprocess
import sys
from pathlib import Path


def root():
    return Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent.parent)


def tracked(tree, *patterns):
    """The files git knows, as it would commit them: also new ones that are not ignored."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
                            cwd=tree, check=True, text=True, stdout=subprocess.PIPE).stdout
    return [tree / name for name in listed.splitlines() if (tree / name).is_file()]


def finish(problems):
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
