"""Application-default credentials: what the machine, or `gcloud`, has for every program.

They are looked for in files and in the firmware's name of the machine. google-auth's own search is
not used: it starts `gcloud`, asks the network what project it is in, and off Google's cloud waits
seconds for a metadata server that is not there.
Source: https://google.aip.dev/auth/4110
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.auth.exceptions import GoogleAuthError

from gdrive_rag_mcp.errors import SourceAuthError
from gdrive_rag_mcp.sources.drive_auth import (
    READ_ONLY,
    SCOPES,
    Identity,
    Report,
    require_private_channel,
)
from gdrive_rag_mcp.sources.drive_credential_files import (
    is_absent,
    read_object,
    require_texts,
    type_of_file,
    warn_of_others,
)
from gdrive_rag_mcp.sources.drive_fields import text
from gdrive_rag_mcp.sources.drive_named_files import named_file
from gdrive_rag_mcp.sources.drive_service_account import identity_of_key
from gdrive_rag_mcp.sources.drive_token_answers import JudgedCredentials
from gdrive_rag_mcp.sources.drive_token_file import GOOGLE_TOKEN_URI

VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"
_PRODUCT_NAME = Path("/sys/class/dmi/id/product_name")
_METADATA_HOST = "GCE_METADATA_HOST"
_AWS = "urn:ietf:params:aws:token-type:aws4_request"
# Where tokens and secrets are sent. `credential_source.url` is not among them: it is read from,
# and metadata servers of other clouds have no https.
_ENDPOINTS = frozenset(
    {
        "token_uri",
        "token_url",
        "token_info_url",
        "revoke_url",
        "service_account_impersonation_url",
    }
)
# gcloud insists on cloud-platform; this program asks for drive.readonly alone all the same.
_LOGIN = (
    "gcloud auth application-default login --client-id-file=OAUTH_CLIENT.json "
    f"--scopes=https://www.googleapis.com/auth/cloud-platform,{READ_ONLY}"
)
_HINT = f"make the file again, or take {VARIABLE} away to use another way to sign in"
_UNUSABLE = (ValueError, TypeError, LookupError, AttributeError, GoogleAuthError)
_Load = Callable[[dict[str, Any], Path], Identity]


def load_application_default(
    environ: Mapping[str, str],
    product_name: Path = _PRODUCT_NAME,
    report: Report = lambda _: None,
) -> Identity | None:
    """What there is, or None; a file that is not its owner's alone is reported.

    Nothing is sent anywhere.

    Raises:
        SourceAuthError: a file is named, or lies where `gcloud` puts it, and cannot be used.
        SettingsError: an endpoint in it is not encrypted, or a secret is set in place of a file.
    """
    path = _file(environ)
    if path is not None:
        return _paid_by(environ.get("GOOGLE_CLOUD_QUOTA_PROJECT", ""), _from_file(path, report))
    if _on_googles_cloud(environ, product_name):
        return _of_machine()
    return None


def _file(environ: Mapping[str, str]) -> Path | None:
    if named := environ.get(VARIABLE):
        return named_file(VARIABLE, named)
    for folder in _gcloud_folders(environ):
        path = folder / "application_default_credentials.json"
        if not is_absent(path):
            return path
    return None


def _gcloud_folders(environ: Mapping[str, str]) -> Iterator[Path]:
    if configured := environ.get("CLOUDSDK_CONFIG"):
        yield Path(configured)
        return
    try:
        yield Path(environ.get("HOME") or Path.home()) / ".config" / "gcloud"
    except RuntimeError:  # a user without a home
        return


def _on_googles_cloud(environ: Mapping[str, str], product_name: Path) -> bool:
    if environ.get(_METADATA_HOST):
        return True
    try:
        return product_name.read_text(encoding="utf-8").strip().startswith("Google")
    except (OSError, ValueError):
        return False


def _from_file(path: Path, report: Report) -> Identity:
    info = read_object(path, role="credentials file", hint=_HINT)
    warn_of_others(path, "credentials file", report)
    kind = text(info, "type") or ""
    if kind not in _LOADERS:
        raise SourceAuthError(
            f"{path} is a file {type_of_file(info)}; application-default credentials are of type "
            f"{', '.join(sorted(_LOADERS))}",
            hint=_HINT,
        )
    for name, url in _endpoints(info):
        require_private_channel(url, f"{name} in {path}")
    try:
        return _LOADERS[kind](info, path)
    except _UNUSABLE:  # the library's message may quote the file
        raise SourceAuthError(
            f"{path} says it is of type {kind}, and cannot be used as that", hint=_HINT
        ) from None


def _endpoints(info: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every address that a token or a secret is sent to, nested credentials included."""
    for name, value in info.items():
        if isinstance(value, dict):
            yield from _endpoints(value)
        elif name in _ENDPOINTS and isinstance(value, str):
            yield name, value


