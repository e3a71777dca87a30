"""What to make of a verdict: one text a reason, so that a model abstains and a person knows why."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from gdrive_rag_mcp.domain import (
    Coverage,
    FileState,
    Mode,
    SearchOutcome,
    VerdictReason,
    Weakness,
)
from gdrive_rag_mcp.presentation.counting import counted
from gdrive_rag_mcp.presentation.shortfalls import quoted, quoted_parts, why_not
from gdrive_rag_mcp.presentation.troubles import because, commonest_remedy


class Audience(Enum):
    """Who reads a message: a model is told what to do, a person at a terminal what to type."""

    MODEL = "list_documents"
    PERSON = "`gdrive-rag-mcp status --files`"

    @property
    def ledger(self) -> str:
        """Where this reader finds what became of every file."""
        return self.value


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why nothing is answered, and what either reader is told to do about it."""

    fact: str
    model: str
    person: str

    def said_to(self, audience: Audience) -> str:
        if audience is Audience.MODEL:
            return f"Abstain: {self.fact}. {self.model} {_NOT_FROM_MEMORY}"
        return f"{self.fact[0].upper()}{self.fact[1:]}. {self.person}"


_NOT_FROM_MEMORY = "Do not fill the gap from memory or general knowledge."
_SUFFICIENT = {
    Audience.MODEL: (
        "The evidence is sufficient. Answer from `results` only and cite the url and locator of "
        "every claim; say so where they leave a part of the question open."
    ),
    Audience.PERSON: "The evidence is sufficient: these passages support an answer.",
}
BY_THE_RULES = "The evidence is sufficient. Answer from `sources` by the rules."
"""Said to a model that is given numbered sources, in place of how results are cited."""
_LEADS = "`candidate_results` may be offered as leads, never as evidence."
_REFUSALS = {
    VerdictReason.NO_INDEX: _Refusal(
        "there is no index yet, so no document has been searched",
        "Tell the user to run `gdrive-rag-mcp sync` first.",
        "Run `gdrive-rag-mcp sync` first.",
    ),
    VerdictReason.SCOPE_UNKNOWN: _Refusal(
        "no folder or file with the id {scope} is in the index",
        "Use an id that list_documents shows, or search without scope_id.",
        "Use an id that `gdrive-rag-mcp status --files --json` shows, or search without --scope.",
    ),
    VerdictReason.SCOPE_EMPTY: _Refusal(
        "nothing in this scope can be searched",
        "Tell the user so; list_documents shows what is there and why it could not be read.",
        "`gdrive-rag-mcp status --files` shows what is there and why it could not be read.",
    ),
    VerdictReason.NO_MATCH: _Refusal(
        "no passage in scope matches the question",
        "Tell the user that the documents do not answer it.",
        "The documents do not answer it.",
    ),
    VerdictReason.TERMS_ABSENT: _Refusal(
        "no document in scope mentions {terms}",
        "Tell the user so, or ask again without that if the question does not turn on it; "
        "`candidate_results` are about something else and support no answer.",
        "The nearest passages are about something else and support no answer; ask again without "
        "that if the question does not turn on it.",
    ),
    VerdictReason.WEAK_MATCH: _Refusal(
        "the nearest passages do not support an answer{why_not}",
        f"Tell the user that the documents do not answer the question, or ask once more in other "
        f"words; {_LEADS}",
        "The documents do not answer the question as it is put; other words may find more.",
    ),
    VerdictReason.PARTLY_SUPPORTED: _Refusal(
        "the passages cover only a part of the question{without}",
        f"Tell the user which part the documents do not answer; ask again without it for an answer "
        f"to the rest. {_LEADS}",
        "The documents do not answer the rest; ask again without it.",
    ),
}
_ONE_PART_OPEN = _Refusal(
    "the passages cover only a part of the question: none answers {unsupported}",
    f"Tell the user that this part is not answered; ask for {{supported}} alone for an answer to "
    f"that. {_LEADS}",
    "Ask for {supported} alone.",
)
_NARROWED = frozenset(
    (
        VerdictReason.NO_MATCH,
        VerdictReason.TERMS_ABSENT,
        VerdictReason.WEAK_MATCH,
        VerdictReason.PARTLY_SUPPORTED,
    )
)
"""Reasons that may not hold in a wider scope."""
_FILTERED_OUT = _Refusal(
    "no document in scope passes the filters",
    "Search without mime_type, modified_after and modified_before, or tell the user so.",
    "Search without --mime-type, --modified-after and --modified-before.",
)


def message(
    outcome: SearchOutcome,
    audience: Audience = Audience.MODEL,
    *,
    sufficient: str | None = None,
) -> str:
    """What goes with a verdict, naming missing terms and what was not read.

    `sufficient` is said of sufficient evidence in place of what is said of search results.
    """
    if outcome.evidence.sufficient:
        said = [sufficient or _SUFFICIENT[audience], *_absent(outcome, audience)]
    else:
        said = [_filled(_refusal(outcome).said_to(audience), outcome)]
    return " ".join(
        [
            *said,
            *_nowhere(outcome, audience),
            *_translated(outcome),
            *_wider(outcome, audience),
            *_warned(outcome, audience),
            *_held(outcome.coverage, audience),
            *_unread(outcome.coverage, audience),
            *_to_be_read(outcome),
        ]
    )


