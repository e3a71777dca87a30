"""Runs what docs/performance.md tells of, one after the other, and puts the figures there.

    python -m benchmarks.performance [--chunks 10000,100000,500000] [--peers FOLDER]
        [--page docs/performance.md] [--only search,replace,write,serving]

About half an hour with 500,000 chunks, 5 GB of disk in the folder for temporary files. Goals that
are missed are told in the end, and on the page.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks.peers import PEERS
from benchmarks.performance_page import PARTS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", default="10000,100000,500000")
    parser.add_argument("--peers", type=Path, default=PEERS)
    parser.add_argument("--page", type=Path, default=Path("docs") / "performance.md")
    parser.add_argument("--only", default=",".join(PARTS))
    arguments = parser.parse_args()
    smallest, *_, largest = sorted(map(int, f"10000,{arguments.chunks}".split(",")))
    own = {
        "search": ["--chunks", arguments.chunks, "--peers", str(arguments.peers)],
        "replace": ["--small", str(smallest), "--large", str(largest)],
        "write": [],
        "serving": ["--chunks", str(largest)],
    }
    missed = []
    for name in arguments.only.split(","):
        module, page = f"benchmarks.bench_{name}", str(arguments.page)
        command = [sys.executable, "-m", module, *own[name], "--check", "--write", page]
        if subprocess.run(command, check=False).returncode:
            missed.append(name)
    print(f"goals missed in: {', '.join(missed)}" if missed else "all goals are reached")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
