"""The `openai-compatible` provider: any server that answers `POST {base}/embeddings`."""

import hashlib
import ipaddress
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import httpx
import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.contract import identify, unit_rows
from gdrive_rag_mcp.embedding.retrying import PassingError, Retrying, retry_after_seconds
from gdrive_rag_mcp.embedding.windows import cut, estimated_tokens
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError, SettingsError
from gdrive_rag_mcp.protocols import EmbedRole, Vectors

# A server that takes fewer says so with 400 or 413. OpenAI's own limit is 300,000 tokens a call.
_TOKENS_A_CALL = 50_000
# Somebody waits for a question's vector: a tool call ends within 20 s, whatever the provider does.
_QUESTION_SECONDS = 8.0
_LONGEST_QUOTE = 300
_REMEDIES: dict[int, str] = {
    httpx.codes.UNAUTHORIZED: "check the key in the variable GDRIVE_RAG_EMBED_API_KEY_ENV names",
    httpx.codes.FORBIDDEN: "the key may not use this model; check it at the provider",
    httpx.codes.NOT_FOUND: "check GDRIVE_RAG_EMBED_BASE_URL (it often ends in /v1) and the model",
    httpx.codes.REQUEST_ENTITY_TOO_LARGE: "lower GDRIVE_RAG_EMBED_BATCH_SIZE or _CHUNK_SIZE",
}
_PORTS = {"http": 80, "https": 443}
_PASSING = (httpx.codes.REQUEST_TIMEOUT, httpx.codes.TOO_EARLY, httpx.codes.TOO_MANY_REQUESTS)


