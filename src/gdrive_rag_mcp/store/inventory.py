"""Writing the ledger and the ancestry: what a source lists, page by page.

A listing is one pass over everything, which may take several runs. What a page shows is stamped
with the listing's number; once it is complete, what bears an older stamp was not there any more.
"""

import json
from datetime import datetime
from typing import Any

import apsw

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import ChangePage, Gone, SourceFile, SourceShortcut
from gdrive_rag_mcp.store.connection import transaction
from gdrive_rag_mcp.store.folders import Folders
from gdrive_rag_mcp.store.hearsay import Item, doubt_links, look_into_doubted, of_concern
from gdrive_rag_mcp.store.meta import ANCESTRY_CHANGED, LISTING_OPEN, STRANGER, Meta
from gdrive_rag_mcp.store.obstacles import Obstacles
from gdrive_rag_mcp.store.other_ways import lose_below
from gdrive_rag_mcp.store.placement import place_files
from gdrive_rag_mcp.store.scoping import stored_time
from gdrive_rag_mcp.store.work_queue import WorkQueue

_TABLES = ("folders", "shortcuts", "files")


class Inventory:
    """The ledger as a listing writes it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._meta = Meta(connection)
        self._obstacles = Obstacles(connection)
        self._queue = WorkQueue(connection)
        self._folders = Folders(connection)

    # ── runs and listings ────────────────────────────────────────────────────

    @property
    def listing(self) -> int:
        """The number of the present listing."""
        return self._meta.listing

    def begin_run(self) -> None:
        """Forget what the run before did to each file."""
        self._connection.execute("UPDATE files SET change = NULL WHERE change IS NOT NULL")

    def begin_listing(self, reader: str | None = None) -> None:
        """From now on, what no page shows was not listed; see `ChangePage` for the reader."""
        if reader is not None:
            if self._meta.get("reader") not in (None, reader):
                self._meta.set(STRANGER, "yes")
            self._meta.set("reader", reader)
        self._meta.set("listing", str(self.listing + 1))
        self._meta.set(LISTING_OPEN, "yes")
        # Where another listing has stopped is no place to go on: its first pages showed it theirs.
        self._connection.execute(
            """UPDATE folders SET page_token = NULL, doubted = NULL
            WHERE page_token IS NOT NULL OR doubted IS NOT NULL"""
        )

    def look_into_doubted(self, since: datetime) -> None:
        """Have those folders listed anew that were renamed or moved so long ago.

        They may have been out of sight in between, and then no log tells what happened inside.
        """
        look_into_doubted(self._connection, since)

    # ── pages ────────────────────────────────────────────────────────────────

    def record(self, page: ChangePage, now: datetime) -> None:
        """Take a page into the ledger and the ancestry."""
        with transaction(self._connection):
            if page.listed is not None:
                self._folders.look_inside(page.listed.folder)
            self._record_folders(page, now)
            self._record_shortcuts(page)
            for file in self._concerning(page.files, news=page.news):
                self._record_file(file)
                if page.news:
                    self._queue.hurry(file.id)
            shown = [*(folder.id for folder in page.folders), *(file.id for file in page.files)]
            for table in _TABLES:
                self._stamp(table, [*shown, *(link.id for link in page.shortcuts)])
            self._obstacles.clear_shortcuts_to(shown, self.listing)
            lost = [gone.id for gone in page.removed if self._record_gone(gone)]
            if lost:
                lose_below(self._connection, lost)
            if page.outside:
                doubt_links(self._connection)
            if page.listed is not None:
                self._folders.note_listed(page.listed, self.listing)
            for looked_up in page.looked_up:
                self._obstacles.looked_up(looked_up, self.listing, now)

    def _stamp(self, table: str, ids: list[str]) -> None:
        if ids:
            self._connection.execute(
                f"UPDATE {table} SET seen = ?1 WHERE seen != ?1"
                " AND id IN (SELECT value FROM json_each(?2))",
                (self.listing, json.dumps(ids)),
            )

    def _concerning(self, items: tuple[Item, ...], *, news: bool) -> tuple[Item, ...]:
        return of_concern(self._connection, items) if news else items

    def _record_folders(self, page: ChangePage, now: datetime) -> None:
        """News come in any order: a folder may concern us for another on the same page."""
        waiting = page.folders
        while concerning := self._concerning(waiting, news=page.news):
            for folder in concerning:
                self._folders.record(folder, self.listing, now, news=page.news)
            taken = {folder.id for folder in concerning}
            waiting = tuple(folder for folder in waiting if folder.id not in taken)

    def _record_shortcuts(self, page: ChangePage) -> None:
        links = self._concerning(page.shortcuts, news=page.news)
        for shortcut in links:
            self._record_shortcut(shortcut)
        if page.news and links:
            self._folders.doubt_links_behind_doors()

    def _record_shortcut(self, shortcut: SourceShortcut) -> None:
        described = (clean(shortcut.name), json.dumps(shortcut.parents), shortcut.target,
                     shortcut.url, shortcut.feed, shortcut.resource_key, 0)  # fmt: skip
        known = self._connection.execute(
            """SELECT name, parents, target, url, feed, resource_key, gone FROM shortcuts
            WHERE id = ?""",
            (shortcut.id,),
        ).fetchone()
        if known == described:
            return
        self._connection.execute(
            """INSERT INTO shortcuts
                (name, parents, target, url, feed, resource_key, gone, id, seen)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
                name = excluded.name, parents = excluded.parents, target = excluded.target,
                url = excluded.url, feed = excluded.feed, resource_key = excluded.resource_key,
                gone = 0, looked = 0, obstacle = NULL""",
            (*described, shortcut.id, self.listing),
        )
        self._obstacles.take_along(shortcut.id, described[0], described[1])
        self._meta.set(ANCESTRY_CHANGED, "yes")

    def _record_file(self, file: SourceFile) -> None:
        known = self._connection.execute(
            """SELECT name, mime, parents, version, revision, md5, size, modified_time, url,
                obstacle, feed, resource_key, kind, gone FROM files WHERE id = ?""",
            (file.id,),
        ).fetchone()
        described = _described(file)
        if known is None:
            self._connection.execute(
                """INSERT INTO files (name, mime, parents, version, revision, md5, size,
                    modified_time, url, obstacle, feed, resource_key, id, seen, state, change)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 'added')""",
                (*described, file.id, self.listing),
            )
            return
        *before, kind, gone = known
        if tuple(before) != described or kind != "file":
            self._describe_anew(file.id, described, tuple(before), was_file=kind == "file")
        if gone:
            self._connection.execute("UPDATE files SET gone = 0 WHERE id = ?", (file.id,))

    def _describe_anew(
        self, file_id: str, now: tuple[Any, ...], before: tuple[Any, ...], *, was_file: bool
    ) -> None:
        self._describe(file_id, now)
        (name, mime, parents, version, *_, obstacle, _, _) = now
        (old_name, old_mime, old_parents, old_version, *_, old_obstacle, _, _) = before
        if (name, parents) != (old_name, old_parents):
            self._connection.execute(
                "UPDATE files SET placed = 0, change = coalesce(change, 'moved') WHERE id = ?",
                (file_id,),
            )
        if mime != old_mime:  # the same bytes may be read otherwise now
            self._connection.execute(
                "UPDATE files SET content_hash = NULL WHERE id = ?", (file_id,)
            )
        if not was_file or (mime, version, obstacle) != (old_mime, old_version, old_obstacle):
            self._connection.execute(
                """UPDATE files SET state = 'pending', reason = NULL, detail = '', attempts = 0,
                    next_attempt = NULL, held_from = NULL WHERE id = ?""",
                (file_id,),
            )

    def _describe(self, file_id: str, described: tuple[Any, ...]) -> None:
        self._connection.execute(
            """UPDATE files SET name = ?, mime = ?, parents = ?, version = ?, revision = ?, md5 = ?,
                size = ?, modified_time = ?, url = ?, obstacle = ?, feed = ?, resource_key = ?,
                kind = 'file' WHERE id = ?""",
            (*described, file_id),
        )

    def refresh(self, file: SourceFile) -> None:
        """A file was read in a newer version than was listed: describe that one."""
        self._describe(file.id, _described(file))
        self._connection.execute("UPDATE files SET placed = 0 WHERE id = ?", (file.id,))

    def _record_gone(self, gone: Gone) -> bool:
        """Believe a log only about what is its own: what moved elsewhere is told of there.

        Of the root it is not for a log to tell: without one, nothing can be concluded. True if it
        was a folder.
        """
        was_folder = False
        for table in _TABLES:
            but_the_root = " AND is_root = 0" if table == "folders" else ""
            self._connection.execute(
                f"""UPDATE {table} SET gone = 1
                WHERE id = ? AND feed IN ('', ?) AND gone != 1{but_the_root}""",
                (gone.id, gone.feed),
            )
            if table != "files" and self._connection.changes():
                self._meta.set(ANCESTRY_CHANGED, "yes")
                was_folder |= table == "folders"
        self._connection.execute("UPDATE shortcuts SET looked = 0 WHERE target = ?", (gone.id,))
        return was_folder

    def forget_versions(self) -> None:
        """Take every file for changed when it is next listed: another root may use equal ids."""
        self._connection.execute("UPDATE files SET version = ''")

    # ── where things lie ─────────────────────────────────────────────────────

    def place(self) -> list[str]:
        """Bring paths, placements and what is adrift up to date.

        Returns the files with text that may have another name now.
        """
        with transaction(self._connection):
            everything = self._meta.get(ANCESTRY_CHANGED) is not None
            renamed = place_files(self._connection, everything=everything)
            self._meta.delete(ANCESTRY_CHANGED)
        return renamed


def _described(file: SourceFile) -> tuple[Any, ...]:
    """A file as the ledger describes it, in the order of its columns."""
    return (
        clean(file.name),
        file.mime_type,
        json.dumps(file.parents),
        file.version,
        file.revision,
        file.md5,
        file.size,
        stored_time(file.modified_time),
        file.url,
        file.obstacle,
        file.feed,
        file.resource_key,
    )
