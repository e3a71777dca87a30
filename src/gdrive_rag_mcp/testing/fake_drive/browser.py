"""Plays the browser of somebody who is asked for consent: follows no redirect by itself."""

from http.client import HTTPConnection
from urllib.parse import urlsplit


def consent(authorization_url: str) -> str:
    """Open the consent screen; answers the address that the browser is sent back to.

    Raises:
        ValueError: it was not sent back; the message is the page it got instead.
    """
    status, location, page = _get(authorization_url)
    if status not in range(300, 400):
        raise ValueError(page)
    return location


def visit(url: str) -> tuple[int, str]:
    """Open a page; answers its status and text."""
    status, _, page = _get(url)
    return status, page


def _get(url: str) -> tuple[int, str, str]:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    try:
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        connection.request("GET", target)
        response = connection.getresponse()
        page = response.read().decode("utf-8", "replace")
        return response.status, response.getheader("Location", ""), page
    finally:
        connection.close()
