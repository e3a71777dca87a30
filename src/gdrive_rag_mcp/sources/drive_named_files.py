"""Tells a file that a setting names from a secret that somebody put there in its place.

Whatever is quoted of such a setting afterwards is a path.
"""

import os
import re
from pathlib import Path

from gdrive_rag_mcp.errors import SettingsError

# A path that has these is not let through even if there is such a file: an earlier run may have
# made it of a secret.
_SECRET = re.compile(
    r"(?<!\$)\{|[\r\n]"  # JSON, but no ${VARIABLE} that nobody has expanded; several lines
    r"|-----BEGIN|PRIVATE KEY"
    r"|\bGOCSPX-|\bya29\.|\beyJ[\w-]{20,}\.|(?:^|/)1/+0[\w-]{20,}"  # Google's secrets and tokens
)
# A file that is there may have a long name; `Path` has made one slash of two.
_BASE64 = re.compile(r"[A-Za-z0-9+/=_-]{200,}")
_LONGEST = 300


def named_file(setting: str, value: Path | str) -> Path:
    """The absolute path of the file that a setting names.

    Raises:
        SettingsError: it names none, but seems to hold what ought to be in the file; the value is
            not quoted.
    """
    if _is_secret(str(value)):
        raise SettingsError(
            f"{setting} holds what seems to be a secret itself, where the path of a file belongs",
            hint=f"write it to a file that only you can read (chmod 600), and set {setting}, or "
            f"{setting.lower()} in the config file, to that file's path; take the secret out of "
            "where it was set",
        )
    return Path(value).expanduser().absolute()


def _is_secret(value: str) -> bool:
    if _SECRET.search(value):
        return True
    if len(value) <= _LONGEST and not _BASE64.search(value):
        return False
    return not os.path.exists(value)  # noqa: PTH110 - `Path` raises where a name is too long
