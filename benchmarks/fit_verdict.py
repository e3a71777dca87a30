"""Fits the weights of the verdict on the handed questions, and says how good they are.

    python -m benchmarks.fit_verdict --weights FOLDER --cache FOLDER [--write]

Every figure is of a model that was fitted without what it judges: without the set (a set in twelve
languages counts as one), or, with `--held-out articles`, without any question on half of the
articles. What is written is fitted on all.
"""

from __future__ import annotations

import argparse
import json
import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.evidence_sets import (
    ABSENT_TOPIC,
    ADJACENT_TOPIC,
    ANSWERABLE,
    EvidenceSet,
    load,
    sampled,
    small,
)
from benchmarks.logistic import Rows, fit
from benchmarks.report import Scored, print_report
from benchmarks.signal_tables import RememberingEmbedder, Row, cached_rows, local_embedder
from gdrive_rag_mcp import evidence
from gdrive_rag_mcp.evidence.model import Model
from gdrive_rag_mcp.evidence.verdict import ACROSS, DEFAULT_THRESHOLD, required

WORDS = {
    "corpus_coverage": 1,
    "chance_coverage": -1,
    "best_coverage": 1,
    "close_coverage": 1,
    "phrase_coverage": 1,
    "coverage_lead": 1,
    "codes_held": 1,
}
RANKING = {"bm25_of_ideal": 1, "bm25_lead_of_five": 1}
VECTORS = {"cosine_height": 1, "cosine_lead": 1, "cosine_lead_of_five": 1}
BOTH = {"agreement": 1, "keyword_winner_lag": -1}
SIGNALS_OF: Mapping[str, Mapping[str, int]] = {
    "hybrid": WORDS | RANKING | VECTORS | BOTH,
    "keyword": WORDS | RANKING,
    "vector": WORDS | VECTORS,
    ACROSS: VECTORS | {"codes_held": 1},
}
"""Which signals each model may use, and the sign its weight may have."""

WEIGHTS = Path(evidence.__file__).with_name("weights.json")
PENALTY = 0.003
FALSE_REFUSALS = {"hybrid": 0.05, "keyword": 0.05, "vector": 0.05, ACROSS: 0.07}
"""What the threshold is placed for: the mean, over the sets, of answerable questions refused.

Across languages vectors alone cannot tell as well, so more is refused to accept less wrongly."""

XQUAD = ("en", "de", "vi", "zh", "ru", "ar", "th", "hi", "tr", "es", "el", "ro")
NEVER = -99.0
NEGATIVES = (ABSENT_TOPIC, ADJACENT_TOPIC)
EACH_KIND = 150


