"""Cases, replies and results for the tests of an evaluation."""

from collections.abc import Sequence

from gdrive_rag_mcp.domain import Case, CaseResult, Duplicate, Expect, FoundPassage, Reply
from gdrive_rag_mcp.evaluation.runner import judge_reply


def case(
    expect: str = "answer",
    *,
    gold: Sequence[str] = (),
    keywords: Sequence[str] = (),
    kind: str = "",
    lang: str = "en",
    group: str | None = None,
    name: str = "1",
) -> Case:
    return Case(
        id=name,
        question="How many days of leave?",
        expect=Expect(expect),
        kind=kind or expect,
        lang=lang,
        gold=tuple(gold),
        keywords=tuple(keywords),
        group=group,
        line=1,
    )


def passage(document: str, text: str = "Text.", copies: Sequence[str] = ()) -> FoundPassage:
    listed = tuple(Duplicate(f"{one}:0", f"id-of-{one}", one) for one in copies)
    return FoundPassage(f"id-of-{document}", document, text, listed)


def reply(*found: FoundPassage, sufficient: bool = True, confidence: float = 0.9) -> Reply:
    return Reply(
        sufficient=sufficient,
        reason="ok" if sufficient else "weak_match",
        confidence=confidence,
        threshold=0.5,
        mode="hybrid",
        passages=found,
    )


def result(asked: Case, came: Reply) -> CaseResult:
    return judge_reply(asked, came, 1.0)
