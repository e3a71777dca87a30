"""The OAuth client that asks for consent: its file, and the two addresses it speaks to.

Source: https://developers.google.com/identity/protocols/oauth2/native-app
"""

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError
from gdrive_rag_mcp.sources.drive_auth import READ_ONLY, require_private_channel
from gdrive_rag_mcp.sources.drive_credential_files import read_object, refuse_kind, require_texts
from gdrive_rag_mcp.sources.drive_fields import text
from gdrive_rag_mcp.sources.drive_token_file import GOOGLE_TOKEN_URI

_GOOGLE_AUTH_URI = "https://accounts.google.com/o/oauth2/auth"
_HINT = (
    "create an OAuth client of type Desktop app in the Google Cloud console, download its JSON and "
    "name it in GOOGLE_OAUTH_CLIENT_FILE"
)
_LOOPBACK = frozenset({"127.0.0.1", "localhost"})
_HTTP_PORT = 80


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where the browser is to come back to: an address of this machine; port 0 is any free one."""

    host: str = "127.0.0.1"
    port: int = 0
    path: str = "/"
    written: str = ""  # as it is registered, where it has to be that to the letter

    def address(self, port: int) -> str:
        """The redirect address once the port is known."""
        return self.written or f"http://{self.host}:{port}{self.path}"


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """What the console's file says of a client; `registered` are its loopback redirects.

    A desktop client may come back to any port of the loopback, a web client only to what is
    registered.
    """

    client_id: str
    client_secret: str = field(repr=False)
    auth_uri: str
    token_uri: str
    registered: tuple[Redirect, ...] = ()

    def redirect(self, port: int) -> Redirect:
        """Where to listen; port 0 leaves the choice open.

        Raises:
            SettingsError: a web client is not registered for that port.
        """
        if not self.registered:
            return Redirect(port=port)
        for one in self.registered:
            if port in (0, one.port):
                return one
        ports = ", ".join(str(one.port) for one in self.registered)
        raise SettingsError(
            f"the OAuth client is not registered for port {port} of this machine",
            hint=f"use --port with one of {ports}, or a client of type Desktop app",
        )

    def authorization_url(self, redirect_uri: str, state: str, verifier: str) -> str:
        """The consent screen's address; `prompt` and `access_type` make it give a refresh token."""
        query = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": redirect_uri,
            "scope": READ_ONLY,
            "state": state,
            "code_challenge": _challenge(verifier),
            "code_challenge_method": "S256",
            "access_type": "offline",
            "prompt": "consent",
        }
        return f"{self.auth_uri}{'&' if urlsplit(self.auth_uri).query else '?'}{urlencode(query)}"

    def exchange_form(self, code: str, redirect_uri: str, verifier: str) -> bytes:
        """The body that turns a code into tokens."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        return urlencode(form).encode("ascii")


def new_secret() -> str:
    """A `state`, or a PKCE verifier of RFC 7636: 64 unreserved characters nobody can guess."""
    return secrets.token_urlsafe(48)


def read_client(path: Path) -> OAuthClient:
    """Read the client's file.

    Raises:
        SourceAuthError: it is missing, damaged, or no client that can come back to this machine.
        SettingsError: an endpoint in it is not encrypted.
    """
    info = read_object(path, role="OAuth client file", hint=_HINT)
    kind = next((kind for kind in ("installed", "web") if isinstance(info.get(kind), dict)), None)
    if kind is None:
        raise refuse_kind(info, path, wanted="the file of an OAuth client", hint=_HINT)
    client: dict[str, Any] = info[kind]
    require_texts(client, ("client_id", "client_secret"), f"the OAuth client file {path}", _HINT)
    registered = _loopbacks(client) if kind == "web" else ()
    if kind == "web" and not registered:
        raise SourceAuthError(
            f"{path} is of a web client without a redirect to this machine",
            hint=f"{_HINT}; or register http://127.0.0.1:8765/ as its redirect",
        )
    made = OAuthClient(
        client["client_id"],
        client["client_secret"],
        text(client, "auth_uri") or _GOOGLE_AUTH_URI,
        text(client, "token_uri") or GOOGLE_TOKEN_URI,
        registered,
    )
    require_private_channel(made.auth_uri, f"auth_uri in {path}")
    require_private_channel(made.token_uri, f"token_uri in {path}")
    return made


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def _loopbacks(client: Mapping[str, Any]) -> tuple[Redirect, ...]:
    addresses = client.get("redirect_uris")
    found = []
    for address in addresses if isinstance(addresses, list) else []:
        try:
            parts = urlsplit(address)
            port = parts.port or _HTTP_PORT
        except (ValueError, TypeError, AttributeError):
            continue
        if parts.scheme == "http" and parts.hostname in _LOOPBACK:
            found.append(Redirect(parts.hostname, port, parts.path or "/", address))
    return tuple(found)
