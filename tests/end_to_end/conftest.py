"""The program as its users start it: real processes, their output, their exit codes."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.end_to_end.program import PROGRAM, Ended, Run, finish


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `gdrive-rag-mcp` in an empty folder, words only unless a test asks for a model."""

    def start(*words: str | Path, environ: Mapping[str, str] | None = None) -> Ended:
        return finish([*PROGRAM, *map(str, words)], tmp_path, environ or {})

    return start


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A small folder with two documents in two folders."""
    folder = tmp_path / "documents"
    (folder / "HR").mkdir(parents=True)
    (folder / "HR" / "leave.md").write_text(
        "# Leave policy\n\n## Unpaid leave\n\nEmployees may take thirty days of unpaid leave.\n",
        encoding="utf-8",
    )
    (folder / "invoices.txt").write_text(
        "Invoices are paid within fourteen days of receipt.\n", encoding="utf-8"
    )
    return folder
