"""The calibration of one index after it was written: bounded, gone on with, and free if unchanged.

Each probe is kept as soon as it was asked, and the calibration at the end; a run that is stopped
leaves the former calibration in force, and the next one goes on with the probes that are there.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from gdrive_rag_mcp.calibrating.choosing import candidates
from gdrive_rag_mcp.calibrating.learning import FEWEST, odds_of, scales_of
from gdrive_rag_mcp.calibrating.piece_counts import SAMPLE, count_pieces
from gdrive_rag_mcp.calibrating.probes import Candidate, ask, embedded_question
from gdrive_rag_mcp.calibrating.staleness import Change
from gdrive_rag_mcp.domain import (
    Calibration,
    CalibrationBasis,
    PieceFrequencies,
    Probe,
)
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.evidence.calibrated import weights_digest
from gdrive_rag_mcp.evidence.measuring import SIGNALS
from gdrive_rag_mcp.protocols import Embedder, token_projection_of
from gdrive_rag_mcp.store import Store

_PROBES_VERSION = 1
"""Goes up when probes are asked, or their signals measured, in another way."""
MOST_SECONDS = 60.0
SHARE_OF_A_SYNC = 0.05
_PACE_OF_WORDS = 3_000_000.0
"""Characters a second that a sync of words alone writes; measured, see docs/performance.md."""
HANDFUL = 16
"""Probes that are asked however long they take: fewer would leave a new index with chance."""
_LITTLE = 0.05
"""Of an index's chunks: so many may come or go before its pieces are counted anew."""

STOPPED_BY_TIME = "time"
STOPPED_BY_BUDGET = "max_embeddings"
EMBEDDER_UNAVAILABLE = "embedder_unavailable"
VECTORS_WAITING = "vectors_waiting"
TOO_FEW_PROBES = "too_few_probes"
_UNFINISHED = (STOPPED_BY_BUDGET, EMBEDDER_UNAVAILABLE)
"""What another run may find otherwise, though nothing has changed in the index."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What a run did: questions asked anew, and how many of them were embedded."""

    asked: int = 0
    embedded: int = 0
    seconds: float = 0.0
    lacking: str = ""


@dataclass(frozen=True)
class Calibrating:
    """Brings the calibration of an index up to date; whoever runs it holds the writer's lock.

    `budget` is how many questions may be embedded (None: as many as it takes). Each is asked inside
    a `step`, which may wait first for those who search.
    """

    store: Store
    embedder: Embedder | None
    budget: int | None = None
    progress: Callable[[str, int, int | None], object] = field(default=lambda *_: None)
    step: Callable[[], AbstractContextManager[None]] = field(default=nullcontext)
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    clock: Callable[[], float] = field(default=time.monotonic)

    def run(self) -> Calibrated:
        """Ask what is new, and learn from all; nothing is done where nothing has changed."""
        if self.embedder is None and self.store.catalog.embedding_identity is not None:
            return Calibrated(lacking=EMBEDDER_UNAVAILABLE)  # what is known stays in force
        basis, former = self._basis(), self.store.calibration.get()
        if former is not None and _stands(former, basis):
            return Calibrated(lacking=former.lacking)
        if not basis.chunks or self._waits_for_vectors(basis.chunks):
            return Calibrated(lacking=VECTORS_WAITING if basis.chunks else TOO_FEW_PROBES)
        return _Run(self, basis, former).run()

    def _basis(self) -> CalibrationBasis:
        catalog, identity = self.store.catalog, self.store.catalog.embedding_identity
        mark = self.store.chunk_sample.mark()
        usable = identity if self.embedder is not None else None
        return CalibrationBasis(
            embedding=usable.fingerprint if usable else "",
            model=usable.model if usable else "",
            chunking=catalog.chunking_identity or "",
            projection=token_projection_of(self.embedder),
            weights=weights_digest(),
            chunks=int(mark.split()[1]),
            mark=mark,
            made_at=self.now(),
        )

    def _waits_for_vectors(self, chunks: int) -> bool:
        """Whether so much has no vector yet that its cosines would be others with it."""
        return self.embedder is not None and self.store.index.waiting() > chunks // 10


def _stands(former: Calibration, basis: CalibrationBasis) -> bool:
    same = former.basis.mark == basis.mark and _comparable(former.basis, basis)
    return same and former.basis.weights == basis.weights and former.lacking not in _UNFINISHED


def _comparable(former: CalibrationBasis, basis: CalibrationBasis) -> bool:
    """Whether what a probe showed then would be seen now, if nothing near it has changed."""
    return (former.embedding, former.chunking, former.projection) == (
        basis.embedding,
        basis.chunking,
        basis.projection,
    )


def _asked_of(basis: CalibrationBasis) -> str:
    return f"{_PROBES_VERSION} {basis.embedding} {basis.projection} {basis.chunking}"


