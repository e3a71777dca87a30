"""What each model of the verdict is fitted from: its signals with their signs, and its rows."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from gdrive_rag_mcp.domain import Mode
from gdrive_rag_mcp.evidence.rows import Row
from gdrive_rag_mcp.evidence.verdict import ACROSS, TOKENS, TOKENS_ACROSS

_WORDS = {
    "corpus_coverage": 1,
    "chance_coverage": -1,
    "best_coverage": 1,
    "close_coverage": 1,
    "phrase_coverage": 1,
    "coverage_lead": 1,
    "codes_held": 1,
}
_SCOPE = {"passages_competing": -1}
_RANKING = {"bm25_of_ideal": 1, "bm25_lead_of_five": 1}
_VECTORS = {"cosine_height": 1, "cosine_lead": 1, "cosine_lead_of_five": 1}
_BOTH = {"agreement": 1, "keyword_winner_lag": -1}
_ASKED = {
    "answer_figure_present": 1,
    "numbers_held": 1,
    "dates_held": 1,
    "entities_together": 1,
    "negation_agrees": 1,
    "opposites_agree": 1,
}
_TOKENS = {
    "tokens_met": 1,
    "tokens_met_together": 1,
    "tokens_met_lead": 1,
    "tokens_met_lead_of_five": 1,
    "tokens_nearly_met": 1,
    "tokens_well_met": 1,
    "tokens_fully_met": 1,
    "tokens_spread": -1,
}
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
        if self.signs.keys() & _TOKENS.keys() and math.isnan(row.signals["tokens_met"]):
            return False
        return fits and row.kind in _LEARNT_FROM and (not row.answers or row.gold_rank is not None)


_HYBRID = _SCOPE | _WORDS | _RANKING | _VECTORS | _BOTH | _ASKED
_ANY_LANGUAGE = _VECTORS | {"codes_held": 1, "dates_held": 1, "numbers_held": 1}

SPECS: Mapping[str, ModelSpec] = {
    TOKENS: ModelSpec(_HYBRID | _TOKENS, Mode.HYBRID, False, 0.046),
    "hybrid": ModelSpec(_HYBRID, Mode.HYBRID, False, 0.045),
    "keyword": ModelSpec(_SCOPE | _WORDS | _RANKING | _ASKED, Mode.KEYWORD, False, 0.045),
    "vector": ModelSpec(_SCOPE | _WORDS | _VECTORS | _ASKED, Mode.VECTOR, False, 0.045),
    # Across languages words tell nothing, so more is refused to accept less wrongly.
    TOKENS_ACROSS: ModelSpec(_ANY_LANGUAGE | _TOKENS, Mode.HYBRID, True, 0.07),
    ACROSS: ModelSpec(_ANY_LANGUAGE, Mode.HYBRID, True, 0.07),
}
