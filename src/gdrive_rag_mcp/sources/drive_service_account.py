"""Credentials of a service account, from its key file."""

from pathlib import Path
from typing import Any

from google.oauth2 import service_account

from gdrive_rag_mcp.errors import SourceAuthError
from gdrive_rag_mcp.sources.drive_auth import (
    SCOPES,
    Identity,
    Kind,
    Report,
    require_private_channel,
)
from gdrive_rag_mcp.sources.drive_credential_files import (
    read_object,
    refuse_kind,
    require_texts,
    warn_of_others,
)
from gdrive_rag_mcp.sources.drive_failures import one_line
from gdrive_rag_mcp.sources.drive_token_answers import JudgedCredentials

_CREDENTIALS: Any = service_account.Credentials  # its methods are only half annotated
_HINT = (
    "create a JSON key for a service account in the Google Cloud console and name it in "
    "GOOGLE_SERVICE_ACCOUNT_FILE"
)
_NEEDED = ("client_email", "token_uri", "private_key")


def load_service_account(key_file: Path, report: Report = lambda _: None) -> Identity:
    """Read a key file, and report if it is not its owner's alone; nothing is sent anywhere.

    Raises:
        SourceAuthError: names what is wrong with the file, never anything that is in it but its
            type.
        SettingsError: the key's token endpoint is not encrypted.
    """
    path = key_file.expanduser().absolute()
    info = read_object(path, role="key file", hint=_HINT)
    if info.get("type") != "service_account":
        raise refuse_kind(info, path, wanted="the key of a service account", hint=_HINT)
    warn_of_others(path, "key file", report)
    return identity_of_key(info, path)


def identity_of_key(info: dict[str, Any], path: Path, kind: Kind = "service_account") -> Identity:
    """The identity of a parsed key.

    Raises:
        SourceAuthError: something is missing, or the private key is damaged.
        SettingsError: the key's token endpoint is not encrypted.
    """
    require_texts(info, _NEEDED, f"the key file {path}", _HINT)
    require_private_channel(info["token_uri"], f"token_uri in {path}")
    try:
        credentials = _CREDENTIALS.from_service_account_info(info, scopes=list(SCOPES))
        credentials.sign_bytes(b"trial")  # a key of another algorithm loads, but cannot sign
    except (ValueError, TypeError):  # the library's message may quote the key
        raise SourceAuthError(
            f"the private key in {path} is damaged",
            hint="download the key again; line ends in it must be \\n inside the JSON string",
        ) from None
    email = one_line(info["client_email"])
    return Identity(
        JudgedCredentials(credentials),
        email,
        kind,
        SCOPES,
        f"share the folder with {email} (viewer is enough); if the key itself is refused, see that "
        "it still exists in the Google Cloud console, that the account is not disabled, and that "
        "this machine's clock is right",
    )
