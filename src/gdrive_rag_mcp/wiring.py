"""Settings → objects: the one place that knows which class serves which setting."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.domain import EmbeddingIdentity, Mode, ReindexReport, SyncReport
from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights
from gdrive_rag_mcp.errors import EmbedderUnavailableError, SettingsError
from gdrive_rag_mcp.indexing.content import READING
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.protocols import Chunker, Embedder, Source
from gdrive_rag_mcp.settings import Settings, secret

if TYPE_CHECKING:  # the Google libraries are for commands that speak to Google
    from gdrive_rag_mcp.sources.drive import DriveSource
    from gdrive_rag_mcp.sources.drive_consent import Asking, Consent
    from gdrive_rag_mcp.sources.drive_credentials import CredentialFiles, Identity

Report = Callable[[str], None]
_INDEX_SUFFIXES = ("", "-wal", "-shm", "-journal", ".lock", READING)


def make_source(
    settings: Settings,
    *,
    report: Report = lambda _: None,
    environ: Mapping[str, str] = os.environ,
) -> Source:
    """The place files come from; nothing is asked yet.

    Raises:
        SettingsError: what the source needs is not set.
        SourceAuthError: the credentials are missing or unusable.
    """
    if settings.source.startswith("folder:"):
        from gdrive_rag_mcp.sources.local import LocalFolderSource

        folder = Path(settings.source.removeprefix("folder:"))
        return LocalFolderSource(folder, passed_over=_index_files(settings))
    _require_drive(settings)
    return make_drive(settings, make_identity(settings, report=report, environ=environ))


def make_identity(
    settings: Settings, *, report: Report, environ: Mapping[str, str] = os.environ
) -> "Identity":
    """Who reads Drive, from the credentials that are set or that the machine has.

    Raises:
        SettingsError: there are none.
        SourceAuthError: they are unusable.
    """
    from gdrive_rag_mcp.sources.drive_credentials import identify

    return identify(_credential_files(settings), environ, report)


def make_drive(settings: Settings, identity: "Identity", *, hurried: bool = False) -> "DriveSource":
    """The folder or shared drive that is set; `hurried` gives up after a second attempt.

    Raises:
        SettingsError: neither is set, or an id or the endpoint cannot be what was meant.
    """
    from gdrive_rag_mcp.sources.drive import DriveSource
    from gdrive_rag_mcp.sources.drive_pacing import QUICK, Patience

    _require_drive(settings)
    return DriveSource(
        settings.gdrive_folder_id,
        identity,
        shared_drive_id=settings.gdrive_shared_drive_id,
        endpoint=settings.drive_endpoint,
        calls_per_second=settings.drive_qps,
        patience=QUICK if hurried else Patience(),
    )


def connect_google(
    settings: Settings, asking: "Asking", environ: Mapping[str, str] = os.environ
) -> "Consent":
    """Ask a person for consent to read their Drive, and keep it where a sync finds it.

    Raises:
        SettingsError: no OAuth client is set, or it cannot be used.
        SourceError: there is no consent.
    """
    from gdrive_rag_mcp.sources.drive_consent import ask_for_consent

    if settings.google_oauth_client_file is None:
        raise SettingsError(
            "no OAuth client is set to ask for consent with",
            hint="create one of type Desktop app in the Google Cloud console, and name its JSON "
            "file in GOOGLE_OAUTH_CLIENT_FILE (docs/google-auth.md)",
        )
    token_file = _credential_files(settings).token_file(environ)
    return ask_for_consent(
        settings.google_oauth_client_file, token_file, asking, endpoint=settings.drive_endpoint
    )


def _credential_files(settings: Settings) -> "CredentialFiles":
    from gdrive_rag_mcp.sources.drive_credentials import CredentialFiles

    return CredentialFiles(
        service_account=settings.google_service_account_file,
        oauth_client=settings.google_oauth_client_file,
        oauth_token=settings.google_oauth_token_file,
    )


def _require_drive(settings: Settings) -> None:
    if settings.gdrive_folder_id is None and settings.gdrive_shared_drive_id is None:
        raise SettingsError(
            "no Drive folder is set",
            hint="set GDRIVE_FOLDER_ID, GDRIVE_SHARED_DRIVE_ID for a whole shared drive, or "
            "GDRIVE_RAG_SOURCE=folder:/path for a local folder",
        )


def _index_files(settings: Settings) -> frozenset[Path]:
    """The index and what lies beside it, which a source around it must not take for documents."""
    index = settings.index_path
    names = (index.name + suffix for suffix in _INDEX_SUFFIXES)
    return frozenset(index.with_name(name) for name in names)


def make_chunker(settings: Settings) -> Chunker:
    """What cuts documents."""
    from gdrive_rag_mcp.chunking.structural import StructuralChunker

    return StructuralChunker(size=settings.chunk_size, overlap=settings.chunk_overlap)


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


def make_reader(settings: Settings, *, resident: bool) -> Reader:
    """The read use cases; `resident` keeps the vectors in memory, for a process that stays."""
    pool = StorePool(settings.index_path, resident=resident)

    def embedder() -> Embedder | None:
        with pool.lend() as store:
            recorded = store.catalog.embedding_identity
        return make_embedder(settings, recorded, build=False)

    return Reader(
        pool,
        embedder=embedder,
        mode=Mode(settings.retrieval_mode),
        threshold=settings.evidence_threshold,
    )


def sync(
    settings: Settings, options: SyncOptions, *, progress: Progress, report: Report
) -> SyncReport:
    """Bring the index up to date.

    Raises:
        GdriveRagError: the settings, the source, the embedder or the index do not allow it.
    """
    from gdrive_rag_mcp.app.syncing import sync_index
    from gdrive_rag_mcp.extraction.sandbox import Sandbox

    def embedder(recorded: EmbeddingIdentity | None) -> Embedder | None:
        try:
            return make_embedder(settings, recorded, build=True, report=report)
        except EmbedderUnavailableError as error:
            if settings.embed_provider is not None:
                raise
            report(f"words only, without meaning: {error}")
            return None

    source = make_source(settings, report=report)
    with Sandbox() as sandbox:
        return sync_index(
            settings.index_path,
            source=source,
            extractor=sandbox,
            chunker=make_chunker(settings),
            embedder=embedder,
            options=options,
            progress=progress,
        )


def reindex(
    settings: Settings, *, agreed: bool, progress: Progress, report: Report
) -> ReindexReport:
    """Change the index's embedder to the one that is set, or to the embedded model.

    Raises:
        GdriveRagError: the settings, the embedder or the index do not allow it.
    """
    from gdrive_rag_mcp.app.syncing import change_embedder

    embedder = make_embedder(settings, None, build=True, report=report)
    if embedder is None:
        raise SettingsError(
            "no embedder is set, so there is nothing to reindex with",
            hint="set GDRIVE_RAG_EMBED_PROVIDER to embedded or openai-compatible",
        )
    return change_embedder(settings.index_path, embedder, agreed=agreed, progress=progress)
