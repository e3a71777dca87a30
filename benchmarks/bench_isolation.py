"""What reading a file in another process costs, against reading it in this one.

    python -m benchmarks.bench_isolation [--repeats 25] [--check]

Small files, where that cost shows most. CPU time is of all processes that take part, without what
the sandbox takes to start once; waiting is the median of the best of three rounds, as whatever else
the machine does can only add to it. `--check` fails when a process forked for the file, as wherever
there is fork, costs more than 10 ms of CPU time. Elsewhere a process is started anew for every
file, whose waiting is printed beside it.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import docx

from benchmarks.made_files import make_pdf, make_workbook
from gdrive_rag_mcp.domain import Document
from gdrive_rag_mcp.extraction.reading import read_document
from gdrive_rag_mcp.extraction.sandbox import Sandbox
from gdrive_rag_mcp.sources.media_types import media_type_of

GOAL = 10.0
ROUNDS = 3
SPAWNED = 5

Read = Callable[[Path, str], Document]


def make_files(folder: Path) -> list[Path]:
    """One small file of each of the commonest kinds, and one in an encoding to be guessed."""
    notice = "The meeting is moved to Thursday.\n\nBring the figures.\n"
    (folder / "note.txt").write_text(notice, encoding="utf-8")
    (folder / "old.txt").write_text("회의는 목요일로 옮겨졌습니다.\n" * 20, encoding="cp949")
    make_pdf(folder / "page.pdf", 1)
    make_workbook(folder / "table.xlsx", 20)
    letter = docx.Document()
    letter.add_heading("Notice", 1)
    letter.add_paragraph(notice)
    letter.save(str(folder / "letter.docx"))
    return sorted(folder.iterdir())


def waiting(path: Path, read: Read, repeats: int) -> float:
    """Median milliseconds until a file is read."""
    spent = []
    for _ in range(repeats):
        started = time.perf_counter()
        read(path, media_type_of(path.name))
        spent.append((time.perf_counter() - started) * 1000)
    return median(spent)


def cpu_here(path: Path, repeats: int) -> float:
    """CPU milliseconds of reading a file in this process."""
    read_document(path, media_type_of(path.name))
    started = time.process_time()
    for _ in range(repeats):
        read_document(path, media_type_of(path.name))
    return (time.process_time() - started) * 1000 / repeats


def cpu_in_forks(path: Path, repeats: int, start: float) -> float:
    """CPU milliseconds of reading a file in a fork; `start` is what a sandbox takes to start."""
    return (_cpu_of_sandbox([path] * repeats) - start) / repeats


def _cpu_of_sandbox(paths: list[Path]) -> float:
    """CPU milliseconds of a sandbox from its start to its end, and of asking it."""
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage  # not on Windows

    def spent() -> float:
        usages = (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN))
        return sum(each.ru_utime + each.ru_stime for each in usages) * 1000

    before = spent()
    with Sandbox() as sandbox:
        for path in paths:
            sandbox.extract(path, media_type_of(path.name))
    return spent() - before


def measure(path: Path, repeats: int, start: float) -> float:
    """Print a file's line and return the CPU milliseconds that a fork adds."""
    with Sandbox() as sandbox:
        sandbox.extract(path, media_type_of(path.name))
        rounds = [
            (waiting(path, read_document, repeats), waiting(path, sandbox.extract, repeats))
            for _ in range(ROUNDS)
        ]
    here, there = min(rounds, key=lambda pair: pair[1] - pair[0])
    used = cpu_here(path, repeats)
    added = cpu_in_forks(path, repeats, start) - used
    print(
        f"{path.name:12} CPU here {used:5.1f} ms, a fork adds {added:5.1f} ms;"
        f" waiting {here:5.1f} and {there:5.1f} ms, spawned {spawned(path):5.0f} ms"
    )
    return added


def spawned(path: Path) -> float:
    """Median milliseconds until a process started for the file has read it."""
    with Sandbox(fork=False) as sandbox:
        return waiting(path, sandbox.extract, SPAWNED)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=25)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(Path(folder))
        if not hasattr(os, "fork"):
            for path in files:
                print(f"{path.name:12} waiting {spawned(path):5.0f} ms: there is no fork here")
            return 0
        start = median(_cpu_of_sandbox(files[:1]) for _ in range(ROUNDS))
        added = [measure(path, arguments.repeats, start) for path in files]
    print(f"a fork adds {max(added):.1f} ms of CPU time at most (goal: {GOAL:g})")
    return int(arguments.check and max(added) > GOAL)


if __name__ == "__main__":
    sys.exit(main())
