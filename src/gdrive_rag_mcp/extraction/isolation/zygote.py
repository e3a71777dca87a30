"""The process in which files are read. `python -m gdrive_rag_mcp.extraction.isolation.zygote`.

It loads the parsers once and stays single-threaded; each file is read by a fork that is held to
limits, confined to that file, answers through a pipe and ends. With `--once` it reads one file
itself, for systems that cannot fork.

Requests are lines of JSON on standard input. Each is answered by a line of JSON that says how the
reading ended and how many bytes follow, and these bytes (see `wire`). It ends with its input.
"""

import contextlib
import gc
import json
import os
import select
import signal
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.isolation.confinement import confine, prepare_to_confine
from gdrive_rag_mcp.extraction.isolation.limits import Limits, bind, die_with_parent
from gdrive_rag_mcp.extraction.isolation.warming import warm_up
from gdrive_rag_mcp.extraction.isolation.wire import pack, pack_error
from gdrive_rag_mcp.extraction.options import Ocr, Options
from gdrive_rag_mcp.extraction.reading import read_document

ONCE = "--once"
_BLOCK = 1 << 16
_MAX_REQUEST = 1 << 16
_SOON = 1e-6
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Request:
    """One file to read."""

    path: str
    mime_type: str
    limits: Limits
    options: Options

    def to_line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Request":
        fields = json.loads(line)
        ocr = fields["options"]["ocr"]
        options = Options(Ocr(**{**ocr, "languages": tuple(ocr["languages"])}) if ocr else None)
        return cls(fields["path"], fields["mime_type"], Limits(**fields["limits"]), options)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a reading ended: the signal that killed it, or the limit that it was stopped at.

    `length` is the answer's, in bytes; `cpu_seconds` (with those of forking) and `peak_bytes` of
    memory are what it cost, where a fork has read.
    """

    signal: int = 0
    exceeded: str = ""
    length: int = 0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0

    def to_line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Ending":
        fields: dict[str, Any] = json.loads(line)
        return cls(
            int(fields["signal"]),
            str(fields["exceeded"]),
            int(fields["length"]),
            float(fields["cpu_seconds"]),
            int(fields["peak_bytes"]),
        )


def answer(request: Request) -> bytes:
    """Read the file and pack what came of it: the outermost handler of this process."""
    try:
        return pack(read_document(Path(request.path), request.mime_type, request.options))
    except ExtractionError as error:
        return pack_error(error)
    except MemoryError:
        mebibytes = request.limits.memory_bytes >> 20
        return pack_error(
            ExtractionError(
                Reason.RESOURCE_LIMIT, f"Reading the file took more than {mebibytes} MiB of memory"
            )
        )
    except BaseException as error:  # noqa: BLE001 - parsers raise anything, a Rust panic included
        return pack_error(_unforeseen(error))


def _unforeseen(error: BaseException) -> ExtractionError:
    """A panic is what a Rust parser makes of damage; anything else unforeseen is our fault."""
    name = type(error).__name__
    reason = Reason.CORRUPT if name == "PanicException" else Reason.INTERNAL
    return ExtractionError(reason, one_line(f"Reading the file failed with {name}: {error}"))


def main(arguments: list[str]) -> None:
    """Serve requests until the input ends."""
    requests, replies = os.dup(0), os.dup(1)
    # Whatever a parser prints must not end up among the replies.
    _silence(0, 1)
    if ONCE in arguments:
        _serve_once(requests, replies)
        return
    warm_up()
    prepare_to_confine()
    gc.collect()
    gc.freeze()  # collecting garbage would copy all that is shared with this process
    while line := _read_line(requests):
        started = time.process_time()
        request = Request.from_line(line)
        ending, said = _read_in_fork(request, requests, replies)
        ours = time.process_time() - started
        ending = replace(ending, cpu_seconds=ending.cpu_seconds + ours)
        _write(replies, ending.to_line() + said)


def _serve_once(requests: int, replies: int) -> None:
    die_with_parent()
    request = Request.from_line(_read_line(requests))
    said = _answer_held(request)
    _write(replies, Ending(length=len(said)).to_line() + said)


def _answer_held(request: Request) -> bytes:
    _silence(2)  # where our own last words go is a file, and none can be written from here on
    bind(request.limits)
    ocr = request.options.ocr
    confine(
        os.path.realpath(request.path),
        programs=[ocr.program] if ocr else (),
        data=[ocr.data] if ocr else (),
    )
    return answer(request)


def _read_in_fork(request: Request, requests: int, replies: int) -> tuple[Ending, bytes]:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setpgid(0, 0)  # all that it starts ends with it
            die_with_parent()
            for unneeded in (reader, requests, replies):
                os.close(unneeded)
            _write(writer, _answer_held(request))
        finally:
            os._exit(0)
    os.close(writer)
    with contextlib.suppress(OSError):  # whoever of the two comes first
        os.setpgid(child, child)
    try:
        return _collect(child, reader, requests, request.limits)
    finally:
        os.close(reader)


def _collect(child: int, reader: int, requests: int, limits: Limits) -> tuple[Ending, bytes]:
    """Take the child's answer as it comes, within the limits; dies with whoever asked."""
    deadline = time.monotonic() + limits.wall_seconds
    blocks: list[bytes] = []
    length = 0
    exceeded = ""
    while not exceeded:
        left = deadline - time.monotonic()
        ready, _, _ = select.select([reader, requests], [], [], max(left, 0))
        if requests in ready:  # nobody asks twice before an answer: the input has ended
            _kill_group(child)
            sys.exit(0)
        if not ready:
            exceeded = "wall"
        elif block := os.read(reader, _BLOCK):
            blocks.append(block)
            length += len(block)
            exceeded = "answer" if length > limits.answer_bytes else ""
        else:
            break
    if exceeded:
        _kill_group(child)
    ending = _reap(child, deadline)
    exceeded = exceeded or ending.exceeded
    said = b"" if exceeded or ending.signal else b"".join(blocks)
    return replace(ending, exceeded=exceeded, length=len(said)), said


def _reap(child: int, deadline: float) -> Ending:
    """Wait for the child, which has nothing more to say, and end all that it has started."""
    overdue: list[int] = []

    def end_it(number: int, _: object) -> None:
        overdue.append(number)
        _kill_group(child)

    signal.signal(signal.SIGALRM, end_it)
    signal.setitimer(signal.ITIMER_REAL, max(deadline - time.monotonic(), _SOON))
    _, status, usage = os.wait4(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    _kill_group(child)
    return Ending(
        signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        exceeded="wall" if overdue else "",
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss * _RSS_UNIT,
    )


def _kill_group(leader: int) -> None:
    """End a child and all that it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left of it
        os.killpg(leader, signal.SIGKILL)


def _read_line(file: int) -> bytes:
    """A line; nothing comes after it until it is answered. Empty when the input has ended."""
    line = b""
    while not line.endswith(b"\n") and len(line) < _MAX_REQUEST:
        block = os.read(file, _BLOCK)
        if not block:
            return b""
        line += block
    return line


def _write(file: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]


def _silence(*files: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for file in files:
        os.dup2(nowhere, file)
    os.close(nowhere)


if __name__ == "__main__":
    main(sys.argv[1:])
