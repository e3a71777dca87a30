"""Interrupts at bad moments: where Python cannot raise them, twice, and at the start."""

import signal
import subprocess
import sys

import pytest

SCRIPT = """
import os, runpy, signal, sys, threading, time
from gdrive_rag_mcp.frontends.interrupts import end_by_signals

class Held:
    def __del__(self):
        {let_go}

def work():
    {work}

end_by_signals()
try:
    work()
    print("went on")
except KeyboardInterrupt:
    {unwinding}
    print("interrupted")
"""
AT_AN_IMPORT = """
import runpy, signal, sys

class At:
    def find_spec(self, name, path, target=None):
        if name == "{name}":
            signal.raise_signal(signal.{by})

sys.meta_path.insert(0, At())
sys.argv = ["gdrive-rag-mcp", "--version"]
runpy.run_module("gdrive_rag_mcp", run_name="__main__")
"""
IN_A_COMMAND = """
import signal, sys
from gdrive_rag_mcp.frontends import cli
from gdrive_rag_mcp.frontends.interrupts import end_by_signals

def half_done(settings):
    try:
        signal.raise_signal(signal.SIGTERM)
    except KeyboardInterrupt:
        raise RuntimeError("release unlocked lock") from None

end_by_signals()
cli.running.command("broken", goes_on=True)(half_done)
sys.argv = ["gdrive-rag-mcp", "broken"]
cli.main()
"""
Ended = subprocess.CompletedProcess[str]


def ran(code: str) -> Ended:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )


def script(*, work: str, let_go: str = "pass", unwinding: str = "pass") -> Ended:
    return ran(SCRIPT.format(work=work, let_go=let_go, unwinding=unwinding))


def test_an_interrupt_while_an_object_is_let_go_ends_the_run_all_the_same() -> None:
    ended = script(let_go="signal.raise_signal(signal.SIGTERM)", work="Held(); time.sleep(60)")

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted\n", "")


def test_any_other_error_while_an_object_is_let_go_is_still_told() -> None:
    ended = script(let_go="raise ValueError('half closed')", work="Held()")

    assert ended.stdout == "went on\n"
    assert "ValueError: half closed" in ended.stderr


def test_what_is_let_go_half_done_after_an_interrupt_is_not_told() -> None:
    ended = script(
        let_go="raise ValueError('half closed')",
        work="held = Held(); signal.raise_signal(signal.SIGINT)",
    )

    assert (ended.stdout, ended.stderr) == ("interrupted\n", "")


@pytest.mark.parametrize("second", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_second_signal_at_once_does_not_break_into_what_the_first_has_begun(second: str) -> None:
    ended = script(
        work="signal.raise_signal(signal.SIGHUP)",
        unwinding=f"signal.raise_signal(signal.{second})",
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted\n", "")


def test_who_asks_again_later_has_the_process_ended_on_the_spot() -> None:
    ended = script(
        work="signal.raise_signal(signal.SIGINT)",
        unwinding="time.sleep(1.1); signal.raise_signal(signal.SIGINT); time.sleep(60)",
    )

    assert (ended.returncode, ended.stdout) == (130, "")


@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="signals come otherwise here")
@pytest.mark.parametrize("waiting", ["Future().result()", "Event().wait()", "SimpleQueue().get()"])
def test_a_signal_that_comes_to_another_thread_ends_what_the_main_one_waits_for(
    waiting: str,
) -> None:
    # As when it comes in the moment before the main thread lies down: nothing wakes that.
    ended = script(
        work="from concurrent.futures import Future; from queue import SimpleQueue;"
        "from threading import Event;"
        "threading.Thread(target=Event().wait, daemon=True).start();"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]);"
        "threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGTERM]).start();" + waiting
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted\n", "")


def test_a_second_signal_while_python_takes_itself_down_does_not_change_how_it_ends() -> None:
    ended = ran(
        "import signal, sys, time\n"
        "from gdrive_rag_mcp.frontends.interrupts import end_by_signals\n"
        "class AtTheEnd:\n"
        "    def __del__(self, again=signal.raise_signal, by=signal.SIGTERM):\n"
        "        again(by)\n"
        "end_by_signals()\n"
        "sys.modules['at_the_end'] = AtTheEnd()\n"
        "try:\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(130)"
    )

    assert (ended.returncode, ended.stderr) == (130, "")


def test_an_ignored_signal_stays_ignored() -> None:
    ended = ran(
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "from gdrive_rag_mcp.frontends.interrupts import end_by_signals\n"
        "end_by_signals(); signal.raise_signal(signal.SIGTERM); print('went on')"
    )

    assert ended.stdout == "went on\n"


@pytest.mark.parametrize("name", ["fcntl", "typer"])
@pytest.mark.parametrize("by", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_while_the_command_line_is_loaded_is_an_end_without_a_traceback(
    by: str, name: str
) -> None:
    ended = ran(AT_AN_IMPORT.format(by=by, name=name))

    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_what_an_interrupt_has_left_half_done_is_no_bug_report() -> None:
    ended = ran(IN_A_COMMAND)

    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr.startswith("stopped; what was done is kept")
    assert "Traceback" not in ended.stderr
