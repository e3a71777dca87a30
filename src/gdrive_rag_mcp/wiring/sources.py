"""Settings → the place files come from, and who reads it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.indexing.content_folder import READING
from gdrive_rag_mcp.protocols import Source
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.store.activity import ACTIVITY

if TYPE_CHECKING:  # the Google libraries are for commands that speak to Google
    from gdrive_rag_mcp.sources.drive import DriveSource
    from gdrive_rag_mcp.sources.drive_consent import Asking, Consent
    from gdrive_rag_mcp.sources.drive_credentials import CredentialFiles, Identity

Report = Callable[[str], None]
_INDEX_SUFFIXES = ("", "-wal", "-shm", "-journal", ".lock", READING, ACTIVITY)


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
    require_drive(settings)
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


def whoami(settings: Settings, identity: "Identity") -> str:
    """Whom Drive takes an identity for; no folder has to be set.

    Raises:
        SettingsError: the endpoint cannot be what was meant.
        SourceError: the credentials are refused, or Google cannot be reached.
    """
    from gdrive_rag_mcp.sources import drive_account

    return drive_account.whoami(identity, endpoint=settings.drive_endpoint)


def make_drive(settings: Settings, identity: "Identity", *, hurried: bool = False) -> "DriveSource":
    """The folder or shared drive that is set; `hurried` gives up after a second attempt.

    Raises:
        SettingsError: neither is set, or an id or the endpoint cannot be what was meant.
    """
    from gdrive_rag_mcp.sources.drive import DriveSource
    from gdrive_rag_mcp.sources.drive_pacing import QUICK, Patience

    require_drive(settings)
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

    What keeps a sync from using it all the same is reported.

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
    files = _credential_files(settings)
    token_file = files.token_file(environ)
    consent = ask_for_consent(
        settings.google_oauth_client_file, token_file, asking, endpoint=settings.drive_endpoint
    )
    if overruling := files.overruling(environ):
        asking.report(f"warning: {overruling}")
    return consent


def _credential_files(settings: Settings) -> "CredentialFiles":
    from gdrive_rag_mcp.sources.drive_credentials import CredentialFiles

    return CredentialFiles(
        service_account=settings.google_service_account_file,
        oauth_client=settings.google_oauth_client_file,
        oauth_token=settings.google_oauth_token_file,
    )


def root_of(settings: Settings) -> str:
    """What an index of the source that is set says it holds; nothing is asked.

    Raises:
        SettingsError: no source is set.
    """
    if settings.source.startswith("folder:"):
        return make_source(settings).root
    require_drive(settings)
    return f"drive:{settings.gdrive_folder_id or settings.gdrive_shared_drive_id}"


def require_drive(settings: Settings) -> None:
    """See that a folder or a shared drive is named.

    Raises:
        SettingsError: neither is.
    """
    if settings.gdrive_folder_id is None and settings.gdrive_shared_drive_id is None:
        raise SettingsError(
            "no Drive folder is set",
            hint="set GDRIVE_FOLDER_ID, or GDRIVE_SHARED_DRIVE_ID for a whole shared drive, or "
            "name a local folder by `--source folder:/path` or GDRIVE_RAG_SOURCE; "
            "`gdrive-rag-mcp status` says what an index was made from",
        )


def _index_files(settings: Settings) -> frozenset[Path]:
    """The index and what lies beside it, which a source around it must not take for documents."""
    index = settings.index_path
    names = (index.name + suffix for suffix in _INDEX_SUFFIXES)
    return frozenset(index.parent / name for name in names)
