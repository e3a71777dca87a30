"""A Google Drive folder, or a whole shared drive, as a source; nothing is ever written to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gdrive_rag_mcp.domain import ChangePage, Fetched, SourceFile, SourceUsage
from gdrive_rag_mcp.errors import SourceError, SourceUnavailableError
from gdrive_rag_mcp.protocols import Frontier
from gdrive_rag_mcp.sources.drive_account import failure_of
from gdrive_rag_mcp.sources.drive_api import DriveApi
from gdrive_rag_mcp.sources.drive_content import DriveContent
from gdrive_rag_mcp.sources.drive_credentials import Identity
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, Reach
from gdrive_rag_mcp.sources.drive_items import described
from gdrive_rag_mcp.sources.drive_news import News
from gdrive_rag_mcp.sources.drive_pacing import Caller, Pacer, Patience, RunClock, Sleep
from gdrive_rag_mcp.sources.drive_pages import Root
from gdrive_rag_mcp.sources.drive_reach import why_unreachable
from gdrive_rag_mcp.sources.drive_root import RootFinder
from gdrive_rag_mcp.sources.drive_transport import Transport
from gdrive_rag_mcp.sources.temporary_file import DEFAULT_MAX_BYTES


class DriveSource:
    """One folder and everything below it, or that it links to; safe to read from many threads.

    After the first crawl, the logs of changes tell what is new.
    """

    def __init__(  # noqa: PLR0913 -- each is a setting of its own
        self,
        folder_id: str | None,
        identity: Identity,
        *,
        shared_drive_id: str | None = None,
        endpoint: str | None = None,
        calls_per_second: float = 10.0,
        max_bytes: int = DEFAULT_MAX_BYTES,
        patience: Patience = Patience(),  # noqa: B008 -- frozen
        sleep: Sleep | None = None,
    ) -> None:
        """Nothing is sent yet; 0 calls a second means as many as there can be.

        Raises:
            SettingsError: the folder's id or the endpoint cannot be what was meant.
        """
        self._identity = identity
        caller = Caller(Pacer(calls_per_second, RunClock(sleep)), patience)
        self._transport = Transport(identity.credentials, caller, endpoint=endpoint)
        self._api = DriveApi(self._transport)
        self._finder = RootFinder(self._api, identity, folder_id, shared_drive_id)
        self._content = DriveContent(self._transport, max_bytes=max_bytes, refresh=self._as_it_is)
        self._checked: Root | None = None

    @property
    def root(self) -> str:
        """`drive:` and the id of the folder or shared drive."""
        return f"drive:{self._finder.id}"

    @property
    def share(self) -> str:
        """What to do so that this account sees the root, and what lies in it."""
        return self._finder.share

    @property
    def usage(self) -> SourceUsage:
        """Calls made and files fetched, over all threads."""
        return self._transport.usage

    def close(self) -> None:
        """End whatever is under way, in all threads, and close the connections."""
        self._transport.stop()
        self._transport.close()

    def check(self) -> None:
        """See that the root is there, is a folder, and may be listed by this identity.

        Raises:
            SourceAuthError: the credentials were refused.
            RootUnavailableError: the root is not to be had.
            SourceUnavailableError: Drive is not to be reached.
        """
        self._content.begin_run()
        self._checked = None
        with self._errors():
            self._checked = self._finder.find()

    def changes(self, cursor: str | None, frontier: Frontier) -> Iterator[ChangePage]:
        """Tell what is new since `cursor`, or list everything; see `drive_news`.

        A root that `check` has just seen is not asked for again.

        Raises:
            SourceAuthError: the credentials were refused on the way.
            RootUnavailableError: the root is not to be had any more.
            SourceUnavailableError: the listing broke off, or Drive says it is not complete; what
                came before stays valid.
        """
        with self._errors():
            root, self._checked = self._checked or self._finder.find(), None
            yield from News(self._api, root, frontier, self._identity.name).pages(cursor)

    def read(self, file: SourceFile, into: Path) -> Fetched:
        """Download a file, or export one in Google's own format.

        Raises:
            FileUnreadableError: this one cannot be had.
            SourceAuthError: the credentials were refused.
            SourceUnavailableError: the quota for today is used up, or the run was stopped.
            DiskFullError: there is no room for the content.
        """
        with self._errors():
            return self._content.read(file, into)

    def _as_it_is(self, file: SourceFile) -> SourceFile:
        """A file's description as of now, where it was listed."""
        item = self._api.item(file.id, file.resource_key)
        now = described({**item, "id": file.id}, feed=file.feed)
        if not isinstance(now, SourceFile):
            return file
        return replace(now, parents=now.parents or file.parents)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except DriveCallError as error:
            raise self._end_of_run(error) from error

    def _end_of_run(self, error: DriveCallError) -> SourceError:
        if error.meaning.reach is Reach.CREDENTIALS or why_unreachable(error.__cause__):
            return failure_of(error, self._identity)
        return SourceUnavailableError(
            f"the Drive folder {self._finder.id} cannot be listed: {error.message}"
            if error.meaning.reach is Reach.CALL
            else f"Drive serves {self._identity.name} no further: {error.message}",
            hint=error.meaning.hint or "try again later; nothing was removed",
        )
