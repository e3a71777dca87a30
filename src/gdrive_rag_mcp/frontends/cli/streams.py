"""The three standard streams: closed, full or broken, they never keep a command from its work."""

import errno
import io
import os
import select
import sys
from typing import Any, TextIO

from gdrive_rag_mcp.errors import OutputError

_INPUT, _OUTPUT, _MESSAGES = range(3)


def mend_standard_streams() -> None:
    """Put something into the place of each stream that is closed; call it before all else.

    A free descriptor would go to the next file that is opened, such as the index, and whatever is
    printed would be written into that. What stands for a closed stdout can only be read, so that a
    result for nobody is not taken for one that was told.
    """
    for number, flags in ((_INPUT, os.O_RDONLY), (_OUTPUT, os.O_RDONLY), (_MESSAGES, os.O_WRONLY)):
        _occupy(number, flags)
    if sys.stdin is None:
        sys.stdin = open(_INPUT, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the process
    sys.stdout = _text(_Results(_OUTPUT, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Messages(_MESSAGES, "w", closefd=False), sys.stderr)


def unwritable(error: OSError) -> OutputError:
    """What is said where a result cannot be written."""
    why = "it is closed" if error.errno == errno.EBADF else error.strerror
    return OutputError(
        f"the result cannot be written to standard output: {why}",
        hint="send it to where it can be written; what the command did is kept",
    )


class _Patient(io.FileIO):
    """A stream that waits for its reader, also where another program made it one that does not."""

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - a buffer, which has no name before 3.12
        while True:
            written: int | None = super().write(data)
            if written is not None:
                return written
            select.select((), (self.fileno(),), ())


class _Results(_Patient):
    """Standard output, of which it is said once that it cannot be written."""

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - as above
        try:
            return super().write(data)
        except OSError as error:
            _write_to_nobody(self.fileno())  # what is still held back is not to fail again
            if isinstance(error, BrokenPipeError):  # the reader has had enough: `status | head`
                raise
            raise unwritable(error) from error


class _Messages(_Patient):
    """Standard error: what nobody can be told is dropped."""

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - as above
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _text(raw: io.FileIO, former: TextIO | None) -> TextIO:
    # Whoever cannot show a character gets an escape for it: a message must not end a command.
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=former.encoding if former else "utf-8",
        errors="backslashreplace",
        line_buffering=True,
    )


def _occupy(number: int, flags: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        _put(os.open(os.devnull, flags), number)


def _write_to_nobody(number: int) -> None:
    _put(os.open(os.devnull, os.O_WRONLY), number)


def _put(descriptor: int, number: int) -> None:
    """Let `number` be what `descriptor` is, also for the programs that this one starts."""
    if descriptor == number:
        os.set_inheritable(number, True)
        return
    os.dup2(descriptor, number)
    os.close(descriptor)
