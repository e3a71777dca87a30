"""Try the wheel as a stranger gets it: alone, in an empty environment, on two files.

The wheel is installed without extras, so search is by keyword. Versions come from the lock, so that
a release of someone else's package cannot change the result.
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from gdrive_rag_mcp import __version__

REPOSITORY = Path(__file__).resolve().parents[1]
DOCUMENTS = {
    "leave.md": "# Leave\n\nUnpaid leave is granted for at most thirty days a year.\n",
    "travel.txt": "Train tickets are refunded when the receipt is handed in within a month.\n",
}


def constraints(lock: str) -> str:
    """A lock without its hashes and comments: it fixes versions and demands nothing."""
    lines = (line.removesuffix("\\").rstrip() for line in lock.splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith(("#", "--")))


def run(*command: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    """Run a command and return what it wrote to stdout; its failure ends the check."""
    done = subprocess.run(command, check=False, text=True, capture_output=True, env=env, cwd=cwd)
    if done.returncode:
        sys.exit(
            f"exit code {done.returncode}: {' '.join(map(str, command))}\n"
            f"{done.stdout}\n{done.stderr}"
        )
    return done.stdout


def expect(condition: bool, complaint: str) -> None:  # noqa: FBT001 - reads as `assert`
    """End the check with a complaint unless the condition holds."""
    if not condition:
        sys.exit(f"the wheel is not right: {complaint}")


def build(into: Path) -> Path:
    """Build the wheel with the build backend of the environment, and look inside."""
    options = ("--wheel", "--no-isolation", "--outdir", into)
    run(sys.executable, "-m", "build", *options, REPOSITORY)
    [wheel] = into.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    strangers = {name.split("/")[0] for name in names} - {
        "gdrive_rag_mcp",
        f"gdrive_rag_mcp-{__version__}.dist-info",
    }
    expect(not strangers, f"it also holds {strangers}")
    for wanted in ("gdrive_rag_mcp/py.typed", "dist-info/licenses/LICENSE"):
        expect(any(name.endswith(wanted) for name in names), f"it lacks {wanted}")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel into an environment of its own and return the command."""
    venv.create(folder / "venv", with_pip=True)
    versions = folder / "constraints.txt"
    lock = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
    versions.write_text(constraints(lock), encoding="utf-8")
    pip = (folder / "venv" / "bin" / "python", "-m", "pip")
    run(*pip, "install", "--quiet", "--constraint", versions, wheel)
    run(*pip, "check")
    return folder / "venv" / "bin" / "gdrive-rag-mcp"


def try_out(program: Path, folder: Path) -> None:
    """Sync two files and search them, with nothing of this environment in sight."""
    documents = folder / "documents"
    documents.mkdir()
    for name, text in DOCUMENTS.items():
        (documents / name).write_text(text, encoding="utf-8")
    (folder / "home").mkdir()
    environment = {
        "HOME": str(folder / "home"),
        "PATH": os.defpath,
        "GDRIVE_RAG_SOURCE": f"folder:{documents}",
        "GDRIVE_RAG_DB_PATH": str(folder / "index.db"),
    }

    def said(*arguments: str) -> str:
        return run(program, *arguments, env=environment, cwd=folder)

    expect(__version__ in said("--version"), f"--version does not say {__version__}")
    report = json.loads(said("sync", "--json"))
    expect(report["coverage"]["searchable"] == len(DOCUMENTS), f"sync says {report}")
    found = json.loads(said("search", "--json", "How many days of unpaid leave are granted?"))
    expect(found["evidence"]["sufficient"], f"search says {found['evidence']}")
    citation = found["results"][0]["citation"]
    expect(citation["path"].endswith("leave.md"), f"search cites {citation}")


def main() -> None:
    """Build, install and try the wheel in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="gdrive-rag-wheel-") as name:
        folder = Path(name)
        wheel = build(folder / "dist")
        try_out(install(wheel, folder), folder)
        print(f"{wheel.name} works by itself")


if __name__ == "__main__":
    main()
