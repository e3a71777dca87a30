"""How fast calls follow each other, and when a failing one is given up."""

from threading import Thread

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, Meaning
from gdrive_rag_mcp.sources.drive_pacing import Caller, Pacer, Patience


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


class Attempt:
    """A call that fails so many times."""

    def __init__(self, failures: int, error: DriveCallError) -> None:
        self.failures = failures
        self.error = error
        self.made = 0

    def __call__(self) -> str:
        self.made += 1
        if self.made <= self.failures:
            raise self.error
        return "answer"


def _transient(retry_after: float = 0.0) -> DriveCallError:
    return DriveCallError("busy", Meaning(Reason.NETWORK, transient=True), retry_after=retry_after)


def _caller(clock: Clock, jitter: float = 1.0, patience: Patience | None = None) -> Caller:
    pacer = Pacer(1e9, sleep=clock.sleep, clock=clock)
    return Caller(pacer, patience or Patience(), sleep=clock.sleep, jitter=lambda: jitter)


def test_calls_are_spaced_evenly() -> None:
    clock = Clock()
    pacer = Pacer(10, sleep=clock.sleep, clock=clock)
    turns = []
    for _ in range(5):
        pacer.wait()
        turns.append(round(clock.now - 1000, 6))

    assert turns == [0.0, 0.1, 0.2, 0.3, 0.4]


def test_idle_time_is_not_saved_up_for_a_burst() -> None:
    clock = Clock()
    pacer = Pacer(10, sleep=clock.sleep, clock=clock)
    pacer.wait()
    clock.now += 60
    pacer.wait()
    before = clock.now
    pacer.wait()

    assert clock.now - before == pytest.approx(0.1)


def test_threads_share_one_pace() -> None:
    waits: list[float] = []
    pacer = Pacer(10, sleep=waits.append, clock=lambda: 1000.0)
    threads = [Thread(target=pacer.wait) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(waits) == pytest.approx([number / 10 for number in range(1, 20)])


def test_waiting_doubles_and_ends_in_an_answer() -> None:
    clock = Clock()
    attempt = Attempt(3, _transient())

    assert _caller(clock).call(attempt) == "answer"
    assert clock.now - 1000 == pytest.approx(1 + 2 + 4)


def test_half_of_a_wait_is_random() -> None:
    clock = Clock()
    _caller(clock, jitter=0.0).call(Attempt(3, _transient()))

    assert clock.now - 1000 == pytest.approx((1 + 2 + 4) / 2)


def test_the_server_may_ask_for_more_but_never_for_less() -> None:
    patient, hasty = Clock(), Clock()
    _caller(patient).call(Attempt(1, _transient(retry_after=40)))
    _caller(hasty).call(Attempt(3, _transient(retry_after=0.5)))

    assert patient.now - 1000 == pytest.approx(40)
    assert hasty.now - 1000 == pytest.approx(1 + 2 + 4)


def test_attempts_are_counted() -> None:
    attempt = Attempt(99, _transient())

    with pytest.raises(DriveCallError):
        _caller(Clock()).call(attempt)

    assert attempt.made == Patience().attempts


def test_the_budget_covers_all_waiting_of_one_call() -> None:
    clock = Clock()
    attempt = Attempt(99, _transient(retry_after=50))

    with pytest.raises(DriveCallError):
        _caller(clock).call(attempt)

    assert attempt.made == 3
    assert clock.now - 1000 == pytest.approx(100)


def test_no_single_wait_is_longer_than_the_longest() -> None:
    clock = Clock()
    patience = Patience(attempts=9, budget_seconds=1e6, longest_seconds=8)
    _caller(clock, patience=patience).call(Attempt(8, _transient()))

    assert clock.now - 1000 == pytest.approx(1 + 2 + 4 + 8 * 5)


def test_what_waiting_cannot_mend_is_not_tried_again() -> None:
    attempt = Attempt(1, DriveCallError("no", Meaning(Reason.ACCESS_DENIED)))

    with pytest.raises(DriveCallError):
        _caller(Clock()).call(attempt)

    assert attempt.made == 1
