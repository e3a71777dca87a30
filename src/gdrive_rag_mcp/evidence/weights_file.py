"""The file of weights: what the verdict reads, and how it came about, for people to read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from gdrive_rag_mcp.evidence.fitting import PENALTY
from gdrive_rag_mcp.evidence.model import Model
from gdrive_rag_mcp.evidence.rows import Row
from gdrive_rag_mcp.evidence.specs import ModelSpec
from gdrive_rag_mcp.evidence.verdict import DEFAULT_THRESHOLD

_DIGITS = 4


def weights_text(
    models: Mapping[str, Model],
    specs: Mapping[str, ModelSpec],
    rows: Sequence[Row],
    *,
    embedder: str,
) -> str:
    """The file as text; rounded, so that it can be read and compared."""
    aims = ", ".join(f"{name} {specs[name].false_refusals:.1%}" for name in models)
    told = {
        "how": (
            "Fitted by `gdrive-rag-mcp evidence fit DATA --write FILE`: logistic regression, L2 "
            f"{PENALTY}, weights bound to their sign; answerable questions whose answer is in the "
            "top 5 against absent and adjacent topics; the intercept placed so that at "
            f"confidence {DEFAULT_THRESHOLD} a share of the former is refused ({aims}). "
            "`hybrid`, `keyword` and `vector` judge those modes, `across` questions in another "
            "language than the nearest passage; `tokens` and `tokens_across` judge where tokens "
            "of question and passages can be compared, and were fitted on those by projections "
            "that had not learned from the question's article."
        ),
        "embedder": embedder,
        "sets": sorted({row.set for row in rows}),
        "questions": len({(row.set, row.id) for row in rows}),
        "models": {name: _told(model) for name, model in models.items()},
    }
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def _told(model: Model) -> dict[str, object]:
    return {
        "intercept": round(model.intercept, _DIGITS),
        "weights": {
            name: {key: round(value, _DIGITS) for key, value in asdict(weight).items()}
            for name, weight in model.weights.items()
        },
    }
