"""The file that keeps a Google account's consent: for its owner alone, and never half written."""

import fcntl
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError
from gdrive_rag_mcp.sources.drive_auth import (
    SCOPES,
    Report,
    require_private_channel,
)
from gdrive_rag_mcp.sources.drive_credential_files import (
    OTHERS,
    kind_of_file,
    read_object,
    refuse_kind,
    require_texts,
)
from gdrive_rag_mcp.sources.drive_fields import moment, text
from gdrive_rag_mcp.sources.drive_token_answers import is_usable

GOOGLE_TOKEN_URI = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
CONNECT = "run `gdrive-rag-mcp auth-google`"
AGAIN = f"{CONNECT} again"
TICK_THE_BOX = f"{AGAIN}, and tick the box for reading Drive on the page that asks for consent"
_NEEDED = ("client_id", "client_secret", "refresh_token")
_LOCK_SECONDS = 10.0
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class UserToken:
    """What a person's consent is made of; `ends` is when the access token does, in UTC."""

    client_id: str
    client_secret: str = field(repr=False)
    refresh_token: str = field(repr=False)
    token_uri: str = GOOGLE_TOKEN_URI
    scopes: tuple[str, ...] = SCOPES
    account: str = ""
    access_token: str | None = field(default=None, repr=False)
    ends: datetime | None = None

    def same_consent(self, other: "UserToken") -> bool:
        """Whether both are of one person, given to one client, whatever was renewed since."""
        return (self.client_id, self.account) == (other.client_id, other.account)


def default_token_file(environ: Mapping[str, str]) -> Path | None:
    """Where the token is kept when no place is set; None for a user without a home."""
    try:
        home = Path(environ.get("HOME") or Path.home())
    except RuntimeError:
        return None
    return home / ".config" / "gdrive-rag-mcp" / "google-token.json"


def read_token(path: Path, report: Report = lambda _: None) -> UserToken:
    """Read a token file; one that others may read is closed to them, or reported.

    Raises:
        SourceAuthError: it is not there, damaged, of another kind, or for too little.
        SettingsError: its token endpoint is not encrypted.
    """
    info = read_object(path, role="token file", hint=CONNECT)
    if _is_of_another_kind(info):
        raise refuse_kind(info, path, wanted="the token of a Google account", hint=CONNECT)
    what = f"the token file {path}"
    require_texts(info, _NEEDED, what, CONNECT)
    token_uri = text(info, "token_uri") or GOOGLE_TOKEN_URI
    require_private_channel(token_uri, f"token_uri in {path}")
    if not set(SCOPES) <= _scopes(info):
        raise SourceAuthError(f"{what} is not for reading Drive ({SCOPES[0]})", hint=TICK_THE_BOX)
    _close_to_others(path, report)
    ends = moment(info, "expiry")
    return UserToken(
        client_id=info["client_id"],
        client_secret=info["client_secret"],
        refresh_token=info["refresh_token"],
        token_uri=token_uri,
        account=text(info, "account") or "",
        # One whose end is not known would be taken to have none, one that cannot be sent to work.
        access_token=info["token"] if ends and is_usable(info.get("token")) else None,
        ends=ends,
    )


def require_no_other_kind(path: Path) -> None:
    """See that a new token would not take the place of something else; a damaged one may go.

    Raises:
        SettingsError: the file holds a key, or an OAuth client.
    """
    try:
        info = read_object(path, role="token file", hint=CONNECT)
    except SourceAuthError:
        return
    if _is_of_another_kind(info):
        raise SettingsError(
            f"{path} is {kind_of_file(info)}, which would be lost under a consent",
            hint="name another place in GOOGLE_OAUTH_TOKEN_FILE",
        )


def write_token(path: Path, token: UserToken) -> None:
    """Replace the file in one step: whoever reads it finds the old or the new, whole.

    The members are those of google-auth's `authorized_user` files.

    Raises:
        OSError: it cannot be written; what was there stays.
    """
    path = path.resolve()  # a link stays a link
    content = json.dumps(_members(token), indent=2) + "\n"
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # mode 0600
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Keep other processes from renewing the token in `path` meanwhile, as far as that goes.

    The folder itself is locked, so that nothing is left behind and a read-only one can be locked
    too. Where it cannot be, or another process sticks to it, work goes on without.
    """
    try:
        descriptor = os.open(path.resolve().parent, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        _wait_for_lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int) -> None:
    deadline = time.monotonic() + _LOCK_SECONDS
    while time.monotonic() < deadline:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_POLL_SECONDS)
        except OSError:  # a file system without locks
            return
        else:
            return


def _members(token: UserToken) -> dict[str, Any]:
    members: dict[str, Any] = {
        "type": "authorized_user",
        "account": token.account,
        "scopes": list(token.scopes),
        "client_id": token.client_id,
        "client_secret": token.client_secret,
        "refresh_token": token.refresh_token,
        "token_uri": token.token_uri,
    }
    if token.access_token and token.ends:
        ends = token.ends.astimezone(UTC).replace(tzinfo=None, microsecond=0)
        members |= {"token": token.access_token, "expiry": f"{ends.isoformat()}Z"}
    return members


def _is_of_another_kind(info: Mapping[str, Any]) -> bool:
    return info.get("type", "authorized_user") != "authorized_user" or not {
        "installed",
        "web",
    }.isdisjoint(info)


def _scopes(info: Mapping[str, Any]) -> set[str]:
    """What the consent is for; ours where nothing is said of it, which other programs may do."""
    scopes = info.get("scopes")
    if scopes is None:
        return set(SCOPES)
    if isinstance(scopes, str):
        return set(scopes.split())
    return {one for one in scopes if isinstance(one, str)} if isinstance(scopes, list) else set()


def _close_to_others(path: Path, report: Report) -> None:
    """Take everybody else's rights away; in a container's mount that may not be possible."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if not mode & OTHERS:
            return
        path.chmod(mode & ~OTHERS)
    except OSError:
        report(
            f"the token file {path} can be read by others, and its permissions cannot be changed"
        )
    else:
        report(f"the token file {path} could be read by others; it is now for its owner alone")


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where folders can be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
