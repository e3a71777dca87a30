"""`sync --watch`: rounds until a signal ends it, at once and with nothing lost."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from gdrive_rag_mcp.errors import OutputError
from gdrive_rag_mcp.frontends.cli.interrupts import heeded
from gdrive_rag_mcp.frontends.cli.progress import progress_bars
from gdrive_rag_mcp.frontends.cli.running import note, show
from gdrive_rag_mcp.settings import Settings

if TYPE_CHECKING:  # what syncs loads SQLite and more, which `--help` need not wait for
    from gdrive_rag_mcp.domain import SyncReport, SyncRound
    from gdrive_rag_mcp.indexing.sync import SyncOptions


def watch_index(settings: Settings, options: "SyncOptions", *, every: float, as_json: bool) -> None:
    """Sync again and again, with one line of output a round, until a signal ends it.

    Raises:
        GdriveRagError: something that no waiting will change.
    """
    from gdrive_rag_mcp import presentation, wiring
    from gdrive_rag_mcp.app.watching import Watch

    say = _once_each(note)

    def sync(options: "SyncOptions") -> "SyncReport":
        with progress_bars() as progress:
            return wiring.sync(settings, options, progress=progress, report=say)

    def tell(done: "SyncRound") -> None:
        try:
            if as_json:
                show(presentation.as_json(presentation.round_object(done)))
            else:
                show(presentation.round_text(done))
        except OutputError as error:  # the rounds are what it is for, their lines are not
            note(f"warning: {error}")

    with _ended_by_signals() as ended:
        Watch(sync, every, tell).run(options, stopped=ended)
    note("stopped; whatever was read is in the index, and the next sync goes on from there")


def _once_each(say: Callable[[str], None]) -> Callable[[str], None]:
    """What is the same in every round is said in the first."""
    said: set[str] = set()

    def say_once(line: str) -> None:
        if line not in said:
            said.add(line)
            say(line)

    return say_once


@contextmanager
def _ended_by_signals() -> Iterator[Callable[[], bool]]:
    """End what is inside by an interrupt; yields whether one has come.

    Where Python cannot raise one, such as while an object is let go, it would be lost: so it is
    remembered, too.
    """
    came: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt

    former = {number: signal.signal(number, interrupt) for number in heeded()}
    try:
        yield lambda: bool(came)
    except KeyboardInterrupt:
        pass
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
