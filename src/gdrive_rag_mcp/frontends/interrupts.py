"""Signals that end a run: the first comes out as a `KeyboardInterrupt`, and is never lost."""

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    UnraisableHook = Callable[[sys.UnraisableHookArgs], object]

INTERRUPTED = 130
"""The exit code of a run that a signal has ended."""

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that end a run."""

_MEANWHILE_SECONDS = 0.05
_TOGETHER_SECONDS = 1.0
_KNOCKS_AFTER_SECONDS = (0.02, 0.1, 0.5, 2.0)
_FIRST_OF_OTHERS = 3  # descriptors: 0 to 2 are the standard streams
_came: list[float] = []


def end_by_signals() -> None:
    """Make a terminal that closes, cron, systemd and containers end a run as Ctrl-C does.

    Some of them send two signals at once: what comes while a run is being ended does not break into
    that. Whoever asks again after a second has the process ended on the spot.
    """
    for number in heeded():
        signal.signal(number, _interrupt)
    atexit.register(_go_on_ending)
    sys.unraisablehook = partial(_unraisable, sys.unraisablehook)
    if hasattr(signal, "SIGURG"):
        _wake_for_signals()


def _go_on_ending() -> None:
    """See that what comes when Python has taken down its handlers does not change the end."""
    if _came:
        for number in heeded():
            signal.signal(number, signal.SIG_IGN)


def heeded() -> list[signal.Signals]:
    """Those that whoever started this process wants it to end by; `nohup` takes one away."""
    return [number for number in ENDS if signal.getsignal(number) is not signal.SIG_IGN]


def interrupted() -> bool:
    """Whether one has come."""
    return bool(_came)


@contextmanager
def broken_off() -> Iterator[None]:
    """What fails once an interrupt has come, comes out as that interrupt.

    It can break into the taking of a lock, or into the opening of a file, which then fails itself.

    Raises:
        KeyboardInterrupt: one has come.
    """
    try:
        yield
    except Exception:
        if interrupted():
            raise KeyboardInterrupt from None
        raise


def _wake_for_signals() -> None:
    """See to it that the main thread hears of a signal, whatever it waits for.

    Python's own handlers run in that thread alone, between two of its steps. A signal that comes
    when it is about to wait for a lock, or comes to another thread, does not wake it: without this
    it would wait on, for ever where the lock is another's that waits for the network.
    """
    told, tell = (_beside_the_standard_streams(end) for end in os.pipe())
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    signal.signal(signal.SIGURG, lambda *_: None)  # else ignored: it wakes, and says nothing
    threading.Thread(target=_knock, args=(told,), name="signals", daemon=True).start()


def _beside_the_standard_streams(descriptor: int) -> int:
    """The same at a number that is none of theirs: one may be closed, and whoever has it is it."""
    from fcntl import F_DUPFD_CLOEXEC, fcntl

    beside = fcntl(descriptor, F_DUPFD_CLOEXEC, _FIRST_OF_OTHERS)
    os.close(descriptor)
    return beside


def _knock(told: int) -> None:
    """After each signal that ends a run, wake the main thread some times.

    Once might be as unlucky as the signal was; to be woken does no harm to any wait.
    """
    while came := os.read(told, 1):
        if came[0] in ENDS:
            for seconds in _KNOCKS_AFTER_SECONDS:
                time.sleep(seconds)
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGURG)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    now = time.monotonic()
    if not _came:
        _came.append(now)
        raise KeyboardInterrupt
    if now - _came[0] > _TOGETHER_SECONDS:
        os._exit(INTERRUPTED)


def _unraisable(others: "UnraisableHook", ignored: "sys.UnraisableHookArgs") -> None:
    """Where Python cannot raise, such as while an object is let go, it only reports.

    An interrupt would be lost so, and the run go on; it is raised anew soon after. What is let go
    half done because of one is not worth a word.
    """
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        # Here it could not be raised either: it has to come after this function's end.
        _thread.start_new_thread(_signal_soon, ())
    elif not _came:
        others(ignored)


def _signal_soon() -> None:
    """Send the main thread one of the signals that end it: a real one, which wakes it."""
    time.sleep(_MEANWHILE_SECONDS)
    _came.clear()
    for number in heeded()[:1]:
        signal.pthread_kill(threading.main_thread().ident or 0, number)
