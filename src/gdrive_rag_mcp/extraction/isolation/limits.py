"""What reading one file may cost, and how a process is held to it."""

import contextlib
import os
import signal
import sys
from dataclasses import dataclass, replace

from gdrive_rag_mcp.extraction.isolation.c_library import c_library

_GRACE_SECONDS = 2
_OCR_CPU_SECONDS = 90
_OCR_WALL_SECONDS = 900
_SET_SIGNAL_OF_PARENTS_DEATH = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds for one file. The answer is the document as it crosses between the processes."""

    memory_bytes: int = 2 << 30
    cpu_seconds: int = 30
    wall_seconds: float = 120.0
    answer_bytes: int = 64 << 20

    def with_ocr(self) -> "Limits":
        """The same for a file whose pages are recognised: each takes seconds.

        The time of computing is that of each process: the one that draws the pages, and the program
        for each of them.
        """
        return replace(
            self,
            cpu_seconds=self.cpu_seconds + _OCR_CPU_SECONDS,
            wall_seconds=self.wall_seconds + _OCR_WALL_SECONDS,
        )


def bind(limits: Limits) -> None:
    """Hold this process to the limits, as far as the system knows them; no core dumps, no files.

    Where a limit is missing (Windows has none of them, macOS ignores the one on memory), the wall
    clock still ends what takes too long.
    """
    try:
        import resource
    except ImportError:
        return
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)  # whoever started us may have had it ignored
    cpu = limits.cpu_seconds
    for kind, soft, hard in (
        (resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes),
        (resource.RLIMIT_CPU, cpu, cpu + _GRACE_SECONDS),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (soft, hard))


def die_with_parent() -> None:
    """Have Linux end this process when its parent ends in whatever way; elsewhere, nothing does."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    c_library().prctl(_SET_SIGNAL_OF_PARENTS_DEATH, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it was too late to be told
        os._exit(1)
