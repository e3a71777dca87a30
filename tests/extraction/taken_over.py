"""A sandbox whose PDF library has been taken over: it runs whatever stands in the file.

The library is replaced on the module path of the process that reads, so that all that is held back
there is held back for real.
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

_LIBRARY = """
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


@contextlib.contextmanager
def sandbox_taken_over(
    folder: Path, limits: Limits | None = None, options: Options | None = None, *, fork: bool = True
) -> Iterator[Sandbox]:
    """Such a sandbox; `folder` gets the library."""
    library = folder / "taken-over"
    library.mkdir(exist_ok=True)
    (library / "pypdfium2.py").write_text(_LIBRARY, encoding="utf-8")
    with pytest.MonkeyPatch.context() as environment:
        path = os.pathsep.join([str(library), os.environ.get("PYTHONPATH", "")])
        environment.setenv("PYTHONPATH", path)
        with Sandbox(limits, options, fork=fork) as sandbox:
            yield sandbox


def what_came_of(code: str, sandbox: Sandbox, path: Path) -> ExtractionError:
    """Have code run as a file is read; what it assigns to `said`, or raises, is in the message."""
    path.write_bytes(b"%PDF-1.7 taken over\n" + code.encode())
    with pytest.raises(ExtractionError) as refusal:
        sandbox.extract(path, "application/pdf")
    return refusal.value
