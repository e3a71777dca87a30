"""Settings → what turns texts into vectors."""

import os
from collections.abc import Callable, Mapping

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights
from gdrive_rag_mcp.errors import EmbedderUnavailableError, SettingsError
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.settings import Settings, secret

Report = Callable[[str], None]


def make_embedder(
    settings: Settings,
    recorded: EmbeddingIdentity | None,
    *,
    build: bool,
    report: Report = lambda _: None,
    environ: Mapping[str, str] = os.environ,
) -> Embedder | None:
    """The embedder that is set or, where none is, the kind the index was made with.

    `build` allows unpacking the embedded model, which takes a while.

    Raises:
        EmbedderUnavailableError: it needs weights or a key that are not there.
        SettingsError: what it needs is not set.
    """
    provider = settings.embed_provider or (recorded.provider if recorded else "embedded")
    if provider == "none":
        return None
    if provider == "embedded":
        from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder

        folder = find_weights(
            settings.embed_model_path, cache_folder(environ), build=build, report=report
        )
        return OnnxEmbedder(folder, dimensions=settings.embed_dimensions)
    if provider == "openai-compatible":
        return _openai_compatible(settings, recorded, environ)
    raise SettingsError(
        f"the index was made with {provider}, which this version has no embedder for",
        hint="upgrade gdrive-rag-mcp, or set GDRIVE_RAG_EMBED_PROVIDER",
    )


def _openai_compatible(
    settings: Settings, recorded: EmbeddingIdentity | None, environ: Mapping[str, str]
) -> Embedder:
    from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder

    same = recorded if recorded and recorded.provider == "openai-compatible" else None
    model = settings.embed_model or (same.model if same else None)
    if settings.embed_base_url is None or model is None:
        raise SettingsError(
            "openai-compatible needs GDRIVE_RAG_EMBED_BASE_URL and GDRIVE_RAG_EMBED_MODEL",
            hint="set both, such as http://127.0.0.1:11434/v1 and nomic-embed-text",
        )
    return OpenAICompatibleEmbedder(
        settings.embed_base_url,
        model,
        api_key=_key(settings.embed_api_key_env, environ),
        dimensions=settings.embed_dimensions or (same.dimensions if same else None),
        send_dimensions=settings.embed_send_dimensions,
        batch_size=settings.embed_batch_size,
        timeout_seconds=settings.embed_timeout_seconds,
    )


def _key(variable: str | None, environ: Mapping[str, str]) -> str | None:
    key = secret(variable, environ)
    if variable and key is None:
        raise EmbedderUnavailableError(
            f"GDRIVE_RAG_EMBED_API_KEY_ENV names {variable}, which is not set",
            hint=f"set {variable} or {variable}_FILE; an MCP client passes on only the variables "
            "that its configuration lists",
        )
    return key
