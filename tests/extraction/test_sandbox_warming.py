"""What the process that forks has done before the first file, so that no fork does it anew."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gdrive_rag_mcp.extraction.formats import Format, format_of, reader_of
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.isolation import confinement, warming
from gdrive_rag_mcp.extraction.isolation.process import environment
from gdrive_rag_mcp.extraction.isolation.samples import samples
from gdrive_rag_mcp.extraction.reading import read_file
from tests.extraction.taken_over import sandbox_taken_over, what_came_of

# They are made of records that no few lines can write, and share most of their code with others.
NOT_AMONG_SAMPLES = {Format.WORD_97, Format.SHEET_BINARY, Format.SLIDES_97}
AFTER_WARMING = """
import sys
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.reading import read_file
from gdrive_rag_mcp.extraction.isolation.samples import samples
from gdrive_rag_mcp.extraction.isolation.warming import warm_up
warm_up()
loaded = set(sys.modules)
for mime_type, content in samples():
    read_file(InputFile(content), mime_type)
read_file(InputFile("Besprechung für Gäste: Räume, Getränke".encode("cp1252")), "text/plain")
print(len(loaded), sorted(set(sys.modules) - loaded))
"""

DETECT_OFTEN = """
import time
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.reading import read_file
text = "Besprechung für Gäste: Räume, Getränke und Fußböden".encode("cp1252")
def cost():
    started = time.process_time()
    read_file(InputFile(text), "text/plain")
    return time.process_time() - started
said = cost() - sum(cost() for _ in range(15))
"""
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.mark.parametrize(
    ("mime_type", "content"), list(samples()), ids=[mime_type for mime_type, _ in samples()]
)
def test_a_sample_is_read_without_loss_as_what_it_is(mime_type: str, content: bytes) -> None:
    document = read_file(InputFile(content), mime_type)

    assert document.text
    assert not document.failures


def test_all_formats_but_the_oldest_have_a_sample() -> None:
    sampled = {format_of(mime_type) for mime_type, _ in samples()}

    assert set(Format) - sampled == NOT_AMONG_SAMPLES


def test_after_warming_up_reading_has_nothing_left_to_load() -> None:
    said = subprocess.run(
        [sys.executable, "-P", "-c", AFTER_WARMING],
        env=environment(),
        capture_output=True,
        check=True,
        text=True,
    )

    assert said.stdout.endswith(" []\n")


@forks
def test_a_fork_finds_every_reader_and_what_it_needs_loaded(tmp_path: Path) -> None:
    """Asked from within a fork: what it has not loaded itself, its parent had before."""
    readers = sorted({reader_of(kind).__module__ for kind in Format})
    libraries = ["chardet", "lxml.etree", "python_calamine", "pypdf", "selectolax.lexbor"]
    code = f"import sys; said = [name for name in {readers + libraries} if name not in sys.modules]"

    with sandbox_taken_over(tmp_path) as sandbox:
        assert what_came_of(code, sandbox, tmp_path / "file").message.endswith(": []")


@forks
def test_a_fork_detects_its_first_encoding_without_making_the_detector(tmp_path: Path) -> None:
    """Making its statistics costs as much as using them forty times; clocks may tick by 10 ms."""
    with sandbox_taken_over(tmp_path) as sandbox:
        differences = [
            float(what_came_of(DETECT_OFTEN, sandbox, tmp_path / "file").message.split()[-1])
            for _ in range(3)
        ]

    assert min(differences) <= 0


def test_a_sample_that_cannot_be_read_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file makes a reader raise at will, so that the samples are replaced."""
    read: list[str] = []

    def failing_samples() -> list[tuple[str, bytes]]:
        return [("application/pdf", b"%PDF-1.7 broken"), ("image/x-unheard-of", b"")]

    def read_or_panic(file: InputFile, mime_type: str) -> None:
        read.append(mime_type)
        raise KeyboardInterrupt

    monkeypatch.setattr(warming, "samples", failing_samples)
    warming.warm_up()
    monkeypatch.setattr(warming, "read_file", read_or_panic)
    warming.warm_up()

    assert set(read) == {"application/pdf", "image/x-unheard-of"}


def test_folders_within_allowed_ones_are_not_named_again(tmp_path: Path) -> None:
    (tmp_path / "lib" / "python").mkdir(parents=True)
    (tmp_path / "lib-other").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "lib")
    names = ["lib/python", "lib", "linked", "lib-other", "missing", "lib"]

    kept = confinement._outermost([str(tmp_path / name) for name in names])

    real = os.path.realpath(tmp_path)
    assert kept == (f"{real}/lib", f"{real}/lib-other")
