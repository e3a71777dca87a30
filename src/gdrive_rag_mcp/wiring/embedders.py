"""Settings → what turns texts into vectors."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights
from gdrive_rag_mcp.errors import EmbedderUnavailableError, SettingsError
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.settings import Settings, secret

Report = Callable[[str], None]
Wrap = Callable[[Embedder], Embedder]
_GEMINI_KEY = "GEMINI_API_KEY"


def as_it_is(embedder: Embedder) -> Embedder:
    """Wrap nothing around an embedder."""
    return embedder


@dataclass(frozen=True, slots=True)
class Choice:
    """Which provider is used."""

    provider: str
    because: str = ""
    """Why, if neither the settings nor the index say so."""


def choose_provider(
    settings: Settings,
    recorded: EmbeddingIdentity | None,
    environ: Mapping[str, str] = os.environ,
) -> Choice:
    """What is set, else what the index was made with, else Gemini where its key is, else our own.

    Only a new index is given to Gemini for the sake of a key.

    Raises:
        SettingsError: GEMINI_API_KEY_FILE names a file that holds no key.
    """
    if settings.embed_provider:
        return Choice(settings.embed_provider)
    if recorded and recorded.provider == "none":
        # It held words alone so far: that may change here, but no text leaves unasked.
        return Choice("embedded", "no provider is set, and the index was made with none")
    if recorded:
        return Choice(recorded.provider)
    if settings.embed_model_path:
        return Choice("embedded", "GDRIVE_RAG_EMBED_MODEL_PATH is set")
    if secret(_GEMINI_KEY, environ):
        return Choice("gemini", f"{_GEMINI_KEY} is set")
    return Choice("embedded", f"no provider and no {_GEMINI_KEY} is set")


def make_embedder(
    settings: Settings,
    recorded: EmbeddingIdentity | None,
    *,
    build: bool,
    report: Report = lambda _: None,
    environ: Mapping[str, str] = os.environ,
) -> Embedder | None:
    """The embedder that is set or, where none is, the kind the index was made with.

    `build` allows unpacking the embedded model, which takes a while. `report` hears which one was
    chosen for a new index, and why.

    Raises:
        EmbedderUnavailableError: it needs weights or a key that are not there.
        SettingsError: what it needs is not set or not installed.
    """
    choice = choose_provider(settings, recorded, environ)
    same = recorded if recorded and recorded.provider == choice.provider else None
    match choice.provider:
        case "none":
            return None
        case "embedded":
            embedder = _embedded(settings, environ, build=build, report=report)
        case "gemini":
            embedder = _gemini(settings, same, environ)
        case "openai-compatible":
            embedder = _openai_compatible(settings, same, environ, patient=build)
        case "sentence-transformers":
            embedder = _sentence_transformers(settings, same)
        case unknown:
            raise SettingsError(
                f"the index was made with {unknown}, which this version has no embedder for",
                hint="upgrade gdrive-rag-mcp, or set GDRIVE_RAG_EMBED_PROVIDER",
            )
    if choice.because:
        report(_explained(choice))
    return embedder


def _explained(choice: Choice) -> str:
    if choice.provider == "gemini":
        return (
            f"vectors come from Gemini, because {choice.because}: the documents' text goes to "
            "Google, which counts and bills every chunk; GDRIVE_RAG_EMBED_PROVIDER=embedded keeps "
            "it here"
        )
    return f"vectors come from the embedded model, on this machine, because {choice.because}"


def _embedded(
    settings: Settings, environ: Mapping[str, str], *, build: bool, report: Report
) -> Embedder:
    from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder

    folder = find_weights(
        settings.embed_model_path, cache_folder(environ), build=build, report=report
    )
    return OnnxEmbedder(folder, dimensions=settings.embed_dimensions)


def _gemini(
    settings: Settings, same: EmbeddingIdentity | None, environ: Mapping[str, str]
) -> Embedder:
    from gdrive_rag_mcp.embedding.gemini import DIMENSIONS, MODEL, MOST_TEXTS, GeminiEmbedder

    return GeminiEmbedder(
        _key(settings, environ, _GEMINI_KEY) or "",
        settings.embed_model or (same.model if same else MODEL),
        dimensions=settings.embed_dimensions or (same.dimensions if same else DIMENSIONS),
        base_url=settings.embed_base_url,
        batch_size=settings.embed_batch_size or MOST_TEXTS,
        timeout_seconds=settings.embed_timeout_seconds,
    )


def _openai_compatible(
    settings: Settings,
    same: EmbeddingIdentity | None,
    environ: Mapping[str, str],
    *,
    patient: bool,
) -> Embedder:
    """`patient`: there is time to wait for a server that may have to load its model first."""
    from gdrive_rag_mcp.embedding.openai_compatible import BATCH_SIZE, OpenAICompatibleEmbedder
    from gdrive_rag_mcp.embedding.remote import QUESTION_SECONDS
    from gdrive_rag_mcp.embedding.retrying import Retrying

    timeout = settings.embed_timeout_seconds

    model = settings.embed_model or (same.model if same else None)
    if settings.embed_base_url is None or model is None:
        raise SettingsError(
            "openai-compatible needs GDRIVE_RAG_EMBED_BASE_URL and GDRIVE_RAG_EMBED_MODEL",
            hint="set both, such as http://127.0.0.1:11434/v1 and nomic-embed-text",
        )
    return OpenAICompatibleEmbedder(
        settings.embed_base_url,
        model,
        api_key=_key(settings, environ),
        dimensions=settings.embed_dimensions or (same.dimensions if same else None),
        send_dimensions=settings.embed_send_dimensions,
        batch_size=settings.embed_batch_size or BATCH_SIZE,
        timeout_seconds=timeout if patient else min(timeout, QUESTION_SECONDS),
        retrying=Retrying() if patient else Retrying(budget=QUESTION_SECONDS),
    )


def _sentence_transformers(settings: Settings, same: EmbeddingIdentity | None) -> Embedder:
    from gdrive_rag_mcp.embedding.sentence_transformers import (
        BATCH_SIZE,
        SentenceTransformersEmbedder,
    )

    model = settings.embed_model_path or settings.embed_model or (same.model if same else None)
    if model is None:
        raise SettingsError(
            "sentence-transformers needs GDRIVE_RAG_EMBED_MODEL_PATH or GDRIVE_RAG_EMBED_MODEL",
            hint="set a folder with a model, or the name of one in the hub's cache, such as "
            "intfloat/multilingual-e5-base",
        )
    return SentenceTransformersEmbedder(
        model,
        dimensions=settings.embed_dimensions,
        device=settings.embed_device,
        batch_size=settings.embed_batch_size or BATCH_SIZE,
    )


def _key(settings: Settings, environ: Mapping[str, str], default: str | None = None) -> str | None:
    """The provider's key, from the variable that the settings name, or else the usual one."""
    variable = settings.embed_api_key_env or default
    key = secret(variable, environ)
    if variable and key is None:
        named = settings.embed_api_key_env is not None
        where = "GDRIVE_RAG_EMBED_API_KEY_ENV names" if named else "the key is looked for in"
        raise EmbedderUnavailableError(
            f"{where} {variable}, which is not set",
            hint=f"set {variable} or {variable}_FILE; an MCP client passes on only the variables "
            "that its configuration lists",
        )
    return key
