"""Scenarios of syncing a Drive, each a failure that people have reported of other programs.

`scene` is a folder shared with a service account; `scene.at(shared_drive=…)` another root of the
same Drive. `scene.drive` is the fake with its faults and `drive.files` what people do there;
`scene.sync()` syncs in this process and `scene.run("sync", …)` as a process (not both into one
index: the embedders differ); `scene.calls()`, `.contents()` and `.requests(kind)` are what the
latest sync asked; `scene.ledger()`, `.state(name)`, `.record(name)`, `.searchable()` and
`.find(word)` what the index says afterwards; `scene.age(…)` lets time pass.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.drive_scenarios.scene import Scene
from tests.end_to_end.conftest import run  # noqa: F401 -- a fixture
from tests.end_to_end.program import Run


@pytest.fixture
def drive() -> Iterator[FakeDrive]:
    with FakeDrive() as fake:
        yield fake


@pytest.fixture
def scene(drive: FakeDrive, tmp_path: Path, run: Run) -> Scene:  # noqa: F811 -- the fixture
    """The folder that is shared with the service account, and no index yet."""
    return Scene(drive, tmp_path, run)


@pytest.fixture
def team(scene: Scene) -> Scene:
    """A whole shared drive of which the service account is a member, and no index yet."""
    shared = scene.drive.files.add_drive("Team", [scene.drive.email])
    return scene.at(shared_drive=shared, name="team")
