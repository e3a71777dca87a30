"""What Drive says of an item, in our nouns."""

from typing import Any

from gdrive_rag_mcp.domain import Reason, SourceFile, SourceFolder, SourceShortcut
from gdrive_rag_mcp.sources.drive_fields import flag, moment, number, part, text, texts
from gdrive_rag_mcp.sources.media_types import DRIVE_FOLDER, DRIVE_NATIVE_PREFIX, DRIVE_SHORTCUT

FIELDS = (
    "id,name,mimeType,parents,trashed,driveId,version,size,md5Checksum,headRevisionId,modifiedTime,"
    "webViewLink,resourceKey,capabilities(canDownload,canListChildren,canReadDrive),"
    "clientEncryptionDetails(encryptionState),shortcutDetails(targetId,targetResourceKey)"
)
Item = dict[str, Any]
Described = SourceFile | SourceFolder | SourceShortcut


def described(item: Item, *, feed: str, otherwise_in: str | None = None) -> Described | None:
    """A file, a folder or a shortcut; None for what has no usable id or type.

    `otherwise_in` is where it lies if Drive does not say: the parents that the account cannot see
    are left out.
    """
    item_id, mime_type = text(item, "id"), text(item, "mimeType")
    if item_id is None or mime_type is None:
        return None
    parents = texts(item, "parents") or (() if otherwise_in is None else (otherwise_in,))
    if mime_type == DRIVE_FOLDER:
        return folder_of(item, item_id, parents, feed)
    if mime_type == DRIVE_SHORTCUT:
        return _shortcut_of(item, item_id, parents, feed)
    return file_of(item, item_id, mime_type, parents, feed)


def file_of(
    item: Item, item_id: str, mime_type: str, parents: tuple[str, ...], feed: str
) -> SourceFile:
    """A file as listed."""
    obstacle = _obstacle(item)
    return SourceFile(
        id=item_id,
        name=_name(item),
        mime_type=mime_type,
        parents=parents,
        version=_version(item, mime_type, obstacle),
        size=None if mime_type.startswith(DRIVE_NATIVE_PREFIX) else number(item, "size"),
        md5=text(item, "md5Checksum"),
        modified_time=moment(item, "modifiedTime"),
        url=text(item, "webViewLink"),
        revision=text(item, "headRevisionId") or text(item, "version"),
        obstacle=obstacle,
        feed=feed,
        resource_key=text(item, "resourceKey"),
    )


def folder_of(
    item: Item, item_id: str, parents: tuple[str, ...], feed: str, *, is_root: bool = False
) -> SourceFolder:
    """A folder as listed; what is above the root matters where a shortcut leads there."""
    listable = flag(part(item, "capabilities"), "canListChildren")
    return SourceFolder(
        id=item_id,
        name=_name(item),
        parents=parents,
        url=text(item, "webViewLink"),
        obstacle=Reason.ACCESS_DENIED if listable is False else None,
        is_root=is_root,
        feed=feed,
        resource_key=text(item, "resourceKey"),
    )


def _shortcut_of(
    item: Item, item_id: str, parents: tuple[str, ...], feed: str
) -> SourceShortcut | SourceFile:
    """A shortcut; one that does not say what it points at is listed as a file without text."""
    details = part(item, "shortcutDetails")
    target = text(details, "targetId")
    if target is None:
        return file_of(item, item_id, DRIVE_SHORTCUT, parents, feed)
    return SourceShortcut(
        id=item_id,
        name=_name(item),
        parents=parents,
        target=target,
        url=text(item, "webViewLink"),
        feed=feed,
        resource_key=text(details, "targetResourceKey"),
    )


def is_binned(item: Item) -> bool:
    """Whether it, or a folder above it, is in the bin."""
    return flag(item, "trashed") is True


def _version(item: Item, mime_type: str, obstacle: Reason | None) -> str:
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
        # Bytes without a checksum or a revision are told apart by what else there is.
        revision = text(item, "headRevisionId")
        names = (
            ("version", "modifiedTime")
            if native
            else ("modifiedTime", "size", "headRevisionId" if revision else "version")
        )
        version = "@".join(said for name in names if (said := text(item, name)) is not None)
    return f"{version}!{obstacle}" if obstacle else version


def _obstacle(item: Item) -> Reason | None:
    if text(part(item, "clientEncryptionDetails"), "encryptionState") == "encrypted":
        return Reason.ENCRYPTED
    if flag(part(item, "capabilities"), "canDownload") is False:
        return Reason.DOWNLOAD_FORBIDDEN
    return None


def _name(item: Item) -> str:
    """The name; JSON can smuggle in lone surrogates, which are no text."""
    name = item.get("name")
    return name.encode("utf-8", "replace").decode("utf-8") if isinstance(name, str) else ""
