"""What a sync or reindex did, would do, or does again and again, as plain text."""

from collections.abc import Sequence

from gdrive_rag_mcp.domain import ReindexReport, SyncPlan, SyncReport, SyncRound
from gdrive_rag_mcp.presentation.counting import counted
from gdrive_rag_mcp.presentation.forecasts import forecast_text
from gdrive_rag_mcp.presentation.objects import iso
from gdrive_rag_mcp.presentation.plain import coverage_text, embedder_text
from gdrive_rag_mcp.presentation.run_objects import round_counts
from gdrive_rag_mcp.presentation.snippets import one_line

PATHS_SHOWN = 50
_WHY = ("added", "updated", "retry")


def sync_text(report: SyncReport) -> str:
    """What a sync did, in a few lines."""
    changes = ("added", "updated", "unchanged", "moved", "removed", "held")
    waiting = f", {report.pending_vectors} waiting for vectors" if report.pending_vectors else ""
    embedded = counted(report.embedded_chunks, "chunk")
    again = (
        f", {report.embedded_again} embedded again for token vectors"
        if report.embedded_again
        else ""
    )
    rows = [
        ", ".join(f"{getattr(report, change)} {change}" for change in changes),
        coverage_text(report.coverage),
        f"{embedded} embedded, {report.reused_chunks} reused{again}{waiting}",
        f"{_cost(report)}, {report.seconds:.1f} seconds",
    ]
    if report.probes_asked:
        asked = counted(report.probes_asked, "question")
        rows.append(f"calibrated: {asked} of its own asked, {report.probes_embedded} embedded")
    if not report.complete:
        rows.append("The listing was not complete: what it did not show was not taken for gone.")
    return "\n".join([*rows, *_warnings(report.warnings)])


def _cost(report: SyncReport) -> str:
    """What the source was asked for; a local folder is not called, and nothing is downloaded."""
    if not report.api_calls:
        return f"{counted(report.downloads, 'file')} read"
    return f"{counted(report.api_calls, 'API call')}, {counted(report.downloads, 'download')}"


def plan_text(plan: SyncPlan) -> str:
    """What a sync would do: the counts, then the paths of each kind, up to a number of them."""
    whys = [why for _, why in plan.to_read]
    reading = ", ".join(f"{whys.count(why)} {why}" for why in _WHY)
    gone = f"{len(plan.to_remove)} to remove, {len(plan.to_hold)} to hold"
    rows = [
        f"{len(whys)} to read ({reading}), {len(plan.to_skip)} to skip, {gone}",
        f"{plan.moved} moved, {plan.unchanged} unchanged; {plan.in_scope} in scope after that",
        *_listed("to read", [(why, path) for path, why in plan.to_read]),
        *_listed("to skip", [(reason.value, path) for path, reason in plan.to_skip]),
        *_listed("to remove", [("", path) for path in plan.to_remove]),
        *_listed(
            "to hold, until `sync --allow-mass-delete` confirms that they are gone",
            [("", path) for path in plan.to_hold],
        ),
    ]
    if plan.forecast is not None:
        rows.append(forecast_text(plan.forecast))
    if not plan.complete:
        rows.append("The listing was not complete: there may be more to do.")
    return "\n".join([*rows, *_warnings(plan.warnings), "Nothing was written."])


def reindex_text(report: ReindexReport) -> str:
    """What a reindex did, in a line; or what it would take, or what is still to be done."""
    former, current = embedder_text(report.former), embedder_text(report.current)
    if report.former == report.current:
        return f"nothing to do: the index is made with {current}"
    change = f"from {former} to {current}"
    if report.flipped:
        waiting = f", {report.waiting} without a vector" if report.waiting else ""
        first = f"{counted(report.embedded, 'text')} embedded{waiting}; {change}"
    elif report.waiting:
        first = (
            f"{counted(report.embedded, 'text')} embedded, {report.waiting} waiting; search goes "
            f"on with the former vectors until all are there: {change}"
        )
    else:
        ahead = forecast_text(report.forecast) if report.forecast else "nothing to embed"
        first = f"{change}\n{ahead}"
    return "\n".join([first, *_warnings(report.warnings)])


def _listed(title: str, paths: Sequence[tuple[str, str]]) -> list[str]:
    if not paths:
        return []
    more = len(paths) - PATHS_SHOWN
    width = max(len(why) for why, _ in paths)
    shown = [f"  {why:<{width}}  {one_line(path)}" for why, path in paths[:PATHS_SHOWN]]
    return [f"{title}:", *shown, *([f"  … and {more} more"] if more > 0 else [])]


def _warnings(warnings: Sequence[str]) -> list[str]:
    return [f"warning: {one_line(warning)}" for warning in warnings]


def round_text(done: SyncRound) -> str:
    """One round in one line: when, what it did or why it came to nothing, and when the next is."""
    again = f"again in {done.next_in:g} s"
    if done.report is None:
        kind = "skipped" if done.skipped else "error"
        remedy = f" (to fix it: {done.remedy})" if done.remedy and not done.skipped else ""
        return one_line(f"{iso(done.ended)} {kind}: {done.problem}{remedy}; {again}")
    report = done.report
    figures = ", ".join(f"{number} {name}" for name, number in round_counts(report).items())
    warnings = "".join(f"; warning: {warning}" for warning in report.warnings)
    return one_line(f"{iso(done.ended)} {figures}, {done.seconds:.1f} s{warnings}; {again}")
