"""What is asked is checked before anything is opened."""

from gdrive_rag_mcp.domain import Filters
from gdrive_rag_mcp.errors import QueryError

MAX_NEIGHBOURS = 2


def checked_limit(limit: int, most: int) -> int:
    """A limit from 1 to `most`.

    Raises:
        QueryError: it is not.
    """
    if not 1 <= limit <= most:
        raise QueryError(f"limit is {limit}", hint=f"it goes from 1 to {most}")
    return limit


def checked_neighbours(neighbours: int) -> int:
    """How many chunks beside a hit are shown with it: 0, 1 or 2.

    Raises:
        QueryError: it is another number.
    """
    if not 0 <= neighbours <= MAX_NEIGHBOURS:
        raise QueryError(f"neighbours is {neighbours}", hint=f"it goes from 0 to {MAX_NEIGHBOURS}")
    return neighbours


def check_span(filters: Filters) -> None:
    """See that the dates of a filter are in order.

    Raises:
        QueryError: they are not.
    """
    after, before = filters.modified_after, filters.modified_before
    if after is not None and before is not None and after > before:
        raise QueryError(
            f"modified_after ({after.isoformat()}) is later than modified_before"
            f" ({before.isoformat()})",
            hint="swap them, or leave one out",
        )
