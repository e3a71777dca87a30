"""Which way to sign in is used: a service account, a person's consent, or the machine's own.

Never asks anybody for consent: that is `auth-google`'s, with a person in front of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError
from gdrive_rag_mcp.sources.drive_adc import VARIABLE, load_application_default
from gdrive_rag_mcp.sources.drive_auth import Identity, Report
from gdrive_rag_mcp.sources.drive_service_account import load_service_account
from gdrive_rag_mcp.sources.drive_token_file import CONNECT, default_token_file
from gdrive_rag_mcp.sources.drive_user import load_user

__all__ = ["CredentialFiles", "Identity", "identify"]

_WAYS = (
    "set GOOGLE_SERVICE_ACCOUNT_FILE to the JSON key of a service account and share the folder "
    "with its e-mail address; or set GOOGLE_OAUTH_CLIENT_FILE and run `gdrive-rag-mcp auth-google` "
    f"to read as yourself; or have application-default credentials ({VARIABLE}, or gcloud's)"
)


@dataclass(frozen=True, slots=True)
class CredentialFiles:
    """The files that are set, each of which may be None."""

    service_account: Path | None = None
    oauth_client: Path | None = None
    oauth_token: Path | None = None

    def token_file(self, environ: Mapping[str, str]) -> Path:
        """Where a person's consent is kept.

        Raises:
            SettingsError: no place is set, and the user has no home.
        """
        path = self.oauth_token or default_token_file(environ)
        if path is None:
            raise SettingsError(
                "there is no home to keep a token file in", hint="set GOOGLE_OAUTH_TOKEN_FILE"
            )
        return path


def identify(
    files: CredentialFiles, environ: Mapping[str, str], report: Report = lambda _: None
) -> Identity:
    """Load the first of: service account, token file, application-default credentials.

    What is set and cannot be used is an error; another identity never steps in silently, since it
    would see other files.

    Raises:
        SourceAuthError: the credentials that are set are missing or unusable.
        SettingsError: none are set, or an endpoint in them is not encrypted.
    """
    if files.service_account is not None:
        return load_service_account(files.service_account)
    wanted = files.oauth_client is not None or files.oauth_token is not None
    token_file = files.token_file(environ) if wanted else default_token_file(environ)
    if token_file is not None and token_file.is_file():
        return load_user(token_file, report)
    if wanted:
        raise SourceAuthError(
            f"no Google account is connected: there is no {token_file}", hint=CONNECT
        )
    identity = load_application_default(environ)
    if identity is None:
        raise SettingsError("no credentials for Drive are set", hint=_WAYS)
    return identity
