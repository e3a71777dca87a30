"""A scope and filters as SQL over `files f`, and times as they are stored."""

import json
from datetime import UTC, datetime

from gdrive_rag_mcp.domain import Filters, Scope


def stored_time(moment: datetime | None) -> str | None:
    """A time as it is stored: UTC, sortable as text."""
    if moment is None:
        return None
    try:
        utc = moment.astimezone(UTC)
    except OverflowError:  # within hours of the first or last moment there is
        utc = moment.replace(tzinfo=UTC)
    return utc.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def read_time(text: str | None) -> datetime | None:
    """A stored time, aware."""
    return datetime.fromisoformat(text) if text else None


def scope_condition(scope: Scope) -> tuple[str, list[str]]:
    """An SQL condition on `files f` that holds for what is in the scope, and its parameters."""
    if scope.ids is None:
        return "1", []
    ids = json.dumps(sorted(scope.ids))
    condition = """(f.id IN (SELECT value FROM json_each(?)) OR f.num IN (
        SELECT p.file FROM placements p JOIN folders d ON d.num = p.folder
        WHERE d.id IN (SELECT value FROM json_each(?))))"""
    return condition, [ids, ids]


def filter_condition(scope: Scope, filters: Filters) -> tuple[str, list[str]]:
    """The same for a scope narrowed by filters."""
    condition, parameters = scope_condition(scope)
    for column, comparison, value in (
        ("mime", "=", filters.mime_type),
        ("modified_time", ">=", stored_time(filters.modified_after)),
        ("modified_time", "<=", stored_time(filters.modified_before)),
    ):
        if value is not None:
            condition += f" AND f.{column} {comparison} ?"
            parameters.append(value)
    return condition, parameters
