"""Credentials for Drive, from the key file of a service account; they can only read."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from google.oauth2 import service_account

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError

_CREDENTIALS: Any = service_account.Credentials  # its methods are only half annotated
READ_ONLY = "https://www.googleapis.com/auth/drive.readonly"
_NEW_KEY = "create a JSON key for a service account in the Google Cloud console and name it in "
_HINT = _NEW_KEY + "GOOGLE_SERVICE_ACCOUNT_FILE"
_NEEDED = ("client_email", "token_uri", "private_key")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """Who calls Drive: the e-mail address that folders are shared with."""

    credentials: Any
    email: str


def load_service_account(key_file: Path) -> ServiceAccount:
    """Read a key file; nothing is sent anywhere.

    Raises:
        SourceAuthError: names what is wrong with the file, never anything that is in it but its
            type.
        SettingsError: the key's token endpoint is not encrypted.
    """
    path = key_file.expanduser().absolute()
    info = _parsed(path)
    _refuse_other_kinds(info, path)
    require_private_channel(str(info["token_uri"]), f"token_uri in {path}")
    try:
        credentials: Any = _CREDENTIALS.from_service_account_info(info, scopes=[READ_ONLY])
        credentials.sign_bytes(b"trial")  # a key of another algorithm loads, but cannot sign
    except (ValueError, TypeError):  # the library's message may quote the key
        raise SourceAuthError(
            f"the private key in {path} is damaged",
            hint="download the key again; line ends in it must be \\n inside the JSON string",
        ) from None
    return ServiceAccount(credentials, str(info["client_email"]))


def require_private_channel(url: str, what: str) -> None:
    """See that a token sent to `url` cannot be overheard.

    Raises:
        SettingsError: it is neither https nor this machine itself.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise SettingsError(f"{what} is no URL", hint="it starts with https://") from None
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        return
    raise SettingsError(
        f"{what} is {parts.scheme}://{parts.hostname}, where a token could be overheard",
        hint="use https",
    )


def _parsed(path: Path) -> dict[str, Any]:
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceAuthError(
            f"the key file {path} cannot be read: {error.strerror}", hint=_HINT
        ) from None
    except (ValueError, RecursionError):  # no JSON, or no UTF-8; the message would quote it
        raise SourceAuthError(f"the key file {path} is not JSON", hint=_HINT) from None
    if not isinstance(info, dict):
        raise SourceAuthError(f"the key file {path} holds no JSON object", hint=_HINT)
    return info


def _refuse_other_kinds(info: dict[str, Any], path: Path) -> None:
    if "installed" in info or "web" in info:
        raise SourceAuthError(
            f"{path} is the file of an OAuth client, not the key of a service account", hint=_HINT
        )
    kind = info.get("type")
    if kind != "service_account":
        named = f"of type {kind[:40]!r}" if isinstance(kind, str) else "without a type"
        raise SourceAuthError(
            f"{path} is a file {named}, not the key of a service account", hint=_HINT
        )
    missing = [name for name in _NEEDED if not isinstance(info.get(name), str)]
    if missing:
        raise SourceAuthError(f"the key file {path} lacks {', '.join(missing)}", hint=_HINT)
