"""Turns the panic of a Rust library into the error that the file deserves."""

from collections.abc import Iterator
from contextlib import contextmanager

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError

_PANIC = "PanicException"


@contextmanager
def panics_as_damage(what: str) -> Iterator[None]:
    """Say that a file is damaged when the library that reads it stumbles.

    A panic is no `Exception`, and its type can be told by its name alone, as every library brings
    its own. The library's state after it does not matter: nothing of it is used again.

    Raises:
        ExtractionError: there was a panic (`corrupt`).
    """
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise ExtractionError(Reason.CORRUPT, f"{what} is damaged: {error}") from error
