"""The folder or shared drive that is synced: found, checked, and told apart from a bad name."""

import re

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import RootUnavailableError, SettingsError
from gdrive_rag_mcp.sources.drive_api import DriveApi
from gdrive_rag_mcp.sources.drive_credentials import Identity
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, damaged
from gdrive_rag_mcp.sources.drive_fields import flag, part, text
from gdrive_rag_mcp.sources.drive_items import Item, is_binned
from gdrive_rag_mcp.sources.drive_pages import Root
from gdrive_rag_mcp.sources.media_types import DRIVE_FOLDER, DRIVE_SHORTCUT

_ID = re.compile(r"[A-Za-z0-9_-]+")
_ID_IN_URL = re.compile(r"(?:/folders/|[?&]id=)([A-Za-z0-9_-]+)")


class RootFinder:
    """Looks for the root on behalf of one identity."""

    def __init__(
        self, api: DriveApi, identity: Identity, folder_id: str | None, drive_id: str | None
    ) -> None:
        """Check the ids' form; nothing is asked yet.

        Raises:
            SettingsError: there is no id, or one that is none.
        """
        for name, value in (("GDRIVE_FOLDER_ID", folder_id), ("GDRIVE_SHARED_DRIVE_ID", drive_id)):
            if value is not None:
                _require_id(value, name)
        named = folder_id or drive_id
        if named is None:
            raise SettingsError(
                "no Drive folder is set", hint="set GDRIVE_FOLDER_ID or GDRIVE_SHARED_DRIVE_ID"
            )
        self._api = api
        self._identity = identity
        self._drive_id = drive_id
        self.id = named
        """The id that the settings name; that of a shortcut stays the shortcut's."""
        self._seen = False

    @property
    def share(self) -> str:
        """What to do so that this identity sees the root or, once it does, what lies in it."""
        if self._seen:
            return (
                "put documents into it; if some are there, check that "
                f"{self._identity.name} sees them"
            )
        return self._admission

    @property
    def _admission(self) -> str:
        """What to do so that this identity sees the root."""
        if self.id == self._drive_id:
            return f"add {self._identity.name} as a member of the shared drive (viewer is enough)"
        return self._identity.share

    def find(self) -> Root:
        """The root as it is now.

        Raises:
            RootUnavailableError: it is not there, no folder, or not to be listed by this identity.
            DriveCallError: Drive does not answer, or refuses the credentials.
        """
        item = self._item(self.id)
        if text(item, "mimeType") == DRIVE_SHORTCUT:
            target = text(part(item, "shortcutDetails"), "targetId")
            item = self._item(target or self.id)
        mime_type, item_id = text(item, "mimeType"), text(item, "id")
        if mime_type is None or item_id is None:
            raise damaged("Drive answered with something that is no item")
        drive = text(item, "driveId")
        if self.id == self._drive_id and item_id != drive:
            raise self._no_drive(is_folder=mime_type == DRIVE_FOLDER)
        if mime_type != DRIVE_FOLDER:
            raise self._unavailable("is no folder", "set GDRIVE_FOLDER_ID to the id of a folder")
        if flag(part(item, "capabilities"), "canListChildren") is False:
            raise self._unavailable("may not be listed")
        if self._drive_id is not None and drive != self._drive_id:
            raise self._unavailable(
                f"is not in the shared drive {self._drive_id}",
                "correct GDRIVE_FOLDER_ID or GDRIVE_SHARED_DRIVE_ID; one of the two is enough",
            )
        self._seen = True
        return Root(item_id, item, drive)

    def _item(self, item_id: str) -> Item:
        try:
            item = self._api.item(item_id)
        except DriveCallError as error:
            if error.stays_here and error.reason in (Reason.NOT_FOUND, Reason.ACCESS_DENIED):
                raise self._unavailable("cannot be found") from error
            raise
        if is_binned(item):
            raise self._unavailable("is in the bin", "take it out of the bin")
        return item

    def _no_drive(self, *, is_folder: bool) -> RootUnavailableError:
        kind = "folder" if is_folder else "file"
        return RootUnavailableError(
            f"GDRIVE_SHARED_DRIVE_ID is {self.id}, which is a {kind} and no shared drive",
            hint=f"set GDRIVE_FOLDER_ID to {self.id} instead, and unset GDRIVE_SHARED_DRIVE_ID"
            if is_folder
            else "it is the last part of the shared drive's own address, after /drive/folders/",
        )

    def _unavailable(self, problem: str, remedy: str = "") -> RootUnavailableError:
        kind = "shared drive" if self.id == self._drive_id else "Drive folder"
        return RootUnavailableError(
            f"the {kind} {self.id} {problem} for {self._identity.name}",
            hint=remedy or f"{self._admission}, and check the id",
        )


def _require_id(value: str, name: str) -> None:
    if _ID.fullmatch(value):
        return
    inside = _ID_IN_URL.search(value)
    raise SettingsError(
        f"{name} is {value[:200]!r}, which is no id of a Drive folder",
        hint=f"set it to {inside.group(1)}"
        if inside
        else "it is the last part of the folder's address, after /folders/",
    )
