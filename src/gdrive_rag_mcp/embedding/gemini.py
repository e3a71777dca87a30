"""The `gemini` provider: Google's embedding models through google-genai, with a key.

Google counts and bills every text, not every request; a batch only saves round trips.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from threading import Lock
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.contract import identify, unit_rows
from gdrive_rag_mcp.embedding.remote import (
    Limits,
    RemoteEmbedder,
    endpoint_identity,
    is_loopback,
    parse_url,
    read_json,
    sendable,
)
from gdrive_rag_mcp.embedding.retrying import Retrying, retry_after_seconds, sensible_wait
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError, SettingsError
from gdrive_rag_mcp.protocols import EmbedRole, Vectors

if TYPE_CHECKING:  # half a second of imports that only the first text pays for
    from google.genai import Client, types

MODEL = "gemini-embedding-001"
DIMENSIONS = 768
KEY = "GEMINI_API_KEY"
_MOST_DIMENSIONS = 3072
MOST_TEXTS = 100
"""What Google takes in one `batchEmbedContents`."""

_ROOT = "https://generativelanguage.googleapis.com"
_VERSION = "v1beta"
# Google names no limit for a call of many texts here; this is the one of the same models elsewhere
# at Google, and less than the smallest allowance of tokens a minute.
_TOKENS_A_CALL = 20_000
_TASKS: Mapping[EmbedRole, str] = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}
# A minute's allowance comes back within a minute; two calls side by side may each miss it once.
_BUDGET_SECONDS = 200.0
_PER_DAY = re.compile("PerDay", re.IGNORECASE)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)s")
_CHECK_KEY = "check the key in GEMINI_API_KEY, or in what GDRIVE_RAG_EMBED_API_KEY_ENV names"
_CHECK_MODEL = "check GDRIVE_RAG_EMBED_MODEL and GDRIVE_RAG_EMBED_DIMENSIONS"
_CHECK_URL = "check GDRIVE_RAG_EMBED_BASE_URL, or unset it"
_REMEDIES: dict[int, str] = {
    httpx.codes.UNAUTHORIZED: _CHECK_KEY,
    httpx.codes.FORBIDDEN: _CHECK_KEY,
    httpx.codes.TOO_MANY_REQUESTS: "the day's quota is used up, and each text counts: go on "
    "tomorrow, or raise the quota at Google",
    httpx.codes.NOT_FOUND: f"check GDRIVE_RAG_EMBED_MODEL, such as {MODEL}",
}


class GeminiEmbedder(RemoteEmbedder):
    """Google's models, which make different vectors of questions and of documents.

    `gemini-embedding-001` is told which by a task type, its successors by words before the text.
    """

    # A hundred texts take about a second, so that two calls at a time already use up the three
    # thousand a minute of the first paid tier; more would only be told to wait.
    parallel_calls = 2

    def __init__(
        self,
        api_key: str,
        model: str = MODEL,
        *,
        dimensions: int = DIMENSIONS,
        base_url: str | None = None,
        batch_size: int = MOST_TEXTS,
        timeout_seconds: float = 60.0,
        retrying: Retrying | None = None,
    ) -> None:
        if dimensions > _MOST_DIMENSIONS:
            raise SettingsError(
                f"GDRIVE_RAG_EMBED_DIMENSIONS is {dimensions}, but Gemini's vectors have at most "
                f"{_MOST_DIMENSIONS}",
                hint=f"set {DIMENSIONS}, 1536 or {_MOST_DIMENSIONS}, or unset it",
            )
        model = model.removeprefix("models/")
        self._root = parse_url(base_url or _ROOT)
        self._dimensions = dimensions
        self._starting = Lock()
        self._started: Client | None = None
        self._told_by_words = not model.startswith(("gemini-embedding-001", "text-embedding-"))
        self.max_tokens = 8192 if self._told_by_words else 2048
        # Google cuts what is too long and says nothing. The estimate of tokens may be half of the
        # truth, in Thai or Tamil; half of the limit is never too much.
        limits = Limits(
            min(batch_size, MOST_TEXTS), _TOKENS_A_CALL, self.max_tokens // 2, timeout_seconds
        )
        super().__init__(
            self._root,
            model,
            key=_safe(api_key, self._root),
            limits=limits,
            retrying=retrying or Retrying(budget=_BUDGET_SECONDS),
        )
        self._client.event_hooks = {"response": [_take_refusal]}

    @cached_property
    def identity(self) -> EmbeddingIdentity:
        endpoint = endpoint_identity(self._root)
        return identify("gemini", self._model, self._dimensions, endpoint=endpoint)

    def calls(self, texts: int, characters: int) -> int:
        """Texts: Google counts and bills each of them, however many a request carries."""
        return self._parts(texts, characters)

    def _call(self, texts: list[str], *, role: EmbedRole) -> Vectors:
        from google.genai import types

        retrying, timeout = self._patience(role)
        contents = [types.Content(parts=[types.Part(text=self._told(t, role))]) for t in texts]
        config = types.EmbedContentConfig(
            task_type=None if self._told_by_words else _TASKS[role],
            output_dimensionality=self._dimensions,
            http_options=types.HttpOptions(timeout=math.ceil(timeout * 1000)),
        )
        answer = retrying.call(partial(self._ask, contents, config, timeout))
        return unit_rows(
            answer,
            count=len(texts),
            dimensions=self._dimensions,
            provider=self._model,
            hint="set GDRIVE_RAG_EMBED_DIMENSIONS to what the model returns",
        )

    def _told(self, text: str, role: EmbedRole) -> str:
        """The text with what it is for, as Google's guide to these models words it."""
        if not self._told_by_words:
            return text
        words = "task: search result | query: " if role == "query" else "title: none | text: "
        return words + text

    def _ask(
        self, contents: "list[types.Content]", config: "types.EmbedContentConfig", timeout: float
    ) -> npt.NDArray[np.float64]:
        try:
            answer = self._client_of_google().models.embed_content(
                model=self._model, contents=contents, config=config
            )
            rows = [embedding.values for embedding in answer.embeddings or ()]
            return np.array(rows, np.float64).reshape(len(rows), -1 if rows else self._dimensions)
        except httpx.HTTPStatusError as error:
            raise self._refusal(error.response) from None
        except httpx.RequestError as error:
            raise self._unreached(error, timeout) from None
        except (json.JSONDecodeError, RecursionError):  # the latter of what is nested too deep
            raise EmbedderUnavailableError(
                f"{self._model} answered with something that is not JSON", hint=_CHECK_URL
            ) from None
        # What the library, or numpy, makes of JSON in another form.
        except (ValueError, TypeError, AttributeError, LookupError, OverflowError):
            raise EmbeddingError(
                f"{self._model} answered with something that is no list of vectors", hint=_CHECK_URL
            ) from None

    def _client_of_google(self) -> "Client":
        """The library's client: ours does the connecting and `Retrying` the trying again."""
        from google.genai import Client, types

        with self._starting:
            if self._started is None:
                self._started = Client(
                    vertexai=False,
                    api_key=self._key,
                    http_options=types.HttpOptions(
                        base_url=str(self._root),
                        api_version=_VERSION,
                        httpx_client=self._client,
                        retry_options=types.HttpRetryOptions(attempts=1),
                    ),
                )
            return self._started

    def _refusal(self, response: httpx.Response) -> EmbeddingError:
        status, told = response.status_code, _Refusal(response)
        waits = [told.retry_delay, retry_after_seconds(response.headers.get("Retry-After"))]
        return self._refused(
            status,
            told.message,
            wait=max((wait for wait in waits if wait is not None), default=None),
            lasts=told.of_the_key or told.of_the_day or told.status == "FAILED_PRECONDITION",
            hint=_CHECK_KEY if told.of_the_key else _REMEDIES.get(status, _CHECK_MODEL),
        )


