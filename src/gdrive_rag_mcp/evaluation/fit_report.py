"""How well each set is judged by a model that was fitted without its family, as a table."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gdrive_rag_mcp.domain import Mode
from gdrive_rag_mcp.evaluation.metrics import auroc, share
from gdrive_rag_mcp.evaluation.question_sets import ANSWERABLE, KINDS
from gdrive_rag_mcp.evidence.fitting import HeldOut
from gdrive_rag_mcp.evidence.rows import Row

_HEAD = (
    f"{'set':24} {'kind':15} {'n':>4} | {'wrong %':^26} | {'AUROC':^26}\n"
    f"{'':45} | {'hybrid':>8} {'keyword':>8} {'vector':>8} | {'hybrid':>8} {'keyword':>8}"
    f" {'vector':>8}"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A kind of questions of one set, by mode: the share judged wrongly, and AUROC.

    Wrong is refused for answerable questions whose answer is among the hits read, and accepted
    for all others; AUROC is against all answerable questions of the set.
    """

    set: str
    kind: str
    questions: int
    wrong: tuple[float, ...]
    auroc: tuple[float, ...]


def held_out_lines(rows: Sequence[Row], held_out: HeldOut) -> list[Line]:
    """A line a set and kind, in the order of the rows."""
    margins: dict[tuple[str, str, str], list[tuple[Row, float]]] = {}
    for row in rows:
        own = margins.setdefault((row.set, row.kind, row.mode), [])
        own.append((row, held_out.margin(row)))
    sets = dict.fromkeys(row.set for row in rows)
    return [
        _line(name, kind, margins)
        for name in sets
        for kind in KINDS
        if any((name, kind, mode.value) in margins for mode in Mode)
    ]


def _line(
    name: str, kind: str, margins: dict[tuple[str, str, str], list[tuple[Row, float]]]
) -> Line:
    by_mode = [margins.get((name, kind, mode.value), []) for mode in Mode]
    answerable = [margins.get((name, ANSWERABLE, mode.value), []) for mode in Mode]
    curves = [
        auroc([margin for _, margin in ups], [margin for _, margin in own])
        for ups, own in zip(answerable, by_mode, strict=True)
    ]
    return Line(
        name,
        kind,
        max(map(len, by_mode)),
        tuple(_wrong(own) for own in by_mode),
        (math.nan,) * len(by_mode) if kind == ANSWERABLE else tuple(curves),
    )


def _wrong(judged: Sequence[tuple[Row, float]]) -> float:
    return share(
        [
            (margin < 0) == row.answers
            for row, margin in judged
            if not math.isnan(margin) and (row.gold_rank is not None or not row.answers)
        ]
    )


def table(lines: Sequence[Line]) -> str:
    """The lines as text; what cannot be said is left blank."""
    return "\n".join([_HEAD, *map(_row, lines)])


def _row(line: Line) -> str:
    wrong = " ".join(_cell(100 * value, 1) for value in line.wrong)
    curves = " ".join(_cell(value, 3) for value in line.auroc)
    return f"{line.set:24} {line.kind:15} {line.questions:4} | {wrong} | {curves}".rstrip()


def _cell(value: float, digits: int) -> str:
    return " " * 8 if math.isnan(value) else f"{value:8.{digits}f}"
