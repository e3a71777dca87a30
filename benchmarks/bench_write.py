"""How fast documents go into the index when their vectors are at hand: chunks a second of CPU.

    python -m benchmarks.bench_write [--chunks 6000] [--check] [--profile]
        [--json FILE] [--write docs/performance.md]

The path of a sync, in one process, without reading, cutting and embedding: documents in portions
(text, segments, chunks, full-text rows, ledger), then the vectors of 2,000 chunks at a
time. By language, since each is folded and cut into words otherwise; `mixed` is what the other
benchmarks search. `--check` fails below 8,000 chunks a second of `mixed`. `--profile` shows where
the time goes.
"""

import argparse
import cProfile
import pstats
import sys
import tempfile
from pathlib import Path
from typing import Any

import benchmarks.one_thread  # noqa: F401 - before numpy is loaded
from benchmarks.corpus import Corpus
from benchmarks.measuring import size_mb
from benchmarks.our_index import build_index
from benchmarks.performance_page import finish, reported

GOAL = 8_000
MIXED = "mixed"
KINDS = {
    MIXED: None,
    "English": "en",
    "German": "de",
    "Vietnamese": "vi",
    "Korean": "ko",
    "Chinese": "zh",
    "Thai": "th",
}
_ROUNDS = 3


def written(corpus: Corpus) -> dict[str, float]:
    """Chunks a second, and megabytes of text and of the index."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.db"
        watch = build_index(path, corpus)
        size = size_mb(path)
    text = sum(len(text.encode()) for made in corpus for text in made.texts) / 1e6
    return {
        "chunks_a_cpu_second": corpus.chunks / watch.cpu,
        "chunks_a_second": corpus.chunks / watch.wall,
        "text_mb": text,
        "index_mb": size,
    }


def measure(chunks: int) -> dict[str, Any]:
    """The median of some runs of each kind, after one that warms up."""
    written(Corpus(2_000))
    kinds = []
    for name, language in KINDS.items():
        runs = [written(Corpus(chunks, language=language)) for _ in range(_ROUNDS)]
        middle = sorted(runs, key=lambda run: run["chunks_a_cpu_second"])[_ROUNDS // 2]
        kinds.append({"name": name, **middle})
    return {"chunks": chunks, "kinds": kinds}


def profile(chunks: int) -> None:
    """Print which functions take the time, by their own and with what they call."""
    documents = list(Corpus(chunks))
    profiler = cProfile.Profile()
    with tempfile.TemporaryDirectory() as folder:
        profiler.enable()
        build_index(Path(folder) / "index.db", documents)
        profiler.disable()
    for order in ("tottime", "cumtime"):
        pstats.Stats(profiler).sort_stats(order).print_stats(35)


def misses(result: dict[str, Any]) -> list[str]:
    """The goal, where it was missed, in words."""
    seen = next(one["chunks_a_cpu_second"] for one in result["kinds"] if one["name"] == MIXED)
    return [f"{seen:,.0f} chunks a CPU second, goal {GOAL:,}"] if seen < GOAL else []


def table(result: dict[str, Any]) -> str:
    """The run as Markdown."""
    lines = [
        f"Writing {result['chunks']:,} chunks, medians of {_ROUNDS}:",
        "",
        "| text | chunks a CPU second | chunks a second | text MB | index MB |",
        "|---|--:|--:|--:|--:|",
        *(
            f"| {one['name']} | {one['chunks_a_cpu_second']:,.0f} | {one['chunks_a_second']:,.0f} "
            f"| {one['text_mb']:.1f} | {one['index_mb']:.1f} |"
            for one in result["kinds"]
        ),
    ]
    return "\n".join([*lines, "", f"Goal for {MIXED}: {GOAL:,} a CPU second."])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=6_000)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    arguments = parser.parse_args()
    if arguments.profile:
        profile(arguments.chunks)
        return 0
    result = measure(arguments.chunks)
    finish("write", result, arguments.json, arguments.write)
    return reported(misses(result), check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
