"""A command that was run, as its user sees it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.testing.fake_drive import FakeDrive

PROGRAM = (sys.executable, "-W", "error", "-m", "gdrive_rag_mcp")

# An interrupt may come between the opening of a file and the name that it gets; Python closes it
# then, and says so.
INTERRUPTED_PROGRAM = (*PROGRAM[:3], "-W", "ignore::ResourceWarning", *PROGRAM[3:])


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.out)
        return parsed


Run = Callable[..., Ended]
Process = subprocess.Popen[str]
Start = Callable[..., Process]


def drive_settings(drive: FakeDrive, folder: Path) -> dict[str, str]:
    """The settings of a sync of a fake Drive, whose key is kept in `folder`."""
    return {
        "GDRIVE_FOLDER_ID": drive.root,
        "GOOGLE_SERVICE_ACCOUNT_FILE": str(drive.write_key_file(folder / "key.json")),
        "GDRIVE_RAG_DRIVE_ENDPOINT": drive.url,
        "GDRIVE_RAG_DRIVE_QPS": "1000",
    }


def finish(
    command: Sequence[str], folder: Path, environ: Mapping[str, str], *, given: str = ""
) -> Ended:
    """Run a command to its end, words only unless `environ` asks for a model."""
    variables = {**os.environ, "GDRIVE_RAG_EMBED_PROVIDER": "none", **environ}
    done = subprocess.run(
        command,
        cwd=folder,
        env={name: value for name, value in variables.items() if value},
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@contextmanager
def starting(folder: Path) -> Iterator[Start]:
    """Yields what starts a command and its settings; whatever still runs at the end is killed."""
    started: list[Process] = []

    def start(command: Sequence[str], environ: Mapping[str, str]) -> Process:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "GDRIVE_RAG_EMBED_PROVIDER": "none", **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()
