"""What each model of the verdict is fitted from: its signals with their signs, and its rows."""

from collections.abc import Mapping
from dataclasses import dataclass

from gdrive_rag_mcp.domain import Mode
from gdrive_rag_mcp.evidence.rows import Row
from gdrive_rag_mcp.evidence.verdict import ACROSS

_WORDS = {
    "corpus_coverage": 1,
    "chance_coverage": -1,
    "best_coverage": 1,
    "close_coverage": 1,
    "phrase_coverage": 1,
    "coverage_lead": 1,
    "codes_held": 1,
}
_RANKING = {"bm25_of_ideal": 1, "bm25_lead_of_five": 1}
_VECTORS = {"cosine_height": 1, "cosine_lead": 1, "cosine_lead_of_five": 1}
_BOTH = {"agreement": 1, "keyword_winner_lag": -1}
_LEARNT_FROM = frozenset({"answerable", "absent_topic", "adjacent_topic"})


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model to fit: which signals it may use, and the sign that the weight of each may have.

    It learns from the rows of `mode`, of questions in the documents' language or across languages.
    `false_refusals` is what its intercept is placed for: the mean, over the sets, of the answerable
    questions that are refused.
    """

    signs: Mapping[str, int]
    mode: str
    crossing: bool
    false_refusals: float

    def learns_from(self, row: Row) -> bool:
        """Answers that were found, and questions about what the corpus does not speak of."""
        fits = row.mode == self.mode and row.crossing == self.crossing
        return fits and row.kind in _LEARNT_FROM and (not row.answers or row.gold_rank is not None)


SPECS: Mapping[str, ModelSpec] = {
    "hybrid": ModelSpec(_WORDS | _RANKING | _VECTORS | _BOTH, Mode.HYBRID, False, 0.05),
    "keyword": ModelSpec(_WORDS | _RANKING, Mode.KEYWORD, False, 0.05),
    "vector": ModelSpec(_WORDS | _VECTORS, Mode.VECTOR, False, 0.05),
    # Vectors alone cannot tell as well, so more is refused to accept less wrongly.
    ACROSS: ModelSpec(_VECTORS | {"codes_held": 1}, Mode.HYBRID, True, 0.07),
}
