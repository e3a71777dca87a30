"""Whom Drive takes an identity for; asked without any folder, so that it can be told apart."""

from gdrive_rag_mcp.errors import SourceAuthError, SourceError, SourceUnavailableError
from gdrive_rag_mcp.sources.drive_api import DriveApi
from gdrive_rag_mcp.sources.drive_auth import Identity
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, Reach
from gdrive_rag_mcp.sources.drive_fields import part, text
from gdrive_rag_mcp.sources.drive_meanings import NO_SCOPE, meaning_of_token_error
from gdrive_rag_mcp.sources.drive_pacing import QUICK, Caller, Pacer, Patience
from gdrive_rag_mcp.sources.drive_reach import CHECK_NETWORK, why_unreachable
from gdrive_rag_mcp.sources.drive_transport import Transport

_LACKING_SCOPE = (NO_SCOPE, meaning_of_token_error("invalid_scope"))


def whoami(identity: Identity, *, endpoint: str | None = None, patience: Patience = QUICK) -> str:
    """The e-mail address, or else the name, that Drive knows an identity by.

    Raises:
        SettingsError: the endpoint is neither https nor this machine.
        SourceAuthError: the credentials were refused, or are not for reading.
        SourceUnavailableError: Google is not to be reached, or does not say.
    """
    caller = Caller(Pacer(0), patience)
    transport = Transport(identity.credentials, caller, endpoint=endpoint)
    try:
        user = part(DriveApi(transport).account(), "user")
    except DriveCallError as error:
        raise failure_of(error, identity) from error
    finally:
        transport.close()
    return text(user, "emailAddress") or text(user, "displayName") or identity.name


def failure_of(error: DriveCallError, identity: Identity) -> SourceError:
    """What a failed question about an identity means to whoever has to see to it."""
    if error.meaning.reach is Reach.CREDENTIALS:
        lacking = identity.scope_remedy if error.meaning in _LACKING_SCOPE else ""
        return SourceAuthError(
            f"Drive refuses {identity.name}: {error.message}",
            hint=lacking or error.meaning.hint or identity.remedy,
        )
    if why := why_unreachable(error.__cause__):
        return SourceUnavailableError(
            f"Google cannot be reached from here: {why}", hint=CHECK_NETWORK
        )
    return SourceUnavailableError(
        f"Drive does not say who {identity.name} is: {error.message}",
        hint=error.meaning.hint or "try again later",
    )
