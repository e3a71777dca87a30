"""What an index knows of itself, so that a verdict means the same in every one of them.

All of it comes from the index's own chunks, without any label: how common each piece of text is,
and how questions made from chunks fare with and without the document that answers them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # numpy costs a tenth of a second that `--help` and `tools/list` need not pay
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class PieceFrequencies:
    """In how many of some chunks each piece of the embedder's tokenizer occurs."""

    ids: "npt.NDArray[np.int64]"
    """(pieces,), ascending: those that occur at all."""
    counts: "npt.NDArray[np.int64]"
    """(pieces,), each at least 1."""
    chunks: int
    """How many were looked at."""

    def idf_of(self, pieces: "npt.NDArray[np.int32]") -> "npt.NDArray[np.float32]":
        """How rare each piece is, in the shape of `pieces`: log(1 + N / (1 + df)).

        N is the number of chunks looked at, df in how many of them the piece occurs, 0 for one that
        was not seen.
        """
        import numpy as np

        known = np.zeros(np.shape(pieces), np.float64)
        if len(self.ids):
            places = np.searchsorted(self.ids, pieces).clip(max=len(self.ids) - 1)
            known = np.where(self.ids[places] == pieces, self.counts[places], 0)
        return np.log1p(self.chunks / (1.0 + known)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class SignalScale:
    """Where a signal of the vectors lies for questions made from the index's own chunks.

    `present` is its median where the document is there that the question was made from, `absent`
    where it is as if it were not; the deviations are the medians of the distance from those.
    """

    present: float
    absent: float
    present_deviation: float
    absent_deviation: float
    separation: float
    """AUROC: the chance that it is higher with the document than without."""
    probes: int


@dataclass(frozen=True, slots=True)
class Odds:
    """The log-odds that a model of the verdict gives the probes with their document and without.

    Their quantiles at `QUANTILES`, and the AUROC: how well the verdict tells the two apart.
    """

    probes: int
    present: tuple[float, ...]
    absent: tuple[float, ...]
    separation: float


QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, slots=True)
class CalibrationBasis:
    """What a calibration was made from; with anything else it is made anew.

    `embedding` is the embedder's fingerprint (empty: words only), `projection` that of its token
    vectors, `weights` the digest of the verdict's weights, `mark` the state of the index's chunks.
    """

    embedding: str
    model: str
    chunking: str
    projection: int | None
    weights: str
    chunks: int
    mark: str
    made_at: datetime


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """All that was learnt; `scales` go by the name of the signal, `odds` by that of the model.

    `probes` is how many questions were asked, `lacking` why they are fewer than wanted, if so.
    """

    basis: CalibrationBasis
    probes: int = 0
    lacking: str = ""
    piece_frequencies: PieceFrequencies | None = None
    pieces_mark: str = ""
    """The state of the index's chunks when its pieces were counted."""
    scales: Mapping[str, SignalScale] = field(default_factory=dict)
    odds: Mapping[str, Odds] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a verdict saw of a question: its signals, and which model it would ask, if any."""

    signals: Mapping[str, float]
    judged_by: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """A question that was made from a chunk, and what came of it with its document and without.

    `near` are the chunks that either was seen in, and `reach` the cosine from which another chunk
    would be seen as well. When it was asked, the index had `chunks`, `newest` being the last number
    of any, and `asked_of` named the embedder and whatever else its result depends on.
    """

    key: str
    """The hash of the chunk's embedded text."""
    question: str
    present: Seen
    absent: Seen
    near: tuple[int, ...] = ()
    reach: float = 0.0
    chunks: int = 0
    newest: int = 0
    asked_of: str = ""
    vector: bytes = b""
    """The question's, as float16; empty where words alone were asked."""


@dataclass(frozen=True, slots=True)
class CalibrationStatus:
    """What `status` says of an index's calibration; `made_at` is None where there is none."""

    made_at: datetime | None = None
    chunks: int = 0
    probes: int = 0
    separation: float | None = None
    """AUROC of the verdict's log-odds: how well it tells probes with their document and without."""
    vectors_separation: float | None = None
    """The same of the height of the nearest cosine, where there are vectors."""
    lacking: str = ""
    """Why there is none, or one that rests on less than it should."""
