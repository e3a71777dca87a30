"""The same results as plain text for a terminal: no colours, no control characters."""

from collections.abc import Sequence

from gdrive_rag_mcp.domain import (
    Coverage,
    EmbeddingIdentity,
    FileRecord,
    FileState,
    Hit,
    IndexStatus,
    LedgerPage,
    Locator,
    ReindexReport,
    SearchOutcome,
    SyncReport,
    TermStatistics,
)
from gdrive_rag_mcp.presentation.messages import message
from gdrive_rag_mcp.presentation.objects import deep_link, iso
from gdrive_rag_mcp.presentation.snippets import one_line, snippet


def place(locator: Locator) -> str:
    """A locator as a reader says it: `page 4 (printed iv)`, `lines 12-40`, `heading Leave`."""
    label = f" (printed {locator.label})" if locator.label and locator.kind == "page" else ""
    return one_line(f"{locator.kind} {locator.value}{label}")


def search_text(outcome: SearchOutcome) -> str:
    """The verdict, what to make of it, and the passages with their citations."""
    evidence = outcome.evidence
    verdict = "Answered" if evidence.sufficient else "Not answered"
    figures = (
        f"confidence {evidence.confidence:.2f}, threshold {evidence.threshold:.2f}, "
        f"{outcome.mode.value} search"
    )
    lines = [f"{verdict}: {evidence.reason.value} ({figures})", message(outcome)]
    hits = outcome.retrieved.hits if outcome.retrieved else ()
    if hits and not evidence.sufficient:
        lines += ["", "Nearest passages, which are no evidence:"]
    terms = outcome.retrieved.statistics.terms if outcome.retrieved else ()
    for hit in hits:
        lines += ["", *_hit_lines(hit, terms)]
    return "\n".join(lines)


def _hit_lines(hit: Hit, terms: Sequence[TermStatistics]) -> list[str]:
    passage = hit.passage
    lines = [
        f"{hit.rank}. {one_line(passage.title or passage.name)}",
        f"   {one_line(passage.path)}, {place(passage.locator)}",
    ]
    url = deep_link(passage.url, passage.mime_type, passage.locator)
    if url:
        lines.append(f"   {one_line(url)}")
    return [*lines, f"   {snippet(passage.text, terms)}"]


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
    if page.next_cursor:
        lines.append(f"more: cursor {page.next_cursor}")
    return "\n".join(lines).lstrip("\n")


def _ledger_row(record: FileRecord) -> tuple[str, str, str]:
    state = f"{record.state.value}: {record.reason.value}" if record.reason else record.state.value
    detail = f"  ({snippet(record.detail)})" if record.detail else ""
    return state, f"{record.chunk_count} chunks", f"{one_line(record.path)}{detail}"


def status_text(status: IndexStatus) -> str:
    """What an index holds, how fresh it is, and what made it."""
    rows = [
        ("root", status.root or "never synced"),
        ("last sync", iso(status.last_sync) or "never"),
        ("files", coverage_text(status.coverage)),
        ("documents", f"{status.documents} in {status.chunks} chunks"),
        ("vectors", f"{status.vectors}, {status.vector_backend}"),
        ("embedding", _embedder_text(status.embedding)),
        ("chunking", status.chunking or "none yet"),
        ("index", f"schema {status.schema_version}, generation {status.generation}"),
        *(("warning", warning) for warning in status.warnings),
    ]
    return "\n".join(f"{name + ':':<11}{one_line(value)}" for name, value in rows)


def reindex_text(report: ReindexReport) -> str:
    """What a reindex did, in a line."""
    former, current = _embedder_text(report.former), _embedder_text(report.current)
    if report.former == report.current:
        return f"nothing to do: the index is made with {current}"
    return f"{report.embedded} texts embedded; from {former} to {current}"


def _embedder_text(made: EmbeddingIdentity | None) -> str:
    if made is None:
        return "none: words only"
    return f"{made.provider} {made.model}, {made.dimensions} dimensions, {made.fingerprint[:12]}"


def sync_text(report: SyncReport) -> str:
    """What a sync did, in a few lines."""
    changes = ("added", "updated", "unchanged", "moved", "removed", "held")
    waiting = f", {report.pending_vectors} waiting for vectors" if report.pending_vectors else ""
    rows = [
        ", ".join(f"{getattr(report, change)} {change}" for change in changes),
        coverage_text(report.coverage),
        f"{report.embedded_chunks} chunks embedded, {report.reused_chunks} reused{waiting}",
        f"{report.api_calls} API calls, {report.downloads} downloads, {report.seconds:.1f} seconds",
    ]
    if not report.complete:
        rows.append("The listing was not complete: nothing was taken for gone.")
    return "\n".join([*rows, *(f"warning: {one_line(warning)}" for warning in report.warnings)])
