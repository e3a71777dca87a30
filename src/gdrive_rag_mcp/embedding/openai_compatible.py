"""The `openai-compatible` provider: any server that answers `POST {base}/embeddings`."""

import math
from functools import cached_property, partial
from typing import Any

import httpx
import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.contract import identify, unit_rows
from gdrive_rag_mcp.embedding.remote import (
    Limits,
    RemoteEmbedder,
    endpoint_identity,
    parse_url,
    read_json,
    sendable,
)
from gdrive_rag_mcp.embedding.retrying import Retrying, retry_after_seconds
from gdrive_rag_mcp.embedding.windows import CHARACTERS_A_TOKEN
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.protocols import EmbedRole, Vectors

BATCH_SIZE = 16
# A server that takes fewer says so with 400 or 413. OpenAI's own limit is 300,000 tokens a call.
_TOKENS_A_CALL = 50_000
_REMEDIES: dict[int, str] = {
    httpx.codes.UNAUTHORIZED: "check the key in the variable GDRIVE_RAG_EMBED_API_KEY_ENV names",
    httpx.codes.FORBIDDEN: "the key may not use this model; check it at the provider",
    httpx.codes.NOT_FOUND: "check GDRIVE_RAG_EMBED_BASE_URL (it often ends in /v1) and the model",
    httpx.codes.REQUEST_ENTITY_TOO_LARGE: "lower GDRIVE_RAG_EMBED_BATCH_SIZE or _CHUNK_SIZE",
    httpx.codes.TOO_MANY_REQUESTS: "see the provider's quota and billing",
}
# OpenAI's word for an account that is out of money, which no wait helps.
_OUT_OF_MONEY = "insufficient_quota"


class OpenAICompatibleEmbedder(RemoteEmbedder):
    """Embeds over HTTP; queries and documents alike, as the protocol knows no roles.

    How long a text the model takes cannot be asked: `max_tokens` is what the caller knows of it,
    and texts that surely exceed it are embedded in parts.
    """

    parallel_calls = 4

    def __init__(  # noqa: PLR0913 - one argument a setting
        self,
        base_url: str,
        model: str,
        *,
        dimensions: int | None = None,
        send_dimensions: bool = False,
        api_key: str | None = None,
        batch_size: int = BATCH_SIZE,
        timeout_seconds: float = 60.0,
        max_tokens: int = 512,
        retrying: Retrying | None = None,
    ) -> None:
        self._url = parse_url(base_url, "/embeddings")
        self._dimensions = dimensions
        self._send_dimensions = send_dimensions and dimensions is not None
        self.max_tokens = max_tokens
        super().__init__(
            self._url,
            model,
            key=sendable(api_key),
            limits=Limits(batch_size, _TOKENS_A_CALL, max_tokens, timeout_seconds),
            retrying=retrying or Retrying(),
        )

    @cached_property
    def identity(self) -> EmbeddingIdentity:
        """The length of a vector is as set, or else that of the first vector ever returned.

        It is asked for with a document's patience, as the server may have to load its model first.
        """
        dimensions = self._dimensions or self._call(["length"], role="document").shape[1]
        return identify(
            "openai-compatible", self._model, dimensions, endpoint=endpoint_identity(self._url)
        )

    def calls(self, texts: int, characters: int) -> int:
        """Requests; how many texts each one carries does not count."""
        most = self._limits
        by_tokens = characters / CHARACTERS_A_TOKEN / most.tokens
        return math.ceil(max(self._parts(texts, characters) / most.texts, by_tokens))

    def _call(self, texts: list[str], *, role: EmbedRole) -> Vectors:
        retrying, timeout = self._patience(role)
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
        except httpx.RequestError as error:
            raise self._unreached(error, timeout) from None
        if not response.is_success:
            raise self._refusal(response)
        try:
            return read_json(response)
        except ValueError:
            raise EmbedderUnavailableError(
                f"{self._model} answered with something that is not JSON",
                hint=_REMEDIES[httpx.codes.NOT_FOUND],
            ) from None

    def _refusal(self, response: httpx.Response) -> EmbeddingError:
        said, code = _refusal_of(response)
        return self._refused(
            response.status_code,
            said,
            wait=retry_after_seconds(response.headers.get("Retry-After")),
            lasts=code == _OUT_OF_MONEY,
            hint=_REMEDIES.get(
                response.status_code, "check GDRIVE_RAG_EMBED_MODEL and the base URL"
            ),
        )


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


def _refusal_of(response: httpx.Response) -> tuple[str, object]:
    """What the provider says of its refusal: OpenAI's `error.message` and code, or the body."""
    try:
        error = read_json(response)["error"]
    except (KeyError, TypeError, ValueError):
        return response.text or response.reason_phrase, None
    if isinstance(error, dict):
        return str(error.get("message") or error), error.get("code")
    return str(error), None
