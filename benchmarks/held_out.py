"""How questions are judged by weights that have not seen their set, from what a fit has measured.

    gdrive-rag-mcp evidence fit FOLDER --cache CACHE
    python -m benchmarks.held_out CACHE/rows.jsonl

Each row of `rows.jsonl` is judged by weights fitted on the sets of other families; across languages
and for the trade between errors, on the other half of the articles. Answerable questions count
where their answer is among the hits read.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.evidence_tables import percent, table, thousandths
from gdrive_rag_mcp.domain import Mode
from gdrive_rag_mcp.evaluation.metrics import auroc, mean, share
from gdrive_rag_mcp.evaluation.question_sets import (
    ABSENT_FACT,
    ABSENT_TOPIC,
    ADJACENT_TOPIC,
    ANSWERABLE,
)
from gdrive_rag_mcp.evidence.fitting import HeldOut, half_of_articles
from gdrive_rag_mcp.evidence.rows import Row, read_rows
from gdrive_rag_mcp.evidence.specs import SPECS
from gdrive_rag_mcp.evidence.verdict import TOKENS

SINGLES = ("bm25_of_ideal", "cosine_height")
"""Signals that are judged by alone, for comparison."""
AIMS = (SPECS[TOKENS].false_refusals, 0.05, 0.06, 0.07, 0.08)
"""Shares of answerable questions to refuse, that the trade is read at."""
OWN_AIM = 0.05
_UNANSWERED = (ABSENT_TOPIC, ADJACENT_TOPIC)
_KINDS = (*_UNANSWERED, ABSENT_FACT)
_HEAD = (
    *(f"AUROC {kind.replace('_', ' ')}" for kind in _KINDS),
    "answerable refused",
    *(f"{kind.replace('_', ' ')} accepted" for kind in _UNANSWERED),
)

Score = Callable[[Row], float]


@dataclass(frozen=True)
class Judged:
    """The scores of one set's questions by kind: from 0 on is accepted. NaN scores are left out."""

    name: str
    scores: Mapping[str, Sequence[float]]

    def area(self, kind: str) -> float:
        return auroc(self.scores.get(ANSWERABLE, ()), self.scores.get(kind, ()))

    def accepted(self, kind: str, cut: float = 0.0) -> float:
        return share([score >= cut for score in self.scores.get(kind, ())])

    def refused(self, kind: str, cut: float = 0.0) -> float:
        return 1 - self.accepted(kind, cut)


def by_set(rows: Sequence[Row], score: Score) -> list[Judged]:
    """The scores of each set's answers that were found, and of what it does not answer."""
    sets: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        counts = row.kind in _KINDS or (row.answers and row.gold_rank is not None)
        if counts and not math.isnan(value := score(row)):
            sets.setdefault(row.set, {}).setdefault(row.kind, []).append(value)
    return [Judged(name, scores) for name, scores in sets.items() if ANSWERABLE in scores]


def of_size(rows: Sequence[Row], size: str) -> list[Row]:
    """Rows of corpora as they were handed over, or those `small` and `grown` that were made so."""
    return [row for row in rows if not row.crossing and _size(row.set) == size]


def _size(name: str) -> str:
    _, made, how = name.partition("/")
    if not made:
        return "whole"
    return "grown" if how == "grown" else "small"


def in_mode(rows: Sequence[Row], mode: str) -> list[Row]:
    return [row for row in rows if row.mode == mode]


def report(rows: Sequence[Row]) -> Iterator[str]:
    """All tables, in Markdown."""
    held_out = HeldOut(rows, SPECS)
    hybrid = in_mode(rows, Mode.HYBRID)
    whole = by_set(of_size(hybrid, "whole"), held_out.margin)
    yield f"## By weights fitted without the family\n\n{sets_table(whole)}"
    yield f"## Means over these sets\n\n{means_table(rows, held_out)}"
    yield f"## Corpora by their size, words and vectors\n\n{sizes_table(hybrid, held_out)}"
    crossing = by_set([row for row in hybrid if row.crossing], held_out.margin)
    if crossing:
        yield f"## Asked in another language\n\n{sets_table(crossing)}"
    yield f"## The trade, on articles that the weights have not seen\n\n{trade_table(hybrid)}"
    yield (
        f"## With a threshold of its own that refuses {percent(OWN_AIM)} % of the answerable"
        f"\n\n{own_thresholds_table(whole)}"
    )


