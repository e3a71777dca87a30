"""Google's APIs over HTTP for one identity: thread-safe, paced, patient, and it only reads."""

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any, Literal

import httplib2
import requests
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import get_static_doc

from gdrive_rag_mcp.domain import SourceUsage
from gdrive_rag_mcp.errors import SourceError
from gdrive_rag_mcp.sources.drive_auth import require_private_channel
from gdrive_rag_mcp.sources.drive_connections import Connections, Timeouts
from gdrive_rag_mcp.sources.drive_failures import damaged, error_of_response, understood
from gdrive_rag_mcp.sources.drive_fields import parsed, whole_number
from gdrive_rag_mcp.sources.drive_pacing import Caller
from gdrive_rag_mcp.sources.temporary_file import TemporaryFile

Api = Literal["drive", "docs", "sheets", "slides"]

_VERSIONS: Mapping[Api, str] = {"drive": "v3", "docs": "v1", "sheets": "v4", "slides": "v1"}
_OK, _PARTIAL, _UNSATISFIABLE = 200, 206, 416
_BLOCK = 256 * 1024
_LARGEST_ANSWER = 64 * 1024 * 1024
_LARGEST_ERROR = 64 * 1024
_USABLE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")

# The libraries also log what they raise; without a handler that would reach a command's stderr.
for _library in ("google", "googleapiclient", "urllib3"):
    logging.getLogger(_library).addHandler(logging.NullHandler())


def _any_length(_: int) -> None:
    """What is asked of a length when nobody cares."""


class Transport:
    """The calls of one identity to Google's APIs.

    `service` only makes requests; it is always this class that sends them.
    """

    def __init__(
        self,
        credentials: Any,  # noqa: ANN401 -- google-auth's classes share no annotated base
        caller: Caller,
        *,
        endpoint: str | None = None,
        timeouts: Timeouts = Timeouts(),  # noqa: B008 -- frozen
    ) -> None:
        """Nothing is sent yet.

        Raises:
            SettingsError: the endpoint is neither https nor this machine.
        """
        if endpoint is not None:
            require_private_channel(endpoint, "GDRIVE_RAG_DRIVE_ENDPOINT")
        self._endpoint = endpoint
        self._caller = caller
        self._timeouts = timeouts
        self._connections = Connections(credentials, endpoint, timeouts)
        self._services: dict[Api, Any] = {}
        self._lock = Lock()
        self._api_calls = 0
        self._downloads = 0

    @property
    def caller(self) -> Caller:
        """The patience of an ordinary call."""
        return self._caller

    @property
    def usage(self) -> SourceUsage:
        """What was asked so far, repeated attempts included."""
        with self._lock:
            return SourceUsage(api_calls=self._api_calls, downloads=self._downloads)

    def count_download(self) -> None:
        """Count a file whose content is being fetched."""
        with self._lock:
            self._downloads += 1

    def stop(self) -> None:
        """Let no call begin any more, and none be tried again; safe from any thread."""
        self._caller.clock.stop()

    def close(self) -> None:
        """Close the connections of all threads; a later call opens new ones."""
        self._connections.close()

    def service(self, name: Api) -> Any:  # noqa: ANN401 -- the library builds it at run time
        """The API whose methods make the requests for `metadata`, and the URIs for `stream`.

        Raises:
            SourceError: this installation lacks the API's description.
        """
        with self._lock:
            if name not in self._services:
                self._services[name] = _service(name, self._endpoint)
            return self._services[name]

    def metadata(
        self,
        request: Any,  # noqa: ANN401 -- as the service made it
        *,
        keys: Mapping[str, str] = {},
        caller: Caller | None = None,
    ) -> dict[str, Any]:
        """Ask for a JSON object; `keys` are the resource keys of the ids that need one.

        Raises:
            DriveCallError: it cannot be had.
        """

        def attempt() -> dict[str, Any]:
            with self._lock:
                self._api_calls += 1
            with self._answer(request.uri, _key_header(keys)) as response:
                _require_success(response, self._timeouts)
                answer = parsed(_body(response, _LARGEST_ANSWER, self._timeouts))
            if answer is None:
                raise damaged("Drive answered with something that is no JSON object")
            return answer

        return (caller or self._caller).call(attempt)

    def stream(
        self,
        uri: str,
        into: TemporaryFile,
        *,
        keys: Mapping[str, str] = {},
        resumable: bool,
        on_length: Callable[[int], None] = _any_length,
    ) -> str:
        """Fetch a content block by block, and say of what type it is.

        What is `resumable` goes on where it broke off; anything else starts anew. `on_length` sees
        the length of the whole, where it is known, before the content is read, and may raise.

        Raises:
            DriveCallError: it cannot be had.
        """
        into.restart()

        def attempt() -> str:
            if not resumable:
                into.restart()
            headers = {"Accept-Encoding": "identity", **_key_header(keys)}
            if into.size:
                headers["Range"] = f"bytes={into.size}-"
            with self._answer(uri, headers) as response:
                self._receive(response, into, on_length)
                return response.headers.get("content-type", "").partition(";")[0].strip().lower()

        return self._caller.call(attempt)

    def _receive(
        self, response: requests.Response, into: TemporaryFile, on_length: Callable[[int], None]
    ) -> None:
        if response.status_code == _UNSATISFIABLE and not into.size:
            on_length(0)  # how Drive says that a file is empty
            return
        if response.status_code in (_PARTIAL, _UNSATISFIABLE):
            total: int | None = _total_of_rest(response, into)
        else:
            _require_success(response, self._timeouts)
            into.restart()  # a server that ignores ranges sends the whole
            total = _length(response)
        if total is not None:
            on_length(total)
        for block in _blocks(response, self._timeouts):
            self._caller.clock.check()
            into.write(block)
        if total is not None and into.size != total:
            raise damaged(f"Drive sent {into.size} of {total} bytes")

    @contextmanager
    def _answer(self, uri: str, headers: Mapping[str, str]) -> Iterator[requests.Response]:
        response = self._connections.get(uri, headers)
        try:
            yield response
        finally:
            # unless it was read to its end, its rest must not meet the next question
            response.close()


