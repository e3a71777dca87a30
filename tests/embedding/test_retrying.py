"""What is tried again, how long it is waited, and when it ends; on a clock that tests turn."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from gdrive_rag_mcp.embedding.retrying import PassingError, Retrying, retry_after_seconds
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone(timedelta(hours=-12)))


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def retrying(self, budget: float, jitter: float = 1.0) -> Retrying:
        return Retrying(
            budget=budget, sleep=self.sleep, clock=lambda: self.now, jitter=lambda: jitter
        )


def _failing(*failures: EmbeddingError) -> Callable[[], str]:
    left = list(failures)

    def attempt() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return attempt


def test_a_passing_failure_is_tried_again_until_it_has_passed() -> None:
    clock = Clock()
    failures = [PassingError("busy") for _ in range(4)]

    assert clock.retrying(60).call(_failing(*failures)) == "done"
    assert clock.waits == [1.0, 2.0, 4.0, 8.0]


def test_the_wait_is_drawn_from_nothing_to_the_full_length() -> None:
    clock = Clock()
    clock.retrying(60, jitter=0.25).call(_failing(PassingError("busy"), PassingError("busy")))

    assert clock.waits == [0.25, 0.5]


def test_no_wait_is_longer_than_the_longest() -> None:
    clock = Clock()
    clock.retrying(10_000).call(_failing(*[PassingError("busy") for _ in range(100)]))

    assert max(clock.waits) == 30.0


def test_the_wait_that_the_provider_asks_for_is_kept() -> None:
    clock = Clock()
    clock.retrying(60).call(_failing(PassingError("busy", retry_after=17.0)))

    assert clock.waits == [17.0]


def test_a_wait_that_exceeds_the_budget_ends_it_at_once() -> None:
    clock = Clock()

    with pytest.raises(EmbedderUnavailableError, match=r"busy, after one attempt; it asks .* 61 s"):
        clock.retrying(60).call(_failing(PassingError("busy", retry_after=61.0)))

    assert clock.waits == []


def test_the_budget_bounds_all_attempts_together() -> None:
    clock = Clock()

    with pytest.raises(EmbedderUnavailableError, match="after 5 attempts") as spent:
        clock.retrying(20).call(_failing(*[PassingError("busy") for _ in range(100)]))

    assert clock.now <= 20
    assert isinstance(spent.value.__cause__, PassingError)


def test_a_lasting_failure_is_not_tried_again() -> None:
    clock = Clock()

    with pytest.raises(EmbeddingError, match="wrong key"):
        clock.retrying(60).call(_failing(EmbeddingError("wrong key")))

    assert clock.waits == []


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("0", 0),
        ("120", 120),
        ("Mon, 30 Nov 2026 12:01:30 GMT", 90),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("Mon, 30 Nov 2026 12:01:30 -0000", 90),
        ("soon", None),
        ("-5", None),
        ("", None),
        ("٣", None),
        ("9" * 400, None),
        ("9" * 15, None),
        ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
        ("Mon, 30 Nov 2026 12:01:30 +99999999999999999999", None),
        ("Fri, 31 Dec 9999 23:59:59 -1200", (LAST - NOW).total_seconds()),
        ("Mon, 01 Jan 0001 00:00:00 +1200", 0),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_anything_else_is_ignored(
    header: str | None, seconds: float | None
) -> None:
    assert retry_after_seconds(header, NOW) == seconds


def test_waiting_leaves_the_random_numbers_of_everybody_else_alone() -> None:
    clock = Clock()
    before = random.getstate()

    done = Retrying(budget=60.0, sleep=clock.sleep, clock=lambda: clock.now).call(
        _failing(PassingError("busy"), PassingError("busy"))
    )

    assert (done, len(clock.waits)) == ("done", 2)
    assert random.getstate() == before
