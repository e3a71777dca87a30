"""An evaluation: the table, what failed and why, and the same as one JSON object."""

import math
from collections.abc import Iterator, Mapping, Sequence

from gdrive_rag_mcp.domain import (
    CaseResult,
    Evaluation,
    EvaluationRow,
    Expect,
    Fault,
    Floor,
    Measured,
)
from gdrive_rag_mcp.presentation.snippets import one_line

_COLUMNS = (
    "",
    "lang",
    "n",
    "accepted",
    "refused",
    "right %",
    "cites gold %",
    "first %",
    "hit@1",
    "hit@5",
    "MRR",
    "AUROC",
)
_LEFT = 2  # columns of words, which begin at the left; numbers end at the right
_HEADINGS = {Expect.ANSWER: "to answer", Expect.REFUSE: "to refuse"}
_SHOWN_TERMS = 5


# ── as text ──────────────────────────────────────────────────────────────────


def evaluation_text(evaluation: Evaluation) -> str:
    """The table, the failed cases, the floors, and as the last line how many passed of all."""
    failed = [result for result in evaluation.results if not result.passed]
    blocks = [
        _table(evaluation.rows),
        *(_failure(result) for result in failed),
        "\n".join(map(_floor, evaluation.floors)),
        verdict_text(evaluation),
    ]
    return "\n\n".join(block for block in blocks if block)


def verdict_text(evaluation: Evaluation) -> str:
    """How the search was made, where that is worth a word, and `16/16 passed`."""
    modes = [f"{number} by {mode} search" for mode, number in evaluation.modes.items()]
    warned = f"; {', '.join(evaluation.warnings)}" if evaluation.warnings else ""
    return (
        f"asked: {', '.join(modes)}{warned}\n{evaluation.passed}/{len(evaluation.results)} passed"
    )


def _table(rows: Sequence[EvaluationRow]) -> str:
    cells = [_COLUMNS, *map(_cells, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_COLUMNS))]
    return "\n".join(
        "  ".join(
            f"{cell:<{width}}" if column < _LEFT else f"{cell:>{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def _cells(row: EvaluationRow) -> tuple[str, ...]:
    return (
        _HEADINGS[row.expect] if row.kind is None else f"  {one_line(row.kind)}",
        "all" if row.lang is None else one_line(row.lang),
        str(row.n),
        str(row.accepted),
        str(row.refused),
        _with_interval(row.right, 100, 1),
        _with_interval(row.right_citation, 100, 1),
        _number(row.right_first * 100, 1),
        _number(row.hit_at_1, 3),
        _number(row.hit_at_5, 3),
        _number(row.mrr, 3),
        _with_interval(row.auroc, 1, 3),
    )


def _with_interval(measured: Measured, factor: float, digits: int) -> str:
    if math.isnan(measured.value):
        return "-"
    value, low, high = (
        _number(one * factor, digits) for one in (measured.value, measured.low, measured.high)
    )
    return f"{value} ({low}-{high})"


def _number(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _failure(result: CaseResult) -> str:
    case = result.case
    named = one_line(f"{case.id} ({case.kind}, {case.lang}): {case.question}")
    lines = [f"expected: {_expected(result)}", f"came: {_came(result)}", *_passages(result)]
    return "\n".join([f"failed: {named}", *(f"  {one_line(line)}" for line in lines)])


def _expected(result: CaseResult) -> str:
    case = result.case
    if case.expect is Expect.REFUSE:
        return "a refusal"
    source = f" from {', '.join(case.gold)}" if case.gold else ""
    words = f" with {', '.join(map(repr, case.keywords))}" if case.keywords else ""
    return f"an answer{source}{words}"


def _came(result: CaseResult) -> str:
    reply = result.reply
    figures = f"confidence {reply.confidence:.2f}, threshold {reply.threshold:.2f}"
    terms = ", ".join(reply.missing_terms[:_SHOWN_TERMS])
    absent = f"; not in the documents: {terms}" if terms else ""
    match result.fault:
        case Fault.WRONG_CITATION:
            return f"an answer from other documents ({figures})"
        case Fault.KEYWORDS_MISSING:
            lacking = ", ".join(map(repr, result.missing_keywords))
            return f"an answer without {lacking} ({figures})"
        case _:
            verdict = "an answer" if reply.sufficient else f"refused: {reply.reason}"
            return f"{verdict} ({figures}{absent})"


def _passages(result: CaseResult) -> Iterator[str]:
    if result.reply.passages:
        top = result.reply.passages[0]
        yield f"top hit: {top.path}: {one_line(top.reading)[:120]}"
    if result.gold_rank is not None and result.gold_rank > 1:
        yield f"gold is at rank {result.gold_rank}"


def _floor(floor: Floor) -> str:
    said = "met" if floor.met else "missed"
    return f"floor {floor.kind}: {floor.reached:.4f} of at least {floor.least:g}, {said}"


# ── as JSON ──────────────────────────────────────────────────────────────────


def evaluation_object(evaluation: Evaluation) -> Mapping[str, object]:
    """Every case with what came, and the summary; null is what could not be measured."""
    return {
        "cases": [_case_object(result) for result in evaluation.results],
        "summary": {
            "cases": len(evaluation.results),
            "passed": evaluation.passed,
            "succeeded": evaluation.succeeded,
            "limit": evaluation.limit,
            "scope": evaluation.scope_id,
            "modes": dict(evaluation.modes),
            "warnings": list(evaluation.warnings),
            "rows": [_row_object(row) for row in evaluation.rows],
            "floors": [
                {
                    "kind": floor.kind,
                    "floor": floor.least,
                    "rate": _known(floor.reached),
                    "met": floor.met,
                }
                for floor in evaluation.floors
            ],
        },
    }


def _case_object(result: CaseResult) -> Mapping[str, object]:
    case, reply = result.case, result.reply
    top = reply.passages[0] if reply.passages else None
    return {
        "id": case.id,
        "sufficient": reply.sufficient,
        "reason": reply.reason,
        "confidence": round(reply.confidence, 4),
        "gold_rank": result.gold_rank,
        "cited": list(result.cited),
        "latency_ms": round(result.latency_ms, 1),
        "passed": result.passed,
        "fault": None if result.fault is None else result.fault.value,
        "missing_keywords": list(result.missing_keywords),
        "expect": case.expect.value,
        "kind": case.kind,
        "lang": case.lang,
        "question": case.question,
        "threshold": round(reply.threshold, 4),
        "missing_terms": list(reply.missing_terms),
        "top_hit": None if top is None else {"document_id": top.document_id, "path": top.path},
    }


def _row_object(row: EvaluationRow) -> Mapping[str, object]:
    return {
        "expect": row.expect.value,
        "kind": row.kind,
        "lang": row.lang,
        "n": row.n,
        "accepted": row.accepted,
        "refused": row.refused,
        "right": _measured_object(row.right),
        "right_citation": _measured_object(row.right_citation),
        "right_citation_first": _known(row.right_first),
        "hit_at_1": _known(row.hit_at_1),
        "hit_at_5": _known(row.hit_at_5),
        "mrr": _known(row.mrr),
        "auroc": _measured_object(row.auroc),
    }


def _measured_object(measured: Measured) -> Mapping[str, object] | None:
    if math.isnan(measured.value):
        return None
    interval = [_known(measured.low), _known(measured.high)]
    return {"value": _known(measured.value), "interval": interval}


def _known(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)
