"""How much sooner a sync is done that reads and embeds side by side.

    python -m benchmarks.bench_pipeline [--files 16] [--check]

The same files are synced into a new index in two ways, in turns: read and embedded side by side, as
a sync does it; and one after the other, which is a sync of words alone and then a second one that
embeds. Once from a folder of this machine, where both wait for the same processors and nothing can
be won but what the parsers leave idle; and once from a source that makes every file wait as Drive
does. The model is the embedded one. Seconds by the clock and of all processors, the parsers'
included; the least of some rounds each. `--check` fails when the slow source takes more than
`GOAL` of the time one by one, or the folder more than `CPU_GOAL` of the processors.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.made_files import make_pdf
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Fetched, SourceFile, SyncReport
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights
from gdrive_rag_mcp.extraction import EXTRACTION_VERSION, is_supported
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.protocols import Embedder, Source
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.store import Store

GOAL = 0.85
CPU_GOAL = 1.1
ROUNDS = 3
PAGES = 2
DOWNLOAD_SECONDS = 0.5


class SlowSource(LocalFolderSource):
    """A folder whose files take as long to come as a small download."""

    def read(self, file: SourceFile, into: Path) -> Fetched:
        time.sleep(DOWNLOAD_SECONDS)
        return super().read(file, into)


@dataclass(frozen=True)
class Spent:
    """Seconds by the clock, and of all processors."""

    wall: float
    cpu: float


@dataclass
class Bench:
    """One folder that is synced into new indexes, each time with parsers that have been started."""

    folder: Path
    scratch: Path
    made: int = 0

    def side_by_side(self, source: Callable[[], Source], embedder: Embedder) -> Spent:
        """A sync."""
        return self._timed(lambda index, box: [sync(index, box, source(), embedder)])

    def one_by_one(self, source: Callable[[], Source], embedder: Embedder) -> Spent:
        """All that is read first, then all that is embedded."""
        return self._timed(
            lambda index, box: [
                sync(index, box, source(), None),
                sync(index, box, source(), embedder),
            ]
        )

    def _timed(self, run: Callable[[Path, Sandbox], list[SyncReport]]) -> Spent:
        self.made += 1
        index = self.scratch / f"{self.made}.db"
        wall, cpu = time.perf_counter(), _cpu_seconds()
        with Sandbox() as box:
            *_, last = run(index, box)
        if last.pending_vectors or not last.coverage.searchable:
            raise SystemExit("a sync did not come to its end")
        return Spent(time.perf_counter() - wall, _cpu_seconds() - cpu)


def sync(index: Path, box: Sandbox, source: Source, embedder: Embedder | None) -> SyncReport:
    """Sync once; one file is fetched at a time."""
    with Store.open_for_writing(index) as store:
        return Synchroniser(
            store,
            source,
            box,
            StructuralChunker(size=300, overlap=40),
            embedder,
            is_supported,
            EXTRACTION_VERSION,
        ).run(SyncOptions())


def _cpu_seconds() -> float:
    """Of this process and of its children that have ended, as the parsers have by then."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return float(sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds)))


def compare(title: str, bench: Bench, source: Callable[[], Source], embedder: Embedder) -> Spent:
    """What side by side takes as a share of one by one; prints the lines."""
    rounds = [
        (bench.one_by_one(source, embedder), bench.side_by_side(source, embedder))
        for _ in range(ROUNDS)
    ]
    apart, beside = (min(own, key=lambda one: one.wall) for own in zip(*rounds, strict=True))
    share = Spent(beside.wall / apart.wall, beside.cpu / apart.cpu)
    print(title)
    for name, spent in (("one by one", apart), ("side by side", beside)):
        print(f"  {name:13} {spent.wall:7.2f} s by the clock, {spent.cpu:6.2f} s of processors")
    print(f"  side by side  {share.wall:.2f} of the time, {share.cpu:.2f} of the processors")
    return share


@contextmanager
def made_folder(files: int) -> Iterator[Bench]:
    """PDF files of a few pages."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "documents"
        folder.mkdir()
        for number in range(files):
            make_pdf(folder / f"{number:03}.pdf", PAGES, seed=number)
        yield Bench(folder, Path(scratch))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=16)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    model = OnnxEmbedder(find_weights(None, cache_folder(os.environ), build=True))
    model.embed(["The model is loaded before anything is measured."], role="document")
    with made_folder(arguments.files) as bench:
        folder = bench.folder
        local = compare("a folder of this machine", bench, lambda: LocalFolderSource(folder), model)
        slow = compare("a slow source", bench, lambda: SlowSource(folder), model)
    reached = [local.cpu <= CPU_GOAL, slow.wall <= GOAL]
    return int(arguments.check and not all(reached))


if __name__ == "__main__":
    sys.exit(main())
