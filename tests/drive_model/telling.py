"""Plays a history on a fake Drive and an index, and holds every step to what may be expected."""

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from google.oauth2.credentials import Credentials

from gdrive_rag_mcp.domain import (
    EVERYTHING,
    FileRecord,
    FileState,
    SyncPlan,
    SyncReport,
)
from gdrive_rag_mcp.errors import RootUnavailableError, SourceError
from gdrive_rag_mcp.indexing import listing
from gdrive_rag_mcp.indexing.listing import LOOK_INSIDE_AFTER
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.sources.drive_auth import SCOPES, Identity
from gdrive_rag_mcp.sources.drive_pacing import Patience
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.kinds import DOCUMENT
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.drive_model.deeds import DEEDS
from tests.drive_model.history import History, Step
from tests.drive_model.holding import assert_equal, assert_idle
from tests.drive_model.people import People
from tests.drive_model.tree import Tree
from tests.drive_model.weather import KilledError, Moments, Weather, mortal, mortal_store
from tests.indexing.desk import AParagraphAChunk, Paragraphs

QUICK = Patience(attempts=3, attempts_too_fast=3)
MID_DEEDS = ("add_file", "move", "move", "trash", "untrash", "remove", "share", "unshare", "edit",
             "rename", "add_shortcut", "hide", "unhide", "limit", "unlimit", "add_folder",
             "leave_drive", "join_drive")  # fmt: skip


@dataclass
class Counted:
    """How much was tried."""

    histories: int = 0
    steps: int = 0
    syncs: int = 0
    kills: int = 0
    faults: int = 0


