"""What the pages show on a terminal happens: their blocks run on the sample documents."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gdrive_rag_mcp import demo

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/evaluation.md")
PROGRAM = "gdrive-rag-mcp"
ELLIPSIS = re.compile(r"…|\.\.\.")


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a page, and the lines shown below it."""

    command: str
    shown: tuple[str, ...]


def steps_of(page: str) -> list[Step]:
    """The commands in blocks tagged `console`, which begin with `$ `; `\\` continues a line."""
    steps: list[Step] = []
    for block in re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            steps.append(Step(command.strip(), tuple(line for line in shown if line.strip())))
    return steps


def split(command: str) -> tuple[dict[str, str], list[str]]:
    """The variables set in front of a command, and its words."""
    words = shlex.split(command, comments=True)
    count = next((n for n, word in enumerate(words) if not re.match(r"[A-Z_]+=", word)), len(words))
    pairs = (word.partition("=") for word in words[:count])
    return {name: value for name, _, value in pairs}, words[count:]


def says(line: str, output: str) -> bool:
    """Whether a shown line is in the output; dots stand for anything within a line."""
    pattern = ".*".join(re.escape(part) for part in ELLIPSIS.split(line.strip()))
    return re.search(pattern, output) is not None


def test_a_block_is_read_as_its_author_meant_it() -> None:
    shown = "$ A=1 gdrive-rag-mcp sync \\\n  --full\nadded … of 3\n\n$ make\n"
    page = f"Text.\n```console\n{shown}```\n```sh\n$ x\n```\n"

    [sync, make] = steps_of(page)

    assert sync.shown == ("added … of 3",)
    assert split(sync.command) == ({"A": "1"}, ["gdrive-rag-mcp", "sync", "--full"])
    assert make == Step("make", ())
    assert says("added … of 3", "2 added 3 of 3\n")
    assert not says("added … of 3", "added 3\nof 3")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", PAGES)
def test_every_command_a_page_shows_works_and_says_what_is_shown(page: str, tmp_path: Path) -> None:
    shutil.copytree(demo.documents_folder(), tmp_path / "documents")
    exported: dict[str, str] = {}
    for step in steps_of((REPOSITORY / page).read_text(encoding="utf-8")):
        variables, words = split(step.command)
        if words[:1] == ["export"]:
            exported |= split(" ".join(map(shlex.quote, words[1:])))[0]
        if words[:1] != [PROGRAM]:
            continue
        done = subprocess.run(
            [sys.executable, "-m", "gdrive_rag_mcp", *words[1:]],
            cwd=tmp_path, env={**os.environ, **exported, **variables},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        output = done.stdout + done.stderr

        assert done.returncode == 0, f"{step.command}\n{output}"
        missing = [line for line in step.shown if not says(line, output)]
        assert missing == [], f"{step.command}\n{output}"
