"""Secrets: never a setting, only in the variables that settings name, or in files."""

import os
from collections.abc import Mapping
from pathlib import Path

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.settings.fields import absolute


def secret(variable: str | None, environ: Mapping[str, str] = os.environ) -> str | None:
    """The value of the variable a setting names, or of the file that `<NAME>_FILE` points to.

    Raises:
        SettingsError: `<NAME>_FILE` points to a file that holds no secret or cannot be read.
    """
    if not variable:
        return None
    if value := environ.get(variable, "").strip():
        return value
    file = environ.get(f"{variable}_FILE")
    if not file:
        return None
    problem = "is empty"
    try:
        if value := absolute(Path(file)).read_text(encoding="utf-8").strip():
            return value
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except ValueError:
        problem = "is not UTF-8 text"
    raise SettingsError(
        f"{variable}_FILE points to {Path(file).absolute()}, which {problem}",
        hint="correct the path, the file or its permissions",
    )
