"""Replacing one 12-chunk document: does it cost more in a larger index?

    python -m benchmarks.bench_replace [--small 10000] [--large 100000] [--check]
        [--json FILE] [--write docs/performance.md]

Medians of CPU and of the clock over many documents of both indexes, in turns, in one run, after a
warm-up; the vectors are at hand. `--check` fails when either is more than twice as much in the
large index.
"""

import argparse
import sys
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import benchmarks.one_thread  # noqa: F401 - before numpy is loaded
from benchmarks.children import OURS, built_ours, in_child
from benchmarks.corpus import CHUNKS_A_DOCUMENT, Corpus
from benchmarks.measuring import timed, times
from benchmarks.our_index import Prepared, write
from benchmarks.performance_page import finish, reported
from gdrive_rag_mcp.store import Store

GOAL = 2.0
REPEATS, WARM = 200, 20
_OTHER_SEED = 11
_STRIDE = 37


def edited(corpus: Corpus, round_: int) -> Prepared:
    """One of the corpus's documents with another text and other vectors."""
    number = (round_ * _STRIDE) % corpus.documents
    made = Corpus(corpus.chunks, _OTHER_SEED).document(number)
    return Prepared(made, *made.cut())


def measure(sizes: tuple[int, ...], folder: Path) -> dict[str, Any]:
    """Milliseconds of a replacement by size of the index."""
    corpora = {size: Corpus(size) for size in sizes}
    for size, corpus in corpora.items():
        (folder / str(size)).mkdir()
        in_child(built_ours, corpus, folder / str(size))
    stores = {size: Store.open_for_writing(folder / str(size) / OURS) for size in sizes}
    spent: dict[int, list[tuple[float, float]]] = {size: [] for size in sizes}
    for round_ in range(WARM + REPEATS):
        for size, corpus in corpora.items():
            one = edited(corpus, round_)
            measured = timed(partial(write, stores[size], [one]))
            if round_ >= WARM:
                spent[size].append(measured)
    for store in stores.values():
        store.close()
    return {"sizes": [{"chunks": size, **asdict(times(own))} for size, own in spent.items()]}


def ratios(result: dict[str, Any]) -> tuple[float, float]:
    """How many times as long it takes in the largest index: CPU, and by the clock."""
    small, large = result["sizes"][0], result["sizes"][-1]
    return large["p50"] / small["p50"], large["wall_p50"] / small["wall_p50"]


def misses(result: dict[str, Any]) -> list[str]:
    """The goal, where it was missed, in words."""
    small, large = result["sizes"][0]["chunks"], result["sizes"][-1]["chunks"]
    return [
        f"replacing takes {seen:.2f} times the {by} at {large:,} as at {small:,}, goal {GOAL:g}"
        for by, seen in zip(("CPU", "time"), ratios(result), strict=True)
        if seen > GOAL
    ]


def table(result: dict[str, Any]) -> str:
    """The run as Markdown."""
    lines = [
        f"Replacing a document of {CHUNKS_A_DOCUMENT} chunks, medians of {REPEATS}:",
        "",
        "| chunks in the index | CPU p50 ms | CPU p95 ms | clock p50 ms | clock p95 ms |",
        "|--:|--:|--:|--:|--:|",
        *(
            f"| {one['chunks']:,} | {one['p50']:.2f} | {one['p95']:.2f} | {one['wall_p50']:.2f} "
            f"| {one['wall_p95']:.2f} |"
            for one in result["sizes"]
        ),
    ]
    cpu, wall = ratios(result)
    goal = f"{GOAL:g} times at most"
    return "\n".join([*lines, "", f"CPU {cpu:.2f} times, clock {wall:.2f} times; goal: {goal}."])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure((arguments.small, arguments.large), Path(folder))
    finish("replace", result, arguments.json, arguments.write)
    return reported(misses(result), check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
