"""What reading a file in another process costs, against reading it in this one.

    python -m benchmarks.bench_isolation [--repeats 15] [--check]

Small files, where that cost shows most. A file is read here and there by turns, and medians are
compared: of the CPU time of all processes that take part, and of waiting. What else the machine
does can only add to both, so that the best of up to eight rounds counts. `--check` fails when a
process forked for the file, as wherever there is fork, costs more than 10 ms of CPU time for the
median of the files, or more than 20 ms for any: the more a reader touches, the more memory is
copied. Elsewhere a process is started anew for every file; waiting for that is printed beside.
"""

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import docx

from benchmarks.made_files import make_pdf, make_workbook
from gdrive_rag_mcp.extraction.isolation.limits import Limits
from gdrive_rag_mcp.extraction.isolation.process import ReadingProcess
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.extraction.isolation.wire import unpack
from gdrive_rag_mcp.extraction.isolation.zygote import Request
from gdrive_rag_mcp.extraction.options import Options
from gdrive_rag_mcp.extraction.reading import read_document
from gdrive_rag_mcp.sources.media_types import media_type_of

GOAL = 10.0
MOST = 20.0
ROUNDS, MOST_ROUNDS = 3, 8
SPAWNED = 5


@dataclass(frozen=True, slots=True)
class Spent:
    """Milliseconds for one reading: of CPU time in all processes, and of waiting."""

    cpu: float
    waiting: float


@dataclass(frozen=True, slots=True)
class Round:
    """Medians of readings here and in a fork."""

    here: Spent
    fork: Spent

    @property
    def added(self) -> float:
        """CPU milliseconds that the fork adds."""
        return self.fork.cpu - self.here.cpu


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


def read_here(path: Path) -> Spent:
    started, cpu = time.perf_counter(), time.process_time()
    read_document(path, media_type_of(path.name))
    return Spent((time.process_time() - cpu) * 1000, (time.perf_counter() - started) * 1000)


def read_there(path: Path, process: ReadingProcess) -> Spent:
    """In a fork of `process`; its CPU time, that of forking it and that of asking for it."""
    request = Request(str(path), media_type_of(path.name), Limits(), Options())
    started, cpu = time.perf_counter(), time.process_time()
    ending, answer = process.ask(request)
    unpack(answer)
    asking = time.process_time() - cpu
    return Spent((asking + ending.cpu_seconds) * 1000, (time.perf_counter() - started) * 1000)


def run_round(path: Path, process: ReadingProcess, repeats: int) -> Round:
    """Read a file here and there by turns."""
    pairs = [(read_here(path), read_there(path, process)) for _ in range(repeats)]
    here, there = zip(*pairs, strict=True)
    return Round(middle(here), middle(there))


def middle(readings: tuple[Spent, ...]) -> Spent:
    return Spent(median(each.cpu for each in readings), median(each.waiting for each in readings))


def measure(path: Path, process: ReadingProcess, repeats: int) -> float:
    """Print a file's line and return the CPU milliseconds that a fork adds."""
    rounds: list[Round] = []
    while len(rounds) < ROUNDS or (
        len(rounds) < MOST_ROUNDS and min(each.added for each in rounds) > GOAL
    ):
        rounds.append(run_round(path, process, repeats))
    best = min(rounds, key=lambda each: each.added)
    print(
        f"{path.name:12} CPU here {best.here.cpu:5.1f} ms, a fork adds {best.added:5.1f} ms;"
        f" waiting {best.here.waiting:5.1f} and {best.fork.waiting:5.1f} ms,"
        f" spawned {spawned(path):5.0f} ms; {len(rounds)} rounds"
    )
    return best.added


def spawned(path: Path) -> float:
    """Median milliseconds until a process started for the file has read it."""
    waits = []
    with Sandbox(fork=False) as sandbox:
        for _ in range(SPAWNED):
            started = time.perf_counter()
            sandbox.extract(path, media_type_of(path.name))
            waits.append((time.perf_counter() - started) * 1000)
    return median(waits)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(Path(folder))
        if not hasattr(os, "fork"):
            for path in files:
                print(f"{path.name:12} waiting {spawned(path):5.0f} ms: there is no fork here")
            return 0
        process = ReadingProcess()
        try:
            added = [measure(path, process, arguments.repeats) for path in files]
        finally:
            process.end()
    usual, most = median(added), max(added)
    print(f"a fork adds {usual:.1f} ms of CPU time, {most:.1f} at most (goals: {GOAL:g}, {MOST:g})")
    return int(arguments.check and (usual > GOAL or most > MOST))


if __name__ == "__main__":
    sys.exit(main())
