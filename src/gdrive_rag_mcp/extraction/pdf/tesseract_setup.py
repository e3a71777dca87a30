"""Finds what recognising text needs on this system, before the first page is read."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.extraction.options import Ocr

_SECONDS = 30
_DATA_FOLDER = re.compile(r'"(.+)"')
_UPRIGHT = "osd"


def find_ocr(languages: Sequence[str], *, program: str = "tesseract") -> Ocr:
    """The program and its data for these languages.

    Raises:
        SettingsError: the program, or the data of a language, is missing; says which, and how to
            install it.
    """
    found = shutil.which(program)
    if found is None:
        raise SettingsError(
            "pages are to be recognised, but there is no program tesseract on the PATH",
            hint=f"install it: apt install tesseract-ocr {' '.join(map(_package, languages))}, or "
            "unset GDRIVE_RAG_OCR_LANGUAGES",
        )
    folder, installed = _installed(found)
    missing = [language for language in languages if language not in installed]
    if missing:
        raise SettingsError(
            f"tesseract has no data for {', '.join(missing)} in {folder}",
            hint=f"install it: apt install {' '.join(map(_package, missing))}, or change "
            "GDRIVE_RAG_OCR_LANGUAGES",
        )
    return Ocr(os.path.abspath(found), folder, tuple(languages), upright=_UPRIGHT in installed)  # noqa: PTH100 - without links resolved


def _installed(program: str) -> tuple[str, set[str]]:
    """The folder of the program's data, and the languages in it."""
    try:
        listing = subprocess.run(
            [program, "--list-langs"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SettingsError(
            f"{program} cannot be run: {error}", hint="see that `tesseract --list-langs` works"
        ) from None
    lines = (listing.stdout or listing.stderr).splitlines()
    folder = _DATA_FOLDER.search(lines[0]) if lines else None
    if listing.returncode or not folder:
        raise SettingsError(
            f"{program} does not say where its data is", hint="install tesseract 5 or later"
        )
    return folder[1], {line.strip() for line in lines[1:]}


def _package(language: str) -> str:
    """The Debian package of a language: chi_sim is in tesseract-ocr-chi-sim."""
    return f"tesseract-ocr-{language.lower().replace('_', '-').rpartition('/')[2]}"
