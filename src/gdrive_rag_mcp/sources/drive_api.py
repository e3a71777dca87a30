"""The calls to Drive that a sync needs; thread-safe, paced, patient, and they only read.

The client is built from the discovery document that ships with it. Another root URL is written
into that document: the library's `api_endpoint` option would lose the service's path.
"""

import json
import logging
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPException
from threading import Lock, Thread, current_thread
from typing import Any

import google_auth_httplib2  # type: ignore[import-untyped] # it has no annotations
import httplib2
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import get_static_doc

from gdrive_rag_mcp.domain import SourceUsage
from gdrive_rag_mcp.sources.drive_auth import ServiceAccount, require_private_channel
from gdrive_rag_mcp.sources.drive_failures import (
    MALFORMED,
    damaged,
    error_of_response,
    understood,
)
from gdrive_rag_mcp.sources.drive_fields import parsed, text, whole_number
from gdrive_rag_mcp.sources.drive_pacing import Caller
from gdrive_rag_mcp.sources.temporary_file import TemporaryFile

PAGE_SIZE = 1000
RANGE_BYTES = 8 * 1024 * 1024
TIMEOUT_SECONDS = 60.0
_OK, _PARTIAL, _UNSATISFIABLE = 200, 206, 416

# The libraries also log what they raise; without a handler that would reach a command's stderr.
for _library in ("google", "googleapiclient", "google_auth_httplib2"):
    logging.getLogger(_library).addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a folder's children; `certain` is false when Drive did not search everywhere."""

    items: tuple[dict[str, Any], ...]
    certain: bool


class DriveApi:
    """Drive v3 for one account."""

    def __init__(
        self, account: ServiceAccount, caller: Caller, *, endpoint: str | None = None
    ) -> None:
        self._caller = caller
        self._files = _service(endpoint).files()
        self._connections = _Connections(account.credentials)
        self._lock = Lock()
        self._api_calls = 0
        self._downloads = 0
        weakref.finalize(self, self._connections.close)

    def close(self) -> None:
        """Close the connections of all threads; a later call opens new ones."""
        self._connections.close()

    @property
    def usage(self) -> SourceUsage:
        """What was asked so far, repeated attempts included."""
        with self._lock:
            return SourceUsage(api_calls=self._api_calls, downloads=self._downloads)

    def get(self, file_id: str, fields: str) -> dict[str, Any]:
        """The metadata of one item.

        Raises:
            DriveCallError: it cannot be had.
        """
        return self._metadata(
            self._files.get(fileId=file_id, fields=fields, supportsAllDrives=True)
        )

    def children(self, folder_id: str, fields: str) -> Iterator[Listing]:
        """What is in a folder, not in its subfolders and not in the bin, in pages.

        A page may be short or empty and not be the last: only an absent token ends a listing.

        Raises:
            DriveCallError: the listing broke off.
        """
        token = None
        seen = set()
        while True:
            page = self._list(folder_id, fields, token)
            items = page.get("files", [])
            if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                raise damaged("Drive's listing makes no sense")
            yield Listing(tuple(items), certain=not page.get("incompleteSearch"))
            if page.get("nextPageToken") in (None, ""):
                return
            token = text(page, "nextPageToken")
            if token is None:
                raise damaged("Drive's listing goes on behind something that is no page token")
            if token in seen:
                raise damaged("Drive's listing goes in circles")
            seen.add(token)

    def download(
        self, file_id: str, into: TemporaryFile, require_length: Callable[[int], None]
    ) -> None:
        """Fetch the content of a file that is stored as bytes, in ranges.

        `require_length` sees the length of the whole with every range, before more is fetched, and
        raises what it likes to end the download.

        Raises:
            DriveCallError: it cannot be had.
        """
        self._count(downloads=1)
        uri = self._files.get_media(fileId=file_id, supportsAllDrives=True).uri
        total = None
        while total is None or into.size < total:
            block, total = self._caller.call(lambda: self._range(uri, into.size, require_length))
            into.write(block)

    def export(self, file_id: str, mime_type: str, into: TemporaryFile) -> None:
        """Fetch a document in Google's own format, converted; Google caps the result at 10 MB.

        Raises:
            DriveCallError: it cannot be had.
        """
        self._count(downloads=1)
        uri = self._files.export_media(fileId=file_id, mimeType=mime_type).uri
        into.write(self._caller.call(lambda: self._content(uri)))

    def _list(self, folder_id: str, fields: str, token: str | None) -> dict[str, Any]:
        quoted = folder_id.replace("\\", "\\\\").replace("'", "\\'")
        return self._metadata(
            self._files.list(
                q=f"'{quoted}' in parents and trashed = false",
                fields=f"nextPageToken,incompleteSearch,files({fields})",
                pageSize=PAGE_SIZE,
                pageToken=token,
                spaces="drive",
                supportsAllDrives=True,
                includeItemsFromAllDrives=True,
            )
        )

    def _metadata(self, request: Any) -> dict[str, Any]:  # noqa: ANN401 -- as the client made it
        def attempt() -> dict[str, Any]:
            self._count(api_calls=1)
            body = self._content(request.uri)
            answer = parsed(body)
            if answer is None:
                raise damaged("Drive answered with something that is no JSON object")
            return answer

        return self._caller.call(attempt)

    def _content(self, uri: str) -> bytes:
        response, body = self._request(uri, {})
        if response.status != _OK:
            raise error_of_response(response.status, response, body)
        return body

    def _range(
        self, uri: str, start: int, require_length: Callable[[int], None]
    ) -> tuple[bytes, int]:
        """One piece of a file from byte `start`, and the length of the whole."""
        end = start + RANGE_BYTES - 1
        headers = {"range": f"bytes={start}-{end}", "accept-encoding": "identity"}
        response, body = self._request(uri, headers)
        if response.status == _UNSATISFIABLE and start == 0:
            block, total = b"", 0  # how Drive says that a file is empty
        elif response.status == _OK:  # the range was ignored
            block, total = body[start:], len(body)
        elif response.status == _PARTIAL:
            block, total = body, _total(response)
        else:
            raise error_of_response(response.status, response, body)
        require_length(total)
        if len(block) != max(0, min(RANGE_BYTES, total - start)) and response.status == _PARTIAL:
            raise damaged("Drive sent another piece of a file than it was asked for")
        return block, total

    def _request(self, uri: str, headers: dict[str, str]) -> tuple[httplib2.Response, bytes]:
        http = self._connections.mine()
        with understood():
            try:
                response, body = http.request(uri, "GET", headers=headers)
            except (HTTPException, OSError, *MALFORMED):
                http.close()  # what is left of a broken answer must not meet the next question
                raise
        return response, body

    def _count(self, *, api_calls: int = 0, downloads: int = 0) -> None:
        with self._lock:
            self._api_calls += api_calls
            self._downloads += downloads


