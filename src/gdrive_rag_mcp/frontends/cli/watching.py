"""`sync --watch`: rounds until a signal ends it, at once and with nothing lost."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from gdrive_rag_mcp.errors import OutputError
from gdrive_rag_mcp.frontends.cli.progress import progress_bars
from gdrive_rag_mcp.frontends.cli.running import note, show
from gdrive_rag_mcp.frontends.interrupts import broken_off, interrupted
from gdrive_rag_mcp.settings import Settings

if TYPE_CHECKING:  # what syncs loads SQLite and more, which `--help` need not wait for
    from gdrive_rag_mcp.domain import SyncReport, SyncRound
    from gdrive_rag_mcp.indexing.sync import SyncOptions


def watch_index(settings: Settings, options: "SyncOptions", *, every: float, as_json: bool) -> None:
    """Sync again and again, with one line of output a round, until a signal ends it.

    Raises:
        GdriveRagError: something that no waiting will change.
    """
    with suppress(KeyboardInterrupt), broken_off():
        _watch(settings, options, every=every, as_json=as_json)
    note("stopped; whatever was read is in the index, and the next sync goes on from there")


def _watch(settings: Settings, options: "SyncOptions", *, every: float, as_json: bool) -> None:
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

    Watch(sync, every, tell).run(options, stopped=interrupted)


def _once_each(say: Callable[[str], None]) -> Callable[[str], None]:
    """What is the same in every round is said in the first."""
    said: set[str] = set()

    def say_once(line: str) -> None:
        if line not in said:
            said.add(line)
            say(line)

    return say_once
