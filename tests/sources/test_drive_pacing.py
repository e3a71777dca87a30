"""How fast calls follow each other, over all threads."""

import time
from collections.abc import Callable
from threading import Thread

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, Meaning
from gdrive_rag_mcp.sources.drive_pacing import Caller, Pacer, Patience, RunClock


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


def _turns(pacer: Pacer, count: int) -> None:
    for _ in range(count):
        pacer.wait()


def _in_threads(count: int, work: Callable[[], object]) -> None:
    threads = [Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_calls_are_spaced_evenly() -> None:
    clock = Clock()
    pacer = Pacer(10, _run_clock(clock))
    turns = []
    for _ in range(5):
        pacer.wait()
        turns.append(round(clock.now - 1000, 6))

    assert turns == [0.0, 0.1, 0.2, 0.3, 0.4]


def test_idle_time_is_not_saved_up_for_a_burst() -> None:
    clock = Clock()
    pacer = Pacer(10, _run_clock(clock))
    pacer.wait()
    clock.now += 60
    pacer.wait()
    before = clock.now
    pacer.wait()

    assert clock.now - before == pytest.approx(0.1)


def test_threads_share_one_pace() -> None:
    run = RunClock(lambda _: None, clock=lambda: 1000.0)
    pacer = Pacer(10, run)
    _in_threads(20, pacer.wait)

    assert run.now() == pytest.approx(1000 + 19 / 10)


def test_many_calls_of_many_threads_take_as_long_as_the_setting_says() -> None:
    run = RunClock(lambda _: None, clock=lambda: 1000.0)
    pacer = Pacer(7, run)
    _in_threads(16, lambda: _turns(pacer, 50))

    assert 16 * 50 / (run.now() - 1000) == pytest.approx(7, rel=0.05)


def test_the_rate_is_kept_in_real_time() -> None:
    pacer = Pacer(200)
    began = time.monotonic()
    _in_threads(16, lambda: _turns(pacer, 25))
    rate = 16 * 25 / (time.monotonic() - began)

    # a machine that is busy can only be slower
    assert 100 < rate <= 200 * 1.05


def test_without_a_limit_nobody_waits() -> None:
    waits: list[float] = []
    pacer = Pacer(0, RunClock(waits.append, clock=lambda: 1000.0))
    for _ in range(100):
        pacer.wait()

    assert waits == []


def test_a_hold_moves_the_turns_of_all_and_keeps_their_spacing() -> None:
    clock = Clock()
    pacer = Pacer(10, _run_clock(clock))
    pacer.wait()
    pacer.hold(5)
    turns = []
    for _ in range(3):
        pacer.wait()
        turns.append(round(clock.now - 1000, 6))

    assert turns == [5.0, 5.1, 5.2]


def test_holds_of_many_do_not_add_up() -> None:
    clock = Clock()
    pacer = Pacer(10, _run_clock(clock))
    for _ in range(16):
        pacer.hold(5)
    pacer.hold(1)
    pacer.wait()

    assert clock.now - 1000 == pytest.approx(5)


def test_a_hold_reaches_those_that_already_wait_for_their_turn() -> None:
    clock = Clock()
    run = _run_clock(clock)
    pacer = Pacer(10, run)
    pacer.wait()
    inner = clock.sleep
    holds = [5.0]

    def held_meanwhile(seconds: float) -> None:
        inner(seconds)
        if holds:
            pacer.hold(holds.pop())

    run._sleep = held_meanwhile
    pacer.wait()

    assert clock.now - 1000 == pytest.approx(0.1 + 5)


@pytest.mark.parametrize(
    ("error", "expected"),
    [(_too_fast(retry_after=17), [17.0, 17.0]), (_transient(retry_after=17), [17.0])],
    ids=["too fast", "an outage"],
)
def test_one_that_is_too_fast_holds_all_others_back(
    error: DriveCallError, expected: list[float]
) -> None:
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:
            pacer.wait()  # another worker, meanwhile

    pacer = Pacer(0, RunClock(sleep, clock=lambda: 1000.0))
    Caller(pacer, Patience(), jitter=lambda: 1.0).call(Attempt(1, error))

    assert slept == pytest.approx(expected)