def _total(response: httplib2.Response) -> int:
    total = whole_number(response.get("content-range", "").rpartition("/")[2])
    if total is None:
        raise damaged("Drive sent a piece of a file without its place")
    return total


class _Connections:
    """One HTTP client a thread: httplib2 mixes up the answers of threads that share one."""

    def __init__(self, credentials: Any) -> None:  # noqa: ANN401 -- google-auth is untyped
        self._credentials = credentials
        self._lock = Lock()
        self._by_thread: dict[Thread, google_auth_httplib2.AuthorizedHttp] = {}

    def mine(self) -> google_auth_httplib2.AuthorizedHttp:
        """The calling thread's client; those of ended threads are closed on the way."""
        thread = current_thread()
        with self._lock:
            if thread not in self._by_thread:
                for ended in [other for other in self._by_thread if not other.is_alive()]:
                    self._by_thread.pop(ended).close()
                self._by_thread[thread] = google_auth_httplib2.AuthorizedHttp(
                    self._credentials, http=httplib2.Http(timeout=TIMEOUT_SECONDS)
                )
            return self._by_thread[thread]

    def close(self) -> None:
        """Close all sockets."""
        with self._lock:
            for http in self._by_thread.values():
                http.close()
            self._by_thread.clear()


def _service(endpoint: str | None) -> Any:  # noqa: ANN401 -- the library builds it at run time
    document = json.loads(get_static_doc("drive", "v3"))
    if endpoint is not None:
        require_private_channel(endpoint, "GDRIVE_RAG_DRIVE_ENDPOINT")
        root = f"{endpoint.rstrip('/')}/"
        document |= {"rootUrl": root, "baseUrl": root + document["servicePath"]}
        document.pop("mtlsRootUrl", None)
    # It only makes requests; each is sent through the calling thread's own client.
    return build_from_document(document, http=httplib2.Http(timeout=TIMEOUT_SECONDS))
