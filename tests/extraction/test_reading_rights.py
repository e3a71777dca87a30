"""What reading one file may cost and start: recognising pages takes more, and only a PDF has it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gdrive_rag_mcp.extraction.isolation.limits import Limits
from gdrive_rag_mcp.extraction.isolation.process import environment
from gdrive_rag_mcp.extraction.options import Ocr, Options
from gdrive_rag_mcp.extraction.pdf.tesseract import text_of_table
from gdrive_rag_mcp.extraction.reading import read_document
from tests.extraction.kernel_features import confines_files, filters_calls
from tests.extraction.scans import LETTER, picture, scan
from tests.extraction.taken_over import sandbox_taken_over, what_came_of

PDF, WORD_97 = "application/pdf", "application/msword"
PROGRAM = "/usr/bin/true"
START = f"import subprocess; said = subprocess.run([{PROGRAM!r}], env={{}}).returncode"
CPU_LIMIT = "import resource; said = f'limit {resource.getrlimit(resource.RLIMIT_CPU)[0]}'"
WITHIN_LIMITS = """
import errno, resource, sys
from gdrive_rag_mcp.extraction.isolation.limits import Limits, bind
bind(Limits())
print(resource.getrlimit(resource.RLIMIT_CORE))
with open(sys.argv[1], "wb", buffering=0) as file:
    try:
        print("written", file.write(b"words"))
    except OSError as error:
        print("refused", error.errno == errno.EFBIG)
"""
confined = pytest.mark.skipif(
    not (filters_calls() and confines_files()), reason="this kernel does not confine a process"
)
limited = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")


@pytest.fixture
def ocr(tmp_path: Path) -> Options:
    """Recognition by a program that is there everywhere, and recognises nothing."""
    return Options(Ocr(PROGRAM, str(tmp_path / "data"), ("eng",)))


# ── what may be started, and how long it may take ────────────────────────────


@confined
@pytest.mark.parametrize(
    ("mime_type", "outcome"), [(PDF, "ZeroDivisionError: 0"), (WORD_97, "not permitted")]
)
def test_of_all_files_only_a_pdf_may_start_the_program(
    tmp_path: Path, ocr: Options, mime_type: str, outcome: str
) -> None:
    with sandbox_taken_over(tmp_path, options=ocr) as sandbox:
        assert outcome in what_came_of(START, sandbox, tmp_path / "file", mime_type).message


@confined
def test_without_ocr_a_pdf_may_start_no_program(tmp_path: Path) -> None:
    with sandbox_taken_over(tmp_path) as sandbox:
        assert "not permitted" in what_came_of(START, sandbox, tmp_path / "file").message


@limited
@pytest.mark.parametrize("fork", [True, False], ids=["fork", "process"])
def test_only_a_pdf_whose_pages_are_recognised_may_compute_for_longer(
    tmp_path: Path, ocr: Options, *, fork: bool
) -> None:
    file, usual = tmp_path / "file", Limits(cpu_seconds=7)
    with sandbox_taken_over(tmp_path, usual, ocr, fork=fork) as sandbox:
        recognised = what_came_of(CPU_LIMIT, sandbox, file).message
        no_pdf = what_came_of(CPU_LIMIT, sandbox, file, WORD_97).message
    with sandbox_taken_over(tmp_path, usual, fork=fork) as sandbox:
        not_recognised = what_came_of(CPU_LIMIT, sandbox, file).message

    assert recognised.endswith(f"limit {usual.with_ocr().cpu_seconds}")
    assert no_pdf.endswith("limit 7")
    assert not_recognised.endswith("limit 7")


@limited
def test_only_a_pdf_whose_pages_are_recognised_may_take_longer(
    tmp_path: Path, ocr: Options
) -> None:
    """Programs run for long while the process that waits for them computes nothing."""
    wait = "import time; time.sleep(1); said = 'awake'"
    with sandbox_taken_over(tmp_path, Limits(wall_seconds=0.5), ocr) as sandbox:
        assert "awake" in what_came_of(wait, sandbox, tmp_path / "file").message
        overdue = what_came_of(wait, sandbox, tmp_path / "file", WORD_97)

    assert "0.5 seconds" in overdue.message


@limited
def test_limits_allow_no_file_to_be_written_and_no_memory_to_be_dumped(tmp_path: Path) -> None:
    """Where no filter holds a process back, they do."""
    said = subprocess.run(
        [sys.executable, "-P", "-c", WITHIN_LIMITS, str(tmp_path / "file")],
        env=environment(),
        capture_output=True,
        check=True,
        text=True,
    )

    assert said.stdout.splitlines() == ["(0, 0)", "refused True"]
    assert (tmp_path / "file").read_bytes() == b""


# ── what the program is given, and what is made of its answer ────────────────


@pytest.mark.skipif(os.name != "posix", reason="the program is a shell script")
def test_the_program_is_held_to_one_thread_and_gets_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "do-not-pass-on")
    monkeypatch.setenv("OMP_THREAD_LIMIT", "64")
    program = tmp_path / "tesseract"
    word = "5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t20\\t20\\t95\\t"
    program.write_text(
        "#!/bin/sh\ncat > /dev/null\n"
        f'printf "{word}threads:${{OMP_THREAD_LIMIT}},key:${{GEMINI_API_KEY}},and-some-words\\n"\n',
        encoding="ascii",
    )
    program.chmod(0o755)
    (tmp_path / "scan").write_bytes(scan([picture(LETTER)]))
    options = Options(Ocr(str(program), str(tmp_path), ("eng",)))

    assert read_document(tmp_path / "scan", PDF, options).text == "threads:1,key:,and-some-words"


def test_a_long_word_counts_for_more_than_a_speck_beside_it() -> None:
    """Specks of dirt are taken for single letters; a page is as sure as most of its letters."""
    words = [("10", "i"), ("90", "recognise")]
    table = "\n".join(
        f"5\t1\t1\t1\t1\t{number}\t{30 * number}\t0\t20\t20\t{sure}\t{text}"
        for number, (sure, text) in enumerate(words)
    )

    assert text_of_table(table).confidence == pytest.approx((1 * 10 + 9 * 90) / 10)
