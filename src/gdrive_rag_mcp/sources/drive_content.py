"""The content of one Drive file: downloaded and checked, or exported from Google's own formats."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gdrive_rag_mcp.domain import Fetched, Reason, SourceFile
from gdrive_rag_mcp.errors import FileUnreadableError
from gdrive_rag_mcp.sources.drive_anchors import DriveAnchors
from gdrive_rag_mcp.sources.drive_exports import DriveExports, keys_of
from gdrive_rag_mcp.sources.drive_failures import DriveCallError
from gdrive_rag_mcp.sources.drive_transport import OtherLengthError, Transport
from gdrive_rag_mcp.sources.media_types import DRIVE_NATIVE_PREFIX, EXPORTED_AS
from gdrive_rag_mcp.sources.temporary_file import TemporaryFile, refuse_above

Refresh = Callable[[SourceFile], SourceFile]
_TRIES = 2


class DriveContent:
    """Reads files into bounded temporary files; thread-safe."""

    def __init__(self, transport: Transport, *, max_bytes: int, refresh: Refresh) -> None:
        """`refresh` asks for a file's metadata as it is now, and may raise `DriveCallError`."""
        self._transport = transport
        self._max_bytes = max_bytes
        self._refresh = refresh
        self._exports = DriveExports(transport)
        self._anchors = DriveAnchors(transport)

    def begin_run(self) -> None:
        """Forget which APIs were refused: they may be enabled by now."""
        self._anchors = DriveAnchors(self._transport)

    def read(self, file: SourceFile, into: Path) -> Fetched:
        """Fetch a file's content.

        Raises:
            FileUnreadableError: this one cannot be had.
            DriveCallError: nothing can be had any more; its reach is wider than this file.
            DiskFullError: there is no room for the content.
        """
        exported = file.mime_type in EXPORTED_AS
        if not exported and file.mime_type.startswith(DRIVE_NATIVE_PREFIX):
            raise FileUnreadableError(
                Reason.UNSUPPORTED_TYPE, f"{file.name} is of a kind that has no text to export"
            )
        refuse_above(self._max_bytes, None if exported else file.size, file.name)
        self._transport.count_download()
        with (
            _errors_of(file),
            TemporaryFile(into, limit=self._max_bytes, name=file.name) as content,
        ):
            return self._export(file, content) if exported else self._download(file, content)

    def _export(self, file: SourceFile, content: TemporaryFile) -> Fetched:
        mime_type = self._exports.export(file, content)
        anchors, note = self._anchors.of(file)
        return Fetched(mime_type, anchors=anchors, note=note)

    def _download(self, file: SourceFile, content: TemporaryFile) -> Fetched:
        expected = file
        for _ in range(_TRIES):
            arrived = self._fetch(expected, content)
            if arrived and _is_content_of(expected, content):
                return _fetched(file, expected)
            expected = self._refreshed(file)
            if arrived and _is_content_of(expected, content):  # whole, and newer than listed
                return _fetched(file, expected)
        raise FileUnreadableError(
            Reason.CHANGING,
            f"what Drive sent of {file.name} is not what it had listed",
            hint="it was edited meanwhile, or damaged on the way; the next sync reads it again",
        )

    def _fetch(self, expected: SourceFile, content: TemporaryFile) -> bool:
        """Download; false when the length alone says that it is another content."""
        files = self._transport.service("drive").files()
        uri = files.get_media(fileId=expected.id, supportsAllDrives=True).uri
        try:
            self._transport.stream(
                uri, content, keys=keys_of(expected), resumable=True, expected=expected.size
            )
        except OtherLengthError:
            return False
        return True

    def _refreshed(self, file: SourceFile) -> SourceFile:
        """The file as it is now, if it can still be read."""
        fresh = self._refresh(file)
        if fresh.obstacle is not None:
            raise FileUnreadableError(
                fresh.obstacle, f"{file.name} may not be downloaded since a moment ago"
            )
        refuse_above(self._max_bytes, fresh.size, fresh.name)
        return fresh


@contextmanager
def _errors_of(file: SourceFile) -> Iterator[None]:
    try:
        yield
    except DriveCallError as error:
        if not error.stays_here:
            raise
        raise FileUnreadableError(
            error.reason, f"{file.name}: {error.message}", hint=error.meaning.hint
        ) from error


def _is_content_of(file: SourceFile, content: TemporaryFile) -> bool:
    if file.md5 is not None:
        return content.md5 == file.md5
    return file.size is None or content.size == file.size


def _fetched(listed: SourceFile, current: SourceFile) -> Fetched:
    return Fetched(current.mime_type, file=None if current.version == listed.version else current)
