"""Every knob, once: its name, type, bound, default and meaning.

Arguments win over environment variables, those over the config file, that over the defaults.
MCP clients clear the environment, so everything but secrets works from the config file alone.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from gdrive_rag_mcp.errors import SettingsError

PREFIX = "GDRIVE_RAG_"
_UNPREFIXED = (
    "gdrive_folder_id",
    "gdrive_shared_drive_id",
    "google_service_account_file",
    "google_oauth_client_file",
    "google_oauth_token_file",
)
_PATHS = (
    "db_path",
    "embed_model_path",
    "google_service_account_file",
    "google_oauth_client_file",
    "google_oauth_token_file",
)
# Names that belong to parts of the product this version does not have yet, and to Compose: they
# are let through, so that one environment file can serve every version; `doctor` lists them.
NOT_USED_YET = frozenset(
    PREFIX + name
    for name in (
        "ANSWER_PROVIDER ANSWER_MODEL ANSWER_BASE_URL ANSWER_API_KEY_ENV ANSWER_TOKEN_BUDGET "
        "ANSWER_MAX_REWRITES BEARER_TOKEN BEARER_TOKEN_FILE HOST PORT ALLOWED_HOSTS EXTRAS"
    ).split()
)


class Settings(BaseModel):
    """All settings, checked; secrets are not among them, only the names of their variables."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    source: str = Field("drive", description="`drive`, or `folder:/path` for a local folder.")
    gdrive_folder_id: str | None = Field(None, description="The Drive folder to index.")
    gdrive_shared_drive_id: str | None = Field(None, description="The shared drive to index.")
    google_service_account_file: Path | None = Field(
        None, description="The JSON key of a service account that may read the folder."
    )
    google_oauth_client_file: Path | None = Field(None, description="The JSON of an OAuth client.")
    google_oauth_token_file: Path | None = Field(None, description="Where the OAuth token is kept.")
    drive_qps: float = Field(10.0, gt=0, le=1000, description="Drive calls a second, at most.")
    drive_endpoint: str | None = Field(None, description="Root URL of another Drive API (tests).")

    db_path: Path | None = Field(None, description="The index file; wins over the profile.")
    index_profile: str = Field(
        "default",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        description="`default` is data/index.db, any other NAME is data/index-NAME.db.",
    )

    embed_provider: Literal["embedded", "openai-compatible", "none"] | None = Field(
        None, description="Unset: the one the index was made with; for a new index `embedded`."
    )
    embed_model: str | None = Field(None, description="The model's name at the provider.")
    embed_model_path: Path | None = Field(
        None, description="A folder with onnx/model.onnx and tokenizer.json, for `embedded`."
    )
    embed_dimensions: int | None = Field(None, ge=1, le=16384, description="Length of a vector.")
    embed_base_url: str | None = Field(
        None, description="Where `/embeddings` is, for `openai-compatible`."
    )
    embed_api_key_env: str | None = Field(
        None, description="The *name* of the variable that holds the provider's key."
    )
    embed_batch_size: int = Field(16, ge=1, le=2048, description="Texts a call, at most.")
    embed_timeout_seconds: float = Field(60.0, gt=0, le=3600, description="For one call.")
    embed_send_dimensions: bool = Field(
        False, description="Ask an OpenAI-compatible server for `dimensions`."
    )
    embed_device: str = Field("cpu", description="For providers that run a model here.")

    chunk_size: int = Field(300, ge=50, le=2000, description="Estimated tokens a chunk, at most.")
    chunk_overlap: int = Field(40, ge=0, le=500, description="Estimated tokens chunks share.")

    retrieval_mode: Literal["hybrid", "keyword", "vector"] = Field(
        "hybrid", description="Which retrievers take part."
    )
    evidence_threshold: float | None = Field(
        None, ge=0, le=1, description="Confidence from which evidence is sufficient."
    )

    @field_validator("source")
    @classmethod
    def _source_is_known(cls, value: str) -> str:
        if value == "drive" or (value.startswith("folder:") and len(value) > len("folder:")):
            return value
        msg = "must be `drive` or `folder:/path`"
        raise ValueError(msg)

    @field_validator("embed_base_url", "drive_endpoint")
    @classmethod
    def _url_is_plain(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if not value.startswith(("http://", "https://")):
            msg = "must start with http:// or https://"
            raise ValueError(msg)
        if "@" in value.split("://", 1)[1].split("/", 1)[0]:
            msg = "must not carry credentials; put the key in a variable and name it"
            raise ValueError(msg)
        return value.rstrip("/")

    @property
    def index_path(self) -> Path:
        """The absolute path of the index file."""
        if self.db_path is not None:
            return self.db_path.expanduser().absolute()
        name = "index.db" if self.index_profile == "default" else f"index-{self.index_profile}.db"
        return (Path("data") / name).absolute()


def environment_name(field: str) -> str:
    """The environment variable of a setting."""
    return field.upper() if field in _UNPREFIXED else PREFIX + field.upper()


def default_config_file(environ: Mapping[str, str]) -> Path:
    """Where the config file is looked for when none is named."""
    home = environ.get("HOME") or str(Path.home())
    return Path(home) / ".config" / "gdrive-rag-mcp" / "config.toml"


def load_settings(
    arguments: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    config_file: Path | None = None,
) -> Settings:
    """Merge all sources of settings and check them.

    Raises:
        SettingsError: names the setting, where its value came from, and the remedy.
    """
    given = {name: value for name, value in (arguments or {}).items() if value is not None}
    merged = {**_from_file(config_file, environ), **_from_environment(environ), **given}
    try:
        return Settings(**merged)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0]) if first["loc"] else "settings"
        problem = str(first["msg"]).removeprefix("Value error, ")
        raise SettingsError(
            f"{environment_name(field)}: {problem}",
            hint=f"it means: {Settings.model_fields[field].description}"
            if field in Settings.model_fields
            else "see docs/settings.md",
        ) from None


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    known = {environment_name(field): field for field in Settings.model_fields}
    for name in environ:
        if name.startswith(PREFIX) and name not in known and name not in NOT_USED_YET:
            raise SettingsError(
                f"{name} is not a setting", hint="see docs/settings.md for the names there are"
            )
    return {field: environ[name] for name, field in known.items() if environ.get(name)}


