"""A file to read, on disk or in memory, as a mail's attachments are."""

import io
from pathlib import Path
from typing import BinaryIO

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.options import Options

MAX_DEPTH = 5


class InputFile:
    """Bytes, and how to read them; `depth` counts the files that it lies within."""

    def __init__(
        self, content: Path | bytes, options: Options | None = None, *, depth: int = 0
    ) -> None:
        self._content = content
        self.options = options or Options()
        self.depth = depth

    @property
    def size(self) -> int:
        """Bytes."""
        if isinstance(self._content, bytes):
            return len(self._content)
        return self._content.stat().st_size

    def open(self) -> BinaryIO:
        """Open it for reading, at its start."""
        if isinstance(self._content, bytes):
            return io.BytesIO(self._content)
        return self._content.open("rb")

    def read(self) -> bytes:
        """All of it."""
        if isinstance(self._content, bytes):
            return self._content
        return self._content.read_bytes()

    def head(self, length: int) -> bytes:
        """The first bytes, at most `length`."""
        with self.open() as file:
            return file.read(length)

    def inside(self, content: bytes) -> "InputFile":
        """What lay within this file, to be read in the same way.

        Raises:
            ExtractionError: it lies within too many others (`resource_limit`).
        """
        if self.depth >= MAX_DEPTH:
            raise ExtractionError(
                Reason.RESOURCE_LIMIT,
                f"The file lies within {MAX_DEPTH} others, and is not looked into",
            )
        return InputFile(content, self.options, depth=self.depth + 1)
