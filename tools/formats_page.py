"""Writes `docs/formats.md`: a part written by hand, and what a conformance run showed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from gdrive_rag_mcp.domain import Document
from tools.conformance import Result
from tools.format_causes import CAUSES
from tools.located_words import LocatedWord

TEMPLATE = Path(__file__).with_name("formats_page.md")
_PLACE = "<!-- conformance -->\n"
_HEAD = (
    "| kind | files | as expected | words in place | in a chunk that cites it | kept out |\n"
    "|---|---|---|---|---|---|\n"
)


def page(results: Sequence[Result]) -> str:
    """The whole page; the same results make the same page."""
    before, _, after = TEMPLATE.read_text(encoding="utf-8").partition(_PLACE)
    return f"{before}{table(results)}\n{_outcomes(results)}\n{_misses(results)}{after}"


def table(results: Sequence[Result]) -> str:
    """One line a kind of file, and the totals."""
    kinds = sorted({each.entry.category for each in results})
    lines = [_line(kind, [r for r in results if r.entry.category == kind]) for kind in kinds]
    return _HEAD + "\n".join([*lines, _line("**all**", results)]) + "\n"


def _line(kind: str, results: Sequence[Result]) -> str:
    right = sum(not each.wrong for each in results)
    words = sum(len(each.words) for each in results)
    unwanted = sum(len(each.entry.unwanted) for each in results)
    figures = (
        _of(words - sum(len(each.not_in_segments) for each in results), words),
        _of(words - sum(len(each.not_in_chunks) for each in results), words),
        _of(unwanted - sum(len(each.appearing) for each in results), unwanted),
    )
    return f"| {kind} | {len(results)} | {right} | {' | '.join(figures)} |"


def _of(count: int, total: int) -> str:
    return f"{count} of {total}" if total else "–"


def _outcomes(results: Sequence[Result]) -> str:
    """What came of the files, in the words of the ledger."""
    counted = Counter(outcome(each) for each in results)
    named = ", ".join(f"{name} {count}" for name, count in sorted(counted.items()))
    return f"What came of the {len(results)} files: {named}.\n"


def outcome(result: Result) -> str:
    """`read`, `partial` where something of it failed, or the reason in the ledger."""
    if isinstance(result.outcome, Document):
        return "`partial`" if result.outcome.failures else "read"
    return f"`{result.outcome.reason.value}`"


def _misses(results: Sequence[Result]) -> str:
    missed = [each for each in results if each.misses]
    if not missed:
        return "Nothing is other than the index says.\n"
    head = "| file | the index says | what came of it | cause |\n|---|---|---|---|\n"
    return head + "".join(f"{line}\n" for line in map(_miss, missed))


def _miss(result: Result) -> str:
    entry = result.entry
    cause = CAUSES.get(entry.file)
    whose = ("ours: " if cause.ours else "the index: ") + cause.why if cause else "not known"
    came = "; ".join([outcome(result), *_shortfalls(result)])
    return f"| {_cell(entry.origin)} | {_cell(entry.expect)} | {_cell(came)} | {_cell(whose)} |"


def _shortfalls(result: Result) -> Iterator[str]:
    if result.wrong:
        return
    beside = [each for each in result.not_in_chunks if each not in result.not_in_segments]
    yield from _named("not in place", result.not_in_segments)
    yield from _named("in no chunk that cites it", beside)
    if result.appearing:
        yield f"appear: {', '.join(result.appearing)}"


def _named(what: str, words: Sequence[LocatedWord]) -> Iterator[str]:
    if words:
        yield f"{what}: {', '.join(each.listed for each in words)}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
