"""How things are measured: CPU time of one call, in turns, and what processes and files take."""

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

Ask = Callable[[], object]


@dataclass(frozen=True)
class Times:
    """Milliseconds of one call: CPU of the whole process, and by the clock."""

    p50: float
    p95: float
    wall_p50: float
    wall_p95: float


def times(spent: Sequence[tuple[float, float]]) -> Times:
    """Quantiles of (CPU seconds, seconds by the clock)."""
    cpu, wall = (np.array(column) * 1000 for column in zip(*spent, strict=True))
    return Times(*(float(np.quantile(own, share)) for own in (cpu, wall) for share in (0.5, 0.95)))


def timed(ask: Ask) -> tuple[float, float]:
    """CPU seconds and seconds by the clock of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    ask()
    return time.process_time() - cpu, time.perf_counter() - wall


def in_turns(asks: Mapping[str, Sequence[Ask]], rounds: int) -> dict[str, Times]:
    """Times of each kind of call, after a warm round.

    Every kind is asked one thing after the other, as a server would be, and then it is the next
    one's turn, so that a busy spell of the machine falls on all of them.
    """
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in asks}
    for at in range(rounds + 1):
        for name, own in asks.items():
            measured = [timed(ask) for ask in own]
            if at:
                spent[name] += measured
    return {name: times(own) for name, own in spent.items()}


def interleaved(asks: Mapping[str, Sequence[Ask]], rounds: int) -> dict[str, Times]:
    """The same with a change of kind after every call: for kinds that share one engine."""
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in asks}
    for at in range(rounds + 1):
        for calls in zip(*asks.values(), strict=True):
            for name, call in zip(asks, calls, strict=True):
                measured = timed(call)
                if at:
                    spent[name].append(measured)
    return {name: times(own) for name, own in spent.items()}


@dataclass
class Stopwatch:
    """Adds up what is spent inside, so that making the material is not counted."""

    cpu: float = 0.0
    wall: float = 0.0
    pieces: list[float] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.pieces.append(time.process_time() - cpu)
        self.cpu += self.pieces[-1]
        self.wall += time.perf_counter() - wall


def memory_mb(process: int | str = "self") -> dict[str, float]:
    """A process's memory from the kernel's account: VmRSS, RssAnon, RssFile, and VmHWM, the peak.

    Empty where there is no /proc.
    """
    wanted = {"VmRSS", "RssAnon", "RssFile", "VmHWM"}
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return {}
    lines = (line.split() for line in text.splitlines())
    return {
        name: int(words[1]) / 1024
        for words in lines
        if words and (name := words[0].rstrip(":")) in wanted
    }


@contextmanager
def memory_added(into: dict[str, float]) -> Iterator[None]:
    """How much memory what happens inside adds: `anon` is its own, `file` is mapped files."""
    gc.collect()
    before = memory_mb()
    yield
    gc.collect()
    after = memory_mb()
    into.update(
        {
            name: after.get(known, 0.0) - before.get(known, 0.0)
            for name, known in (("anon", "RssAnon"), ("file", "RssFile"))
        }
    )


def size_mb(path: Path) -> float:
    """Megabytes of a file, or of all files in a folder; 0 where there is nothing."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6
