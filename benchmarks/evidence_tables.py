"""The figures of the verdict as tables in Markdown, floors beside results."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.evidence_figures import VERDICT, Figure, Figures
from benchmarks.evidence_floors import Floor
from gdrive_rag_mcp.evaluation.question_sets import ANSWERABLE, KINDS


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown whose columns are of one width."""
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in (head, *rows)
    ]
    return "\n".join(
        [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]
    )


def percent(value: float) -> str:
    return "" if math.isnan(value) else f"{100 * value:.1f}"


def rate(figure: Figure) -> str:
    """A share in percent with its interval, such as `5.3 (2.1-8.8)`."""
    if not figure.n or math.isnan(figure.value):
        return ""
    return f"{percent(figure.value)} ({percent(figure.low)}-{percent(figure.high)})"


def number(figure: Figure) -> str:
    if not figure.n or math.isnan(figure.value):
        return ""
    inside = (
        "" if math.isnan(figure.low) else f" ({thousandths(figure.low)}-{thousandths(figure.high)})"
    )
    return thousandths(figure.value) + inside


def thousandths(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}".removeprefix("0")


def answerable_table(measured: Sequence[Figures]) -> str:
    head = (
        "set",
        "n",
        "found, refused %",
        "refused %",
        "hit@1",
        "hit@5",
        "MRR",
        "accepted, first is gold %",
    )
    rows = [
        (
            one.name,
            str(one.refused.n),
            rate(one.found_refused),
            rate(one.refused),
            thousandths(one.hit_1.value),
            number(one.hit_5),
            thousandths(one.mrr.value),
            rate(one.first_right),
        )
        for one in measured
    ]
    return table(head, rows)


def unanswerable_table(measured: Sequence[Figures]) -> str:
    head = ("set", "kind", "n", "refused %", "accepted %", "AUROC")
    rows = [
        (
            one.name,
            name,
            str(kind.refused.n),
            rate(kind.refused),
            percent(1 - kind.refused.value),
            number(kind.auroc),
        )
        for one in measured
        for name, kind in one.kinds.items()
    ]
    return table(head, rows)


def auroc_table(measured: Sequence[Figures]) -> str:
    """AUROC of the verdict beside that of single scores."""
    names = _singles(measured)
    rows = [
        (
            one.name,
            kind,
            thousandths(own.auroc.value),
            *(thousandths(own.singles_auroc[name]) for name in names),
        )
        for one in measured
        for kind, own in one.kinds.items()
    ]
    return table(("set", "kind", VERDICT, *names), rows)


def carried_over_table(measured: Sequence[Figures]) -> str:
    """Refused in percent: the verdict at its own threshold, single scores at carried-over ones."""
    names = list(measured[0].singles_refused) if measured else []
    rows = []
    for one in measured:
        found = (one.singles_refused.get(name, math.nan) for name in names)
        rows.append(
            (
                one.name,
                f"{ANSWERABLE}, found",
                percent(one.found_refused.value),
                *map(percent, found),
            )
        )
        for kind in KINDS[1:]:
            if own := one.kinds.get(kind):
                cut = (own.singles_refused.get(name, math.nan) for name in names)
                rows.append((one.name, kind, percent(own.refused.value), *map(percent, cut)))
    return table(("set", "kind", VERDICT, *names), rows)


def _singles(measured: Sequence[Figures]) -> list[str]:
    kinds = [kind for one in measured for kind in one.kinds.values()]
    return list(kinds[0].singles_auroc) if kinds else []


def floors_table(floors: Sequence[Floor]) -> str:
    rows = [
        (
            floor.what,
            floor.of,
            str(floor.figure.n),
            ("≤ " if floor.at_most else "≥ ") + _bound(floor),
            number(floor.figure) if _is_number(floor) else rate(floor.figure),
            _said(floor),
        )
        for floor in floors
    ]
    return table(("what", "of", "n", "floor", "reached", "verdict"), rows)


def _is_number(floor: Floor) -> bool:
    return any(word in floor.what for word in ("AUROC", "nDCG", "hit@5"))


def _bound(floor: Floor) -> str:
    return f"{floor.bound:.2f}" if _is_number(floor) else f"{100 * floor.bound:.0f}"


def _said(floor: Floor) -> str:
    if floor.goal and not floor.bound:
        return "report"
    by = f"{floor.margin:+.3f}" if _is_number(floor) else f"{100 * floor.margin:+.1f}"
    kind = "goal " if floor.goal else ""
    return f"{kind}{'MISSED' if floor.missed else 'met'} {by}"
