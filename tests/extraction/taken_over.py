"""A sandbox in which a parser has been taken over: it runs whatever stands in the file.

The libraries for PDF and for Office files from before 2007 are replaced on the module path of the
process that reads, so that all that is held back there is held back for real.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.isolation.limits import Limits
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.extraction.options import Options

_PDFIUM = """
class PdfiumError(RuntimeError):
    err_code = 0

class Anything:
    def __getattr__(self, name):
        return 0

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything()

class PdfDocument:
    def __init__(self, data):
        said = {}
        exec(data.partition(b"\\n")[2].decode(), said)
        raise ZeroDivisionError(str(said.get("said", "done")))
"""
_OLEFILE = """
class OleFileIO:
    def __init__(self, stream):
        said = {}
        exec(stream.read().partition(b"\\n")[2].decode(), said)
        raise ZeroDivisionError(str(said.get("said", "done")))
"""
_LIBRARIES = {"pypdfium2.py": _PDFIUM, "olefile.py": _OLEFILE}
_HEADS = {
    "application/pdf": b"%PDF-1.7 taken over\n",
    "application/msword": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 taken over\n",
}


@contextlib.contextmanager
def sandbox_taken_over(
    folder: Path, limits: Limits | None = None, options: Options | None = None, *, fork: bool = True
) -> Iterator[Sandbox]:
    """Such a sandbox; `folder` gets the libraries."""
    library = folder / "taken-over"
    library.mkdir(exist_ok=True)
    for name, source in _LIBRARIES.items():
        (library / name).write_text(source, encoding="utf-8")
    with pytest.MonkeyPatch.context() as environment:
        path = os.pathsep.join([str(library), os.environ.get("PYTHONPATH", "")])
        environment.setenv("PYTHONPATH", path)
        with Sandbox(limits, options, fork=fork) as sandbox:
            yield sandbox


def write(code: str, path: Path, mime_type: str = "application/pdf") -> None:
    """Make a file that has code run when it is read."""
    path.write_bytes(_HEADS[mime_type] + code.encode())


def what_came_of(
    code: str, sandbox: Sandbox, path: Path, mime_type: str = "application/pdf"
) -> ExtractionError:
    """Have code run as a file is read; what it assigns to `said`, or raises, is in the message."""
    write(code, path, mime_type)
    with pytest.raises(ExtractionError) as refusal:
        sandbox.extract(path, mime_type)
    return refusal.value
