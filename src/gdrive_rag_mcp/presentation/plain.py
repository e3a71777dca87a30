"""The same results as plain text for a terminal: no colours, no control characters."""

from collections.abc import Iterator, Mapping, Sequence

from gdrive_rag_mcp.domain import (
    STATE_OF_REASON,
    CalibrationStatus,
    Coverage,
    EmbeddingIdentity,
    FileRecord,
    FileState,
    Hit,
    IndexStatus,
    LedgerPage,
    Locator,
    Passage,
    Reason,
    SearchOutcome,
    TermStatistics,
)
from gdrive_rag_mcp.presentation.counting import counted
from gdrive_rag_mcp.presentation.links import deep_link
from gdrive_rag_mcp.presentation.messages import Audience, message
from gdrive_rag_mcp.presentation.objects import iso
from gdrive_rag_mcp.presentation.snippets import SNIPPET_CHARS, one_line, snippet
from gdrive_rag_mcp.presentation.troubles import REMEDIES, explained

_SHOWN_COPIES = 5
# What a label adds to a place; elsewhere (a sheet's name) the value has it already.
_LABELS: Mapping[str, str] = {
    "page": " (printed {})",
    "slide": " ({})",
    "chapter": " ({})",
}


def place(locator: Locator) -> str:
    """A locator as a reader says it: `page 4 (printed iv)`, `lines 12-40`, `slide 3 (notes)`.

    Recognised text is doubted as much as tesseract doubts it: `page 4 (OCR, 87 % sure)`.
    """
    kind = "line" if locator.kind == "lines" and locator.value.isdecimal() else locator.kind
    told = _LABELS.get(locator.kind, "").format(locator.label) if locator.label else ""
    doubt = "" if locator.ocr is None else f" (OCR, {locator.ocr} % sure)"
    return one_line(f"{kind} {locator.value}{told}{doubt}")


def search_text(outcome: SearchOutcome) -> str:
    """The verdict, what to make of it, and the passages with their citations."""
    evidence = outcome.evidence
    verdict = "Answered" if evidence.sufficient else "Not answered"
    figures = (
        f"confidence {evidence.confidence:.2f}, threshold {evidence.threshold:.2f}, "
        f"{outcome.mode.value} search"
    )
    lines = [f"{verdict}: {evidence.reason.value} ({figures})", message(outcome, Audience.PERSON)]
    hits = outcome.retrieved.hits if outcome.retrieved else ()
    if hits and not evidence.sufficient:
        lines += ["", "Nearest passages, which are no evidence:"]
    terms = outcome.retrieved.statistics.terms if outcome.retrieved else ()
    for hit in hits:
        lines += ["", *_hit_lines(hit, terms, outcome.outdated.get(hit.passage.document_id))]
    return "\n".join(lines)


OUTDATED = {
    FileState.HELD: "no longer in the source; held",
    FileState.PENDING: "as it was last read; changed since",
    FileState.FAILED: "as it was last read; failed since",
}
"""What a state says of a document that is found by a former text."""


def _under(passage: Passage) -> str:
    """The headings that a place does not name by itself: a slide's title, what is hidden."""
    path = " > ".join(passage.headings)
    named = f"{passage.locator.value} {passage.locator.label or ''}"
    return f" ({one_line(path)})" if path and path not in named else ""


def _hit_lines(hit: Hit, terms: Sequence[TermStatistics], outdated: FileState | None) -> list[str]:
    passage = hit.passage
    mark = f"  ({OUTDATED.get(outdated, outdated.value)})" if outdated else ""
    lines = [
        f"{hit.rank}. {one_line(passage.title or passage.name)}",
        f"   {one_line(passage.path)}, {place(passage.locator)}{_under(passage)}{mark}",
    ]
    url = deep_link(passage.url, passage.mime_type, passage.locator, passage.anchor)
    if url:
        lines.append(f"   {one_line(url)}")
    lines.append(f"   {snippet(passage.text, terms)}")
    beside = (("before", hit.before[-SNIPPET_CHARS:]), ("after", hit.after[:SNIPPET_CHARS]))
    lines += [f"   {where}: {one_line(text)}" for where, text in beside if text.strip()]
    return [*lines, *_copies_lines(hit)]


def _copies_lines(hit: Hit) -> Iterator[str]:
    for exact, said in ((True, "the same"), (False, "nearly the same")):
        paths = [one_line(copy.path) for copy in hit.duplicates if copy.exact is exact]
        if paths:
            more = f", and {len(paths) - _SHOWN_COPIES} more" if len(paths) > _SHOWN_COPIES else ""
            yield f"   {said} in: {', '.join(paths[:_SHOWN_COPIES])}{more}"


def coverage_text(coverage: Coverage) -> str:
    """`17 in scope: 14 indexed, 1 empty, 2 skipped; because: 1 encrypted, 2 no_text, …`."""
    states = [
        f"{number} {state.value}" for state in FileState if (number := coverage.by_state.get(state))
    ]
    reasons = [f"{number} {reason.value}" for reason, number in sorted(coverage.by_reason.items())]
    because = f"; because: {', '.join(reasons)}" if reasons else ""
    return f"{coverage.in_scope} in scope: {', '.join(states) or 'nothing'}{because}"