def _from_file(config_file: Path | None, environ: Mapping[str, str]) -> dict[str, Any]:
    path = config_file or default_config_file(environ)
    if config_file is None and not path.is_file():
        return {}
    path = path.expanduser().absolute()
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(
            f"the config file {path} cannot be read: {error.strerror}",
            hint="check the path given with --config",
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"the config file {path} is not TOML: {error}", hint="correct that line"
        ) from None
    for name in values:
        if name not in Settings.model_fields:
            raise SettingsError(
                f"{name} in {path} is not a setting",
                hint="see docs/settings.md for the names there are",
            )
    for name in _PATHS:
        if isinstance(values.get(name), str):
            values[name] = path.parent / Path(values[name]).expanduser()
    source = values.get("source")
    if isinstance(source, str) and source.startswith("folder:"):
        folder = Path(source.removeprefix("folder:")).expanduser()
        values["source"] = f"folder:{path.parent / folder}"
    return values


def secret(variable: str | None, environ: Mapping[str, str] = os.environ) -> str | None:
    """The value of the variable a setting names, or of the file that `<NAME>_FILE` points to.

    Raises:
        SettingsError: `<NAME>_FILE` points to a file that cannot be read.
    """
    if not variable:
        return None
    if environ.get(variable):
        return environ[variable]
    file = environ.get(f"{variable}_FILE")
    if not file:
        return None
    try:
        return Path(file).expanduser().read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SettingsError(
            f"{variable}_FILE points to {file}, which cannot be read: {error.strerror}",
            hint="correct the path or the file's permissions",
        ) from None
