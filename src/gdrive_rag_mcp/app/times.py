"""Times as people and clients write them."""

from datetime import UTC, date, datetime, time

from gdrive_rag_mcp.errors import QueryError


def parse_time(text: str, *, name: str, end_of_day: bool = False) -> datetime:
    """Read an ISO 8601 date or time; UTC where no offset is given.

    A date alone means its first instant, or its last where `end_of_day` is set, so that a span of
    dates includes both of its ends.

    Raises:
        QueryError: names the argument and shows the form.
    """
    try:
        day = date.fromisoformat(text)
        moment = datetime.combine(day, time.max if end_of_day else time.min)
    except ValueError:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise _bad_time(text, name) from None
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        raise _bad_time(text, name) from None


def _bad_time(text: str, name: str) -> QueryError:
    return QueryError(
        f"{name} is no ISO 8601 date or time: {text[:80]!r}",
        hint="write it as 2026-03-31 or 2026-03-31T17:00:00Z",
    )
