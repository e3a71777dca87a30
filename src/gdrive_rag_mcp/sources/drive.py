"""A Google Drive folder as a source, read through a service account."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gdrive_rag_mcp.domain import (
    ChangePage,
    Fetched,
    Reason,
    SourceFile,
    SourceFolder,
    SourceUsage,
)
from gdrive_rag_mcp.errors import (
    FileUnreadableError,
    SettingsError,
    SourceAuthError,
    SourceError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.sources.drive_api import DriveApi
from gdrive_rag_mcp.sources.drive_auth import load_service_account
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, Reach, damaged
from gdrive_rag_mcp.sources.drive_fields import flag, text
from gdrive_rag_mcp.sources.drive_pacing import Caller, Pacer, Patience, Sleep
from gdrive_rag_mcp.sources.drive_tree import FIELDS, Crawl, folder_of
from gdrive_rag_mcp.sources.media_types import DRIVE_FOLDER, DRIVE_NATIVE_PREFIX, EXPORTED_AS
from gdrive_rag_mcp.sources.temporary_file import (
    DEFAULT_MAX_BYTES,
    TemporaryFile,
    refuse_above,
)

_ATTEMPTS = 2
_ID = re.compile(r"[A-Za-z0-9_-]+")
_ID_IN_URL = re.compile(r"(?:/folders/|[?&]id=)([A-Za-z0-9_-]+)")


class DriveSource:
    """One folder and all folders below it, listed in full at every sync; nothing is written.

    Safe to read from many threads at once.
    """

    def __init__(
        self,
        folder_id: str,
        key_file: Path,
        *,
        endpoint: str | None = None,
        calls_per_second: float = 10.0,
        max_bytes: int = DEFAULT_MAX_BYTES,
        patience: Patience = Patience(),  # noqa: B008 -- frozen
        sleep: Sleep = time.sleep,
    ) -> None:
        """Read the key file; the first call to Drive comes later.

        Raises:
            SourceAuthError: the key file is missing, damaged, or of another kind.
            SettingsError: the folder's id or the endpoint cannot be what was meant.
        """
        _require_id(folder_id)
        self._folder_id = folder_id
        self._max_bytes = max_bytes
        self._account = load_service_account(key_file)
        caller = Caller(Pacer(calls_per_second, sleep=sleep), patience, sleep=sleep)
        self._api = DriveApi(self._account, caller, endpoint=endpoint)

    @property
    def root(self) -> str:
        """`drive:` and the folder's id."""
        return f"drive:{self._folder_id}"

    @property
    def usage(self) -> SourceUsage:
        """Calls made and files fetched, over all threads."""
        return self._api.usage

    def close(self) -> None:
        """Close the connections; otherwise that is done when the object goes away."""
        self._api.close()

    def check(self) -> None:
        """See that the folder is there, is a folder, and may be listed by this account.

        Raises:
            SourceAuthError: the key was refused.
            SourceUnavailableError: the folder is not to be had, or Drive is not.
        """
        with self._listing_errors():
            self._root_folder()

    def changes(self, cursor: str | None) -> Iterator[ChangePage]:
        """List everything below the folder, in pages.

        Raises:
            SourceAuthError: the key was refused on the way.
            SourceUnavailableError: the listing broke off, or Drive says it is not complete; what
                came before stays valid.
        """
        with self._listing_errors():
            crawl = Crawl(self._api, self._root_folder())
            yield from crawl.pages()
            # A folder that lost its root meanwhile lists as empty: that is no news of its files.
            self._root_folder()
        if crawl.uncertain:
            raise SourceUnavailableError(
                crawl.uncertain[0],
                hint="nothing was removed; the next sync lists it again",
            )
        yield ChangePage(complete=True)

    def read(self, file: SourceFile, into: Path) -> Fetched:
        """Download a file, or export one in Google's own format.

        Raises:
            FileUnreadableError: this one cannot be had.
            SourceAuthError: the key was refused.
            SourceUnavailableError: the account's quota for today is used up.
            DiskFullError: there is no room for the content.
        """
        exported = EXPORTED_AS.get(file.mime_type)
        if exported is None and file.mime_type.startswith(DRIVE_NATIVE_PREFIX):
            raise FileUnreadableError(
                Reason.UNSUPPORTED_TYPE, f"{file.name} is of a kind that has no text to export"
            )
        with self._file_errors(file):
            if exported is not None:
                with self._temporary(file, into) as content:
                    self._api.export(file.id, exported, content)
                return Fetched(exported)
            self._download(file, into)
            return Fetched(file.mime_type)

    def _download(self, file: SourceFile, into: Path) -> None:
        refuse_above(self._max_bytes, file.size, file.name)
        for _ in range(_ATTEMPTS):
            with self._temporary(file, into) as content:
                self._api.download(
                    file.id, content, lambda total: self._require_length(file, total)
                )
            if _is_as_listed(content, file):
                return
        raise _changing(file)

    def _require_length(self, file: SourceFile, total: int) -> None:
        refuse_above(self._max_bytes, total, file.name)
        if file.size is not None and total != file.size:
            raise _changing(file)

    def _temporary(self, file: SourceFile, into: Path) -> TemporaryFile:
        return TemporaryFile(into, limit=self._max_bytes, name=file.name)

    def _root_folder(self) -> SourceFolder:
        try:
            item = self._api.get(self._folder_id, FIELDS)
        except DriveCallError as error:
            if error.stays_here and error.reason in (Reason.NOT_FOUND, Reason.ACCESS_DENIED):
                raise self._unshared("cannot be found") from error
            raise
        if flag(item, "trashed"):
            raise self._unshared("is in the bin", "take it out of the bin")
        mime_type = text(item, "mimeType")
        if mime_type is None:
            raise damaged("Drive answered with something that is no item")
        if mime_type != DRIVE_FOLDER:
            raise self._unshared("is no folder", "set GDRIVE_FOLDER_ID to the id of a folder")
        folder = folder_of(item, text(item, "id") or self._folder_id, found_in=None)
        if folder.obstacle is not None:
            raise self._unshared("may not be listed")
        return folder

    def _unshared(self, problem: str, remedy: str = "") -> SourceUnavailableError:
        share = f"share the folder with {self._account.email} (viewer is enough)"
        return SourceUnavailableError(
            f"the Drive folder {self._folder_id} {problem} for {self._account.email}",
            hint=remedy or f"{share}, and check GDRIVE_FOLDER_ID",
        )

    @contextmanager
    def _listing_errors(self) -> Iterator[None]:
        try:
            yield
        except DriveCallError as error:
            raise self._end_of_run(error) from error

    @contextmanager
    def _file_errors(self, file: SourceFile) -> Iterator[None]:
        try:
            yield
        except DriveCallError as error:
            if not error.stays_here:
                raise self._end_of_run(error) from error
            raise FileUnreadableError(
                error.reason, f"{file.name}: {error.message}", hint=error.meaning.hint
            ) from error

    def _end_of_run(self, error: DriveCallError) -> SourceError:
        if error.meaning.reach is Reach.CREDENTIALS:
            return SourceAuthError(
                f"Drive refuses {self._account.email}: {error.message}", hint=error.meaning.hint
            )
        return SourceUnavailableError(
            f"the Drive folder {self._folder_id} cannot be listed: {error.message}"
            if error.meaning.reach is Reach.CALL
            else f"Drive serves {self._account.email} no further: {error.message}",
            hint=error.meaning.hint or "try again later; nothing was removed",
        )


def _is_as_listed(content: TemporaryFile, file: SourceFile) -> bool:
    if file.md5 is not None:
        return content.md5 == file.md5
    return file.size is None or content.size == file.size


def _changing(file: SourceFile) -> FileUnreadableError:
    return FileUnreadableError(
        Reason.CHANGING,
        f"what Drive sent of {file.name} is not what it had listed",
        hint="it was edited meanwhile, or damaged on the way; the next sync reads it again",
    )


def _require_id(folder_id: str) -> None:
    if _ID.fullmatch(folder_id):
        return
    inside = _ID_IN_URL.search(folder_id)
    raise SettingsError(
        f"GDRIVE_FOLDER_ID is {folder_id[:200]!r}, which is no id of a Drive folder",
        hint=f"set it to {inside.group(1)}"
        if inside
        else "it is the last part of the folder's address, after /folders/",
    )