class _Run:
    """One run over an index that has changed."""

    def __init__(
        self, calibrating: Calibrating, basis: CalibrationBasis, former: Calibration | None
    ) -> None:
        self._own = calibrating
        self._store = calibrating.store
        self._embedder = calibrating.embedder if basis.embedding else None
        self._basis = basis
        self._former = former if former and _comparable(former.basis, basis) else None
        self._began = calibrating.clock()
        self._seconds = self._seconds_allowed()
        self._asked = self._embedded = 0
        self._lacking = ""
        self._pieces_mark = basis.mark

    def run(self) -> Calibrated:
        pieces = self._pieces()
        wanted = candidates(self._store, self._embedder, self._basis.chunks)
        known = self._known(wanted)
        stale = self._stale(known)
        new = [one for one in wanted if one.key not in known]
        again = [one for one in wanted if one.key in stale]
        if len(wanted) >= FEWEST:  # fewer teach nothing, and may cost
            self._ask([*new, *again], known, pieces)
        self._learn([known[one.key] for one in wanted if one.key in known], pieces)
        return Calibrated(
            self._asked, self._embedded, self._own.clock() - self._began, self._lacking
        )

    # ── what there is to do ──────────────────────────────────────────────────

    def _seconds_allowed(self) -> float:
        """A twentieth of what a whole sync would take, as far as that is known, and a minute."""
        paces = self._store.catalog.embedding_paces
        pace = paces.get(self._basis.embedding, 0.0) if self._embedder else _PACE_OF_WORDS
        if not pace:
            return MOST_SECONDS
        whole = self._store.chunk_sample.characters() / pace
        return min(MOST_SECONDS, SHARE_OF_A_SYNC * whole)

    @property
    def _time_is_up(self) -> bool:
        return self._own.clock() - self._began > self._seconds

    def _pieces(self) -> PieceFrequencies | None:
        if self._embedder is None:
            return None
        former = self._former
        if former and self._little_changed_since(former.pieces_mark):
            self._pieces_mark = former.pieces_mark
            return former.piece_frequencies
        sample = [one.number for one in self._store.chunk_sample.lowest(SAMPLE)]
        try:
            return count_pieces(
                self._store, self._embedder, sample, self._seconds / 3, self._own.clock
            )
        except EmbedderUnavailableError:
            self._lacking = EMBEDDER_UNAVAILABLE
            return None

    def _little_changed_since(self, mark: str) -> bool:
        if not mark:
            return False
        newest, chunks = map(int, mark.split()[:2])
        come = self._store.chunk_sample.newest() - newest
        gone = chunks + come - self._basis.chunks
        return come + gone <= _LITTLE * self._basis.chunks

    def _known(self, wanted: Sequence[Candidate]) -> dict[str, Probe]:
        """The probes that were asked before; all others are forgotten."""
        kept = self._store.calibration.probes()
        keys = {one.key: one.question for one in wanted}
        useful = {
            key: probe
            for key, probe in kept.items()
            if self._may_be_kept(probe) and keys.get(key) == probe.question
        }
        with self._store.transaction():
            self._store.calibration.drop_probes(kept.keys() - useful.keys())
        return useful

    def _may_be_kept(self, probe: Probe) -> bool:
        """Whether it was asked of this embedder, and all that is measured now was measured then.

        Its vector has to be as long as the others: where it is not, the row is damaged.
        """
        signals = (one.signals for one in (probe.present, probe.absent) if one.signals)
        complete = all(one.keys() == SIGNALS.keys() for one in signals)
        dimensions = self._embedder.identity.dimensions if self._embedder else 0
        whole = len(probe.vector) == np.dtype(np.float16).itemsize * dimensions
        return complete and whole and probe.asked_of == _asked_of(self._basis)

    def _stale(self, known: Mapping[str, Probe]) -> frozenset[str]:
        if not known:
            return frozenset()
        last = min(probe.newest for probe in known.values())
        return Change(self._store, self._basis.chunks, last).stale(known)

    # ── asking ───────────────────────────────────────────────────────────────

    def _ask(
        self,
        asked: Sequence[Candidate],
        known: dict[str, Probe],
        pieces: PieceFrequencies | None,
    ) -> None:
        """Ask as many as time and budget allow, but a handful at least."""
        for done, candidate in enumerate(asked):
            self._own.progress("calibrating", done, len(asked))
            if self._time_is_up and len(known) >= HANDFUL:
                self._lacking = STOPPED_BY_TIME
                return
            try:
                with self._own.step():
                    self._ask_one(candidate, known, pieces)
            except EmbedderUnavailableError as error:
                _log.warning("The index is not calibrated to the end: %s", error)
                self._lacking = EMBEDDER_UNAVAILABLE
                return
            except EmbeddingError:  # a text that it refuses; the others tell enough
                continue
            if self._lacking == STOPPED_BY_BUDGET:
                return

    def _ask_one(
        self,
        candidate: Candidate,
        known: dict[str, Probe],
        pieces: PieceFrequencies | None,
    ) -> None:
        asked = None
        if self._embedder is not None:
            former = known.get(candidate.key)
            vector = former.vector if former else b""
            embeds = not vector or token_projection_of(self._embedder) is not None
            if embeds and self._own.budget is not None and self._embedded >= self._own.budget:
                self._lacking = STOPPED_BY_BUDGET
                return
            asked = embedded_question(self._embedder, candidate.question, vector)
            self._embedded += embeds
        rarity = pieces.idf_of if pieces else None
        probe = ask(self._store, candidate, asked, rarity, _asked_of(self._basis))
        with self._store.transaction():
            self._store.calibration.keep_probe(probe)
        known[candidate.key] = probe
        self._asked += 1

    # ── learning ─────────────────────────────────────────────────────────────

    def _learn(self, probes: Sequence[Probe], pieces: PieceFrequencies | None) -> None:
        if len(probes) < FEWEST:
            self._lacking = self._lacking or TOO_FEW_PROBES
        scales = scales_of(probes)
        calibration = Calibration(
            self._basis,
            len(probes),
            self._lacking,
            pieces,
            self._pieces_mark,
            scales,
            odds_of(probes, scales, self._basis.model),
        )
        with self._store.transaction():
            self._store.calibration.keep(calibration)