def ledger_text(page: LedgerPage) -> str:
    """One line a file: state, reason, chunks, path, and why where that is known."""
    rows = [_ledger_row(record) for record in page.records]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(2)]
    lines = [f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]}" for row in rows]
    lines += ["", coverage_text(page.coverage)]
    shown = {record.reason for record in page.records}
    lines += [f"{reason.value}: {REMEDIES[reason]}" for reason in sorted(REMEDIES.keys() & shown)]
    if page.next_cursor:
        lines.append(f"more: cursor {page.next_cursor}")
    return "\n".join(lines).lstrip("\n")


def _ledger_row(record: FileRecord) -> tuple[str, str, str]:
    state = f"{record.state.value}: {record.reason.value}" if record.reason else record.state.value
    remarks = [snippet(record.detail).removesuffix(".")] if record.detail else []
    if record.next_attempt:
        attempts = counted(record.attempts, "attempt")
        remarks.append(f"{attempts}, next {iso(record.next_attempt)}")
    remark = f"  ({'; '.join(remarks)})" if remarks else ""
    return state, counted(record.chunk_count, "chunk"), f"{one_line(record.path)}{remark}"


def status_text(status: IndexStatus) -> str:
    """What an index holds, how fresh it is, and what made it."""
    rows = [
        ("root", status.root or "never synced"),
        ("last sync", iso(status.last_sync) or "never"),
        ("listed", f"in full {iso(status.last_crawl) or 'never'}"),
        *((("polled", f"for changes {iso(status.last_poll)}"),) if status.last_poll else ()),
        ("files", coverage_text(status.coverage)),
        *_unfinished(status),
        ("documents", f"{status.documents} in {counted(status.chunks, 'chunk')}"),
        ("vectors", f"{status.vectors}, {status.vector_backend}"),
        ("embedding", embedder_text(status.embedding)),
        *_begun(status),
        ("chunking", status.chunking or "none yet"),
        ("index", f"schema {status.schema_version}, generation {status.generation}"),
        ("calibrated", calibration_text(status.calibration)),
        *(("warning", explained(warning, status)) for warning in status.warnings),
    ]
    return "\n".join(f"{name + ':':<13}{one_line(value)}" for name, value in rows)


_LACKING = {
    "too_few_probes": "too few documents make a question",
    "time": "as many as a twentieth of a sync's time allows",
    "max_embeddings": "--max-embeddings allows no more; the next sync goes on",
    "embedder_unavailable": "the embedder cannot be had; the next sync goes on",
    "vectors_waiting": "too many chunks wait for their vectors",
}


def calibration_text(status: CalibrationStatus) -> str:
    """On what the verdict's knowledge of the index rests, and how well it tells; or why not."""
    why = _LACKING.get(status.lacking, status.lacking)
    if status.made_at is None:
        return f"not yet{f': {why}' if why else '; the next sync does it'}"
    made = f"{iso(status.made_at)}, by {counted(status.probes, 'question')} of its own"
    told = "" if status.separation is None else f", told apart at AUROC {status.separation:.2f}"
    by = status.vectors_separation
    alone = "" if by is None else f" (by vectors alone {by:.2f})"
    return f"{made}{told}{alone}{f'; {why}' if why else ''}"


def _begun(status: IndexStatus) -> Iterator[tuple[str, str]]:
    if status.building is not None:
        goes_on = "`gdrive-rag-mcp reindex --yes` with it goes on"
        yield "changing to", f"{embedder_text(status.building)}; {goes_on}"


def _unfinished(status: IndexStatus) -> Iterator[tuple[str, str]]:
    """What is not done with, each kind with what comes next."""
    states, reasons = status.coverage.by_state, status.coverage.by_reason
    if pending := states.get(FileState.PENDING, 0):
        yield "pending", f"{pending}, which the next sync reads"
    if held := states.get(FileState.HELD, 0):
        yield "held", f"{held}, to be taken out by `gdrive-rag-mcp sync --allow-mass-delete`"
    failed = [reason for reason in sorted(reasons) if STATE_OF_REASON[reason] is FileState.FAILED]
    if failed:
        yield "failed", ", ".join(_retried(reason, status) for reason in failed if reasons[reason])
    if status.unsupported:
        types = (f"{number} {mime_type}" for mime_type, number in status.unsupported.items())
        yield "unsupported", f"{', '.join(types)}; {REMEDIES[Reason.UNSUPPORTED_TYPE]}"


def _retried(reason: Reason, status: IndexStatus) -> str:
    due = status.retries.get(reason)
    again = f" (next attempt {iso(due)})" if due else ""
    return f"{status.coverage.by_reason[reason]} {reason.value}{again}"


def embedder_text(made: EmbeddingIdentity | None) -> str:
    """Whose vectors, in a few words."""
    if made is None:
        return "none: words only"
    dimensions = counted(made.dimensions, "dimension")
    return f"{made.provider} {made.model}, {dimensions}, {made.fingerprint[:12]}"
