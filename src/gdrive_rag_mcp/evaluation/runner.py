"""Asks every case once, in order, and judges what comes back."""

import re
import time
from collections.abc import Callable, Sequence

from gdrive_rag_mcp.domain import (
    Case,
    CaseResult,
    Expect,
    Fault,
    Reply,
    VerdictReason,
)
from gdrive_rag_mcp.errors import IndexMissingError, SettingsError
from gdrive_rag_mcp.evaluation.gold import is_gold
from gdrive_rag_mcp.terms import fold

Ask = Callable[[str], Reply]
Progress = Callable[[str, int, int | None], None]
_NOTHING_IN_SCOPE = {VerdictReason.SCOPE_UNKNOWN, VerdictReason.SCOPE_EMPTY}


def run_cases(
    cases: Sequence[Case],
    ask: Ask,
    *,
    root: str | None = None,
    progress: Progress = lambda *_: None,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[CaseResult, ...]:
    """Ask each case's question, one after the other; `root` as `is_gold` takes it.

    Raises:
        IndexMissingError: there is no index: nothing was refused, as nothing was searched.
        SettingsError: there is nothing in the scope, likewise.
        GdriveRagError: whatever asking raises.
    """
    results = []
    progress("asking", 0, len(cases))
    for done, case in enumerate(cases, start=1):
        began = clock()
        reply = ask(case.question)
        results.append(judge_reply(case, _searched(reply), (clock() - began) * 1000, root))
        progress("asking", done, len(cases))
    return tuple(results)


def judge_reply(case: Case, reply: Reply, latency_ms: float, root: str | None = None) -> CaseResult:
    """Say what is wrong with a reply, if anything is."""
    ranks = (
        rank for rank, passage in enumerate(reply.passages, start=1) if is_gold(case, passage, root)
    )
    gold_rank = next(ranks, None)
    missing = _missing_keywords(case, reply)
    fault = _fault(case, reply, found=gold_rank is not None, lacking=bool(missing))
    return CaseResult(case, reply, latency_ms, gold_rank, missing, fault)


def _fault(case: Case, reply: Reply, *, found: bool, lacking: bool) -> Fault | None:
    if case.expect is Expect.REFUSE:
        return Fault.ACCEPTED if reply.sufficient else None
    if not reply.sufficient:
        return Fault.REFUSED
    if case.gold and not found:
        return Fault.WRONG_CITATION
    return Fault.KEYWORDS_MISSING if lacking else None


def _missing_keywords(case: Case, reply: Reply) -> tuple[str, ...]:
    """Of an answerable case, the keywords that no passage holds, folded as words are in search."""
    if case.expect is Expect.REFUSE:
        return ()
    readings = [fold(passage.reading) for passage in reply.passages]
    return tuple(
        keyword
        for keyword in case.keywords
        if not any(_holding(keyword).search(reading) for reading in readings)
    )


def _holding(keyword: str) -> re.Pattern[str]:
    """Finds a keyword whatever blanks part its words; a number is not found within a longer one."""
    folded = fold(keyword).split()
    pattern = r"\s+".join(map(re.escape, folded))
    before = r"(?<!\d)(?<!\d[.,])" if folded[0][0].isdecimal() else ""
    after = r"(?!\d)(?![.,]\d)" if folded[-1][-1].isdecimal() else ""
    return re.compile(before + pattern + after)


def _searched(reply: Reply) -> Reply:
    """See that something was searched: what is not there answers nothing, and proves nothing."""
    if reply.reason == VerdictReason.NO_INDEX:
        raise IndexMissingError(
            "nothing can be evaluated: there is no index yet", hint="run `gdrive-rag-mcp sync`"
        )
    if reply.reason in _NOTHING_IN_SCOPE:
        raise SettingsError(
            f"nothing can be evaluated: there is nothing to search ({reply.reason})",
            hint="sync first, or name another folder or file with --scope",
        )
    return reply
