"""Why a server cannot be reached, in words for whoever has to see to it.

What the libraries say instead names their own classes, and may quote a proxy's password.
"""

import socket
import ssl
from collections.abc import Iterator
from errno import EHOSTUNREACH, ENETDOWN, ENETUNREACH
from urllib.parse import urlsplit

from requests import exceptions

CHECK_NETWORK = "check the network, and the proxy if there has to be one (HTTPS_PROXY)"
_NO_WAY = frozenset({ENETUNREACH, EHOSTUNREACH, ENETDOWN})
# The first that fits: the narrower kinds come before those that they belong to.
_WORDS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    (
        (exceptions.InvalidProxyURL, exceptions.InvalidSchema),
        "the proxy that is set has no usable address",
    ),
    ((socket.gaierror,), "the name of {} cannot be resolved"),
    ((ConnectionRefusedError,), "{} refuses the connection"),
    ((ssl.SSLCertVerificationError,), "the certificate of {} is not trusted"),
    ((ssl.SSLError, exceptions.SSLError), "{} cannot be spoken to by TLS"),
    ((TimeoutError, exceptions.Timeout), "{} does not answer"),
    ((exceptions.ProxyError,), "{} does not let the connection through"),
    ((ConnectionError,), "{} broke the connection off"),
)


def why_unreachable(error: BaseException | None) -> str | None:
    """What kept a request from being answered; None where it was not the network."""
    causes = list(_causes(error))
    server = _server(causes)
    if any(isinstance(cause, OSError) and cause.errno in _NO_WAY for cause in causes):
        return f"there is no way to {server}"
    for kinds, words in _WORDS:
        if any(isinstance(cause, kinds) for cause in causes):
            return words.format(server)
    return None


def _causes(error: object) -> Iterator[BaseException]:
    """An error and all that it was made of: urllib3 keeps that in `reason` and in `args`."""
    waiting, seen = [error], set[int]()
    while waiting:
        cause = waiting.pop(0)
        if not isinstance(cause, BaseException) or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting += [cause.__cause__, getattr(cause, "reason", None), *cause.args]


def _server(causes: list[BaseException]) -> str:
    """Who was to answer: the proxy where it is to blame, else the host that was asked."""
    if any(isinstance(cause, exceptions.ProxyError) for cause in causes):
        return _proxy(causes)
    for cause in causes:
        request = getattr(cause, "request", None)
        if host := urlsplit(getattr(request, "url", None) or "").hostname:
            return str(host)
    return "the server"


def _proxy(causes: list[BaseException]) -> str:
    for cause in causes:
        address = getattr(getattr(cause, "pool", None), "proxy", None)
        if address is not None:
            return f"the proxy {address.host}:{address.port}"
    return "the proxy"
