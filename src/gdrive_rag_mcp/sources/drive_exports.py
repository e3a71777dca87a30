"""Exports of files in Google's own formats, also those that are too large to be converted at once.

`files.export` answers up to 10 MB; beyond that the file's `exportLinks` lead to the same content.
Source: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export
"""

from collections.abc import Mapping

from gdrive_rag_mcp.domain import Reason, SourceFile
from gdrive_rag_mcp.errors import FileUnreadableError
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, ForeignAddressError
from gdrive_rag_mcp.sources.drive_fields import part, text
from gdrive_rag_mcp.sources.drive_meanings import INTERCEPTED
from gdrive_rag_mcp.sources.drive_transport import Transport
from gdrive_rag_mcp.sources.media_types import EXPORT_FALLBACKS, EXPORTED_AS
from gdrive_rag_mcp.sources.temporary_file import TemporaryFile

_ALIASES: Mapping[str, tuple[str, ...]] = {"text/markdown": ("text/x-markdown",)}
_WEB_PAGE = "text/html"


class DriveExports:
    """Converts what only exists inside Google's editors; thread-safe."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def export(self, file: SourceFile, into: TemporaryFile) -> str:
        """Fetch a file in the first format that Google converts it to; the type of the content.

        Raises:
            DriveCallError: it cannot be had.
            FileUnreadableError: it is not converted, or is too large.
        """
        formats = (EXPORTED_AS[file.mime_type], *EXPORT_FALLBACKS.get(file.mime_type, ()))
        for mime_type in formats:
            try:
                return self._converted(file, mime_type, into)
            except DriveCallError as error:
                if error.reason is Reason.EXPORT_TOO_LARGE:
                    return self._linked(file, formats, into)
                if not error.is_bad_request:
                    raise
                refusal = error.message
        raise FileUnreadableError(
            Reason.UNSUPPORTED_TYPE, f"{file.name} is not converted by Drive: {refusal}"
        )

    def _converted(self, file: SourceFile, mime_type: str, into: TemporaryFile) -> str:
        files = self._transport.service("drive").files()
        uri = files.export_media(fileId=file.id, mimeType=mime_type).uri
        came = self._transport.stream(uri, into, keys=keys_of(file), resumable=False)
        if came == _WEB_PAGE:
            raise DriveCallError("a web page came in place of the document", INTERCEPTED)
        return mime_type

    def _linked(self, file: SourceFile, formats: tuple[str, ...], into: TemporaryFile) -> str:
        """Fetch what is too large to be converted at once by way of the file's own links."""
        files = self._transport.service("drive").files()
        request = files.get(fileId=file.id, fields="exportLinks", supportsAllDrives=True)
        links = part(self._transport.metadata(request, keys=keys_of(file)), "exportLinks")
        for mime_type in formats:
            for name in (mime_type, *_ALIASES.get(mime_type, ())):
                link = text(links, name)
                if link is not None:
                    self._follow(file, link, into)
                    return mime_type
        raise _too_large(file, "Drive names no link to it")

    def _follow(self, file: SourceFile, link: str, into: TemporaryFile) -> None:
        try:
            came = self._transport.stream(link, into, keys=keys_of(file), resumable=False)
        except DriveCallError as error:
            named_by_drive = isinstance(error, ForeignAddressError) and not error.meaning.transient
            # The API itself has just accepted the token: only the link does not.
            if named_by_drive or not (error.status is None or error.stays_here):
                raise _too_large(file, error.message) from error
            raise
        if came == _WEB_PAGE:
            # Whoever made it, it does not say that there is no document.
            raise _too_large(file, "its link leads to a web page", Reason.NETWORK)


def keys_of(file: SourceFile) -> Mapping[str, str]:
    """The resource key that a file may need."""
    return {} if file.resource_key is None else {file.id: file.resource_key}


def _too_large(
    file: SourceFile, detail: str, reason: Reason = Reason.EXPORT_TOO_LARGE
) -> FileUnreadableError:
    return FileUnreadableError(
        reason,
        f"{file.name} is larger than the 10 MB that Drive converts at once, and {detail}",
        hint="split it",
    )
