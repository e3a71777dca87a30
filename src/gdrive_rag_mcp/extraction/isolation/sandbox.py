"""Reads files in another process, so that whatever a file does costs only itself.

One process is started early and forks for every file. It gets no secrets, and ends when this
process does.
"""

import os
import signal
import threading
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.isolation.limits import Limits
from gdrive_rag_mcp.extraction.isolation.process import ProcessDiedError, ReadingProcess
from gdrive_rag_mcp.extraction.isolation.wire import unpack
from gdrive_rag_mcp.extraction.isolation.zygote import ONCE, Ending, Request
from gdrive_rag_mcp.extraction.options import Options

_ATTEMPTS = 2
_HEAD = 1024
_HINT = "Save the file anew or split it, if it is genuine."


class Sandbox:
    """An `Extractor` whose parsers run elsewhere. Threads may share it; they take turns."""

    def __init__(
        self,
        limits: Limits | None = None,
        options: Options | None = None,
        *,
        fork: bool = hasattr(os, "fork"),
    ) -> None:
        """Nothing is started yet; without `fork`, every file gets a fresh process."""
        self._limits = limits or Limits()
        self._options = options or Options()
        self._fork = fork
        self._turn = threading.Lock()
        self._process: ReadingProcess | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def process_id(self) -> int | None:
        """The process that reads, while one runs."""
        return self._process.id if self._process else None

    def start(self) -> None:
        """Start the process, so that it has loaded its parsers by the time of the first file."""
        with self._turn:
            if self._fork:
                self._running()

    def close(self) -> None:
        """End the process; a later `extract` starts another."""
        with self._turn:
            self._discard()

    def extract(self, content: Path, mime_type: str) -> Document:
        """Read a file.

        Raises:
            ExtractionError: it cannot be read, or reading it took more than it may.
        """
        request = self._request(content.absolute(), mime_type)
        with self._turn:
            ending, answer = self._ask(request)
        if ending.signal or ending.exceeded:
            raise _exceeded(ending, request.limits)
        return unpack(answer)

    def _request(self, content: Path, mime_type: str) -> Request:
        """Only a PDF has pages to recognise: no other may take longer for it, or start programs."""
        if self._options.ocr is None:
            return Request(str(content), mime_type, self._limits, self._options)
        if _is_pdf(content):
            return Request(str(content), mime_type, self._limits.with_ocr(), self._options)
        return Request(str(content), mime_type, self._limits, replace(self._options, ocr=None))

    def _ask(self, request: Request) -> tuple[Ending, bytes]:
        """Ask the process; one that is gone is replaced, and the question put once more."""
        words = ""
        for _ in range(_ATTEMPTS):
            try:
                return self._running().ask(request)
            except OSError as error:  # no process can be started, or it went while being asked
                words = str(error)
            except ProcessDiedError as death:
                if not self._fork and death.code:
                    return Ending(signal=abs(death.code)), b""
                words = str(death)
            finally:
                if not self._fork:
                    self._discard()
        raise ExtractionError(
            Reason.INTERNAL,
            f"The extraction process ended unexpectedly: {words}",
            hint="See that the installation is complete.",
        )

    def _running(self) -> ReadingProcess:
        if self._process is None or self._process.ended:
            self._discard()
            self._process = ReadingProcess(*([] if self._fork else [ONCE]))
        return self._process

    def _discard(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


def _is_pdf(content: Path) -> bool:
    try:
        with content.open("rb") as file:
            return b"%PDF-" in file.read(_HEAD)
    except OSError:  # whoever reads it will say so
        return False


def _exceeded(ending: Ending, limits: Limits) -> ExtractionError:
    if ending.exceeded == "answer":
        size = limits.answer_bytes >> 20
        return ExtractionError(
            Reason.TOO_LARGE,
            f"The file's text and its structure are larger than {size} MiB",
            hint=_HINT,
        )
    if ending.exceeded:
        what = f"took more than {limits.wall_seconds:g} seconds"
    elif ending.signal == getattr(signal, "SIGXCPU", None):
        what = f"took more than {limits.cpu_seconds} seconds of computing"
    else:
        memory = limits.memory_bytes >> 20
        what = f"crashed the parser or took more than {memory} MiB of memory"
        what += f" ({_signal_name(ending.signal)})"
    return ExtractionError(Reason.RESOURCE_LIMIT, f"Reading the file {what}", hint=_HINT)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"exit code {number}"
