"""Settings for one command: what its options, the environment and the config file add up to."""

import os
from collections.abc import Mapping
from pathlib import Path

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.settings import Settings, load_settings


def command_settings(
    *,
    config: Path | None,
    env_file: Path | None,
    db: Path | None,
    profile: str | None,
    source: str | None,
) -> Settings:
    """Read the settings; a variable that is set wins over the same one in `env_file`.

    Raises:
        SettingsError: names the setting and the remedy.
    """
    if env_file is not None:
        os.environ.update(
            {name: value for name, value in _read(env_file).items() if name not in os.environ}
        )
    arguments = {"db_path": db, "index_profile": profile, "source": source}
    return load_settings(arguments, config_file=config)


def _read(env_file: Path) -> Mapping[str, str]:
    from dotenv import dotenv_values

    if not env_file.is_file():
        raise SettingsError(
            f"the environment file {env_file.absolute()} is not there",
            hint="check the path given with --env-file",
        )
    values = dotenv_values(env_file, interpolate=False, encoding="utf-8")
    return {name: value for name, value in values.items() if value is not None}
