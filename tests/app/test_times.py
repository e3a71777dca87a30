"""Times as people write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from gdrive_rag_mcp.app import parse_time
from gdrive_rag_mcp.errors import QueryError


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-31", datetime(2026, 3, 31, tzinfo=UTC)),
        ("2026-03-31T17:05", datetime(2026, 3, 31, 17, 5, tzinfo=UTC)),
        ("2026-03-31T17:05:06Z", datetime(2026, 3, 31, 17, 5, 6, tzinfo=UTC)),
        ("2026-03-31 17:05:06+02:00", datetime(2026, 3, 31, 15, 5, 6, tzinfo=UTC)),
    ],
    ids=["date", "naive is UTC", "Z", "offset"],
)
def test_iso_8601_is_read_as_utc(text: str, moment: datetime) -> None:
    read = parse_time(text, name="modified_after")

    assert read == moment
    assert read.utcoffset() == timedelta(0)


def test_a_date_at_the_end_of_a_span_includes_its_day() -> None:
    last = parse_time("2026-03-31", name="modified_before", end_of_day=True)
    evening = datetime(2026, 3, 31, 23, 59, 59, tzinfo=timezone(timedelta(0)))

    assert evening < last < datetime(2026, 4, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["yesterday", "", "31.03.2026", "2026-13-01", "0001-01-01T00:00+09:00"]
)
def test_anything_else_is_refused_with_the_argument_and_the_form(text: str) -> None:
    with pytest.raises(QueryError, match=r"modified_after.*2026-03-31") as refusal:
        parse_time(text, name="modified_after")
    assert refusal.value.exit_code == 2
