"""Syncing for ever: one round after another, whatever passes by itself is waited out."""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from gdrive_rag_mcp.domain import FileState, SyncReport, SyncRound
from gdrive_rag_mcp.errors import (
    GdriveRagError,
    IndexCorruptError,
    IndexLockedError,
    IndexReadOnlyError,
    ReindexRequiredError,
    SchemaTooNewError,
    SettingsError,
)
from gdrive_rag_mcp.indexing.sync import SyncOptions

LONGEST_PAUSE = 3600.0
_MOST_DOUBLINGS = 20
_FOR_GOOD = (
    SettingsError,
    IndexCorruptError,
    IndexReadOnlyError,
    ReindexRequiredError,
    SchemaTooNewError,
)
"""What no waiting will change."""


@dataclass(frozen=True)
class Watch:
    """Runs `sync` every so many seconds and tells of each round.

    `sync` makes whatever it needs anew, so that nothing of a round outlives it and credentials are
    read again; it takes the writer's lock itself, so that between the rounds others may write.
    After a round that came to nothing the pause doubles, up to an hour; one that found another
    writer at work changes nothing about it.
    """

    sync: Callable[[SyncOptions], SyncReport]
    every: float
    tell: Callable[[SyncRound], None]
    wait: Callable[[float], object] = time.sleep
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def run(self, options: SyncOptions, *, stopped: Callable[[], bool] = lambda: False) -> None:
        """Go on until `stopped`, which is asked after each step; `full` holds for one report.

        Raises:
            SettingsError, IndexCorruptError, IndexReadOnlyError, ReindexRequiredError,
            SchemaTooNewError: it would be the same in every round to come.
        """
        failures = 0
        while not stopped():
            done = self._round(options)
            if stopped():
                return
            if done.report is not None:
                options = replace(options, full=False)
            if not done.skipped:
                failures = 0 if _came_to_its_end(done) else failures + 1
            pause = self._pause(0 if done.skipped else failures)
            self.tell(replace(done, next_in=pause))
            # A round's clients refer to each other in circles, which Python lets go of by itself
            # only when they have become a quarter of all that it holds.
            gc.collect()
            self.wait(pause)

    def _round(self, options: SyncOptions) -> SyncRound:
        started = time.monotonic()
        try:
            report = self.sync(options)
        except _FOR_GOOD:
            raise
        except GdriveRagError as error:
            return SyncRound(
                self.clock(),
                time.monotonic() - started,
                code=error.code,
                problem=error.message,
                remedy=error.hint,
                skipped=isinstance(error, IndexLockedError),
            )
        return SyncRound(self.clock(), report.seconds, report=report)

    def _pause(self, failures: int) -> float:
        doublings = min(max(failures - 1, 0), _MOST_DOUBLINGS)
        return min(self.every * 2.0**doublings, max(self.every, LONGEST_PAUSE))


def _came_to_its_end(done: SyncRound) -> bool:
    """Whether the source was heard and read to the end; a failed file has a rest of its own."""
    report = done.report
    if report is None or not report.complete:
        return False
    return not report.coverage.by_state.get(FileState.PENDING, 0)
