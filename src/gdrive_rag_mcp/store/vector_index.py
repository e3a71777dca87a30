"""The vector side of a search: int8 finds the candidates, float16 ranks them.

A serving process scans a matrix in memory; a one-shot command, or a server whose matrix is not
loaded yet, asks the vectors on disk. Both quantise alike and score the best candidates again, so
both rank alike.
"""

import json
from collections.abc import Sequence

import apsw
import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import CosineBackground, Filters, Scope, VectorMatch, VectorMatches
from gdrive_rag_mcp.protocols import Vector
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.disk_vectors import DiskVectors
from gdrive_rag_mcp.store.narrowing import Narrowing
from gdrive_rag_mcp.store.scoping import filter_condition
from gdrive_rag_mcp.store.translation import decoding
from gdrive_rag_mcp.store.vector_matrix import VectorMatrix, load
from gdrive_rag_mcp.store.vector_scan import nearest_rows, sample_share
from gdrive_rag_mcp.store.vector_segments import NEWEST, SCATTER, SCATTERED, Part

_CANDIDATES = 200
_BROAD_SHARE = 0.3
"""Of all chunks: so many may be found that most of the nearest do."""


class VectorIndex:
    """One generation's vectors, over a connection it does not own."""

    def __init__(
        self,
        connection: apsw.Connection,
        generation: int,
        matrix: VectorMatrix | None,
        narrowing: Narrowing,
    ) -> None:
        self._connection = connection
        self._narrowing = narrowing
        self._generation = generation
        self._table = f"chunk_vectors_g{generation}"
        self._disk = DiskVectors(connection, generation)
        self._shared = matrix
        self._own: VectorMatrix | None = None

    @property
    def backend(self) -> str:
        """What answers: the scan in memory, or vec0 on disk."""
        return "vec0" if self._shared is None and self._disk.usable else "memory"

    def forget_rolled_back(self) -> None:
        """Let go of a matrix that followed a transaction which did not come to its end."""
        self._own = None

    def _parts(self) -> Sequence[Part] | None:
        """The rows in memory; none where the vectors on disk are to be asked."""
        on_disk = self._disk.usable
        if self._shared is None and on_disk:
            return None
        matrix = self._shared or self._own
        if matrix is None:  # there is no other way than to read all vectors, and to keep them
            matrix = self._own = VectorMatrix()
        parts = matrix.parts(self._connection, self._generation, wait=not on_disk)
        if parts is not None or on_disk:
            return parts
        # A state that the matrix cannot tell any more; the next one that is looked at is newer.
        return [segment.part(NEWEST) for segment in load(self._connection, self._generation)]

    def search(self, vector: Vector, scope: Scope, filters: Filters, limit: int) -> VectorMatches:
        """The nearest chunks by exact cosine among the nearest candidates by int8 cosine."""
        narrowed = not scope.everything or filters.any
        wanted = max(_CANDIDATES, limit)
        parts = self._parts()
        if parts is None:
            candidates, sample = self._ask_disk(vector, scope, filters, wanted, narrowed=narrowed)
        else:
            allowed = self._allowed(parts, scope, filters) if narrowed else None
            candidates, sample = nearest_rows(parts, vector, allowed, wanted)
        found = self._ranked(candidates, vector, scope, filters, limit)
        return VectorMatches(found, _background(sample))

    def _allowed(
        self, parts: Sequence[Part], scope: Scope, filters: Filters
    ) -> npt.NDArray[np.bool_]:
        """By file number, whether its chunks may be found."""
        top = max([int(part.files.max(initial=0)) for part in parts], default=0)
        return self._narrowing.admitted(scope, filters).files_up_to(top)

    def _ask_disk(
        self, vector: Vector, scope: Scope, filters: Filters, wanted: int, *, narrowed: bool
    ) -> tuple[list[int], Vector]:
        if not narrowed:
            [(count,)] = fetch(self._connection, f"SELECT count(*) FROM {self._table}")
            drawn = fetch(
                self._connection,
                f"""SELECT v.f16 FROM (SELECT vector FROM {self._table}
                    WHERE (chunk * {SCATTER}) & {SCATTERED} < ?
                ) s CROSS JOIN vectors v ON v.num = s.vector""",
                (sample_share(count),),
            )
            found = self._disk.nearest(vector, wanted, None)
        else:
            admitted = self._narrowing.admitted(scope, filters)
            among = np.flatnonzero(np.frombuffer(admitted.chunks, np.uint8)) + 1
            share = sample_share(admitted.counts.vectors)
            drawn = fetch(
                self._connection,
                f"""SELECT v.f16 FROM json_each(?) j CROSS JOIN {self._table} g ON g.chunk = j.value
                CROSS JOIN vectors v ON v.num = g.vector""",
                (json.dumps(among[(among * SCATTER) & SCATTERED < share].tolist()),),
            )
            found = self._nearest_among(vector, wanted, among)
        return found, _exact_cosines([f16 for (f16,) in drawn], vector)

    def _nearest_among(
        self, vector: Vector, wanted: int, among: npt.NDArray[np.int64]
    ) -> list[int]:
        """The nearest of some chunks.

        Where they are many, asking for more of all and leaving out what is not among them spares
        handing them to SQLite one by one.
        """
        [(highest,)] = fetch(self._connection, f"SELECT max(chunk) FROM {self._table}")
        share = len(among) / max(1, highest or 1)
        if share > _BROAD_SHARE:
            enough = int(wanted / share) + wanted // 4
            fits = set(among.tolist())
            nearest = [n for n in self._disk.nearest(vector, enough, None) if n in fits]
            if len(nearest) >= min(wanted, len(among)):
                return nearest[:wanted]
        return self._disk.nearest(vector, wanted, among.tolist())

    def _ranked(
        self, candidates: Sequence[int], vector: Vector, scope: Scope, filters: Filters, limit: int
    ) -> tuple[VectorMatch, ...]:
        """The candidates by exact cosine, and by number where that is the same.

        Chunks that share a vector with a candidate count among them: which of many equal ones an
        engine comes up with is chance.
        """
        known = fetch(
            self._connection,
            f"""SELECT v.num, v.f16 FROM (
                SELECT DISTINCT g.vector FROM json_each(?) j
                CROSS JOIN {self._table} g ON g.chunk = j.value ORDER BY 1
            ) known CROSS JOIN vectors v ON v.num = known.vector""",
            (json.dumps(candidates),),
        )
        scores = _exact_cosines([f16 for _, f16 in known], vector)
        best = sorted(zip((num for num, _ in known), scores.tolist(), strict=True), key=_by_score)
        cosine = dict(best[:limit])
        condition, parameters = filter_condition(scope, filters)
        sharing = fetch(
            self._connection,
            f"""SELECT c.num, g.vector FROM json_each(?) j
            CROSS JOIN {self._table} g ON g.vector = j.value
            CROSS JOIN chunks c ON c.num = g.chunk
            CROSS JOIN files f ON f.num = c.file WHERE {condition}""",
            (json.dumps(list(cosine)), *parameters),
        )
        matches = sorted(((chunk, cosine[shared]) for chunk, shared in sharing), key=_by_score)
        return tuple(VectorMatch(chunk, score) for chunk, score in matches[:limit])


def _by_score(scored: tuple[int, float]) -> tuple[float, int]:
    number, score = scored
    return -score, number


@decoding()
def _exact_cosines(f16: Sequence[bytes], vector: Vector) -> Vector:
    """Cosines of a unit vector with stored ones, shape (len(f16),).

    In float64, so that a cosine does not depend on which others it is computed along with.
    """
    if not f16:
        return np.zeros(0, np.float32)
    rows = np.frombuffer(b"".join(f16), np.float16).reshape(len(f16), -1).astype(np.float64)
    if not np.isfinite(rows).all():
        raise ValueError("a vector is not finite")
    exact = (rows @ vector.astype(np.float64)) / np.maximum(np.linalg.norm(rows, axis=1), 1e-12)
    cosines: Vector = exact.astype(np.float32)
    return cosines


def _background(sample: Vector) -> CosineBackground | None:
    if not len(sample):
        return None
    return CosineBackground(float(sample.mean()), len(sample))
