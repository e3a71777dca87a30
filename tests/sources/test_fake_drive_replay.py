"""The change logs of the fake tell enough: whoever replays them ends up with the tree it may see.

The reader here is as plain as can be, and asks the fake without a socket: it lists the tree once,
then takes entries as they come, and lists a folder's children when the folder comes within reach.
"""

import json
from contextlib import closing
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.access import Reach
from gdrive_rag_mcp.testing.fake_drive.kinds import FOLDER
from gdrive_rag_mcp.testing.fake_drive.tokens import READ_ONLY

Json = Any
FILE_FIELDS = "id,name,mimeType,parents,explicitlyTrashed,trashed,version,capabilities"


class _Reader:
    """Follows one log, from one folder down."""

    def __init__(self, drive: FakeDrive, root: str, log: dict[str, str]) -> None:
        granted = drive.tokens.access.hand_out(drive.email, frozenset({READ_ONLY}))
        self._headers = {"authorization": f"Bearer {granted['access_token']}"}
        self._drive = drive
        self._root = root
        self._log = log
        self._known: dict[str, Json] = {}
        start = self._ask("changes/startPageToken", **log)
        self._token = start["startPageToken"]
        self._enter(self._ask(f"files/{root}", fields=FILE_FIELDS))

    def follow(self) -> None:
        fields = f"newStartPageToken,nextPageToken,changes(fileId,removed,file({FILE_FIELDS}))"
        before = self.reachable()
        while True:
            page = self._ask(
                "changes",
                pageToken=self._token,
                pageSize="2",
                includeItemsFromAllDrives="true",
                fields=fields,
                **self._log,
            )
            for change in page["changes"]:
                self._known.pop(change["fileId"], None)
                if not change["removed"]:
                    self._known[change["fileId"]] = change["file"]
            self._token = page.get("nextPageToken") or page["newStartPageToken"]
            if "newStartPageToken" in page:
                break
        entered = self.reachable() - before
        while entered:
            for item in entered:
                self._enter(self._known[item])
            before |= entered
            entered = self.reachable() - before

    def reachable(self) -> set[str]:
        """What is below the root, not in the bin, by what the reader knows alone."""
        found: set[str] = set()
        pending = {self._root} & set(self._known)
        while pending:
            found |= pending
            pending = {
                item["id"]
                for item in self._known.values()
                if item["id"] not in found
                and not item["explicitlyTrashed"]
                and any(self._lists(parent) for parent in set(item.get("parents", ())) & found)
            }
        return found

    def _lists(self, folder: str) -> bool:
        return bool(self._known[folder]["capabilities"]["canListChildren"])

    def _enter(self, item: Json) -> None:
        self._known[item["id"]] = item
        if item["mimeType"] != FOLDER:
            return
        answer = self._ask(
            "files",
            q=f"'{item['id']}' in parents",
            includeItemsFromAllDrives="true",
            fields=f"files({FILE_FIELDS})",
            pageSize="1000",
        )
        for child in answer["files"]:
            if child["id"] not in self._known:
                self._enter(child)

    def _ask(self, path: str, **query: str) -> Json:
        query |= {} if path == "about" else {"supportsAllDrives": "true"}
        target = f"/drive/v3/{path}?{urlencode(query)}"
        answer = self._drive.answer("GET", target, self._headers, b"")
        assert answer.status == 200, answer.body
        return json.loads(answer.body)


def _truth(drive: FakeDrive, root: str) -> set[str]:
    """What the service account gets to from the root, by what the fake knows."""
    world, access = drive.files.world, drive.files.access
    found: set[str] = set()
    pending = [root]
    while pending:
        current = pending.pop()
        if current in found or access.reach(drive.email, current) is Reach.NONE:
            continue
        if world.items[current].explicitly_trashed:
            continue
        found.add(current)
        if access.reach(drive.email, current) is Reach.OPEN:
            pending += world.child_ids(current)
    return found


def _act(drive: FakeDrive, ids: list[str], kind: str, first: int, second: int) -> None:
    files = drive.files
    present = [item for item in ids if item in files.world.items]
    folders = [item for item in present if files.world.items[item].is_folder]
    one, folder = present[first % len(present)], folders[second % len(folders)]
    if kind == "folder":
        ids.append(files.add_folder("f", folder))
    elif kind == "file":
        ids.append(files.add_file("a", b"x", folder))
    elif one in ids[:3]:
        return  # the three topmost folders stay as they are
    elif kind == "move":
        below = {item.id for item in files.world.below([one])}
        if folder not in below:
            files.move(one, folder)
    elif kind == "show":
        files.hide(one, hidden=False)
    elif kind == "limit":
        files.limit_access(one, limited=bool(second % 2))
    else:
        getattr(files, kind)(one)


_KINDS = ("folder", "file", "move", "trash", "untrash", "hide", "show", "limit", "remove")
_acts = st.tuples(st.sampled_from(_KINDS), st.integers(0, 30), st.integers(0, 30))


@pytest.mark.parametrize("where", ["root", "drive"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_acts, max_size=30))
def test_whoever_replays_a_log_ends_up_with_the_tree_it_may_see(
    where: str, acts: list[tuple[str, int, int]]
) -> None:
    with closing(FakeDrive()) as drive:
        private = drive.files.add_folder("private", drive.files.my_drive("owner@example.com"))
        shared = drive.files.add_drive("Team", [drive.email])
        ids = [drive.root, shared, private]
        root = drive.root if where == "root" else shared
        reader = _Reader(drive, root, {} if where == "root" else {"driveId": shared})

        for kind, first, second in acts:
            _act(drive, ids, kind, first, second)
            reader.follow()
            assert reader.reachable() == _truth(drive, root), (kind, first, second)
