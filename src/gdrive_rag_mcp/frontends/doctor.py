"""Looks at everything a sync and a server will need, and says what to do about what is amiss."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import TimeoutError  # noqa: A004 - what a pool raises, which is not the builtin
from multiprocessing.pool import ThreadPool
from typing import TypeVar

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.errors import (
    GdriveRagError,
    IndexMissingError,
    IndexOutdatedError,
    ReindexRequiredError,
    SettingsError,
    SourceError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.settings import NOT_USED_YET, Settings

Result = TypeVar("Result")


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
    read_settings: Callable[[], Settings],
    environ: Mapping[str, str] = os.environ,
    *,
    seconds: float = 20.0,
) -> list[Finding]:
    """Look at settings first: without them there is nothing else to look at.

    `seconds` is how long Drive may take over each of two questions.
    """
    try:
        settings = read_settings()
    except GdriveRagError as error:
        return [Finding(ok=False, what="settings", said=error.message, remedy=error.hint)]
    return [
        Finding(ok=True, what="settings", said="read"),
        *_unused(environ),
        *_sources(settings, environ, seconds),
        _looked_at("index", lambda: _index(settings)),
        _looked_at("embedder", lambda: _embedder(settings, environ)),
        _looked_at("ocr", lambda: _ocr(settings)),
        _looked_at("isolation", _isolation),
    ]


def _looked_at(what: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(ok=True, what=what, said=look())
    except GdriveRagError as error:
        return Finding(ok=False, what=what, said=error.message, remedy=error.hint)


def _unused(environ: Mapping[str, str]) -> Iterator[Finding]:
    for name in sorted(name for name in NOT_USED_YET if environ.get(name)):
        yield Finding(ok=True, what=name, said="set, but this version does not use it yet")


def _sources(settings: Settings, environ: Mapping[str, str], seconds: float) -> Iterator[Finding]:
    """Who reads, and what; Drive itself is asked, as only it knows what it shows to whom."""
    if settings.source != "drive":
        yield _looked_at("source", lambda: _folder(settings))
        return
    drive = _Drive(settings, environ, seconds)
    identity = _looked_at("identity", drive.identity)
    yield identity
    yield from (Finding(ok=True, what="identity", said=said) for said in drive.reports)
    yield _looked_at("source", drive.root if identity.ok else drive.unasked)


def _folder(settings: Settings) -> str:
    from gdrive_rag_mcp import wiring

    source = wiring.make_source(settings)
    source.check()
    return source.root


class _Drive:
    """What is asked of Drive, by one identity."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], seconds: float) -> None:
        self.reports: list[str] = []
        self._settings = settings
        self._environ = environ
        self._seconds = seconds

    def identity(self) -> str:
        from gdrive_rag_mcp import wiring
        from gdrive_rag_mcp.wiring.sources import whoami

        self._identity = identity = wiring.make_identity(
            self._settings, report=self.reports.append, environ=self._environ
        )
        self._name = _in_time(lambda: whoami(self._settings, identity), self._seconds)
        scopes = ", ".join(scope.rpartition("/")[2] for scope in identity.scopes)
        return f"{self._name} ({identity.kind.replace('_', ' ')}), with {scopes}"

    def unasked(self) -> str:
        from gdrive_rag_mcp import wiring

        wiring.require_drive(self._settings)
        raise SourceError("cannot be looked at before the identity is")

    def root(self) -> str:
        from gdrive_rag_mcp import wiring

        source = wiring.make_drive(self._settings, self._identity, hurried=True)
        _in_time(source.check, self._seconds)
        return f"{source.root} is visible to {self._name}"


def _in_time(ask: Callable[[], Result], seconds: float) -> Result:
    """Ask Drive, for seconds only: whoever runs `doctor` waits for it.

    Raises:
        SourceUnavailableError: it took longer; what is still under way ends with the process.
    """
    pool = ThreadPool(1)
    try:
        return pool.apply_async(ask).get(seconds)
    except TimeoutError:
        raise SourceUnavailableError(
            f"Drive has not answered for {seconds:g} seconds",
            hint="check the network and the proxy, and that *.googleapis.com can be reached",
        ) from None
    finally:
        pool.terminate()


