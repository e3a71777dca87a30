"""What reading a file in another process costs, against reading it in this one.

    python -m benchmarks.bench_isolation [--repeats 40] [--check]

Small files, where that cost shows most. Medians of readings in turns, in the best of three rounds:
whatever else the machine does can only add to them. `--check` fails when a process forked for the
file, as wherever there is fork, costs more than 10 ms. Elsewhere a process is started anew for
every file, whose cost is printed beside it.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Cost:
    """Median milliseconds of a reading."""

    here: float
    there: float

    @property
    def added(self) -> float:
        return self.there - self.here


def make_files(folder: Path) -> list[Path]:
    """One small file of each kind."""
    text = folder / "note.txt"
    text.write_text("The meeting is moved to Thursday.\n\nBring the figures.\n", encoding="utf-8")
    page = folder / "page.pdf"
    make_pdf(page, 1)
    table = folder / "table.xlsx"
    make_workbook(table, 20)
    letter = docx.Document()
    letter.add_heading("Notice", 1)
    letter.add_paragraph("The contract ends with the month in which notice was given.")
    letter.save(str(folder / "letter.docx"))
    return [text, page, table, folder / "letter.docx"]


def cost(path: Path, there: Read, repeats: int) -> Cost:
    """Read a file here and there in turns."""
    spent: Mapping[Read, list[float]] = {read_document: [], there: []}
    for _ in range(repeats):
        for read, own in spent.items():
            started = time.perf_counter()
            read(path, media_type_of(path.name))
            own.append((time.perf_counter() - started) * 1000)
    return Cost(*(median(own) for own in spent.values()))


def best(costs: Iterable[Cost]) -> Cost:
    return min(costs, key=lambda each: each.added)


def processor_time(files: list[Path], repeats: int) -> float:
    """CPU milliseconds a file of the processes that are forked for it, and of asking them.

    What the sandbox's own process takes to start is measured without a file, and taken off.
    """
    spent = []
    for times in (0, repeats):
        before = os.times()
        with Sandbox() as sandbox:
            for path in files * times:
                sandbox.extract(path, media_type_of(path.name))
        after = os.times()
        spent.append(sum(after[:4]) - sum(before[:4]))
    return (spent[1] - spent[0]) * 1000 / (len(files) * repeats)


def processor_time_here(files: list[Path], repeats: int) -> float:
    """CPU milliseconds a file that is read in this process."""
    started = time.process_time()
    for path in files * repeats:
        read_document(path, media_type_of(path.name))
    return (time.process_time() - started) * 1000 / (len(files) * repeats)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(Path(folder))
        added = [print_line(path, arguments.repeats) for path in files]
        if hasattr(os, "fork"):
            here = processor_time_here(files, arguments.repeats)
            there = processor_time(files, arguments.repeats)
            print(f"CPU a file: {here:.1f} ms here, {there:.1f} ms in a fork")
    print(f"a fork adds {max(added):.1f} ms of waiting at most (goal: {GOAL:g})")
    return int(arguments.check and max(added) > GOAL)


def print_line(path: Path, repeats: int) -> float:
    """Measure a file, print it, and return the milliseconds that a fork adds."""
    with Sandbox(fork=False) as spawning:
        spawned = cost(path, spawning.extract, SPAWNED)
    if not hasattr(os, "fork"):
        print(
            f"{path.name:12} here {spawned.here:6.1f} ms, a process of its own {spawned.there:6.1f} ms"
        )
        return 0.0
    with Sandbox() as forking:
        forking.extract(path, media_type_of(path.name))
        forked = best(cost(path, forking.extract, repeats) for _ in range(ROUNDS))
    print(
        f"{path.name:12} here {forked.here:6.1f} ms, fork {forked.there:6.1f} ms"
        f" (+{forked.added:.1f}), a process of its own {spawned.there:6.1f} ms"
    )
    return forked.added


if __name__ == "__main__":
    sys.exit(main())
