"""What providers over HTTP have in common: parts, batches, patience, and a key that never shows."""

import hashlib
import ipaddress
import math
import weakref
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx
import numpy as np

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.outage import Outage
from gdrive_rag_mcp.embedding.retrying import OutOfReachError, PassingError, Retrying
from gdrive_rag_mcp.embedding.windows import CHARACTERS_A_TOKEN, average, batches, cut
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError, SettingsError
from gdrive_rag_mcp.protocols import EmbedRole, Vectors

# Somebody waits for a question's vector: a tool call ends within 20 s, whatever the provider does.
QUESTION_SECONDS = 8.0
_LONGEST_QUOTE = 300
_PORTS = {"http": 80, "https": 443}
_PASSING = (httpx.codes.REQUEST_TIMEOUT, httpx.codes.TOO_EARLY, httpx.codes.TOO_MANY_REQUESTS)
# What a server says of the texts it was sent; with fewer of them, or others, it may well go on.
_OF_THE_TEXTS = (
    httpx.codes.BAD_REQUEST,
    httpx.codes.REQUEST_ENTITY_TOO_LARGE,
    httpx.codes.UNPROCESSABLE_ENTITY,
)
_KEPT = "what was embedded so far is kept"
# Providers refuse a text of nothing, which would cost its whole batch.
_NOTHING = "."


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one call may carry, and how long a text and a wait may be."""

    texts: int
    tokens: float
    window: int
    """Estimated tokens of one text, at most: longer ones are embedded in parts and averaged."""
    seconds: float


class RemoteEmbedder(ABC):
    """A provider that is called with batches of texts; what it is sent and answers is its own.

    A text longer than the model takes is embedded in parts and averaged, never cut by us. The
    user's proxy settings hold, except for a server on this machine.
    """

    max_tokens: int
    parallel_calls: int

    def __init__(
        self, url: httpx.URL, model: str, *, key: str | None, limits: Limits, retrying: Retrying
    ) -> None:
        self._model = model
        self._key = key
        self._limits = limits
        self._retrying = retrying
        self._outage = Outage(retrying.clock)
        self._has_embedded = False
        self._client = httpx.Client(trust_env=not is_loopback(url.host))
        weakref.finalize(self, self._client.close)

    @property
    @abstractmethod
    def identity(self) -> EmbeddingIdentity:
        """What must match for two vectors to be comparable."""

    @abstractmethod
    def calls(self, texts: int, characters: int) -> int:
        """Forecast what so many texts cost, as the provider counts."""

    @abstractmethod
    def _call(self, texts: list[str], *, role: EmbedRole) -> Vectors:
        """Embed so many texts as one call may carry: unit rows, in their order."""

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        if role == "query":
            self._outage.check()
        try:
            vectors = self._embedded(texts, role)
        except EmbedderUnavailableError as error:
            if role == "query":
                self._outage.note(error)
            elif self._has_embedded:
                error.hint = f"{error.hint}; {_KEPT}" if error.hint else _KEPT
            raise
        if texts:
            self._outage.end()
            self._has_embedded = self._has_embedded or role == "document"
        return vectors

    def _embedded(self, texts: Sequence[str], role: EmbedRole) -> Vectors:
        parts = [cut(_sayable(text), self._limits.window) for text in texts]
        flat = [part for pieces in parts for part in pieces]
        calls = batches(flat, texts=self._limits.texts, tokens=self._limits.tokens)
        vectors = [self._call(batch, role=role) for batch in calls]
        if not vectors:
            return np.empty((0, self.identity.dimensions), np.float32)
        weights = [[max(1, len(piece)) for piece in pieces] for pieces in parts]
        return average(weights, np.concatenate(vectors), provider=self._model)

    def close(self) -> None:
        """Close the connections; otherwise that is done when the object goes away."""
        self._client.close()

    def _parts(self, texts: int, characters: int) -> int:
        """Forecast how many vectors so many texts take, with those that are embedded in parts."""
        return max(texts, math.ceil(characters / (self._limits.window * CHARACTERS_A_TOKEN)))

    def _patience(self, role: EmbedRole) -> tuple[Retrying, float]:
        """How a call is retried, and the seconds that one attempt may take."""
        if role == "document":
            return self._retrying, self._limits.seconds
        budget = min(self._retrying.budget, QUESTION_SECONDS)
        return replace(self._retrying, budget=budget), min(self._limits.seconds, QUESTION_SECONDS)

    def _unreached(self, error: httpx.RequestError, timeout: float) -> OutOfReachError:
        if isinstance(error, httpx.TimeoutException):
            return OutOfReachError(f"{self._model} gave no answer in {timeout:g} s")
        return OutOfReachError(
            f"{self._model} cannot be reached: {self._quoted(str(error))}",
            hint="check the network, and GDRIVE_RAG_EMBED_BASE_URL if it is set",
        )

    def _refused(
        self, status: int, said: str, *, wait: float | None = None, lasts: bool = False, hint: str
    ) -> EmbeddingError:
        """A refusal as what it means for the caller: wait, try other texts, or give up.

        `lasts`: the answer says that neither waiting nor other texts will help.
        """
        message = f"{self._model} answered {status}: {self._quoted(said)}"
        if not lasts and (httpx.codes.is_server_error(status) or status in _PASSING):
            return PassingError(message, retry_after=wait)
        if not lasts and status in _OF_THE_TEXTS:
            return EmbeddingError(message, hint=hint)
        return EmbedderUnavailableError(message, hint=hint)

    def _quoted(self, text: str) -> str:
        """Somebody else's words, without the key that they may repeat, and not too many."""
        if self._key:
            text = text.replace(self._key, "[key]")
        text = " ".join(clean(text).split())
        return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + " […]"


def read_json(response: httpx.Response) -> Any:  # noqa: ANN401 - JSON
    """The body as JSON.

    Raises:
        ValueError: it is none, or is nested deeper than can be read.
    """
    try:
        return response.json()
    except RecursionError:
        raise ValueError("nested too deep") from None


def _sayable(text: str) -> str:
    text = clean(text)
    return text if text.strip() else _NOTHING


def parse_url(base_url: str, path: str = "") -> httpx.URL:
    """The URL of `path` below the one that is set.

    Raises:
        SettingsError: it is no URL.
    """
    hint = "such as http://localhost:8080/v1"
    try:
        url = httpx.URL(base_url.rstrip("/") + path)
    except httpx.InvalidURL as error:
        raise SettingsError(f"GDRIVE_RAG_EMBED_BASE_URL is no URL: {error}", hint=hint) from None
    if url.scheme not in _PORTS or not url.host:
        raise SettingsError(
            "GDRIVE_RAG_EMBED_BASE_URL must be http://HOST or https://HOST with an optional path",
            hint=hint,
        )
    return url


def sendable(key: str | None) -> str | None:
    """A key as a header carries it, without the blanks around it; None for none.

    Raises:
        SettingsError: no header can carry it.
    """
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(
            "the embedding provider's key has characters that no HTTP header can carry",
            hint="check the variable or file it comes from; it is not shown here",
        )
    return key or None


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def endpoint_identity(url: httpx.URL) -> str:
    """Equal for two spellings of one endpoint; a hash, as the fingerprint is shown to others."""
    port = url.port or _PORTS[url.scheme]
    whole = f"{url.scheme}://{url.host.lower().rstrip('.')}:{port}{url.path}"
    return hashlib.sha256(whole.encode()).hexdigest()
