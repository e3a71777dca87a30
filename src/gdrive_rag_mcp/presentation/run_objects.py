"""What a sync or reindex did, would do, or does again and again, as JSON objects."""

from gdrive_rag_mcp.domain import (
    STATE_OF_REASON,
    Coverage,
    FileState,
    ReindexReport,
    SyncPlan,
    SyncReport,
    SyncRound,
)
from gdrive_rag_mcp.presentation.forecasts import forecast_object
from gdrive_rag_mcp.presentation.objects import iso
from gdrive_rag_mcp.presentation.reports import counts_object, embedding_object, totals_object
from gdrive_rag_mcp.presentation.run_shapes import (
    ErrorObject,
    PlanObject,
    ReindexObject,
    RoundObject,
    SyncObject,
    ToReadObject,
    ToSkipObject,
)


def sync_object(report: SyncReport) -> SyncObject:
    """What a sync did; `coverage` adds up to everything in scope after it."""
    return SyncObject(
        added=report.added,
        updated=report.updated,
        unchanged=report.unchanged,
        moved=report.moved,
        removed=report.removed,
        held=report.held,
        skipped=_reasons(report.coverage, FileState.SKIPPED),
        failed=_reasons(report.coverage, FileState.FAILED),
        embedded_chunks=report.embedded_chunks,
        reused_chunks=report.reused_chunks,
        pending_vectors=report.pending_vectors,
        embedded_again=report.embedded_again,
        pending_token_vectors=report.pending_token_vectors,
        probes_asked=report.probes_asked,
        probes_embedded=report.probes_embedded,
        api_calls=report.api_calls,
        downloads=report.downloads,
        seconds=round(report.seconds, 2),
        complete=report.complete,
        coverage=totals_object(report.coverage),
        forecast=forecast_object(report.forecast),
        warnings=list(report.warnings),
    )


def _reasons(coverage: Coverage, state: FileState) -> dict[str, int]:
    return counts_object(
        {r: n for r, n in coverage.by_reason.items() if STATE_OF_REASON[r] is state}
    )


def plan_object(plan: SyncPlan) -> PlanObject:
    """What a sync would do, with every path."""
    return PlanObject(
        to_read=[ToReadObject(path=path, why=why) for path, why in plan.to_read],
        to_skip=[ToSkipObject(path=path, reason=reason.value) for path, reason in plan.to_skip],
        to_remove=list(plan.to_remove),
        to_hold=list(plan.to_hold),
        moved=plan.moved,
        unchanged=plan.unchanged,
        in_scope=plan.in_scope,
        complete=plan.complete,
        forecast=forecast_object(plan.forecast),
        warnings=list(plan.warnings),
    )


def reindex_object(report: ReindexReport) -> ReindexObject:
    """A change of embedder, done or planned."""
    return ReindexObject(
        former=embedding_object(report.former),
        current=embedding_object(report.current),
        flipped=report.flipped,
        embedded=report.embedded,
        reused=report.reused,
        waiting=report.waiting,
        forecast=forecast_object(report.forecast),
        warnings=list(report.warnings),
    )


def round_counts(report: SyncReport) -> dict[str, int]:
    """What a line about a round counts: what was done, and what is not done with."""
    states = report.coverage.by_state
    return {
        "added": report.added,
        "updated": report.updated,
        "moved": report.moved,
        "removed": report.removed,
        "failed": states.get(FileState.FAILED, 0),
        "held": states.get(FileState.HELD, 0),
        "pending": states.get(FileState.PENDING, 0),
    }


def round_object(done: SyncRound) -> RoundObject:
    """One round of `sync --watch`."""
    report = done.report
    counts = round_counts(report) if report else {}
    return RoundObject(
        time=iso(done.ended) or "",
        seconds=round(done.seconds, 2),
        next_in_seconds=done.next_in,
        skipped=done.skipped,
        error=None
        if report
        else ErrorObject(code=done.code, message=done.problem, remedy=done.remedy),
        added=counts.get("added"),
        updated=counts.get("updated"),
        moved=counts.get("moved"),
        removed=counts.get("removed"),
        failed=counts.get("failed"),
        held=counts.get("held"),
        pending=counts.get("pending"),
        in_scope=report.coverage.in_scope if report else None,
        searchable=report.coverage.searchable if report else None,
        complete=report.complete if report else False,
        warnings=list(report.warnings) if report else [],
    )
