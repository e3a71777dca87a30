"""What the ledger says of its unread files as a whole: when they are tried again, their types."""

from datetime import datetime
from typing import Any

import apsw

from gdrive_rag_mcp.domain import Reason, Scope
from gdrive_rag_mcp.store.scoping import read_time, scope_condition
from gdrive_rag_mcp.store.translation import decoding

TYPES = 10


@decoding()
def next_attempts(connection: apsw.Connection, scope: Scope) -> dict[Reason, datetime]:
    """When the first of the items that failed for a reason is due again."""
    condition, parameters = scope_condition(scope)
    rows = connection.execute(
        f"""SELECT f.reason, min(f.next_attempt) FROM files f
        WHERE f.state = 'failed' AND f.next_attempt IS NOT NULL AND {condition}
        GROUP BY f.reason ORDER BY f.reason""",
        parameters,
    )
    times = {Reason(reason): read_time(moment) for reason, moment in rows}
    return {reason: moment for reason, moment in times.items() if moment is not None}


def unsupported_types(connection: apsw.Connection, scope: Scope) -> dict[str, int]:
    """How many files there are of each of the commonest types that no extractor reads."""
    condition, parameters = scope_condition(scope)
    rows = connection.execute(
        f"""SELECT f.mime, count(*) FROM files f
        WHERE f.state = 'skipped' AND f.reason = 'unsupported_type' AND {condition}
        GROUP BY f.mime ORDER BY count(*) DESC, f.mime LIMIT {TYPES}""",
        parameters,
    )
    counts: list[tuple[Any, ...]] = rows.fetchall()
    return dict(counts)
