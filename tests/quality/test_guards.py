"""The guards that every other test relies on do bite."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

OUTSIDE = "192.0.2.1"  # a block that is reserved for documentation


@pytest.mark.parametrize(
    "reach",
    [
        lambda: socket.create_connection((OUTSIDE, 80)),
        lambda: socket.create_connection(("example.com", 80)),
        lambda: socket.getaddrinfo("example.com", 80),
        lambda: socket.gethostbyname("example.com"),
        lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"", (OUTSIDE, 9)),
        lambda: socket.socket().bind(("", 0)),
        lambda: socket.socket(socket.AF_INET6).connect(("2001:db8::1", 80)),
    ],
    ids=["connect", "connect by name", "look up", "look up as of old", "send", "bind", "IPv6"],
)
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_a_test_cannot_reach_beyond_this_machine(reach: Callable[[], object]) -> None:
    with pytest.raises(pytest.fail.Exception, match="loopback only"):
        reach()


def test_a_forked_child_cannot_reach_beyond_this_machine() -> None:
    child = os.fork()
    if child == 0:
        try:
            socket.getaddrinfo("example.com", 80)
        except pytest.fail.Exception:
            os._exit(7)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 7


def test_loopback_works_by_name_and_by_number() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(("localhost", server.getsockname()[1])) as client,
    ):
        accepted, _ = server.accept()
        accepted.sendall(b"here")
        accepted.close()

        assert client.recv(4) == b"here"


def test_a_test_sees_no_settings_and_no_home_of_whoever_runs_it() -> None:
    foreign = {name for name in os.environ if name.startswith(("GDRIVE_", "GOOGLE_", "GEMINI_"))}

    assert foreign == set()
    assert list(Path.home().glob(".config/*")) == []
