"""What the layers below raise, understood: the libraries for Google, HTTP and the system's sockets.

Their own texts name classes, quote addresses with every parameter, and may quote what a server
sent, so that none of them is shown where a plain word says what happened.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from urllib.parse import urlsplit

import requests
from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError

from gdrive_rag_mcp.sources.drive_deadlines import AnswerTooSlowError
from gdrive_rag_mcp.sources.drive_failures import MALFORMED, DriveCallError, damaged, one_line
from gdrive_rag_mcp.sources.drive_meanings import (
    OUTAGE,
    REFUSED,
    UNREACHABLE,
    meaning_of_token_error,
)
from gdrive_rag_mcp.sources.drive_reach import why_unreachable

_PORTS = {"https": 443, "http": 80}
# The first that fits, where nothing is wrong with the connection itself.
_BROKEN: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((requests.exceptions.ContentDecodingError,), "its answer cannot be unpacked"),
    ((requests.exceptions.ChunkedEncodingError,), "its answer broke off"),
    ((HTTPException,), "its answer is not HTTP"),
)


@contextmanager
def understood(url: str = "") -> Iterator[None]:
    """Translate what the Google, HTTP and socket layers raise over a call to `url`.

    Only a call to them belongs inside: what they raise over a malformed answer looks like a
    mistake of our own.

    Raises:
        DriveCallError: in place of all of it.
    """
    try:
        yield
    except RefreshError as error:
        raise _refused(error) from error
    except TransportError as error:
        raise _no_token(error) from error
    except GoogleAuthError as error:
        raise DriveCallError(f"no access token: {_said(error)}", REFUSED) from error
    except MALFORMED as error:
        raise _malformed(error, url) from error
    except (HTTPException, OSError) as error:  # what `requests` raises is an OSError
        raise DriveCallError(
            f"Drive cannot be reached{_place(error, url)}: {_what_happened(error)}", UNREACHABLE
        ) from error


def _refused(error: RefreshError) -> DriveCallError:
    """The token endpoint's no, which is `<code>: <description>`."""
    said = error.args[0] if error.args else ""
    meaning = meaning_of_token_error(str(said).partition(":")[0])
    message = f"no access token: {one_line(said)}"
    return DriveCallError(message, OUTAGE if error.retryable else meaning)


def _no_token(error: TransportError) -> DriveCallError:
    """The token endpoint was not reached, or said nothing of use."""
    why = None if _is_malformed(error) else why_unreachable(error)
    if why is None:
        return DriveCallError(f"no access token: {_said(error)}", OUTAGE)
    return DriveCallError(f"no access token{_place(error, '')}: {why}", UNREACHABLE)


def _malformed(error: BaseException, url: str) -> DriveCallError:
    """What cannot be made sense of; a proxy's address that is none is somebody's mistake."""
    why = why_unreachable(error)
    if why is not None:
        return DriveCallError(f"Drive cannot be reached{_place(error, url)}: {why}", UNREACHABLE)
    return damaged(
        "Drive, or the token endpoint, answered with something that makes no sense"
        f" ({type(error).__name__})"
    )


def _what_happened(error: BaseException) -> str:
    chain = list(_chain(error))
    for cause in chain:
        if isinstance(cause, AnswerTooSlowError):
            return str(cause)
    why = why_unreachable(error)
    if why is not None:
        return why
    for kinds, words in _BROKEN:
        if any(isinstance(cause, kinds) for cause in chain):
            return words
    last = chain[-1]
    return one_line(getattr(last, "strerror", None)) or type(last).__name__


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those it was made of, the outermost first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _place(error: BaseException, url: str) -> str:
    """Who was asked, without what was asked: the token endpoint is another one than Drive."""
    for cause in _chain(error):
        url = getattr(getattr(cause, "request", None), "url", None) or url
    parts = urlsplit(url)
    port = _PORTS.get(parts.scheme) if parts.port is None else parts.port
    return f" at {parts.hostname}:{port}" if parts.hostname else ""


def _said(error: BaseException) -> str:
    """An exception's words, unless they are about an answer: they may quote it, and the token."""
    return type(error).__name__ if _is_malformed(error) else one_line(str(error))


def _is_malformed(error: BaseException) -> bool:
    return isinstance(error.__cause__, MALFORMED)
