"""Credentials of a person, from the token file; what Google renews goes back into it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

from google.auth.credentials import Credentials
from google.oauth2 import credentials as google_user

from gdrive_rag_mcp.errors import GdriveRagError
from gdrive_rag_mcp.sources.drive_auth import SCOPES, Identity, Report
from gdrive_rag_mcp.sources.drive_token_answers import JudgingRequest
from gdrive_rag_mcp.sources.drive_token_file import (
    AGAIN,
    TICK_THE_BOX,
    UserToken,
    one_at_a_time,
    read_token,
    write_token,
)

_WORTH_TAKING_OVER = timedelta(minutes=5)
_REMEDY = (
    f"{AGAIN}: Google ends a consent after 7 days while the app's consent screen is in "
    "Testing (publish it, or make it Internal), after 6 months without use, and when the user "
    "takes it back or is removed"
)


def load_user(path: Path, report: Report) -> Identity:
    """Read a token file; nothing is sent anywhere.

    Raises:
        SourceAuthError: the file is not there, damaged, or of another kind.
        SettingsError: its token endpoint is not encrypted.
    """
    token = read_token(path, report)
    return Identity(
        UserCredentials(path, token, report),
        token.account or f"the Google account of {path}",
        "user",
        SCOPES,
        _REMEDY,
        TICK_THE_BOX,
    )


class UserCredentials(Credentials):
    """A person's access token, kept in step with the file, other threads and other processes.

    Where the refresh token rotates, only one may renew at a time: the others would be refused.
    """

    def __init__(self, path: Path, token: UserToken, report: Report) -> None:
        base: Any = super()  # it is not annotated
        base.__init__()
        self._path = path
        self._report = report
        self._lock = Lock()
        self._take(token)
        self._in_file = token

    def refresh(self, request: Any) -> None:  # noqa: ANN401 - google-auth's transport
        """Renew the token, unless another thread just did.

        Raises:
            GoogleAuthError: as google-auth does; who makes the call translates it.
        """
        seen = self.token
        with self._lock, one_at_a_time(self._path):
            if self.token is seen:
                self._renew(request)

    def _take(self, token: UserToken) -> None:
        self._token = token
        # The end first: who sees the new token must not judge it by the old one's end.
        self.expiry = token.ends and token.ends.replace(tzinfo=None)
        self.token = token.access_token

    def _renew(self, request: Any) -> None:  # noqa: ANN401 - see above
        """Take over what another process renewed meanwhile, else renew and save.

        Only over this very consent is anything written: the file may meanwhile hold another
        person's, or have been deleted on purpose.
        """
        saved = self._saved()
        if saved is not None and saved != self._in_file:
            self._in_file = saved
            if _lasts(saved):
                self._take(saved)
                return
            self._token = saved
        renewed = _renewed(self._token, request)
        rotated = renewed.refresh_token != self._token.refresh_token
        self._take(renewed)
        if saved is not None:
            self._save(renewed, rotated=rotated)

    def _saved(self) -> UserToken | None:
        """What the file holds now, if it is of the same consent."""
        try:
            saved = read_token(self._path)
        except GdriveRagError:
            return None
        return saved if saved.same_consent(self._token) else None

    def _save(self, renewed: UserToken, *, rotated: bool) -> None:
        try:
            write_token(self._path, renewed)
        except OSError as error:
            # A read-only file does no harm, unless what it holds is worthless from now on.
            if rotated:
                self._report(
                    f"Google renewed the consent, which cannot be saved in {self._path} "
                    f"({error.strerror}): the next run will need `gdrive-rag-mcp auth-google`"
                )
        else:
            self._in_file = renewed


def _lasts(token: UserToken) -> bool:
    return token.ends is not None and token.ends > datetime.now(UTC) + _WORTH_TAKING_OVER


def _renewed(token: UserToken, request: Any) -> UserToken:  # noqa: ANN401 - google-auth's transport
    """Ask the token endpoint, by google-auth, which keeps times in UTC without a zone."""
    made: Any = google_user.Credentials
    credentials = made(
        None,
        refresh_token=token.refresh_token,
        token_uri=token.token_uri,
        client_id=token.client_id,
        client_secret=token.client_secret,
        scopes=list(SCOPES),
    )
    credentials.refresh(JudgingRequest(request))
    ends = credentials.expiry
    return replace(
        token,
        refresh_token=credentials.refresh_token or token.refresh_token,
        access_token=credentials.token,
        ends=ends.replace(tzinfo=UTC, microsecond=0) if ends else None,
    )
