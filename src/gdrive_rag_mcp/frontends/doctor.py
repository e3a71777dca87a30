"""Looks at everything a sync and a server will need, and says what to do about what is amiss."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.errors import GdriveRagError, IndexMissingError, ReindexRequiredError
from gdrive_rag_mcp.settings import NOT_USED_YET, Settings


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    ok: bool
    what: str
    said: str
    remedy: str = ""

    @property
    def line(self) -> str:
        """As it is printed: `ok` or `!!`, what, and what to do."""
        remedy = f"\n     to fix it: {self.remedy}" if self.remedy else ""
        return f"{'ok' if self.ok else '!!'}  {self.what}: {self.said}{remedy}"


def examine(
    read_settings: Callable[[], Settings], environ: Mapping[str, str] = os.environ
) -> list[Finding]:
    """Look at settings first: without them there is nothing else to look at."""
    try:
        settings = read_settings()
    except GdriveRagError as error:
        return [Finding(ok=False, what="settings", said=error.message, remedy=error.hint)]
    return [
        Finding(ok=True, what="settings", said="read"),
        *_unused(environ),
        _looked_at("source", lambda: _source(settings)),
        _looked_at("index", lambda: _index(settings)),
        _looked_at("embedder", lambda: _embedder(settings, environ)),
    ]


def _looked_at(what: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(ok=True, what=what, said=look())
    except IndexMissingError as error:
        # A new installation has none; that is not amiss.
        return Finding(ok=True, what=what, said=error.message, remedy=error.hint)
    except GdriveRagError as error:
        return Finding(ok=False, what=what, said=error.message, remedy=error.hint)


def _unused(environ: Mapping[str, str]) -> Iterator[Finding]:
    for name in sorted(name for name in NOT_USED_YET if environ.get(name)):
        yield Finding(ok=True, what=name, said="set, but this version does not use it yet")


def _source(settings: Settings) -> str:
    from gdrive_rag_mcp import wiring

    source = wiring.make_source(settings)
    if settings.source == "drive":
        # Asking Drive itself is left to `sync`: a check must work without a network.
        return f"{source.root}, key file {settings.google_service_account_file}"
    source.check()
    return source.root


def _index(settings: Settings) -> str:
    from gdrive_rag_mcp import wiring
    from gdrive_rag_mcp.presentation import coverage_text

    status = wiring.make_reader(settings, resident=False).status()
    return f"{settings.index_path}, {status.chunks} chunks, {coverage_text(status.coverage)}"


def _embedder(settings: Settings, environ: Mapping[str, str]) -> str:
    from gdrive_rag_mcp import wiring

    recorded = _recorded(settings)
    embedder = wiring.make_embedder(settings, recorded, build=True, environ=environ)
    if embedder is None:
        return "none is set: words only, without meaning"
    provider = settings.embed_provider or (recorded.provider if recorded else "embedded")
    if provider == "openai-compatible":
        said = _remote(settings, recorded)
    else:
        identity = embedder.identity
        said = f"{identity.provider} {identity.model}, {identity.dimensions} dimensions"
    # What another provider's vectors are like may have to be asked for over the network.
    if recorded and (
        provider != recorded.provider or embedder.identity.fingerprint != recorded.fingerprint
    ):
        raise ReindexRequiredError(
            f"{said}; the index was made with {recorded.provider} {recorded.model}, "
            f"{recorded.dimensions} dimensions, and their vectors cannot be compared",
            hint="run `gdrive-rag-mcp reindex --yes`, or set back provider, model and endpoint",
        )
    return said


def _remote(settings: Settings, recorded: EmbeddingIdentity | None) -> str:
    """A provider that is reached over the network, told from the settings: it is not asked."""
    model = settings.embed_model or (recorded.model if recorded else "")
    key = f"key from {settings.embed_api_key_env}" if settings.embed_api_key_env else "no key"
    return f"openai-compatible {model} at {settings.embed_base_url}, {key}"


def _recorded(settings: Settings) -> EmbeddingIdentity | None:
    from gdrive_rag_mcp import wiring

    try:
        return wiring.make_reader(settings, resident=False).status().embedding
    except GdriveRagError:
        return None  # what is wrong with the index is a finding of its own
