"""The questions of an evaluation, asked of a running server instead of an index."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from gdrive_rag_mcp.domain import Duplicate, FoundPassage, Reply
from gdrive_rag_mcp.domain.running_text import running_text
from gdrive_rag_mcp.errors import ServerError, SettingsError
from gdrive_rag_mcp.evaluation import Ask
from gdrive_rag_mcp.settings import secret
from gdrive_rag_mcp.settings.urls import plain_url

TOKEN = "GDRIVE_RAG_BEARER_TOKEN"  # noqa: S105 - the name of the variable
TIMEOUT_SECONDS = 30.0
_TOOL = "search_knowledge"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@contextmanager
def asking_server(
    url: str,
    *,
    limit: int,
    scope_id: str | None,
    environ: Mapping[str, str] = os.environ,
    timeout_seconds: float = TIMEOUT_SECONDS,
) -> Iterator[Ask]:
    """Connect, and yield what asks the server's `search_knowledge`.

    Raises:
        SettingsError: the URL or the token is none.
        ServerError: the server cannot be asked; also raised by asking.
    """
    checked, token = checked_url(url), bearer_token(environ)
    from gdrive_rag_mcp.frontends.mcp_client import tool_of_server

    narrowed = {} if scope_id is None else {"scope_id": scope_id}
    with tool_of_server(checked, _TOOL, token=token, timeout_seconds=timeout_seconds) as search:
        yield lambda question: read_reply(search({"query": question, "limit": limit, **narrowed}))


def checked_url(url: str) -> str:
    """The URL, if it is one that may be shown.

    Raises:
        SettingsError: it is none, or carries what belongs into a variable; it is not shown then.
    """
    try:
        return plain_url(url)
    except ValueError as error:
        raise SettingsError(
            f"--url {error}",
            hint=f"name the server, such as http://127.0.0.1:8000/mcp; its token is in {TOKEN} or "
            f"in the file that {TOKEN}_FILE names",
        ) from None


def bearer_token(environ: Mapping[str, str]) -> str | None:
    """The server's token, if one is set.

    Raises:
        SettingsError: what is set cannot be sent, or its file cannot be read.
    """
    token = secret(TOKEN, environ)
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
        raise SettingsError(
            f"{TOKEN} holds characters that no token has, such as blanks",
            hint="set it to the server's token, and to nothing else",
        )
    return token


def sends_token_openly(url: str, environ: Mapping[str, str]) -> bool:
    """Whether the token would travel unencrypted to another machine."""
    parts = urlsplit(url)
    return (
        parts.scheme == "http" and parts.hostname not in _LOOPBACK and bool(bearer_token(environ))
    )


def read_reply(shown: Mapping[str, Any]) -> Reply:
    """What `search_knowledge` returned, as an evaluation looks at it.

    Raises:
        ServerError: it is not what this version's tool returns.
    """
    try:
        evidence = shown["evidence"]
        return Reply(
            sufficient=evidence["sufficient"] is True,
            reason=str(evidence["reason"]),
            confidence=float(evidence["confidence"]),
            threshold=float(evidence["threshold"]),
            mode=str(evidence["mode"]),
            passages=tuple(map(_found, shown["results"] or shown["candidate_results"])),
            missing_terms=tuple(map(str, evidence["missing_terms"])),
            warnings=tuple(map(str, evidence["warnings"])),
        )
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ServerError(
            f"the server's answer is not one of this version: {error!r}",
            hint="let the server and this command be of the same version",
        ) from None


def _found(hit: Mapping[str, Any]) -> FoundPassage:
    text, citation = str(hit["text"]), hit["citation"]
    if citation["locator"]["kind"] != "sheet":  # as `Passage.reading` has it
        text = running_text(text)
    reading = f"{hit.get('context', '')}\n{text}".strip()
    copies = tuple(map(_duplicate, hit.get("duplicates", ())))
    return FoundPassage(str(hit["document_id"]), str(citation["path"]), reading, copies)


def _duplicate(copy: Mapping[str, Any]) -> Duplicate:
    chunk, document, path = (str(copy[key]) for key in ("chunk_id", "document_id", "path"))
    return Duplicate(chunk, document, path, exact=copy["exact"] is True)
