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
        given = _read(env_file)
        os.environ.update(
            {name: value for name, value in given.items() if not os.environ.get(name)}
        )
    arguments = {"db_path": db, "index_profile": profile, "source": source}
    return load_settings(arguments, config_file=config)


def _read(env_file: Path) -> Mapping[str, str]:
    from dotenv.parser import parse_stream

    path = env_file.absolute()
    try:
        # Editors on Windows put a byte order mark first, which would be part of the first name.
        with path.open(encoding="utf-8-sig") as stream:
            lines = list(parse_stream(stream))
    except OSError as error:
        raise SettingsError(
            f"the environment file {path} cannot be read: {error.strerror}",
            hint="check the path given with --env-file and its permissions",
        ) from None
    except UnicodeDecodeError:
        raise SettingsError(
            f"the environment file {path} is not UTF-8 text", hint="save it as UTF-8"
        ) from None
    for line in lines:
        if line.error or "\0" in line.original.string:
            # The line itself may hold a secret.
            raise SettingsError(
                f"line {line.original.line} of the environment file {path} is not NAME=value",
                hint="correct that line, or put a # before it",
            )
    return {line.key: line.value for line in lines if line.key and line.value is not None}
