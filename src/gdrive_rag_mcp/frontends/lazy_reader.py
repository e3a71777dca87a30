"""A reader that is made when it is first needed: listing tools must not wait for an index."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the use cases bring SQLite and numpy, which `tools/list` must not wait for
    from gdrive_rag_mcp.app import Reader


class LazyReader:
    """The reader, made by the first call that needs it; a failure is tried again by the next."""

    def __init__(self, make_reader: "Callable[[], Reader]") -> None:
        self._make_reader = make_reader
        self._reader: Reader | None = None
        self._lock = threading.Lock()

    def __call__(self) -> "Reader":
        with self._lock:
            if self._reader is None:
                self._reader = self._make_reader()
            return self._reader
