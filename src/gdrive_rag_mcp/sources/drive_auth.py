"""Who calls Drive: the credentials, whose they are, and what to do when Drive refuses them.

Reading is all that is ever asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from gdrive_rag_mcp.errors import SettingsError

READ_ONLY = "https://www.googleapis.com/auth/drive.readonly"
SCOPES = (READ_ONLY,)
Kind = Literal["service_account", "user", "application_default"]
Report = Callable[[str], None]
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class Identity:
    """An identity towards Drive.

    `name` is the e-mail address where it is known, else words that can stand for it; `credentials`
    are of google-auth; `remedy` is what to do when Drive or the token endpoint refuses it, and
    `scope_remedy` when it may not read, where there is more to say to it.
    """

    credentials: Any = field(repr=False)
    name: str
    kind: Kind
    scopes: tuple[str, ...]
    remedy: str
    scope_remedy: str = ""

    @property
    def share(self) -> str:
        """What to do when Drive knows the identity and shows it no such folder."""
        return f"share the folder with {self.name} (viewer is enough)"


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
