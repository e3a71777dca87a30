"""What must not be in a commit: traces of the machine it was made on."""

import re
import subprocess
from pathlib import Path

import pytest

# Written with brackets, so that this file does not find itself.
_FOREIGN = re.compile(
    r"(?<![\w.])/(?:[w]ork|[r]oot|[o]pt/wheels)/|/[t]mp/(?:dev|bash)"
    r"|[p]ypi\.org|[p]ythonhosted\.org|registry\.[n]pmjs|deb\.[d]ebian\.org|proxy\.[g]olang"
)


def _committed(repository: Path) -> list[Path]:
    """The files that are in git or could be added: what is ignored is not looked at."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=repository, check=False, capture_output=True)
    if listed.returncode:
        pytest.skip("needs a git checkout")
    names = listed.stdout.decode().split("\0")
    return [path for name in names if name and (path := repository / name).is_file()]


def test_no_committed_file_names_a_registry_or_a_path_of_the_machine_it_was_made_on(
    repository: Path,
) -> None:
    found = {
        f"{path.relative_to(repository)}: {match.group()}"
        for path in _committed(repository)
        for match in [_FOREIGN.search(path.read_bytes().decode("utf-8", errors="replace"))]
        if match
    }

    assert found == set()


def test_indexes_and_keys_cannot_be_committed_by_accident(repository: Path) -> None:
    private = ["data/index.db", "data/index-x.db-wal", "secrets/key.json", ".env"]
    command = ["git", "check-ignore", *private]
    ignored = subprocess.run(command, cwd=repository, check=False, capture_output=True)
    if ignored.returncode > 1:
        pytest.skip("needs a git checkout")

    assert ignored.stdout.decode().split() == private