def _authorized_user(info: dict[str, Any], path: Path) -> Identity:
    from google.oauth2.credentials import Credentials

    needed = ("client_id", "client_secret", "refresh_token")
    require_texts(info, needed, f"the credentials file {path}", f"run `{_LOGIN}`")
    credentials = _untyped(Credentials)(
        None,
        refresh_token=info["refresh_token"],
        token_uri=text(info, "token_uri") or GOOGLE_TOKEN_URI,
        client_id=info["client_id"],
        client_secret=info["client_secret"],
        scopes=list(SCOPES),
        quota_project_id=text(info, "quota_project_id"),
    )
    name = text(info, "account") or f"the Google account of {path}"
    return _identity(
        credentials,
        name,
        f"let gcloud ask for reading Drive too: `{_LOGIN}`, with the file of an OAuth client of "
        "your own, since Google blocks gcloud's for Drive",
        scope_remedy=f"let gcloud ask for reading Drive too: `{_LOGIN}`, and tick its box",
    )


def _service_account(info: dict[str, Any], path: Path) -> Identity:
    return identity_of_key(info, path, "application_default")


def _external_account(info: dict[str, Any], path: Path) -> Identity:
    credentials = _external(info)
    name = credentials.service_account_email or f"the workload of {path}"
    return _identity(
        credentials,
        name,
        f"share the folder with {name}; a workload without a Google service account cannot be "
        "shared with, so let the pool impersonate one",
    )


def _external(info: dict[str, Any]) -> Any:  # noqa: ANN401 - google-auth has one class a kind
    source = info.get("credential_source")
    if info.get("subject_token_type") == _AWS:
        from google.auth import aws

        return _untyped(aws.Credentials).from_info(info, scopes=list(SCOPES))
    if isinstance(source, dict) and "executable" in source:
        from google.auth import pluggable

        return _untyped(pluggable.Credentials).from_info(info, scopes=list(SCOPES))
    from google.auth import identity_pool

    return _untyped(identity_pool.Credentials).from_info(info, scopes=list(SCOPES))


def _external_user(info: dict[str, Any], path: Path) -> Identity:
    from google.auth import external_account_authorized_user as external

    credentials = _untyped(external.Credentials).from_info({**info, "scopes": list(SCOPES)})
    return _identity(
        credentials,
        f"the federated user of {path}",
        "Drive has no federated users: use a service account, or let the pool impersonate one",
    )


def _impersonated(info: dict[str, Any], _: Path) -> Identity:
    from google.auth import impersonated_credentials

    made = _untyped(impersonated_credentials.Credentials)
    credentials = made.from_impersonated_service_account_info(info, scopes=list(SCOPES))
    email = credentials.service_account_email
    return _identity(
        credentials,
        email,
        f"share the folder with {email} (viewer is enough); if the token is refused, see that the "
        "account it comes from still has roles/iam.serviceAccountTokenCreator on it",
    )


def _of_machine() -> Identity:
    from google.auth import compute_engine

    return _identity(
        _untyped(compute_engine.Credentials)(scopes=list(SCOPES)),
        "the service account of this machine",
        "share the folder with the service account of this machine, and give the machine the "
        f"access scope {READ_ONLY}",
        scope_remedy=f"give the machine the access scope {READ_ONLY}",
    )


def _paid_by(project: str, identity: Identity) -> Identity:
    """The identity, with calls on the account of another project than the file names."""
    if not project:
        return identity
    credentials = identity.credentials.with_quota_project(project)
    return replace(identity, credentials=JudgedCredentials(credentials))


def _untyped(kind: Any) -> Any:  # noqa: ANN401 - google-auth's classes are only half annotated
    return kind


def _identity(
    credentials: Any,  # noqa: ANN401 - see above
    name: str,
    remedy: str,
    scope_remedy: str = "",
) -> Identity:
    judged = JudgedCredentials(credentials)
    return Identity(judged, name, "application_default", SCOPES, remedy, scope_remedy)


_LOADERS: Mapping[str, _Load] = {
    "authorized_user": _authorized_user,
    "service_account": _service_account,
    "external_account": _external_account,
    "external_account_authorized_user": _external_user,
    "impersonated_service_account": _impersonated,
}
