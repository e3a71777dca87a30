"""Giving chunks their vectors beside the reading of files, after their text is searchable.

What waits is in the index; a window of it at a time is sorted into batches that threads embed. The
thread that writes hands them out and keeps what comes back, batch by batch; a kill loses only what
is on its way.
"""

from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

from gdrive_rag_mcp.chunking.tokens import estimate_tokens
from gdrive_rag_mcp.domain import Chunk, EmbeddingOutlook, TokenVectors
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.indexing.batches import Batch, batch_size, batches, runs_here
from gdrive_rag_mcp.indexing.courtesy import Courtesy
from gdrive_rag_mcp.indexing.embedding_threads import EmbeddingThreads, Made
from gdrive_rag_mcp.indexing.pace import Pace
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.protocols import Embedded, Embedder, Vectors

WINDOW = 512
"""Chunks that are sorted by length together; twice as many texts may be in memory at a time."""
REFUSALS_IN_A_ROW = 64
"""After so many single texts that a provider refuses, with none that it takes, it is the provider.

Whoever bills by the call must not be asked twice for each of a million texts.
"""


class Unembedded(Protocol):
    """Chunks that wait for their vectors: of the index as it is searched, or as it is rebuilt."""

    def waiting(self) -> int:
        """How many chunks have no vector yet."""

    def outlook(self) -> EmbeddingOutlook:
        """What there is to embed."""

    def without_vector(self, after: int, limit: int) -> list[tuple[int, Chunk]]:
        """Chunks that wait, in order of number, from beyond `after`."""

    def attach_known(self, numbers: Sequence[int]) -> set[int]:
        """Give chunks the vectors that are known of their texts; returns which got one."""

    def attach_vectors(
        self,
        numbers: Sequence[int],
        hashes: Sequence[str],
        rows: Vectors,
        tokens: Sequence[TokenVectors] | None = None,
    ) -> None:
        """Give chunks their vectors; one that has gone meanwhile is left alone."""


