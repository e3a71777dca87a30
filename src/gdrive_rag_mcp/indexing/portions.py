"""Keeping small documents together: a commit costs as much as a dozen of their passages.

What comes fast is kept some documents at a time, what takes long to read by itself. A run that is
killed loses what was not kept yet, whole documents, and the next one reads those again.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Self

from gdrive_rag_mcp.store import Store

MOST_DOCUMENTS = 128
"""Kept together, at most: what a killed run may have to read again."""
_MOST_CHUNKS = 1_536
_LONGEST_SECONDS = 0.25
_SLOW_SECONDS = 0.05


class Portions:
    """Transactions of several documents each; the last one is kept at the end of the context."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._open: ExitStack | None = None
        self._documents = self._chunks = 0
        self._begun = self._last = clock()

    def __enter__(self) -> Self:
        self._last = self._clock()
        return self

    def __exit__(self, *_: object) -> None:
        self.keep()  # what is still there is whole, however the run ends

    @contextmanager
    def document(self, chunks: int = 0) -> Iterator[None]:
        """Write one document, of so many chunks; where that fails, its portion is undone."""
        slow = self._clock() - self._last > _SLOW_SECONDS
        if self._open is None:
            self._open = ExitStack()
            self._open.enter_context(self._store.transaction())
            self._documents = self._chunks = 0
            self._begun = self._clock()
        try:
            yield
        except BaseException:
            self._give_up()
            raise
        self._documents += 1
        self._chunks += chunks
        self._last = self._clock()
        enough = self._documents >= MOST_DOCUMENTS or self._chunks >= _MOST_CHUNKS
        if slow or enough or self._last - self._begun > _LONGEST_SECONDS:
            self.keep()

    def keep(self) -> None:
        """Commit what has been written; how long that takes says nothing of the next document."""
        stack, self._open = self._open, None
        if stack is not None:
            begun = self._clock()
            stack.close()
            self._last += self._clock() - begun

    def _give_up(self) -> None:
        """Undo what has been written since the last commit, for the error at hand."""
        stack, self._open = self._open, None
        if stack is not None:
            stack.__exit__(*sys.exc_info())