class OpenAICompatibleEmbedder:
    """Embeds over HTTP; queries and documents alike, as the protocol knows no roles.

    How long a text the model takes cannot be asked: `max_tokens` is what the caller knows of it,
    and texts that surely exceed it are embedded in parts and averaged, never cut by us.
    The user's proxy settings hold, except for a server on this machine.
    """

    def __init__(  # noqa: PLR0913 - one argument a setting
        self,
        base_url: str,
        model: str,
        *,
        dimensions: int | None = None,
        send_dimensions: bool = False,
        api_key: str | None = None,
        batch_size: int = 16,
        timeout_seconds: float = 60.0,
        max_tokens: int = 512,
        retrying: Retrying | None = None,
    ) -> None:
        self._url = _embeddings_url(base_url)
        self._model = model
        self._dimensions = dimensions
        self._send_dimensions = send_dimensions and dimensions is not None
        self._key = _sendable(api_key)
        self._batch_size = batch_size
        self._timeout = timeout_seconds
        self.max_tokens = max_tokens
        self._retrying = retrying or Retrying()
        self._client = httpx.Client(trust_env=not _is_loopback(self._url.host))
        weakref.finalize(self, self._client.close)

    @cached_property
    def identity(self) -> EmbeddingIdentity:
        """The length of a vector is as set, or else that of the first vector ever returned."""
        dimensions = self._dimensions or self._call(["length"], role="query").shape[1]
        return identify(
            "openai-compatible", self._model, dimensions, endpoint=_endpoint_identity(self._url)
        )

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        parts = [cut(clean(text), self.max_tokens) for text in texts]
        flat = [part for pieces in parts for part in pieces]
        vectors = [self._call(batch, role=role) for batch in self._batches(flat)]
        if not vectors:
            return np.empty((0, self.identity.dimensions), np.float32)
        return self._joined(parts, np.concatenate(vectors))

    def close(self) -> None:
        """Close the connections; otherwise that is done when the object goes away."""
        self._client.close()

    def _joined(self, parts: list[list[str]], vectors: Vectors) -> Vectors:
        """Average the parts of each text, weighted by their length."""
        if len(parts) == len(vectors):
            return vectors
        means, at = np.empty((len(parts), vectors.shape[1])), 0
        for row, pieces in enumerate(parts):
            weights = [max(1, len(piece)) for piece in pieces]
            means[row] = np.average(vectors[at : at + len(pieces)], axis=0, weights=weights)
            at += len(pieces)
        return unit_rows(means, count=len(parts), dimensions=vectors.shape[1], provider=self._model)

    def _batches(self, texts: list[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        tokens = 0.0
        for text in texts:
            size = estimated_tokens(text)
            if batch and (len(batch) == self._batch_size or tokens + size > _TOKENS_A_CALL):
                yield batch
                batch, tokens = [], 0.0
            batch.append(text)
            tokens += size
        if batch:
            yield batch

    def _call(self, texts: list[str], *, role: EmbedRole) -> Vectors:
        retrying, timeout = self._retrying, self._timeout
        if role == "query":
            retrying = replace(retrying, budget=min(retrying.budget, _QUESTION_SECONDS))
            timeout = min(timeout, _QUESTION_SECONDS)
        body: dict[str, object] = {
            "model": self._model, "input": texts, "encoding_format": "float",
        }  # fmt: skip
        if self._send_dimensions:
            body["dimensions"] = self._dimensions
        answer = retrying.call(partial(self._post, body, timeout))
        raw = _vectors(answer, len(texts), self._model)
        self._dimensions = self._dimensions or raw.shape[1]
        return unit_rows(
            raw,
            count=len(texts),
            dimensions=self._dimensions,
            provider=self._model,
            hint="set GDRIVE_RAG_EMBED_DIMENSIONS to what the model returns",
        )

    def _post(self, body: dict[str, object], timeout: float) -> Any:  # noqa: ANN401 - JSON
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            response = self._client.post(self._url, json=body, headers=headers, timeout=timeout)
        except httpx.TimeoutException:
            raise PassingError(f"{self._model} gave no answer in {timeout:g} s") from None
        except httpx.RequestError as error:
            raise PassingError(
                f"{self._model} cannot be reached: {self._quoted(str(error))}",
                hint="see that the server of GDRIVE_RAG_EMBED_BASE_URL runs",
            ) from None
        if not response.is_success:
            raise self._refusal(response)
        try:
            return response.json()
        except ValueError:
            raise EmbeddingError(
                f"{self._model} answered with something that is not JSON",
                hint=_REMEDIES[httpx.codes.NOT_FOUND],
            ) from None

    def _refusal(self, response: httpx.Response) -> EmbeddingError:
        status = response.status_code
        message = f"{self._model} answered {status}: {self._quoted(_message(response))}"
        if response.is_server_error or status in _PASSING:
            wait = retry_after_seconds(response.headers.get("Retry-After"))
            return PassingError(message, retry_after=wait)
        if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            return EmbedderUnavailableError(message, hint=_REMEDIES[status])
        return EmbeddingError(
            message, hint=_REMEDIES.get(status, "check GDRIVE_RAG_EMBED_MODEL and the base URL")
        )

    def _quoted(self, text: str) -> str:
        """Somebody else's words, without the key that they may repeat, and not too many."""
        if self._key:
            text = text.replace(self._key, "[key]")
        text = " ".join(clean(text).split())
        return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + " […]"


def _vectors(answer: Any, count: int, model: str) -> npt.NDArray[np.float64]:  # noqa: ANN401 - JSON
    """The vectors of an answer in the order of the texts, whatever order they came in."""
    try:
        items = {int(item["index"]): item["embedding"] for item in answer["data"]}
        if len(answer["data"]) != count:
            raise EmbeddingError(
                f"{model} returned {len(answer['data'])} vectors for {count} texts"
            )
        if sorted(items) != list(range(count)):
            raise EmbeddingError(f"{model} did not number its {count} vectors from 0, each once")
        rows = np.array([items[index] for index in range(count)], np.float64)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise EmbeddingError(
            f"{model} answered with something that is no list of vectors: {error!s:.100}",
            hint="check that GDRIVE_RAG_EMBED_BASE_URL leads to an OpenAI-compatible server",
        ) from None
    if rows.ndim != 2:  # noqa: PLR2004 - rows and columns
        raise EmbeddingError(f"{model} answered with something that is no list of vectors")
    return rows


def _message(response: httpx.Response) -> str:
    """What the provider says of its refusal: OpenAI's `error.message`, or the body as it is."""
    try:
        error = response.json()["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (KeyError, TypeError, ValueError):
        return response.text or response.reason_phrase


def _embeddings_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url.rstrip("/") + "/embeddings")
    except httpx.InvalidURL as error:
        raise SettingsError(
            f"GDRIVE_RAG_EMBED_BASE_URL is no URL: {error}", hint="such as http://localhost:8080/v1"
        ) from None
    if url.scheme not in _PORTS or not url.host:
        raise SettingsError(
            "GDRIVE_RAG_EMBED_BASE_URL must be http://HOST or https://HOST with an optional path",
            hint="such as http://localhost:8080/v1",
        )
    return url


def _sendable(key: str | None) -> str | None:
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(
            "the embedding provider's key has characters that no HTTP header can carry",
            hint="check the variable or file it comes from; it is not shown here",
        )
    return key or None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _endpoint_identity(url: httpx.URL) -> str:
    """Equal for two spellings of one endpoint; a hash, as the fingerprint is shown to others."""
    port = url.port or _PORTS[url.scheme]
    whole = f"{url.scheme}://{url.host.lower().rstrip('.')}:{port}{url.path}"
    return hashlib.sha256(whole.encode()).hexdigest()
