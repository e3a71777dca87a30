"""Fills a folder of the fake Drive with a folder of this machine."""

import mimetypes
from collections import deque
from pathlib import Path

from gdrive_rag_mcp.testing.fake_drive.files import FakeFiles

# What the tables of an operating system may lack.
_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}


def seed(files: FakeFiles, folder: Path, parent: str | None = None) -> int:
    """Upload all files below a folder, links left out. Returns how many.

    Raises:
        OSError: something cannot be read.
    """
    uploaded = 0
    pending = deque([(folder, parent)])
    while pending:
        here, above = pending.popleft()
        for path in sorted(here.iterdir()):
            if path.is_symlink():
                continue
            if path.is_dir():
                pending.append((path, files.add_folder(path.name, above)))
            elif path.is_file():
                files.add_file(path.name, path.read_bytes(), above, mime_type=_type_of(path))
                uploaded += 1
    return uploaded


def _type_of(path: Path) -> str:
    known = _TYPES.get(path.suffix.lower())
    return known or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