def _index(settings: Settings) -> str:
    from gdrive_rag_mcp import wiring
    from gdrive_rag_mcp.presentation import coverage_text

    try:
        status = wiring.make_reader(settings, resident=False).status()
    except IndexOutdatedError:
        return f"{settings.index_path}, of an older version; `gdrive-rag-mcp sync` renews it"
    except IndexMissingError:  # a new installation has none; that is not amiss
        return f"{settings.index_path}, none yet; `gdrive-rag-mcp sync` makes it"
    wanted = _configured_root(settings)
    if wanted is not None and status.root not in (None, wanted):
        raise SettingsError(
            f"{settings.index_path} holds {status.root}, but {wanted} is to be synced",
            hint="name another index with --db or a profile, or run `sync --full` to replace what "
            "it holds",
        )
    return f"{settings.index_path}, {status.chunks} chunks, {coverage_text(status.coverage)}"


def _configured_root(settings: Settings) -> str | None:
    from gdrive_rag_mcp import wiring

    try:
        return wiring.root_of(settings)
    except GdriveRagError:
        return None  # what is wrong with the source is a finding of its own


def _embedder(settings: Settings, environ: Mapping[str, str]) -> str:
    from gdrive_rag_mcp import wiring
    from gdrive_rag_mcp.wiring.embedders import choose_provider

    recorded = _recorded(settings)
    choice = choose_provider(settings, recorded, environ)
    embedder = wiring.make_embedder(settings, recorded, build=True, environ=environ)
    if embedder is None:
        return "none is set: words only, without meaning"
    if choice.provider == "openai-compatible":
        said = _remote(settings, recorded)
    else:
        identity = embedder.identity
        said = f"{identity.provider} {identity.model}, {identity.dimensions} dimensions"
        said += _sent_to_google(settings) if choice.provider == "gemini" else ""
    # What another provider's vectors are like may have to be asked for over the network.
    if (recorded and recorded.provider != "none") and (
        choice.provider != recorded.provider
        or embedder.identity.fingerprint != recorded.fingerprint
    ):
        raise ReindexRequiredError(
            f"{said}; the index was made with {recorded.provider} {recorded.model}, "
            f"{recorded.dimensions} dimensions, and their vectors cannot be compared",
            hint="run `gdrive-rag-mcp reindex --yes`, or set back provider, model and endpoint",
        )
    return f"{said}, because {choice.because}" if choice.because else said


def _sent_to_google(settings: Settings) -> str:
    where = f" at {settings.embed_base_url}" if settings.embed_base_url else ""
    key = settings.embed_api_key_env or "GEMINI_API_KEY"
    return f"{where}, key from {key} (Google is not asked), every chunk billed"


def _remote(settings: Settings, recorded: EmbeddingIdentity | None) -> str:
    """A provider that is reached over the network, told from the settings: it is not asked."""
    model = settings.embed_model or (recorded.model if recorded else "")
    key = f"key from {settings.embed_api_key_env}" if settings.embed_api_key_env else "no key"
    return f"openai-compatible {model} at {settings.embed_base_url}, {key}"


def _recorded(settings: Settings) -> EmbeddingIdentity | None:
    from gdrive_rag_mcp.app.syncing import recorded_embedder

    try:
        return recorded_embedder(settings.index_path)
    except GdriveRagError:
        return None  # what is wrong with the index is a finding of its own


def _ocr(settings: Settings) -> str:
    from gdrive_rag_mcp.wiring.reading import describe_ocr

    return describe_ocr(settings)


def _isolation() -> str:
    from gdrive_rag_mcp.wiring.reading import describe_isolation

    return describe_isolation()
