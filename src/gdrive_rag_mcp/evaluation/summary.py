"""What the cases of a kind and language amount to, with intervals."""

import math
from collections.abc import Callable, Iterator, Sequence

from gdrive_rag_mcp.domain import CaseResult, EvaluationRow, Expect, Measured
from gdrive_rag_mcp.evaluation.metrics import (
    auroc,
    bootstrap_interval,
    hit_at,
    mean,
    reciprocal_rank,
    share,
)

Results = Sequence[CaseResult]
_DEEP = 5


def summarise(results: Results, limit: int) -> tuple[EvaluationRow, ...]:
    """A row for each kind and language, for each kind, and for all to answer and all to refuse.

    A kind of one language has one row. `limit` is how many passages were asked for.
    """
    return tuple(
        row
        for expect in Expect
        if (chosen := [one for one in results if one.case.expect is expect])
        for row in _rows(expect, chosen, results, limit)
    )


def _rows(expect: Expect, chosen: Results, results: Results, limit: int) -> Iterator[EvaluationRow]:
    for kind in dict.fromkeys(one.case.kind for one in chosen):
        of_kind = [one for one in chosen if one.case.kind == kind]
        langs = list(dict.fromkeys(one.case.lang for one in of_kind))
        for lang in langs:
            spoken = [one for one in of_kind if one.case.lang == lang]
            others = [one for one in results if one.case.lang == lang]
            yield _row((expect, kind, lang), spoken, others, limit)
        if len(langs) > 1:
            yield _row((expect, kind, None), of_kind, results, limit)
    yield _row((expect, None, None), chosen, results, limit)


def _row(
    named: tuple[Expect, str | None, str | None], chosen: Results, others: Results, limit: int
) -> EvaluationRow:
    expect, kind, lang = named
    looked_for = [one.gold_rank for one in chosen if expect is Expect.ANSWER and one.case.gold]
    cited = [one for one in chosen if expect is Expect.ANSWER and _cites(one)]
    return EvaluationRow(
        expect=expect,
        kind=kind,
        lang=lang,
        n=len(chosen),
        accepted=sum(one.reply.sufficient for one in chosen),
        right=_share_of(chosen, lambda one: one.judged_rightly),
        right_citation=_share_of(cited, lambda one: one.gold_rank is not None),
        right_first=share([one.gold_rank == 1 for one in cited]),
        hit_at_1=share([hit_at(rank, 1) for rank in looked_for]),
        hit_at_5=share([hit_at(rank, _DEEP) for rank in looked_for])
        if limit >= _DEEP
        else math.nan,
        mrr=mean([reciprocal_rank(rank) for rank in looked_for]),
        auroc=_separation(chosen, others) if expect is Expect.REFUSE else _UNKNOWN,
    )


_UNKNOWN = Measured(math.nan, math.nan, math.nan)


def _cites(result: CaseResult) -> bool:
    return result.reply.sufficient and bool(result.case.gold)


def _share_of(results: Results, holds: Callable[[CaseResult], bool]) -> Measured:
    groups = [[holds(one) for one in group] for group in _grouped(results)]
    return Measured(
        share([one for group in groups for one in group]), *bootstrap_interval(groups, share)
    )


def _separation(refused: Results, others: Results) -> Measured:
    """AUROC of the confidence of what is to be answered against that of what is to be refused."""
    answerable = [one for one in others if one.case.expect is Expect.ANSWER]
    groups = [
        [(one.case.expect is Expect.ANSWER, one.reply.confidence) for one in group]
        for group in _grouped([*answerable, *refused])
    ]
    scores = [score for group in groups for score in group]
    return Measured(_auroc_of(scores), *bootstrap_interval(groups, _auroc_of))


def _auroc_of(scores: Sequence[tuple[bool, float]]) -> float:
    return auroc([one for up, one in scores if up], [one for up, one in scores if not up])


def _grouped(results: Results) -> list[list[CaseResult]]:
    """Cases that have a group in common, and every other case by itself."""
    groups: dict[tuple[str, str], list[CaseResult]] = {}
    for one in results:
        group = one.case.group
        key = ("case", one.case.id) if group is None else ("group", group)
        groups.setdefault(key, []).append(one)
    return list(groups.values())