class Vectoriser:
    """Fills in vectors that are missing; it has threads, which end with its context.

    Chunks are taken in order of number, each once: what is refused is asked for again by the next
    run. No text is on its way twice, and no more than `budget` texts are embedded.
    """

    def __init__(
        self,
        unembedded: Unembedded,
        embedder: Embedder,
        progress: Progress = lambda *_: None,
        *,
        budget: int | None = None,
        courtesy: Courtesy | None = None,
        noted_pace: float | None = None,
    ) -> None:
        self._unembedded = unembedded
        self._progress = progress
        self._budget = budget
        self._size = batch_size(embedder)
        # A whole window, so that the threads have work while a long file is read.
        most = max(WINDOW // self._size, embedder.parallel_calls)
        # Who waits for another machine takes nothing from those who search on this one.
        courtesy = courtesy if courtesy and runs_here(embedder) else Courtesy()
        self._threads = EmbeddingThreads(embedder, courtesy, most=most)
        self._after = 0
        self._unseen = unembedded.waiting()
        self._ready: deque[Batch] = deque()
        self._wanted_by: dict[str, list[int]] = {}
        self._refused_texts: set[str] = set()
        self._refusals_in_a_row = 0
        self._held_back = False
        self.pace = Pace(noted_pace, embedder.parallel_calls)
        self._characters = 0
        self.embedded = 0
        self.tokens = 0
        self.reused = 0
        self.refused = 0
        self.problem: EmbeddingError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._threads.end(early=kind is not None)

    @property
    def done(self) -> EmbeddingOutlook:
        """What was embedded so far."""
        return EmbeddingOutlook(self.embedded, self._characters)

    @property
    def texts_in_memory(self) -> int:
        """Distinct texts that are on their way, or ready to go."""
        return len(self._wanted_by)

    @property
    def budget_reached(self) -> bool:
        """Whether a text waits that only the budget keeps from being embedded."""
        return self._held_back

    def expect(self, chunks: int) -> None:
        """Know that so many more chunks wait."""
        self._unseen += chunks

    @property
    def has_work(self) -> bool:
        """Whether `advance` would keep or hand out anything."""
        may_take = self._unseen >= self._size and not self._held_back
        may_hand_out = self._threads.has_room and not self._is_down
        return self._threads.has_made or (may_hand_out and (bool(self._ready) or may_take))

    def advance(self) -> None:
        """Keep what has been made and hand out more, without waiting for anything."""
        self._turn(wait=False, enough=self._size)

    def turn(self) -> bool:
        """Wait for a batch, keep it and hand out more; false when there is nothing more to come.

        That is when no chunk waits, the budget is spent, or the provider is out of reach.
        """
        return self._turn(wait=True, enough=1)

    # ── handing out ──────────────────────────────────────────────────────────

    def _turn(self, *, wait: bool, enough: int) -> bool:
        self._hand_out(enough)
        for made in self._threads.made(wait=wait):
            self._keep(made)
            self._tell()
        self._hand_out(enough)
        return bool(self._threads.under_way)

    def _hand_out(self, enough: int) -> None:
        while self._threads.has_room and not self._is_down:
            if not self._ready and not self._take_window(enough):
                return
            if self._ready:
                self._threads.submit(self._ready.popleft())

    @property
    def _is_down(self) -> bool:
        return isinstance(self.problem, EmbedderUnavailableError)

    def _take_window(self, enough: int) -> bool:
        """Take the next chunks that wait, where it is worth while; false when it is not."""
        if self._unseen < enough or self._held_back:
            return False
        # As long as more may come, whole batches: a small one costs a call as well.
        at_last = enough == 1
        limit = WINDOW if at_last else min(WINDOW, self._unseen // enough * enough)
        window = self._unembedded.without_vector(self._after, limit)
        # More may wait than was expected, but none where the window is not full.
        left = max(int(at_last), self._unseen - limit)
        self._unseen = left if len(window) == limit else 0
        if not window:
            return False
        # An earlier batch, or another file or generation, may have brought the vector of the text.
        known = self._unembedded.attach_known([number for number, _ in window])
        self.reused += len(known)
        self._ready.extend(batches(self._new_texts(window, known), self._size))
        return True

    def _new_texts(self, window: Sequence[tuple[int, Chunk]], known: set[int]) -> dict[str, str]:
        """The texts of a window that nobody embeds yet, by hash, as far as the budget goes."""
        new: dict[str, str] = {}
        for number, chunk in window:
            if number in known:
                pass
            elif chunk.hash in self._refused_texts:
                self.refused += 1
            elif chunk.hash in self._wanted_by:
                self._wanted_by[chunk.hash].append(number)
            elif self._spent:
                self._held_back = True
                self._unseen += 1
                break
            else:
                self._wanted_by[chunk.hash] = [number]
                new[chunk.hash] = chunk.embedded_text
            self._after = number
        return new

    @property
    def _spent(self) -> bool:
        """Whether the budget is used up by what was embedded and what is on its way."""
        return self._budget is not None and self.embedded + len(self._wanted_by) >= self._budget

    # ── keeping ──────────────────────────────────────────────────────────────

    def _keep(self, made: Made) -> None:
        batch, outcome = made.batch, made.outcome
        if outcome is None:
            self._let_go(batch)
        elif isinstance(outcome, EmbedderUnavailableError):
            self._let_go(batch)
            self._give_up(outcome)
        elif isinstance(outcome, EmbeddingError):
            self._refuse(batch, outcome)
        else:
            self._attach(batch, outcome)
            self._refusals_in_a_row = 0
            self.pace.note(batch.characters, made.seconds)

    def _attach(self, batch: Batch, embedded: Embedded) -> None:
        numbers: list[int] = []
        places: list[int] = []
        for place, digest in enumerate(batch.hashes):
            wanting = self._wanted_by[digest]
            numbers += wanting
            places += [place] * len(wanting)
        hashes = [batch.hashes[place] for place in places]
        tokens = embedded.tokens and [embedded.tokens[place] for place in places]
        self._unembedded.attach_vectors(numbers, hashes, embedded.vectors[places], tokens)
        self._let_go(batch)
        self.embedded += len(batch.hashes)
        self.tokens += sum(map(estimate_tokens, batch.texts))
        self._characters += batch.characters
        self.reused += len(numbers) - len(batch.hashes)

    def _refuse(self, batch: Batch, error: EmbeddingError) -> None:
        """Find by halves the text that the provider cannot take; its neighbours get vectors."""
        if self._is_down:
            self._let_go(batch)
            return
        if len(batch.hashes) > 1:
            self._ready.extendleft(reversed(batch.halves()))
            return
        self.problem = error
        self._refused_texts.update(batch.hashes)
        self.refused += sum(len(self._wanted_by[digest]) for digest in batch.hashes)
        self._let_go(batch)
        self._held_back = False  # what is not embedded does not count
        self._refusals_in_a_row += 1
        if self._refusals_in_a_row >= REFUSALS_IN_A_ROW:
            self._give_up(
                EmbedderUnavailableError(
                    f"the embedder refused {REFUSALS_IN_A_ROW} texts in a row, the last one "
                    f"because: {error.message}",
                    hint=error.hint,
                )
            )

    def _give_up(self, problem: EmbedderUnavailableError) -> None:
        """Ask for nothing more in this run; what is under way still counts."""
        self.problem = problem
        self._held_back = False  # it is not the budget that keeps them
        self._threads.stop_asking()
        while self._ready:
            self._let_go(self._ready.popleft())

    def _let_go(self, batch: Batch) -> None:
        """Forget who wanted these texts: they have their vectors, or wait for the next run."""
        for digest in batch.hashes:
            del self._wanted_by[digest]

    def _tell(self) -> None:
        done = self.embedded + self.reused
        left = self._unseen + sum(map(len, self._wanted_by.values()))
        self._progress("embedding", done, done + left)
