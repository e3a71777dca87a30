"""Hybrid search against the naive plan and other engines, in one run.

    python -m benchmarks.bench_search [--chunks 10000,100000,500000] [--check]
        [--peers [FOLDER]] [--questions 60] [--keep FOLDER]
        [--json FILE] [--write docs/performance.md]

Warm, on one thread, without embedding the question: milliseconds of CPU, medians over the same
questions in turns. The naive plan is sqlite-vec's vec0 with float32 and FTS5 with OR of all words.
Peers are asked where they are installed (`make peers`). What is built is kept in a folder that
`--keep` names, and not built again by the next run that names it. `--check` fails when a goal is
missed (`search_goals.py`). `--write` puts the tables of this run into a page, between its marks.
"""

import argparse
import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import benchmarks.one_thread  # noqa: F401 - before numpy is loaded
from benchmarks.corpus import Corpus
from benchmarks.peers import PEERS
from benchmarks.performance_page import finish, reported
from benchmarks.search_goals import misses
from benchmarks.search_run import Run, measure
from benchmarks.search_tables import table

__all__ = ["table"]


def sizes(text: str) -> list[int]:
    """Numbers with commas between."""
    return [int(size) for size in text.split(",")]


def run(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """All sizes, one after the other; what a size has left on disk goes unless it is kept."""
    results: list[dict[str, Any]] = []
    result = {"made": datetime.now(UTC).date().isoformat(), **machine(), "sizes": results}
    for size in arguments.chunks:
        own = folder / str(size)
        own.mkdir(parents=True, exist_ok=True)
        one = Run(Corpus(size), own, arguments.peers, _say, arguments.questions)
        results.append(measure(one))
        if arguments.json:  # so much work is not lost, should the next size not fit on the disk
            arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        if not arguments.keep:
            shutil.rmtree(own)
    return result


def machine() -> dict[str, Any]:
    """What it ran on."""
    cpu = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": names[0] if names else cpu,
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=sizes, default=[100_000])
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--peers", type=Path, nargs="?", const=PEERS, metavar="FOLDER")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    return parser.parse_args(arguments)


def main() -> int:
    arguments = parsed()
    with nullcontext(arguments.keep) if arguments.keep else tempfile.TemporaryDirectory() as folder:
        result = run(arguments, Path(folder))
    finish("search", result, arguments.json, arguments.write)
    missed = [miss for size in result["sizes"] for miss in misses(size)]
    return reported(missed, check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
