"""Waits on this machine for the browser to come back from the consent screen.

Browsers open connections they never use, ask for icons, and any page or program may call a port:
only a request for the right path with the right `state` counts, everything else is answered and
forgotten.
"""

import hmac
import os
import select
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from socket import socket, socketpair
from threading import Thread
from urllib.parse import parse_qsl, urlsplit

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.sources.drive_oauth_client import Redirect

_STALLED_SECONDS = 10.0
_LONGEST_LINE = 16 * 1024
_PAGE = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>gdrive-rag-mcp</title>"
    "<body style='font:16px sans-serif;margin:3em'><p>{}</p></body></html>"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the consent screen said: a code, or an error's name."""

    code: str = ""
    error: str = ""


class Receiver:
    """Takes one answer, from the browser itself or from an address that somebody pastes."""

    def __init__(self, redirect: Redirect, state: str) -> None:
        self._redirect = redirect
        self._state = state
        self._answers: SimpleQueue[Answer] = SimpleQueue()
        try:
            self._server = _Server(self, redirect.port)
        except OSError as error:
            raise SettingsError(
                f"port {redirect.port} of 127.0.0.1 cannot be listened on: {error.strerror}",
                hint="register another redirect such as http://127.0.0.1:8765/ for the OAuth "
                "client, or use one of type Desktop app"
                if redirect.written
                else "choose another with --port, or leave it out for any free one",
            ) from None
        self._woken, self._wake = socketpair()
        self.address = redirect.address(self._server.server_port)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Answer requests meanwhile."""
        thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()
            self._woken.close()
            self._wake.close()

    def wait(
        self, seconds: float, pasted: int | None, complain: Callable[[str], None]
    ) -> Answer | None:
        """The answer, or None when the time is over.

        `pasted` is the descriptor of what somebody may paste the redirect address into, line by
        line; a line that is not it is complained about, and its end only ends the pasting.
        """
        deadline = time.monotonic() + seconds
        lines = _Lines(pasted) if pasted is not None else None
        while (left := deadline - time.monotonic()) > 0:
            watched: list[socket | _Lines] = [self._woken, lines] if lines else [self._woken]
            ready, _, _ = select.select(watched, [], [], left)
            if self._woken in ready:
                return self._answers.get()
            if lines and lines in ready:
                answer = self._pasted(lines, complain)
                if answer is not None:
                    return answer
                lines = None if lines.ended else lines
        return None

    def _pasted(self, lines: "_Lines", complain: Callable[[str], None]) -> Answer | None:
        for line in filter(None, map(str.strip, lines.read())):
            answer = self._understand(_query(line))
            if answer is not None:
                return answer
            complain("that is not the address the browser ended at; paste all of it")
        return None

    def deliver(self, answer: Answer) -> None:
        """Hand an answer to whoever waits; the first one counts."""
        self._answers.put(answer)
        self._wake.send(b".")

    def judge(self, target: str) -> tuple[int, str, Answer | None]:
        """What a request of the browser gets, a status and a sentence, and the answer it brings."""
        try:
            parts = urlsplit(target)
        except ValueError:
            return 400, "That is no address.", None
        if parts.path != self._redirect.path:
            return 404, "There is nothing here.", None
        answer = self._understand(parts.query)
        if answer is None:
            return 400, "This is not the answer that gdrive-rag-mcp is waiting for.", None
        if answer.error:
            return 200, "Consent was not given. You can close this window.", answer
        return 200, "The answer has arrived: the terminal says more. Close this window.", answer

    def _understand(self, query: str) -> Answer | None:
        """The answer in a query, if it bears the secret that the question was asked with."""
        given: Mapping[str, str] = dict(parse_qsl(query))
        state = given.get("state", "").encode("utf-8", "replace")
        if not hmac.compare_digest(state, self._state.encode("ascii")):
            return None
        if error := given.get("error"):
            return Answer(error=error)
        return Answer(code=given["code"]) if given.get("code") else None


class _Lines:
    """Complete lines out of a descriptor that select watches."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.ended = False
        self._rest = b""

    def fileno(self) -> int:
        return self._descriptor

    def read(self) -> list[str]:
        try:
            piece = os.read(self._descriptor, _LONGEST_LINE)
        except OSError:
            piece = b""
        self.ended = not piece
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if self.ended or len(self._rest) > _LONGEST_LINE:
            lines, self._rest = [*lines, self._rest], b""
        return [line.decode("utf-8", "replace") for line in lines]


def _query(line: str) -> str:
    """The query of a pasted address; nothing of what is none."""
    try:
        return urlsplit(line.strip()).query
    except ValueError:
        return ""


class _Server(ThreadingHTTPServer):
    """Threads, since browsers open connections ahead and then say nothing on them."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = False

    def __init__(self, receiver: Receiver, port: int) -> None:
        self.receiver = receiver
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that breaks off is its own affair, and its request is a secret."""


class _Handler(BaseHTTPRequestHandler):
    """One page, without anything that would send its address on."""

    timeout = _STALLED_SECONDS
    server: _Server

    def do_GET(self) -> None:
        status, sentence, answer = self.server.receiver.judge(self.path)
        try:
            self._page(status, _PAGE.format(sentence).encode())
        finally:  # the page first: what happens next may end the process
            if answer is not None:
                self.server.receiver.deliver(answer)

    def _page(self, status: int, page: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing: the request line holds the code."""
