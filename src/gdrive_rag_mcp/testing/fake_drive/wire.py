"""HTTP on a loopback port: one thread a connection, kept alive, each answer in one piece."""

import socket
import struct
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gdrive_rag_mcp.testing.fake_drive.answers import Answer

Answering = Callable[[str, str, Mapping[str, str], bytes], Answer]


class LoopbackServer(ThreadingHTTPServer):
    """Keeps its connections in hand, so that leaving the context closes them all."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, answering: Answering, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answering = answering
        self.open: set[socket.socket] = set()
        self.failures: list[Exception] = []

    def close_all(self) -> None:
        """Close the port and every connection."""
        self.server_close()
        for connection in list(self.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it was closed meanwhile

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients go away in the middle of things, and some are killed on purpose.

        What fails on this side is in `failures`.
        """


class _Handler(BaseHTTPRequestHandler):
    """Reads a request, has it answered, and writes the answer in one piece."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: LoopbackServer

    def setup(self) -> None:
        super().setup()
        self.server.open.add(self.connection)

    def finish(self) -> None:
        self.server.open.discard(self.connection)
        try:
            super().finish()
        except OSError:
            return  # the client, or a reset on order, was faster

    def do_GET(self) -> None:
        self._respond()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 -- the base's names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base's name
        """Say nothing: the log of requests is `FakeDrive.requests`."""

    def _respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            answer = self.server.answering(self.command, self.path, headers, body)
        except Exception as error:
            self.server.failures.append(error)
            raise
        if answer.reset:
            self._reset()
            return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body[: len(answer.body) // 2] if answer.cut else answer.body)
        self.close_connection = self.close_connection or answer.cut

    def _reset(self) -> None:
        """Send RST: with linger on and zero seconds, closing does that."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