def _service(name: Api, endpoint: str | None) -> Any:  # noqa: ANN401 -- built at run time
    version = _VERSIONS[name]
    content = get_static_doc(name, version)
    if content is None:
        raise SourceError(
            f"google-api-python-client lacks its description of {name} {version}",
            hint="install it with pip, which brings all of it",
        )
    document = json.loads(content)
    if endpoint is not None:
        # The library's option `api_endpoint` would lose the service's path.
        root = f"{endpoint.rstrip('/')}/"
        document |= {"rootUrl": root, "baseUrl": root + document["servicePath"]}
        document.pop("mtlsRootUrl", None)
    return _Collections(build_from_document(document, http=httplib2.Http()))


class _Collections:
    """A service that makes each of its collections once: the library takes 2 ms every time."""

    def __init__(self, service: Any) -> None:  # noqa: ANN401 -- built at run time
        self._service = service
        self._made: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Callable[[], Any]:
        if name not in self._made:
            self._made[name] = getattr(self._service, name)()
        made = self._made[name]
        return lambda: made


def _key_header(keys: Mapping[str, str]) -> dict[str, str]:
    """Source: https://developers.google.com/workspace/drive/api/guides/resource-keys."""
    pairs = [
        f"{item}/{key}"
        for item, key in keys.items()
        if _USABLE_KEY.fullmatch(item) and _USABLE_KEY.fullmatch(key)
    ]
    return {"X-Goog-Drive-Resource-Keys": ",".join(pairs)} if pairs else {}


def _require_success(response: requests.Response, timeouts: Timeouts) -> None:
    if response.status_code != _OK:
        body = _body(response, _LARGEST_ERROR, timeouts)
        raise error_of_response(response.status_code, response.headers, body)


def _total_of_rest(response: requests.Response, into: TemporaryFile) -> int:
    """The length of the whole, if the answer is all that was missing; otherwise all is void."""
    place = _CONTENT_RANGE.fullmatch(response.headers.get("content-range", ""))
    first, last, total = map(int, place.groups()) if place else (-1, -1, 0)
    encoded = response.headers.get("content-encoding", "identity") != "identity"
    if first != into.size or last != total - 1 or encoded:
        into.restart()
        raise damaged("Drive sent another piece of a file than it was asked for")
    return total


def _length(response: requests.Response) -> int | None:
    if response.headers.get("content-encoding", "identity") != "identity":
        return None
    return whole_number(response.headers.get("content-length", ""))


def _body(response: requests.Response, limit: int, timeouts: Timeouts) -> bytes:
    body = bytearray()
    for block in _blocks(response, timeouts):
        body += block
        if len(body) > limit:
            raise damaged(f"Drive's answer is longer than {limit // 1024} KB")
    return bytes(body)


def _blocks(response: requests.Response, timeouts: Timeouts) -> Iterator[bytes]:
    """The body, which must be as long as announced and must not take for ever."""
    deadline = monotonic() + timeouts.answer
    content = response.iter_content(_BLOCK)
    while True:
        with understood():
            block = next(content, None)
        if block is None:
            break
        if monotonic() > deadline:
            raise damaged(f"Drive took longer than {timeouts.answer:g} seconds for an answer")
        yield block
    announced = whole_number(response.headers.get("content-length", ""))
    if announced is not None and response.raw.tell() != announced:
        raise damaged("Drive's answer broke off")