def refusal_to_pass_on(outcome: SearchOutcome) -> str:
    """What whoever asked is told in place of an answer; names no tool and no command."""
    fact = _filled(_refusal(outcome).fact, outcome)
    unread = outcome.coverage.unreadable
    files = counted(outcome.coverage.in_scope, "file")
    them = "it" if unread == 1 else "one of them"
    unseen = f" {unread} of {files} in scope could not be read, so an answer may stand in {them}."
    return f"I cannot answer this from the documents: {fact}.{unseen if unread else ''}"


def _filled(said: str, outcome: SearchOutcome) -> str:
    evidence = outcome.evidence
    lacking, terms = evidence.shortfall, quoted(evidence.missing_terms)
    unheld = quoted(lacking.lacking_terms)
    without = f": none holds {unheld}" if unheld else ""
    return said.format(
        scope=quoted((outcome.scope_id or "",)),
        terms=terms or "what the question is about",
        without=f": nothing mentions {terms}" if terms else without,
        why_not=why_not(evidence),
        supported=quoted_parts(lacking.supported_parts),
        unsupported=quoted_parts(lacking.unsupported_parts),
    )


def _refusal(outcome: SearchOutcome) -> _Refusal:
    reason = outcome.evidence.reason
    if reason is VerdictReason.SCOPE_EMPTY and outcome.coverage.searchable:
        return _FILTERED_OUT
    if reason is VerdictReason.PARTLY_SUPPORTED and outcome.evidence.shortfall.unsupported_parts:
        return _ONE_PART_OPEN
    return _REFUSALS[reason]


def _absent(outcome: SearchOutcome, audience: Audience) -> Iterator[str]:
    terms = quoted(outcome.evidence.missing_terms)
    if terms and outcome.evidence.shortfall.another_language:
        yield (
            f"The passages are in another language than the question, in which {terms} cannot be "
            "looked for: see whether they speak of it."
        )
    elif terms:
        duty = "; say so" if audience is Audience.MODEL else ""
        yield (
            f"No document in scope mentions {terms}: where the question turns on that, the "
            f"passages do not answer it{duty}."
        )


def _nowhere(outcome: SearchOutcome, audience: Audience) -> Iterator[str]:
    """What was asked for word for word and stands nowhere, unless the reason has said so."""
    lacking = outcome.evidence.shortfall
    said = outcome.evidence.reason is VerdictReason.WEAK_MATCH
    if lacking.quotations and not (said and Weakness.QUOTATION_ABSENT in lacking.weaknesses):
        duty = "; say so" if audience is Audience.MODEL else ""
        yield f"No document in scope has {quoted(lacking.quotations)} word for word{duty}."


def _translated(outcome: SearchOutcome) -> Iterator[str]:
    evidence = outcome.evidence
    if evidence.reason is VerdictReason.WEAK_MATCH and evidence.shortfall.another_language:
        yield (
            "The nearest passages are in another language than the question: asked in theirs, it "
            "may be answered."
        )


def _wider(outcome: SearchOutcome, audience: Audience) -> Iterator[str]:
    if outcome.scope_id is not None and outcome.evidence.reason in _NARROWED:
        narrowed = "scope_id" if audience is Audience.MODEL else "--scope"
        yield f"A search without {narrowed} looks at all documents."


def _warned(outcome: SearchOutcome, audience: Audience) -> Iterator[str]:
    if "first_sync_unfinished" in outcome.warnings:
        duty = "; tell the user so" if audience is Audience.MODEL else ""
        yield (
            "The first sync has not finished, so documents are missing from the index until "
            f"`gdrive-rag-mcp sync` has been run to its end{duty}."
        )
    if "embedder_unavailable" in outcome.warnings:
        yield (
            "Only words were compared, because no embeddings are at hand: what is said in other "
            "words or in another language was not found."
        )
    elif outcome.mode is Mode.KEYWORD and not outcome.evidence.sufficient and outcome.retrieved:
        yield (
            "Only words were compared, as the search is set to: what is said in other words or in "
            "another language was not found."
        )
    if "index_stale" in outcome.warnings:
        yield (
            f"The index was last synced on {outcome.last_sync:%Y-%m-%d}: later changes are not in "
            "it until `gdrive-rag-mcp sync` is run."
        )


def _held(coverage: Coverage, audience: Audience) -> Iterator[str]:
    held = coverage.by_state.get(FileState.HELD, 0)
    if not held:
        return
    are, they = ("is", "it") if held == 1 else ("are", "they")
    duty = "; say so where you cite one of state held" if audience is Audience.MODEL else ""
    yield (
        f"{counted(held, 'file')} in scope {are} no longer seen in the source and {are} shown as "
        f"{they} last {'was' if held == 1 else 'were'} until `gdrive-rag-mcp sync "
        f"--allow-mass-delete` confirms that {they} {are} gone{duty}."
    )


def _unread(coverage: Coverage, audience: Audience) -> Iterator[str]:
    unread = coverage.unreadable
    if not unread:
        return
    one_of_them, them = ("it", "it") if unread == 1 else ("one of them", "them")
    causes = because(coverage)
    yield (
        f"{unread} of {counted(coverage.in_scope, 'file')} in scope could not be read"
        f"{f' ({causes})' if causes else ''}, so an answer may stand in {one_of_them}; "
        f"{audience.ledger} names {them}."
    )


def _to_be_read(outcome: SearchOutcome) -> Iterator[str]:
    """What helps most of the unread files, where an answer that was not found may be in them."""
    remedy = commonest_remedy(outcome.coverage)
    if remedy and not outcome.evidence.sufficient:
        yield f"What helps {remedy}."
