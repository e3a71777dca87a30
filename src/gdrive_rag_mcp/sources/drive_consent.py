"""Asks a person for consent to read their Drive, and keeps it in the token file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EISDIR
from os import strerror
from pathlib import Path
from tempfile import TemporaryFile

from gdrive_rag_mcp.errors import GdriveRagError, SettingsError, SourceAuthError
from gdrive_rag_mcp.sources.drive_auth import Report, require_private_channel
from gdrive_rag_mcp.sources.drive_credential_files import is_absent
from gdrive_rag_mcp.sources.drive_failures import one_line
from gdrive_rag_mcp.sources.drive_grant import token_for
from gdrive_rag_mcp.sources.drive_oauth_client import new_secret, read_client
from gdrive_rag_mcp.sources.drive_receiver import Answer, Receiver
from gdrive_rag_mcp.sources.drive_token_file import (
    AGAIN,
    UserToken,
    read_token,
    require_no_other_kind,
    write_token,
)

_GOOGLE = "https://www.googleapis.com"


@dataclass(frozen=True, slots=True)
class Asking:
    """How a person is asked: what shows them the address, and how long they have.

    `show` answers whether a browser was opened; where none was, the redirect address may be pasted
    into the descriptor `pasted`.
    """

    show: Callable[[str], bool]
    report: Report
    seconds: float = 300.0
    port: int = 0
    pasted: int | None = None


@dataclass(frozen=True, slots=True)
class Consent:
    """Who agreed, to what, and where that is kept; an account is empty where Drive did not say.

    `replaced` is another account whose consent was kept there before.
    """

    account: str
    scopes: tuple[str, ...]
    token_file: Path
    replaced: str | None = None


def ask_for_consent(
    client_file: Path, token_file: Path, asking: Asking, *, endpoint: str | None = None
) -> Consent:
    """Ask, wait for the answer, turn it into tokens and keep them.

    Raises:
        SourceAuthError: consent was not given, or not for what is needed; an earlier one stays.
        SourceUnavailableError: nobody answered in time, or Google cannot be reached.
        SettingsError: the client cannot be used, or the token file not be written.
    """
    client = read_client(client_file)
    api = endpoint or _GOOGLE
    require_private_channel(api, "GDRIVE_RAG_DRIVE_ENDPOINT")
    _require_writable(token_file)
    state, verifier = new_secret(), new_secret()
    receiver = Receiver(client.redirect(asking.port), state)
    with receiver.listening():
        opened = asking.show(client.authorization_url(receiver.address, state, verifier))
        answer = receiver.wait(asking.seconds, None if opened else asking.pasted, asking.report)
    code = _code(answer, asking.seconds, opened=opened)
    token = token_for(client, code, receiver.address, verifier, api, asking.report)
    replaced = _account_before(token_file, token)
    with _writing(token_file):
        write_token(token_file, token)
    return Consent(token.account, token.scopes, token_file, replaced)


@contextmanager
def _writing(token_file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SettingsError(
            f"the token file {token_file} cannot be written: {error.strerror or error}",
            hint="name another place in GOOGLE_OAUTH_TOKEN_FILE, or correct the permissions",
        ) from None


def _require_writable(token_file: Path) -> None:
    """Make the folder, before anybody is asked for a consent that could not be kept."""
    with _writing(token_file):
        token_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if token_file.is_dir():
            raise IsADirectoryError(EISDIR, strerror(EISDIR))
        if not (is_absent(token_file) or token_file.is_file()):  # such as /dev/null
            raise OSError("it is no regular file")
        with TemporaryFile(dir=token_file.resolve().parent):
            pass
    require_no_other_kind(token_file)


def _account_before(token_file: Path, token: UserToken) -> str | None:
    """Whose consent the file holds, if it is another account's."""
    try:
        before = read_token(token_file)
    except GdriveRagError:  # none, or one that nobody could use
        return None
    return None if before.account == token.account else before.account


def _code(answer: Answer | None, seconds: float, *, opened: bool) -> str:
    if answer is None:
        raise SourceAuthError(
            f"no consent was given within {seconds:g} seconds", hint=_advice(opened=opened)
        )
    if answer.error == "access_denied":
        raise SourceAuthError("consent to read Drive was declined", hint=AGAIN)
    if answer.error:
        raise SourceAuthError(
            f"Google did not ask for consent: {one_line(answer.error)}", hint=AGAIN
        )
    return answer.code


def _advice(*, opened: bool) -> str:
    """What to do differently after nothing has arrived in time."""
    paste = "paste the address that the browser ends at, even if that page cannot be shown"
    how = f"with --no-browser, and {paste}" if opened else paste
    return (
        f"{AGAIN}, with a longer --timeout if need be; where the browser is on another machine, "
        f"{how}; an error of Google there, such as redirect_uri_mismatch, is about the OAuth "
        "client: use one of type Desktop app"
    )
