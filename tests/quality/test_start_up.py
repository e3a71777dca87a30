"""Starting quickly is a promise: what a command does not use, it does not import."""

import subprocess
import sys

import pytest

from gdrive_rag_mcp import __version__

HEAVY = {
    "apsw", "google", "googleapiclient", "httpx", "lxml", "mcp", "numpy", "onnxruntime",
    "pypdfium2", "python_calamine", "tokenizers",
}  # fmt: skip
_LIST_IMPORTED = """
import atexit, sys
atexit.register(lambda: print("imported:", *sorted(sys.modules)))
sys.argv = ["gdrive-rag-mcp", *sys.argv[1:]]
from gdrive_rag_mcp.__main__ import main
main()
"""


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_a_command_that_only_prints_imports_no_heavy_library(option: str) -> None:
    command = [sys.executable, "-c", _LIST_IMPORTED, option]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    [line] = [line for line in done.stdout.splitlines() if line.startswith("imported:")]
    assert "gdrive_rag_mcp.frontends.cli" in line.split()
    assert HEAVY & {name.partition(".")[0] for name in line.split()} == set()


def test_the_package_itself_offers_its_version_and_imports_nothing() -> None:
    program = (
        "import sys; before = set(sys.modules); import gdrive_rag_mcp as package;"
        "print(*[name for name in vars(package) if not name.startswith('_')], package.__version__);"
        "print(len(set(sys.modules) - before))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True)

    assert done.stdout.split() == [__version__, "1"]
