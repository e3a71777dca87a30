"""Which way to sign in is used: a service account, a person's consent, or the machine's own.

Never asks anybody for consent: that is `auth-google`'s, with a person in front of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError
from gdrive_rag_mcp.sources.drive_adc import VARIABLE, load_application_default
from gdrive_rag_mcp.sources.drive_auth import Identity, Report
from gdrive_rag_mcp.sources.drive_credential_files import is_absent
from gdrive_rag_mcp.sources.drive_named_files import named_file
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

    def __post_init__(self) -> None:
        """See that they are files, before anything says which.

        Raises:
            SettingsError: a secret is set in place of one.
        """
        for setting, path in (
            ("GOOGLE_SERVICE_ACCOUNT_FILE", self.service_account),
            ("GOOGLE_OAUTH_CLIENT_FILE", self.oauth_client),
            ("GOOGLE_OAUTH_TOKEN_FILE", self.oauth_token),
        ):
            if path is not None:
                named_file(setting, path)

    @property
    def of_a_person(self) -> bool:
        """Whether reading as oneself is what is set."""
        return self.oauth_client is not None or self.oauth_token is not None

    def overruling(self, environ: Mapping[str, str]) -> str:
        """What keeps a sync from reading by a person's consent, and how to end that; or nothing."""
        if self.service_account is not None:
            return (
                "a sync goes on reading as the service account, since GOOGLE_SERVICE_ACCOUNT_FILE "
                "is set; unset it (in the config file: google_service_account_file) to read by "
                "this consent"
            )
        if self.oauth_token is None and environ.get(VARIABLE):
            return (
                f"{VARIABLE} is set too: a sync reads by this consent only while "
                "GOOGLE_OAUTH_CLIENT_FILE or GOOGLE_OAUTH_TOKEN_FILE is set; "
                "keep that, or unset the other"
            )
        return ""

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
    """Load the first way that is set, else the first that lies in its usual place.

    Set: a service account, a person's token file or OAuth client, GOOGLE_APPLICATION_CREDENTIALS.
    Lying there: a kept consent, gcloud's file, the machine's account. What is set, or lies there,
    and cannot be used is an error; another identity never steps in silently, since it would see
    other files.

    Raises:
        SourceAuthError: the credentials that are set are missing or unusable.
        SettingsError: none are set, or an endpoint in them is not encrypted.
    """
    if files.service_account is not None:
        return load_service_account(files.service_account, report)
    if files.of_a_person:
        token_file = files.token_file(environ)
        if is_absent(token_file):
            raise SourceAuthError(
                f"no Google account is connected: there is no {token_file}", hint=CONNECT
            )
        return load_user(token_file, report)
    kept = None if environ.get(VARIABLE) else default_token_file(environ)
    if kept is not None and not is_absent(kept):
        return load_user(kept, report)
    identity = load_application_default(environ, report=report)
    if identity is None:
        raise SettingsError("no credentials for Drive are set", hint=_WAYS)
    return identity
