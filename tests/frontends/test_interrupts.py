"""Interrupts that come where Python cannot raise them."""

import subprocess
import sys

HELD_UP = """
import signal, time
from gdrive_rag_mcp.frontends.cli.interrupts import end_by_signals

class Held:
    def __del__(self):
        {act}

end_by_signals()
try:
    held = Held()
    del held
    time.sleep({patience})
    print("went on")
except KeyboardInterrupt:
    print("interrupted")
"""


def let_go(act: str, *, patience: float) -> subprocess.CompletedProcess[str]:
    """Do something while an object is let go, then work for so many seconds."""
    code = HELD_UP.format(act=act, patience=patience)
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )


def test_an_interrupt_while_an_object_is_let_go_ends_the_run_all_the_same() -> None:
    ended = let_go("signal.raise_signal(signal.SIGTERM)", patience=60)

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted\n", "")


def test_any_other_error_while_an_object_is_let_go_is_still_told() -> None:
    ended = let_go("raise ValueError('half closed')", patience=0)

    assert ended.stdout == "went on\n"
    assert "ValueError: half closed" in ended.stderr