@dataclass
class Telling:
    """One history being played."""

    drive: FakeDrive
    people: People
    index: Path
    counted: Counted = field(default_factory=Counted)
    now: datetime = datetime(2026, 6, 1, tzinfo=UTC)
    log: list[str] = field(default_factory=list)
    lagging: bool = False

    # ── steps ────────────────────────────────────────────────────────────────

    def step(self, step: Step) -> None:
        if step.what in DEEDS:
            done = self.people.do(step.what, step.one, step.other)
            self.log.append(f"{step.what} {step.one} {step.other} -> {done}")
        else:
            self.log.append(str(step))
            getattr(self, "_" + step.what.replace(" ", "_"))(step.one, step.other)

    def _page_size(self, size: int, _: int) -> None:
        self.drive.api.largest_page = [1, 2, 3, 5, 1000][size % 5]

    def _empty_pages(self, pages: int, _: int) -> None:
        self.drive.api.empty_pages = pages % 2

    def _not_found(self, how: int, _: int) -> None:
        self.drive.api.limited_folders_not_found = bool(how % 2)

    def _time(self, hours: int, _: int) -> None:
        self.now += timedelta(hours=hours % 100)

    def _stormy_sync(self, seed: int, options: int) -> None:
        self._rough_sync(seed, options, faults=1 + seed % 3)

    def _busy_sync(self, seed: int, options: int) -> None:
        self._rough_sync(seed, options, deeds=1 + seed % 6, faults=options % 2)

    def _killed_sync(self, seed: int, options: int) -> None:
        self._rough_sync(
            seed, options, faults=seed % 2, deeds=options // 2 % 2, killed_at=1 + seed * 7 % 61
        )

    # ── syncs ────────────────────────────────────────────────────────────────

    def _rough_sync(
        self, seed: int, options: int, *, faults: int = 0, deeds: int = 0,
        killed_at: int | None = None,
    ) -> None:  # fmt: skip
        """Sync while things go wrong; whatever came of it, nothing was lost."""
        chosen = SyncOptions(full=options % 5 == 0, allow_mass_delete=options % 3 == 0)
        self.now += timedelta(minutes=seed % 20)
        before = self.indexed()
        lines = len(self.records())
        trees = [self.people.tree()]

        def act(draw: random.Random) -> None:
            deed = draw.choice(MID_DEEDS)
            done = self.people.do(deed, draw.randrange(1000), draw.randrange(1000))
            trees.append(self.people.tree())
            self.log.append(f"    {deed} -> {done}")
            if deed == "add_file" and draw.random() < 0.3:
                self.drive.api.lag([self.people.items()[-1]])
                self.lagging = True

        weather = Weather(self.drive, seed * 1000 + options, faults, deeds, act)
        report = self._weathered(weather, chosen, Moments(killed_at))
        self.log.append(f"    {report and (report.complete, report.removed, report.warnings)}")
        after = self.indexed()
        lost = before - after
        reachable = set.intersection(*(set(tree.files) for tree in trees))
        if self.people.silent:  # what was away for a while may have come back without a word
            reachable &= self.people.constant
        assert not lost & reachable, f"{lost & reachable} were deleted, though reachable"
        if report and report.complete and not report.held and not weather.done:
            self.people.constant = set(trees[-1].files)
        if not chosen.allow_mass_delete:
            gone = before - set(self.records())
            assert len(gone) <= max(listing.MASS_DELETE_FILES, listing.MASS_DELETE_SHARE * lines)

    def _weathered(
        self, weather: Weather, chosen: SyncOptions, moments: Moments
    ) -> SyncReport | None:
        report: SyncReport | None = None
        try:
            with weather:
                report = self.sync(chosen, moments)
        except (SourceError, KilledError) as error:
            self.log.append(f"    ended: {error!r}")
            self.counted.kills += isinstance(error, KilledError)
        finally:
            self.counted.faults += len(weather.said)
            self.log += [f"    {said}" for said in weather.said]
            if self.lagging:
                self.drive.api.settle()
                self.people.silent = True
                self.lagging = False
        # Whether it was heard which log to follow is not known from outside.
        self.people.silent |= any("start" in said for said in weather.said)
        return report

    def _calm_sync(self, options: int, _: int) -> None:
        self.settle(full=options % 4 == 0, planned=options % 3 == 0)

    def settle(self, *, full: bool = False, planned: bool = False) -> None:
        """Sync while nothing goes wrong; the index is then what the account can see.

        What no log tells of takes a full listing; before that, it is at least not lost.
        """
        self.now += timedelta(days=1, hours=1)  # whatever rested is due again
        tree = self.people.tree()
        if not tree.has_root:
            self._sync_without_root()
            return
        if self.people.silent:
            self._sync_unheard(tree)
        chosen = SyncOptions(full=full or self.people.silent, allow_mass_delete=True)
        plan = self.plan(chosen) if planned else None
        report = self.sync(chosen)
        assert report.complete, report.warnings
        if plan is not None:
            assert len(plan.to_remove) == report.removed
            assert plan.in_scope == report.coverage.in_scope
        self.people.silent = False
        self.people.constant = set(tree.files)
        self._assert_settled(tree)
        assert_idle(self)

    def _assert_settled(self, tree: Tree) -> None:
        """The index is the tree: at once or, where folders are in doubt, an hour later."""
        try:
            assert_equal(self, tree)
        except AssertionError:
            if not self._doubts():
                raise
            self.now += LOOK_INSIDE_AFTER
            assert self.sync(SyncOptions(allow_mass_delete=True)).complete
            assert_equal(self, tree)

    def _doubts(self) -> bool:
        with Store.open_for_reading(self.index) as store:
            found = store._connection.execute("SELECT 1 FROM folders WHERE doubted IS NOT NULL")
            return found.fetchone() is not None

    def _sync_without_root(self) -> None:
        before = self.indexed()
        try:
            self.sync(SyncOptions(allow_mass_delete=True, full=True))
        except RootUnavailableError:
            assert self.indexed() == before
        else:
            raise AssertionError("a root that is not to be seen was synced")

    def _sync_unheard(self, tree: Tree) -> None:
        """Without a full listing the index may know too much, but has lost nothing."""
        before = self.indexed()
        report = self.sync(SyncOptions(allow_mass_delete=True))
        assert report.complete, report.warnings
        lost = (before - self.indexed()) & set(tree.files) & self.people.constant
        assert not lost, f"{lost} were deleted, though reachable"

    def sync(self, options: SyncOptions, moments: Moments | None = None) -> SyncReport:
        """One run of a process of its own, as far as the index can tell."""
        self.counted.syncs += 1
        moments = moments or Moments()
        source = mortal(self.source(), moments)
        try:
            with Store.open_for_writing(self.index) as store:
                return self.synchroniser(mortal_store(store, moments), source).run(options)
        finally:
            source.close()

    def synchroniser(self, store: Store, source: DriveSource) -> Synchroniser:
        return Synchroniser(
            store,
            source,
            Paragraphs(),
            AParagraphAChunk(),
            HashingEmbedder(64),
            supported=lambda kind: kind.startswith("text/") or kind == DOCUMENT,
            extraction="1",
            clock=lambda: self.now,
        )

    def plan(self, options: SyncOptions) -> SyncPlan:
        """What a sync would do; it leaves everything as it was."""
        before = self.records()
        source = self.source()
        with Store.open_for_writing(self.index) as store:
            plan = self.synchroniser(store, source).plan(options)
        source.close()
        assert self.records() == before
        return plan

    def source(self) -> DriveSource:
        token = self.drive.tokens.access.hand_out(self.drive.email, frozenset(SCOPES))
        credentials: Any = Credentials(token=token["access_token"])  # type: ignore[no-untyped-call] # it is not annotated
        return DriveSource(
            self.people.root,
            Identity(credentials, self.drive.email, "service_account", SCOPES, "ask"),
            endpoint=self.drive.url,
            calls_per_second=0,
            patience=QUICK,
            sleep=lambda _: None,
        )

    # ── the index ────────────────────────────────────────────────────────────

    def records(self) -> dict[str, FileRecord]:
        if not self.index.exists():
            return {}
        with Store.open_for_writing(self.index) as store:
            return {record.id: record for record in store.ledger.all(EVERYTHING)}

    def indexed(self) -> set[str]:
        """The files of which there is text."""
        return {record.id for record in self.records().values() if record.chunk_count}

    def retried(self) -> int:
        """How many files are tried anew each time, for a while."""
        return sum(record.state is FileState.FAILED for record in self.records().values())


def tell(history: History, folder: Path, counted: Counted | None = None) -> Telling:
    """Play a history, with a calm sync at its end.

    Raises:
        AssertionError: something did not hold; notes say what had happened.
    """
    with FakeDrive() as drive:
        telling = Telling(drive, People(drive, history.root), folder / "index.db")
        telling.counted = counted or Counted()
        telling.counted.histories += 1
        try:
            for step in (*history.steps, Step("calm sync", 1, 0)):
                telling.counted.steps += 1
                telling.step(step)
        except Exception as error:
            error.add_note("\n".join(telling.log))
            error.add_note(str(history))
            raise
        return telling
