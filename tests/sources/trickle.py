"""A server whose answers never end, a byte at a time."""

import socket
from threading import Event, Thread

_PAUSE = 0.01  # far below every limit for a single byte, so that only the sum is too long


class Trickle:
    """Sends `first` at once, and of `rest` a byte now and then, again and again, for ever."""

    def __init__(self, first: bytes, rest: bytes) -> None:
        self._first, self._rest = first, rest
        self._over = Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self._threads = [Thread(target=self._accept)]
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self._threads[0].start()

    def close(self) -> None:
        self._over.set()
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            thread = Thread(target=self._send, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _send(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65536)
                connection.sendall(self._first)
                while True:
                    for byte in self._rest:
                        if self._over.wait(_PAUSE):
                            return
                        connection.sendall(bytes([byte]))
            except OSError:
                return