class _Refusal:
    """What a refusal says: a `google.rpc.Status`, or only a text."""

    def __init__(self, response: httpx.Response) -> None:
        try:
            body = read_json(response)
        except ValueError:
            body = None
        said = next(_dicts(body if isinstance(body, list) else [body], "error"), {})
        self.message = str(said.get("message") or response.text or response.reason_phrase)
        self.status = said.get("status")
        self._details = [*_dicts([said], "details")]

    @property
    def of_the_key(self) -> bool:
        """Google answers 400, not 401, to a key that it does not know."""
        return any(str(one.get("reason")).startswith("API_KEY") for one in self._details)

    @property
    def of_the_day(self) -> bool:
        """A day's quota is used up. Google asks to come back in seconds even then."""
        violations = _dicts(self._details, "violations")
        return any(_PER_DAY.search(str(one.get("quotaId"))) for one in violations)

    @property
    def retry_delay(self) -> float | None:
        """Seconds, of `google.rpc.RetryInfo`: a duration such as `34.07s`."""
        delays = [_DURATION.fullmatch(str(one.get("retryDelay"))) for one in self._details]
        waits = [sensible_wait(float(delay[1])) for delay in delays if delay]
        return max((wait for wait in waits if wait is not None), default=None)


def _take_refusal(response: httpx.Response) -> None:
    """Take a refusal out of the library's hands, which loses the status of what it cannot read."""
    if response.status_code != httpx.codes.OK:
        response.read()
        raise httpx.HTTPStatusError("refused", request=response.request, response=response)


def _dicts(owners: Any, name: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - JSON
    """The objects that a field of these objects holds, alone or in a list."""
    for owner in owners:
        held = owner.get(name) if isinstance(owner, dict) else None
        for one in held if isinstance(held, list) else [held]:
            if isinstance(one, dict):
                yield one


def _safe(key: str, root: httpx.URL) -> str:
    """A key that is there, and that nobody on the way can read.

    Raises:
        SettingsError: it is empty, or would go over the network in the clear.
    """
    if root.scheme == "http" and not is_loopback(root.host):
        raise SettingsError(
            f"GDRIVE_RAG_EMBED_BASE_URL is http://{root.host}, which would show the Gemini key to "
            "the network",
            hint="use https, or a proxy on this machine",
        )
    if (sent := sendable(key)) is None:
        raise EmbedderUnavailableError("the Gemini key is empty", hint=_CHECK_KEY)
    return sent
