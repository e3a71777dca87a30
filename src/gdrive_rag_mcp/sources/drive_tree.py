"""What Drive lists, in our nouns, and the crawl through a folder and all folders below it."""

from collections import deque
from collections.abc import Iterator
from typing import Any

from gdrive_rag_mcp.domain import ChangePage, Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.sources.drive_api import DriveApi, Listing
from gdrive_rag_mcp.sources.drive_failures import DriveCallError
from gdrive_rag_mcp.sources.drive_fields import flag, moment, number, part, text, texts
from gdrive_rag_mcp.sources.media_types import DRIVE_FOLDER, DRIVE_NATIVE_PREFIX

FIELDS = (
    "id,name,mimeType,parents,trashed,version,size,md5Checksum,headRevisionId,modifiedTime,"
    "webViewLink,capabilities(canDownload,canListChildren),clientEncryptionDetails(encryptionState)"
)


class Crawl:
    """A full listing: one `files.list` a folder, breadth first, each item once.

    `uncertain` gathers, in sentences, why the listing may lack something: folders that Drive says
    it did not search to the end, and items that it listed without saying what they are.
    """

    def __init__(self, api: DriveApi, root: SourceFolder) -> None:
        self._api = api
        self._seen = {root.id}
        self._pending = deque([root])
        self.uncertain: list[str] = []

    def pages(self) -> Iterator[ChangePage]:
        """Yield every folder with, or before, what is in it; the root comes first.

        Raises:
            DriveCallError: a listing broke off.
        """
        while self._pending:
            folder = self._pending.popleft()
            if folder.obstacle is not None:
                yield ChangePage(folders=(folder,))
                continue
            try:
                yield from self._inside(folder)
            except DriveCallError as error:
                if not _is_about_this_folder(error) or not folder.parents:
                    raise
                yield ChangePage(folders=(_blocked(folder, error.reason),))

    def _inside(self, folder: SourceFolder) -> Iterator[ChangePage]:
        itself: tuple[SourceFolder, ...] = (folder,)
        for listing in self._api.children(folder.id, FIELDS):
            yield ChangePage(files=self._sort(folder, listing), folders=itself)
            itself = ()
            if not listing.certain:
                self.uncertain.append(f"Drive did not search {folder.name!r} to the end")

    def _sort(self, folder: SourceFolder, listing: Listing) -> tuple[SourceFile, ...]:
        """Queue the new folders of a page and return its new files.

        An item seen before, through a second parent or a cycle, is not listed again.
        """
        files = []
        for item in listing.items:
            item_id, mime_type = text(item, "id"), text(item, "mimeType")
            if item_id is None or mime_type is None:
                self.uncertain.append(
                    f"Drive lists something in {folder.name!r} that has no usable id or type"
                )
                continue
            if item_id in self._seen:
                continue
            self._seen.add(item_id)
            if mime_type == DRIVE_FOLDER:
                self._pending.append(folder_of(item, item_id, found_in=folder.id))
            else:
                files.append(file_of(item, item_id, mime_type, found_in=folder.id))
        return tuple(files)


def file_of(item: dict[str, Any], item_id: str, mime_type: str, *, found_in: str) -> SourceFile:
    """A file as listed; `found_in` comes first among its parents."""
    obstacle = _obstacle(item)
    return SourceFile(
        id=item_id,
        name=_name(item),
        mime_type=mime_type,
        parents=_parents(item, found_in),
        version=_version(item, mime_type, obstacle),
        size=None if mime_type.startswith(DRIVE_NATIVE_PREFIX) else number(item, "size"),
        md5=text(item, "md5Checksum"),
        modified_time=moment(item, "modifiedTime"),
        url=text(item, "webViewLink"),
        revision=text(item, "headRevisionId") or text(item, "version"),
        obstacle=obstacle,
    )


def folder_of(item: dict[str, Any], item_id: str, *, found_in: str | None) -> SourceFolder:
    """A folder as listed; the root is found in none, whatever lies above it."""
    listable = flag(part(item, "capabilities"), "canListChildren")
    return SourceFolder(
        id=item_id,
        name=_name(item),
        parents=() if found_in is None else _parents(item, found_in),
        url=text(item, "webViewLink"),
        obstacle=Reason.ACCESS_DENIED if listable is False else None,
    )


def _version(item: dict[str, Any], mime_type: str, obstacle: Reason | None) -> str:
    """What changes whenever reading the file again may bring something else.

    Stored bytes have a checksum, so that a rename or a move costs nothing. Google's own formats
    have none; their `version` also counts changes nobody can see, and then one export is wasted:
    `modifiedTime` alone would be cheaper, but whoever writes through the API may set it at will,
    and an edit must never be missed. An obstacle counts, so that its end is noticed.
    """
    native, md5 = mime_type.startswith(DRIVE_NATIVE_PREFIX), text(item, "md5Checksum")
    if md5 and not native:
        version = f"md5:{md5}"
    else:
        names = (
            ("version", "modifiedTime") if native else ("modifiedTime", "size", "headRevisionId")
        )
        version = "@".join(said for name in names if (said := text(item, name)) is not None)
    return f"{version}!{obstacle}" if obstacle else version


def _obstacle(item: dict[str, Any]) -> Reason | None:
    if text(part(item, "clientEncryptionDetails"), "encryptionState") == "encrypted":
        return Reason.ENCRYPTED
    if flag(part(item, "capabilities"), "canDownload") is False:
        return Reason.DOWNLOAD_FORBIDDEN
    return None


def _parents(item: dict[str, Any], found_in: str) -> tuple[str, ...]:
    others = (parent for parent in texts(item, "parents") if parent != found_in)
    return (found_in, *others)


def _name(item: dict[str, Any]) -> str:
    """The name; JSON can smuggle in lone surrogates, which are no text."""
    name = item.get("name")
    return name.encode("utf-8", "replace").decode("utf-8") if isinstance(name, str) else ""


def _is_about_this_folder(error: DriveCallError) -> bool:
    return error.stays_here and error.reason in (Reason.ACCESS_DENIED, Reason.NOT_FOUND)


def _blocked(folder: SourceFolder, obstacle: Reason) -> SourceFolder:
    return SourceFolder(
        id=folder.id,
        name=folder.name,
        parents=folder.parents,
        url=folder.url,
        obstacle=obstacle,
    )
