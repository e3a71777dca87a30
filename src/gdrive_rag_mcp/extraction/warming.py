"""Reads small files before the first real one, in the process that forks for every file.

What readers load, compile and look up at first use is then shared by all forks, rather than made
anew in each: the statistics of the detector of encodings alone take 70 ms.
"""

import contextlib
from importlib import import_module

from gdrive_rag_mcp.extraction.formats import Format
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.reading import read_file
from gdrive_rag_mcp.extraction.samples import samples
from gdrive_rag_mcp.extraction.wire import pack

# The first reading loads and compiles; Python adapts its code to what it sees in the next few.
_ROUNDS = 4


def warm_up() -> None:
    """Load every reader, and have the samples read; whatever fails is left to a real file."""
    for module in ("resource", *(f"{__package__}.{kind.value}" for kind in Format)):
        with contextlib.suppress(ImportError):  # the file that needs it will say what is missing
            import_module(module)
    made = tuple(samples())
    for _ in range(_ROUNDS):
        for mime_type, content in made:
            # Parsers raise anything, a Rust panic included; none of it may stop this process.
            with contextlib.suppress(BaseException):
                pack(read_file(InputFile(content), mime_type))
