"""Fetching many files from Drive with many workers: right, in bounded memory, and at the set pace.

    python -m benchmarks.bench_drive [--files 5000] [--workers 16] [--check]

A Drive on this machine, in a process of its own, serves files that each say their own id. With the
pacer off, every answer must be the file that was asked for, and memory must not grow with their
number; one worker in the same run is what the throughput is compared with. With the pacer on, the
rate at which files come must be within 5 % of the setting.
"""

import argparse
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from gdrive_rag_mcp.app.syncing import sync_index
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import SourceFile
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.sources.drive_service_account import load_service_account
from gdrive_rag_mcp.testing.fake_drive import FakeDrive

MOST_GROWTH_MB = 150
PACE_TOLERANCE = 0.05
PACE = 200.0
PACED_FILES = 800
SIZE = 20_000


def content_of(file_id: str) -> bytes:
    """A content that no other file has, of a common document's size."""
    return (f"{file_id} " * (SIZE // (len(file_id) + 1))).encode()


def serve(files: int, key: str, control: Connection) -> None:
    """Fill a Drive, say where it is, and serve until told to end."""
    with FakeDrive() as drive:
        ids = [f"1file{number:08d}" for number in range(files)]
        for identifier in ids:
            drive.files.add_file(f"{identifier}.md", content_of(identifier), id=identifier)
        drive.write_key_file(Path(key))
        control.send((drive.url, drive.root, ids))
        control.recv()


@dataclass(frozen=True, slots=True)
class Served:
    """A running Drive and what is in it."""

    url: str
    root: str
    ids: list[str]
    key: Path


@contextmanager
def served(files: int, folder: Path) -> Iterator[Served]:
    """A Drive in a process of its own, so that its memory is not counted."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    key = folder / "key.json"
    process = context.Process(target=serve, args=(files, str(key), theirs))
    process.start()
    try:
        url, root, ids = ours.recv()
        yield Served(url, root, ids, key)
    finally:
        ours.send("end")
        process.join(10)
        if process.is_alive():
            process.terminate()


def memory_mb(kind: str) -> float:
    """This process's memory from the kernel's account: VmRSS now, or VmHWM at most so far."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def fetch_all(
    served: Served, folder: Path, *, files: int, workers: int, pace: float
) -> tuple[int, float]:
    """Read files with some workers: how many came out wrong, and the seconds it took."""
    source = DriveSource(
        served.root,
        load_service_account(served.key),
        endpoint=served.url,
        calls_per_second=pace,
    )

    def read(identifier: str) -> bool:
        into = folder / identifier
        source.read(
            SourceFile(identifier, identifier, "text/markdown", (served.root,), "unknown"), into
        )
        right = into.read_bytes() == content_of(identifier)
        into.unlink()
        return right

    read(served.ids[0])  # the token and the first connection are not what is measured
    started = time.monotonic()
    with ThreadPoolExecutor(workers) as pool:
        wrong = sum(not right for right in pool.map(read, served.ids[:files]))
    seconds = time.monotonic() - started
    source.close()
    return wrong, seconds


def sync_all(served: Served, folder: Path, workers: int) -> tuple[int, float]:
    """Sync everything into a new index, for words alone: searchable documents, and the seconds."""
    source = DriveSource(
        served.root, load_service_account(served.key), endpoint=served.url, calls_per_second=0
    )
    started = time.monotonic()
    with Sandbox() as sandbox:
        report = sync_index(
            folder / "index.db",
            source=source,
            extractor=sandbox,
            chunker=StructuralChunker(size=300, overlap=40),
            embedder=lambda _: None,
            options=SyncOptions(),
            progress=lambda *_: None,
            readers=workers,
        )
    seconds = time.monotonic() - started
    source.close()
    return report.coverage.searchable, seconds


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run of everything has shown."""

    files: int
    workers: int
    mixed_up: int
    growth_mb: float
    rate: float
    rate_alone: float
    pace: float
    synced: int
    sync_rate: float
    sync_growth_mb: float

    @property
    def sound(self) -> bool:
        """Whether every goal is reached."""
        return (
            self.mixed_up == 0
            and self.synced == self.files
            and max(self.growth_mb, self.sync_growth_mb) <= MOST_GROWTH_MB
            and abs(self.pace / PACE - 1) <= PACE_TOLERANCE
        )

    def show(self) -> None:
        """Print it."""
        print(f"{self.files} files of {SIZE // 1000} kB, {self.workers} workers, pacer off")
        print(f"  answers that were another file's   {self.mixed_up}")
        print(f"  memory grew by at most             {self.growth_mb:.0f} MB (<= {MOST_GROWTH_MB})")
        times = self.rate / self.rate_alone
        print(f"  files a second                     {self.rate:.0f} ({times:.2f} x one worker)")
        print(f"a whole sync of them, {self.workers} readers, words alone")
        print(f"  searchable documents               {self.synced}")
        print(f"  memory grew by at most             {self.sync_growth_mb:.0f} MB")
        print(f"  files a second                     {self.sync_rate:.0f}")
        print(f"{self.workers} workers, {PACE:g} calls a second set")
        print(f"  calls a second                     {self.pace:.1f} ({self.pace / PACE - 1:+.1%})")


def measure(drive: Served, folder: Path, workers: int) -> Measured:
    files = len(drive.ids)
    few, paced = max(1, files // 10), min(PACED_FILES, files)
    alone_wrong, alone = fetch_all(drive, folder, files=few, workers=1, pace=0)
    before = memory_mb("VmRSS")
    wrong, seconds = fetch_all(drive, folder, files=files, workers=workers, pace=0)
    growth = memory_mb("VmHWM") - before
    paced_wrong, paced_seconds = fetch_all(drive, folder, files=paced, workers=workers, pace=PACE)
    before = memory_mb("VmRSS")
    synced, sync_seconds = sync_all(drive, folder, workers)
    return Measured(
        files=files,
        workers=workers,
        mixed_up=alone_wrong + wrong + paced_wrong,
        growth_mb=growth,
        rate=files / seconds,
        rate_alone=few / alone,
        pace=paced / paced_seconds,  # the call before them has taken the turn at second 0
        synced=synced,
        sync_rate=files / sync_seconds,
        sync_growth_mb=memory_mb("VmHWM") - before,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--check", action="store_true", help="exit 1 when a goal is missed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, served(arguments.files, Path(name)) as drive:
        measured = measure(drive, Path(name), arguments.workers)
    measured.show()
    return int(arguments.check and not measured.sound)


if __name__ == "__main__":
    sys.exit(main())
