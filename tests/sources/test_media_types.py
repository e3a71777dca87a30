"""The types of local files, and of what Drive exports."""

import subprocess
import sys

import pytest

from gdrive_rag_mcp.sources.media_types import media_type_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.md", "text/markdown"),
        ("A.MARKDOWN", "text/markdown"),
        ("a.b.txt", "text/plain"),
        ("report.PDF", "application/pdf"),
        ("page.mhtml", "application/x-mimearchive"),
        ("old.PPS", "application/vnd.ms-powerpoint"),
        ("no extension", "application/octet-stream"),
        ("Makefile", "application/octet-stream"),
        ("trailing.", "application/octet-stream"),
        ("a.unheard-of", "application/octet-stream"),
        ("Plan.gdoc", "application/vnd.google-apps.shortcut"),
        ("Budget.gsheet", "application/vnd.google-apps.shortcut"),
    ],
)
def test_the_extension_tells_the_type_on_every_machine(name: str, expected: str) -> None:
    assert media_type_of(name) == expected


def test_a_local_folder_needs_no_google_library() -> None:
    program = (
        "import sys, gdrive_rag_mcp.sources.local, gdrive_rag_mcp.sources.media_types;"
        "print([name for name in sys.modules if name.split('.')[0] in"
        " ('google', 'googleapiclient', 'httplib2', 'cryptography')])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert ended.stdout.strip() == "[]"
