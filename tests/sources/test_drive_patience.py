"""When a failing call is given up, and how a run is stopped."""

import random
from threading import Event, Thread

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, Meaning, Reach, RunStoppedError
from gdrive_rag_mcp.sources.drive_pacing import QUICK, Caller, Pacer, Patience, RunClock


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


def _too_fast(retry_after: float = 0.0) -> DriveCallError:
    meaning = Meaning(Reason.RATE_LIMITED, transient=True)
    return DriveCallError("too fast", meaning, retry_after=retry_after)


def _run_clock(clock: Clock) -> RunClock:
    return RunClock(clock.sleep, clock=clock)


def _caller(clock: Clock, jitter: float = 1.0, patience: Patience | None = None) -> Caller:
    pacer = Pacer(1e9, _run_clock(clock))
    return Caller(pacer, patience or Patience(), jitter=lambda: jitter)


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


def test_being_too_fast_is_waited_out_longer_than_an_outage() -> None:
    attempt = Attempt(99, _too_fast())
    clock = Clock()

    with pytest.raises(DriveCallError):
        _caller(clock).call(attempt)

    assert attempt.made == Patience().attempts_too_fast > Patience().attempts
    assert clock.now - 1000 > 60  # quotas are by the minute


@pytest.mark.parametrize("error", [_transient(), _too_fast()])
def test_a_quick_caller_tries_twice(error: DriveCallError) -> None:
    attempt = Attempt(99, error)

    with pytest.raises(DriveCallError):
        _caller(Clock()).with_patience(QUICK).call(attempt)

    assert attempt.made == 2


def test_a_callers_other_patience_keeps_the_same_pace() -> None:
    clock = Clock()
    caller = Caller(Pacer(10, _run_clock(clock)), Patience())
    quick = caller.with_patience(QUICK)
    for each in (caller, quick, caller, quick):
        each.call(lambda: None)

    assert clock.now - 1000 == pytest.approx(0.3)


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


def test_whoever_sleeps_when_a_run_is_stopped_wakes_with_an_error() -> None:
    run, asleep, woken = RunClock(), Event(), []

    def work() -> None:
        asleep.set()
        try:
            run.sleep(10_000)
        except RunStoppedError as error:
            woken.append(error)

    thread = Thread(target=work)
    thread.start()
    asleep.wait()
    run.stop()
    thread.join()

    assert [error.meaning.reach for error in woken] == [Reach.RUN]


def test_a_stopped_run_makes_no_call_and_does_not_try_again() -> None:
    clock = Clock()
    caller = _caller(clock)
    attempt = Attempt(1, _transient())

    def stop_and_fail() -> str:
        caller.clock.stop()
        return attempt()

    with pytest.raises(RunStoppedError):
        caller.call(stop_and_fail)
    with pytest.raises(RunStoppedError):
        caller.call(attempt)

    assert attempt.made == 1
    assert clock.now == 1000


def test_a_sleep_that_is_not_real_still_counts_in_full() -> None:
    run = RunClock(lambda _: None, clock=lambda: 1000.0)
    run.sleep(5)
    run.sleep(7)

    assert run.now() == pytest.approx(1012)


def test_waiting_leaves_the_random_numbers_of_everybody_else_alone() -> None:
    clock = Clock()
    attempt = Attempt(2, _transient())
    before = random.getstate()

    answer = Caller(Pacer(1e9, _run_clock(clock)), Patience()).call(attempt)

    assert (answer, attempt.made) == ("answer", 3)
    assert random.getstate() == before