def sets_table(judged: Sequence[Judged]) -> str:
    rows = [(one.name, *_cells(_figures(one))) for one in judged]
    return table(("set", *_HEAD), [*rows, ("mean", *_cells(_means(judged)))])


def _figures(one: Judged) -> tuple[float, ...]:
    areas = (one.area(kind) for kind in _KINDS)
    accepted = (one.accepted(kind) for kind in _UNANSWERED)
    return (*areas, one.refused(ANSWERABLE), *accepted)


def _means(judged: Sequence[Judged]) -> tuple[float, ...]:
    columns = zip(*map(_figures, judged), strict=True)
    return tuple(mean([value for value in one if not math.isnan(value)]) for one in columns)


def _cells(figures: Sequence[float]) -> tuple[str, ...]:
    areas, rates = figures[: len(_KINDS)], figures[len(_KINDS) :]
    return (*map(thousandths, areas), *map(percent, rates))


def means_table(rows: Sequence[Row], held_out: HeldOut) -> str:
    """Each mode's model, and single signals with no threshold of theirs."""
    judged = {
        mode.value: by_set(in_mode(of_size(rows, "whole"), mode), held_out.margin) for mode in Mode
    }
    told = [(name, *_cells(_means(own))) for name, own in judged.items() if own]
    hybrid = in_mode(of_size(rows, "whole"), Mode.HYBRID)
    for name in SINGLES:
        areas = _means(by_set(hybrid, _single(name)))[: len(_KINDS)]
        told.append((f"{name} alone", *map(thousandths, areas), "", "", ""))
    return table(("by", *_HEAD), told)


def _single(name: str) -> Score:
    return lambda row: row.signals[name]


def sizes_table(hybrid: Sequence[Row], held_out: HeldOut) -> str:
    """Each set's corpora by their size: what drifts with it shows from one line to the next."""
    told = []
    for size in ("small", "whole", "grown"):
        judged = by_set(of_size(hybrid, size), held_out.margin)
        if judged:
            told.append((size, str(len(judged)), *_cells(_means(judged))))
    return table(("corpora", "sets", *_HEAD), told)


def trade_table(hybrid: Sequence[Row]) -> str:
    """What is refused rightly and wrongly by family, as the intercept is placed for more."""
    whole = of_size(hybrid, "whole")
    families = sorted({row.family for row in whole})
    told = []
    for aim in AIMS:
        specs = {**SPECS, TOKENS: replace(SPECS[TOKENS], false_refusals=aim)}
        judged = HeldOut(hybrid, specs, half_of_articles)
        everything = by_set(whole, judged.margin)
        refused = mean([one.refused(ANSWERABLE) for one in everything])
        own = (
            mean([one.refused(ADJACENT_TOPIC) for one in by_set(some, judged.margin)])
            for some in ([row for row in whole if row.family == name] for name in families)
        )
        told.append((percent(aim), percent(refused), *map(percent, own)))
    names = [f"{name}, adjacent refused" for name in families]
    return table(("aim", "answerable refused", *names), told)


def own_thresholds_table(judged: Sequence[Judged]) -> str:
    """What no label-free figure can reach: a cut that was placed with the set's own answers."""
    told = []
    for one in judged:
        cut = float(np.quantile(one.scores[ANSWERABLE], OWN_AIM))
        told.append((one.name, *(percent(one.refused(kind, cut)) for kind in _UNANSWERED)))
    return table(("set", "absent refused", "adjacent refused"), told)


def read(path: Path) -> list[Row]:
    """The rows of a file that `evidence fit` left.

    Raises:
        SystemExit: it is not there, is none, or has signals that the models no longer have.
    """
    try:
        rows = read_rows(path)
    except OSError as error:
        sys.exit(f"{path} cannot be read: {error.strerror}; `evidence fit --cache` leaves one")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        sys.exit(f"{path} holds no rows of `evidence fit`: {error}")
    needed = {name for spec in SPECS.values() for name in spec.signs}
    lacking = sorted({name for row in rows for name in needed - row.signals.keys()})
    if not rows or lacking:
        sys.exit(f"{path} has no {', '.join(lacking) or 'rows'}: run `evidence fit --cache` again")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("rows", type=Path, help="rows.jsonl in the cache of `evidence fit`")
    for text in report(read(parser.parse_args().rows)):
        print(f"{text}\n")


if __name__ == "__main__":
    main()
