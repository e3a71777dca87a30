"""Google's APIs over HTTP for one identity: thread-safe, paced, patient, and it only reads."""

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any

import requests

from gdrive_rag_mcp.domain import SourceUsage
from gdrive_rag_mcp.sources.drive_auth import require_private_channel
from gdrive_rag_mcp.sources.drive_connections import Connections, Timeouts, host_of
from gdrive_rag_mcp.sources.drive_failures import (
    DriveCallError,
    damaged,
    error_of_response,
    intercepted,
    is_web_page,
)
from gdrive_rag_mcp.sources.drive_fields import parsed, whole_number
from gdrive_rag_mcp.sources.drive_outages import understood
from gdrive_rag_mcp.sources.drive_pacing import Caller
from gdrive_rag_mcp.sources.drive_services import Api, made_service
from gdrive_rag_mcp.sources.temporary_file import TemporaryFile

_OK, _PARTIAL, _UNSATISFIABLE = 200, 206, 416
_BLOCK = 64 * 1024
_LARGEST_ANSWER = 64 * 1024 * 1024
_LARGEST_ERROR = 64 * 1024
_USABLE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")

# The libraries also log what they raise; without a handler that would reach a command's stderr.
for _library in ("google", "googleapiclient", "urllib3"):
    logging.getLogger(_library).addHandler(logging.NullHandler())


class OtherLengthError(Exception):
    """A content is not as long as it was listed: it is another one, or what came is not it."""


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
                self._services[name] = made_service(name, self._endpoint)
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
                _require_success(response)
                body = _body(response, _LARGEST_ANSWER)
            answer = parsed(body)
            if answer is None and is_web_page(response.headers, body):
                raise _in_place_of_drive(response, body)
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
        expected: int | None = None,
    ) -> str:
        """Fetch a content block by block, and say of what type it is.

        What is `resumable` goes on where it broke off; anything else starts anew. A content of
        `expected` bytes is not read any further once it is clear that another one comes.

        Raises:
            DriveCallError: it cannot be had.
            OtherLengthError: it is not as long as `expected`.
        """
        into.restart()

        def attempt() -> str:
            if not resumable:
                into.restart()
            headers = {"Accept-Encoding": "identity", **_key_header(keys)}
            if into.size:
                headers["Range"] = f"bytes={into.size}-"
            with self._answer(uri, headers) as response:
                self._receive(response, into, expected)
                return response.headers.get("content-type", "").partition(";")[0].strip().lower()

        return self._caller.call(attempt)

    def _receive(
        self, response: requests.Response, into: TemporaryFile, expected: int | None
    ) -> None:
        if response.status_code == _UNSATISFIABLE and not into.size:
            _require_length(0, expected)  # how Drive says that a file is empty
            return
        if response.status_code in (_PARTIAL, _UNSATISFIABLE):
            total: int | None = _total_of_rest(response, into)
        else:
            _require_success(response)
            into.restart()  # a server that ignores ranges sends the whole
            total = _length(response)
        if total is not None:
            _require_length(total, expected)
        for block in _blocks(response):
            self._caller.clock.check()
            if expected is not None and into.size + len(block) > expected:
                raise OtherLengthError
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


def _key_header(keys: Mapping[str, str]) -> dict[str, str]:
    """Source: https://developers.google.com/workspace/drive/api/guides/resource-keys."""
    pairs = [
        f"{item}/{key}"
        for item, key in keys.items()
        if _USABLE_KEY.fullmatch(item) and _USABLE_KEY.fullmatch(key)
    ]
    return {"X-Goog-Drive-Resource-Keys": ",".join(pairs)} if pairs else {}


def _require_success(response: requests.Response) -> None:
    if response.status_code != _OK:
        body = _body(response, _LARGEST_ERROR)
        raise error_of_response(
            response.status_code, response.headers, body, host=host_of(response.url)
        )


def _in_place_of_drive(response: requests.Response, body: bytes) -> DriveCallError:
    host = host_of(response.url)
    return intercepted(response.status_code, response.headers, body, host=host)


def _require_length(length: int, expected: int | None) -> None:
    if expected is not None and length != expected:
        raise OtherLengthError


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


def _body(response: requests.Response, limit: int) -> bytes:
    body = bytearray()
    for block in _blocks(response):
        body += block
        if len(body) > limit:
            raise damaged(f"Drive's answer is longer than {limit // 1024} KB")
    return bytes(body)


def _blocks(response: requests.Response) -> Iterator[bytes]:
    """The body, which must be as long as announced."""
    content = response.iter_content(_BLOCK)
    while True:
        with understood(response.url):
            block = next(content, None)
        if block is None:
            break
        yield block
    announced = whole_number(response.headers.get("content-length", ""))
    if announced is not None and response.raw.tell() != announced:
        raise damaged("Drive's answer broke off")