def evidence_sets() -> Iterable[EvidenceSet]:
    for language in XQUAD:
        yield sampled(load("xquad", language), EACH_KIND)
    for folder in ("squad2-en", "korquad1-ko", "viquad2-vi", "jaquad-ja", "pquad-fa"):
        yield sampled(load(folder), EACH_KIND)
    for asked, language in (("de", "en"), ("vi", "en"), ("zh", "en"), ("en", "de"), ("ru", "en"),
                            ("ar", "en"), ("en", "zh"), ("es", "de")):  # fmt: skip
        yield sampled(load("xquad", language, asked), EACH_KIND)
    for folder, corpus_language in (("xquad", "en"), ("xquad", "de"), ("squad2-en", None),
                             ("korquad1-ko", None), ("xquad", "zh")):  # fmt: skip
        whole = load(folder, corpus_language)
        for documents, seed in ((12, 1), (12, 2), (20, 3), (20, 4)):
            yield sampled(small(whole, documents, seed), EACH_KIND // 3)
    for asked in ("de", "zh"):
        yield sampled(small(load("xquad", "en", asked), 20, 5), EACH_KIND // 3)


def family(row: Row) -> str:
    return str(row["set"]).split("-", maxsplit=1)[0]


def usable(rows: Sequence[Row], kind: str) -> list[Row]:
    """What a model learns from: answers that were found, and questions without one."""
    mode = mode_of(kind)
    return [
        row
        for row in rows
        if (kind == ACROSS) == ("<" in row["set"])
        and (row["gold_rank"][mode] if row["kind"] == ANSWERABLE else row["kind"] in NEGATIVES)
    ]


def mode_of(kind: str) -> str:
    return "hybrid" if kind == ACROSS else kind


def fitted(rows: Sequence[Row], kind: str) -> Model:
    rows = usable(rows, kind)
    answers = np.array([row["kind"] == ANSWERABLE for row in rows], np.float64)
    counts = np.array(_counts(rows))
    counts[answers == 1] *= counts[answers == 0].sum() / counts[answers == 1].sum()
    return fit(
        Rows([row["signals"][mode_of(kind)] for row in rows], answers, counts),
        SIGNALS_OF[kind],
        PENALTY,
    )


def _counts(rows: Sequence[Row]) -> list[float]:
    """How much a row counts: alike for each kind of a set, and less for each of a family's sets."""
    sizes = Counter((row["set"], row["kind"]) for row in rows)
    sets = Counter(family({"set": name}) for name in {row["set"] for row in rows})
    return [1 / sizes[(row["set"], row["kind"])] / math.sqrt(sets[family(row)]) for row in rows]


def placed(model: Model, rows: Sequence[Row], kind: str) -> Model:
    """Move the intercept so that the threshold refuses the share of answerable questions aimed at.

    The mean over sets is what is aimed at, so that a big set does not speak for all.
    """
    by_set: dict[str, list[float]] = {}
    for row in usable(rows, kind):
        if row["kind"] == ANSWERABLE:
            by_set.setdefault(row["set"], []).append(log_odds(model, row, mode_of(kind)))
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        refused = np.mean([np.mean(np.array(odds) < middle) for odds in by_set.values()])
        low, high = (middle, high) if refused < FALSE_REFUSALS[kind] else (low, middle)
    wanted = math.log(DEFAULT_THRESHOLD / (1 - DEFAULT_THRESHOLD))
    return Model(model.intercept - low + wanted, model.weights)


def log_odds(model: Model, row: Row, mode: str) -> float:
    """What the verdict's confidence is made of; where it asks no model, confidence is 0."""
    if row["judged_by"][mode] is None:
        return NEVER
    signals = row["signals"][mode]
    return model.intercept + sum(w.of(signals[name]) for name, w in model.weights.items())


def half_of_articles(row: Row, _: str) -> str:
    return str(zlib.crc32(row["group"].encode()) % 2)


def family_of_sets(row: Row, kind: str) -> str:
    """Across languages there is one family only; there, half the articles are left out."""
    return half_of_articles(row, kind) if kind == ACROSS else family(row)


FOLDS = {"sets": family_of_sets, "articles": half_of_articles}


class HeldOut:
    """For each row the model that was fitted without its fold; each is fitted once."""

    def __init__(self, rows: Sequence[Row], fold: Callable[[Row, str], str]) -> None:
        self._rows = rows
        self._fold = fold
        self._models: dict[tuple[str, str], Model] = {}

    def odds(self, row: Row, mode: str) -> float:
        kind = row["judged_by"][mode] or mode
        key = (kind, self._fold(row, kind))
        if key not in self._models:
            others = [other for other in self._rows if self._fold(other, kind) != key[1]]
            self._models[key] = placed(fitted(others, kind), others, kind)
        enough = required(kind, row["signals"][mode]["corpus_coverage"])
        return log_odds(self._models[key], row, mode) - math.log(enough / (1 - enough))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--weights", type=Path, required=True, help="folder of the ONNX model")
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors and signals")
    parser.add_argument("--held-out", choices=sorted(FOLDS), default="sets")
    parser.add_argument("--write", action="store_true", help="replace the shipped weights")
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    embedder = RememberingEmbedder(local_embedder(arguments.weights), arguments.cache)
    rows = [row for kit in evidence_sets() for row in cached_rows(kit, embedder, arguments.cache)]
    held_out = HeldOut(rows, FOLDS[arguments.held_out])
    print_report(
        [
            Scored(
                row, {mode: held_out.odds(row, mode) for mode in ("hybrid", "keyword", "vector")}
            )
            for row in rows
        ]
    )
    models = {kind: placed(fitted(rows, kind), rows, kind) for kind in SIGNALS_OF}
    for kind, model in models.items():
        print(f"\n{kind}: intercept {model.intercept:.2f}")
        for name, weight in model.weights.items():
            print(f"  {name:22} {weight.weight:+.2f}  centre {weight.centre:.2f}")
    if arguments.write:
        write_weights(models, rows)


def write_weights(models: Mapping[str, Model], rows: Sequence[Row]) -> None:
    """Replace the shipped file; rounded, so that it can be read and compared."""
    shipped = {
        "how": (
            "Fitted by `python -m benchmarks.fit_verdict --write`: logistic regression, L2 "
            f"{PENALTY}, weights bound to their sign; answerable questions whose answer is in the "
            "top 5 against absent and adjacent topics; the intercept placed so that at "
            f"confidence {DEFAULT_THRESHOLD} the share {FALSE_REFUSALS} of the former is refused. "
            "`hybrid`, `keyword` and `vector` judge those modes, `across` questions in another "
            "language than the nearest passage."
        ),
        "sets": sorted({row["set"] for row in rows}),
        "questions": len(rows),
        "models": {
            kind: {
                "intercept": round(model.intercept, 4),
                "weights": {
                    name: {key: round(value, 4) for key, value in asdict(weight).items()}
                    for name, weight in model.weights.items()
                },
            }
            for kind, model in models.items()
        },
    }
    text = json.dumps(shipped, indent=1, ensure_ascii=False) + "\n"
    WEIGHTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
