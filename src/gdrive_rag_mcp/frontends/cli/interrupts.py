"""Signals that end a run: each comes out as a `KeyboardInterrupt`, and none is lost on the way."""

import _thread
import signal
import sys
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    UnraisableHook = Callable[[sys.UnraisableHookArgs], object]

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that end a run."""

_MEANWHILE_SECONDS = 0.05


def end_by_signals() -> None:
    """Make a terminal that closes, cron, systemd and containers end a run as Ctrl-C does.

    Where Python cannot raise, such as while an object is let go, it would report an interrupt as an
    ignored error and go on with the run; it is raised anew soon after.
    """
    for number in heeded():
        signal.signal(number, signal.default_int_handler)
    sys.unraisablehook = partial(_raise_anew, sys.unraisablehook)


def heeded() -> list[signal.Signals]:
    """Those that whoever started this process wants it to end by; `nohup` takes one away."""
    return [number for number in ENDS if signal.getsignal(number) is not signal.SIG_IGN]


def _raise_anew(others: "UnraisableHook", ignored: "sys.UnraisableHookArgs") -> None:
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        # Here it could not be raised either: it has to come after this function's end.
        _thread.start_new_thread(_signal_soon, ())
    else:
        others(ignored)


def _signal_soon() -> None:
    """Send the main thread one of the signals that end it: a real one, which wakes it."""
    time.sleep(_MEANWHILE_SECONDS)
    for number in heeded()[:1]:
        signal.pthread_kill(threading.main_thread().ident or 0, number)
