"""Embedding beside the thread that writes: batches go in, rows come out; nothing else is shared."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Protocol, runtime_checkable

from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.indexing.batches import Batch
from gdrive_rag_mcp.indexing.courtesy import Courtesy
from gdrive_rag_mcp.protocols import Embedded, Embedder, embed_with_tokens

_PATIENCE_SECONDS = 5.0


@runtime_checkable
class Closable(Protocol):
    """An embedder that can be told to stop: calls that are under way end with an error."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a batch: its rows, the provider's refusal, or (None) that it was not asked."""

    batch: Batch
    outcome: Embedded | EmbeddingError | None
    seconds: float


class EmbeddingThreads:
    """As many threads as an embedder has use for; they know nothing of the index.

    A provider that cannot be reached is not asked for the batches that wait; they come back
    untried. Left early, the threads end with the call they are in.
    """

    def __init__(self, embedder: Embedder, courtesy: Courtesy, *, most: int) -> None:
        """At most `most` batches are under way, or wait for a thread, at once."""
        self._embedder = embedder
        self._courtesy = courtesy
        self._tasks: SimpleQueue[Batch | None] = SimpleQueue()
        self._made: SimpleQueue[Made | BaseException] = SimpleQueue()
        self._threads: list[Thread] = []
        self._down = Event()
        self._left = Event()
        self._most = most
        self.under_way = 0

    def end(self, *, early: bool) -> None:
        """End the threads; `early`, calls that are under way are broken off where that can be."""
        self._left.set()
        for _thread in self._threads:
            self._tasks.put(None)
        if early and self.under_way and isinstance(self._embedder, Closable):
            self._embedder.close()
        deadline = time.monotonic() + _PATIENCE_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    @property
    def has_room(self) -> bool:
        return self.under_way < self._most

    @property
    def has_made(self) -> bool:
        """Whether a batch has come back that nobody has looked at."""
        return not self._made.empty()

    def submit(self, batch: Batch) -> None:
        """Hand a batch to whichever thread is free next."""
        if not self._threads:
            self._start()
        self.under_way += 1
        self._tasks.put(batch)

    def stop_asking(self) -> None:
        """Let the batches that wait come back untried."""
        self._down.set()

    def made(self, *, wait: bool) -> Iterator[Made]:
        """What has been made so far; with `wait`, at least one batch if any is under way."""
        while self.under_way:
            try:
                made = self._made.get(block=wait)
            except Empty:
                return
            self.under_way -= 1
            wait = False
            if isinstance(made, BaseException):
                raise made
            yield made

    def _start(self) -> None:
        for number in range(self._embedder.parallel_calls):
            # Daemons: one that is stuck in the network must not keep the process from its end.
            thread = Thread(target=self._work, name=f"embedder-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        courtesy = self._courtesy.with_pause(self._left.wait)
        while (batch := self._tasks.get()) is not None:
            if self._left.is_set():
                continue
            try:
                with courtesy.step():
                    self._made.put(self._embed(batch))
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                self._made.put(error)

    def _embed(self, batch: Batch) -> Made:
        if self._left.is_set() or self._down.is_set():
            return Made(batch, None, 0.0)
        began = time.perf_counter()
        outcome: Embedded | EmbeddingError
        try:
            outcome = embed_with_tokens(self._embedder, batch.texts, role="document")
        except EmbeddingError as error:
            if isinstance(error, EmbedderUnavailableError):
                self._down.set()
            outcome = error
        return Made(batch, outcome, time.perf_counter() - began)
