"""Merges the sources of settings, and says of what is wrong where it came from."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.settings.fields import PATHS, Settings, absolute
from gdrive_rag_mcp.settings.names import (
    FILE_ONLY,
    NOT_USED_YET,
    PREFIX,
    SECRETS,
    environment_name,
)
from gdrive_rag_mcp.settings.refusals import refusal


@dataclass(frozen=True, slots=True)
class _Given:
    """A value before it is checked, and what its owner has to correct if it is wrong."""

    value: Any
    place: str


def default_config_file(environ: Mapping[str, str]) -> Path | None:
    """Where the config file is looked for when none is named; None for a user without a home."""
    try:
        home = Path(environ.get("HOME") or Path.home())
    except RuntimeError:
        return None
    return home / ".config" / "gdrive-rag-mcp" / "config.toml"


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
    merged = _from_file(config_file, environ) | _from_environment(environ)
    for field, value in (arguments or {}).items():
        if value is not None:
            merged[field] = _Given(value, f"{environment_name(field)}, given with the command")
    try:
        settings = Settings(**{field: given.value for field, given in merged.items()})
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        place = merged[field].place if field in merged else environment_name(field)
        raise refusal(field, place, error) from None
    _refuse_unknown(environ, settings.embed_api_key_env)
    return settings


def _from_environment(environ: Mapping[str, str]) -> dict[str, _Given]:
    fields = (field for field in Settings.model_fields if field not in FILE_ONLY)
    names = {field: environment_name(field) for field in fields}
    return {
        field: _Given(environ[name], name) for field, name in names.items() if environ.get(name)
    }


def _refuse_unknown(environ: Mapping[str, str], key: str | None) -> None:
    """Refuse names that mean nothing; the variable of a key may be called as its owner likes."""
    of_file = {environment_name(field): field for field in FILE_ONLY}
    names = {*map(environment_name, Settings.model_fields), *NOT_USED_YET, *SECRETS}
    known = names - of_file.keys()
    for name in sorted(environ):
        if name.startswith(PREFIX) and environ[name] and name not in {*known, key, f"{key}_FILE"}:
            where = f"write {of_file[name]} into the config file" if name in of_file else None
            raise SettingsError(f"{name} is not a setting", hint=where or _nearest(name, known))


def _nearest(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    bare = {one.upper().removeprefix(PREFIX): one for one in sorted(known)}
    close = get_close_matches(name.upper().removeprefix(PREFIX), bare, n=1)
    if close:
        return f"did you mean {bare[close[0]]}?"
    return "see docs/settings.md for the names there are"


def _from_file(config_file: Path | None, environ: Mapping[str, str]) -> dict[str, _Given]:
    named = config_file or default_config_file(environ)
    if named is None:
        return {}
    try:
        path = absolute(named)
        # Editors on Windows put a byte order mark first, which TOML does not know.
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        if config_file is None and isinstance(error, FileNotFoundError | NotADirectoryError):
            return {}
        raise SettingsError(
            f"the config file {named.absolute()} cannot be read: {error.strerror}",
            hint="correct the path or its permissions, or name another file with --config",
        ) from None
    except ValueError as error:
        raise SettingsError(
            f"the config file {named.absolute()} is not TOML in UTF-8: {error}",
            hint="correct that line",
        ) from None
    for name in values:
        if name not in Settings.model_fields:
            raise SettingsError(
                f"{name} in {path} is not a setting", hint=_nearest(name, Settings.model_fields)
            )
    return {
        name: _Given(_beside(path, name, value), f"{name} in {path}")
        for name, value in values.items()
        if value != ""
    }


def _beside(config_file: Path, name: str, value: object) -> object:
    """The value, with a relative path taken from where the config file lies."""
    if not isinstance(value, str):
        return value
    kind, colon, path = value.partition(":") if name == "source" else ("", "", value)
    if (name in PATHS or kind == "folder") and path and not path.startswith("~"):
        return f"{kind}{colon}{config_file.parent / path}"
    return value
