"""Files of a cache that several processes may write to side by side, each one of its own."""

import hashlib
import os
from pathlib import Path

from gdrive_rag_mcp.evaluation.corpus_files import writing
from gdrive_rag_mcp.protocols import EmbedRole

KEY_BYTES = 16


def key_of(text: str, role: EmbedRole) -> bytes:
    """What a text is known by in a cache."""
    whole = f"{role}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(whole).digest()[:KEY_BYTES]


class OwnFile:
    """A file of this process in a folder; it is made when something is first written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path: Path | None = None

    def append(self, content: bytes) -> tuple[Path, int]:
        """Write to its end; returns the file, and where in it that begins.

        Raises:
            SettingsError: the folder cannot be written.
        """
        with writing(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            if self._path is None:
                number = len(list(self._folder.iterdir()))
                self._path = self._folder / f"{number:04}-{os.getpid()}.bin"
            with self._path.open("ab") as file:
                place = file.tell()
                file.write(content)
        return self._path, place
