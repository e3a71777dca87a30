"""Reads small files before the first real one, in the process that forks for every file.

What readers load, compile and look up at first use is then shared by all forks, rather than made
anew in each: the statistics of the detector of encodings alone take 70 ms.
"""

import contextlib
from importlib import import_module

from gdrive_rag_mcp.extraction.formats import Format, reader_of
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.isolation.samples import samples
from gdrive_rag_mcp.extraction.isolation.wire import pack
from gdrive_rag_mcp.extraction.reading import read_file

# The first reading loads and compiles; Python adapts its code to what it sees in the next few.
_ROUNDS = 4


def warm_up() -> None:
    """Load every reader, and have the samples read; whatever fails is left to a real file."""
    for kind in Format:
        with contextlib.suppress(ImportError):  # the file that needs it will say what is missing
            reader_of(kind)
    with contextlib.suppress(ImportError):  # Windows has none
        import_module("resource")
    made = tuple(samples())
    for _ in range(_ROUNDS):
        for mime_type, content in made:
            # Parsers raise anything, a Rust panic included; none of it may stop this process.
            with contextlib.suppress(BaseException):
                pack(read_file(InputFile(content), mime_type))
