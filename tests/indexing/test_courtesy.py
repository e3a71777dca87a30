"""The indexer gives way to those who search, and hears of them across processes."""

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gdrive_rag_mcp.indexing.courtesy import LONGEST_PAUSE_SECONDS, Courtesy
from gdrive_rag_mcp.store.activity import ACTIVITY, Activity
from tests.indexing.desk import Desk, fill
from tests.indexing.embedders import Watching


class Clock:
    """Time that passes only when somebody works or waits."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.worked = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> None:
        self.worked += seconds
        self.now += seconds

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(autouse=True)
def _there_is_an_index(tmp_path: Path) -> None:
    (tmp_path / "index.db").touch()


def duty(searches: Callable[[], object], index: Path, *, seconds: float, steps: int) -> float:
    """The share of its time that an indexer works, whose steps take so long."""
    clock = Clock()
    activity = Activity(index, clock)
    courtesy = Courtesy(activity.recent, clock=clock, pause=clock.wait)
    began = clock.now
    for _ in range(steps):
        if searches():
            Activity(index, clock).note()
        with courtesy.step():
            clock.work(seconds)
    return clock.worked / (clock.now - began)


@pytest.mark.parametrize("seconds", [0.01, 0.2, LONGEST_PAUSE_SECONDS])
def test_while_somebody_searches_all_the_time_half_of_the_time_is_work(
    tmp_path: Path, seconds: float
) -> None:
    index = tmp_path / "index.db"

    assert duty(lambda: True, index, seconds=seconds, steps=200) == pytest.approx(0.5, abs=0.01)


def test_without_searches_all_of_the_time_is_work(tmp_path: Path) -> None:
    assert duty(lambda: False, tmp_path / "index.db", seconds=0.25, steps=200) == 1


def test_no_pause_is_longer_than_a_bound(tmp_path: Path) -> None:
    long = 10 * LONGEST_PAUSE_SECONDS
    pauses: list[float] = []
    clock = Clock()
    courtesy = Courtesy(lambda _: True, clock=clock, pause=pauses.append)
    for _ in range(3):
        with courtesy.step():
            clock.work(long)

    assert pauses == [LONGEST_PAUSE_SECONDS] * 2


def test_one_search_is_soon_over(tmp_path: Path) -> None:
    searches = iter([True, *[False] * 199])

    assert duty(lambda: next(searches), tmp_path / "index.db", seconds=0.1, steps=200) > 0.9


def test_a_search_of_another_process_is_heard_of(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    here = Activity(index)
    assert not here.recent(3600)

    script = (
        "import sys; from pathlib import Path; from gdrive_rag_mcp.store.activity import Activity; "
        "Activity(Path(sys.argv[1])).note()"
    )
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    subprocess.run([sys.executable, "-c", script, str(index)], check=True, env=environment)

    assert here.recent(3600)
    mode = index.with_name(index.name + ACTIVITY).stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_searches_in_quick_succession_touch_the_file_once(tmp_path: Path) -> None:
    clock = Clock()
    activity = Activity(tmp_path / "index.db", clock)
    activity.note()
    file = tmp_path / f"index.db{ACTIVITY}"
    file.unlink()

    clock.wait(0.1)
    activity.note()
    assert not file.exists()

    clock.wait(0.2)
    activity.note()
    assert file.exists()


def test_a_time_to_come_is_no_search(tmp_path: Path) -> None:
    clock = Clock()
    activity = Activity(tmp_path / "index.db", clock)
    activity.note()
    clock.wait(-3600)

    assert not activity.recent(1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_where_nothing_may_be_written_a_search_goes_on_unnoted(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    activity = Activity(tmp_path / "index.db")
    activity.note()
    tmp_path.chmod(0o700)

    assert not activity.recent(3600)


@pytest.mark.parametrize("in_the_way", ["a folder", "a link that leads nowhere", "no folder"])
def test_what_is_in_the_way_is_no_error_and_is_left_alone(tmp_path: Path, in_the_way: str) -> None:
    index = tmp_path / "index.db"
    file = tmp_path / f"index.db{ACTIVITY}"
    if in_the_way == "a folder":
        file.mkdir()
    elif in_the_way == "no folder":
        index = tmp_path / "missing" / "index.db"
    else:
        file.symlink_to(tmp_path / "elsewhere")

    Activity(index).note()

    assert not (tmp_path / "elsewhere").exists()


class Remote(Watching):
    """One that computes on another machine."""

    def calls(self, texts: int, characters: int) -> int:
        return -(-texts // 16)


@pytest.mark.parametrize("embedder", [Watching(), Remote(), None], ids=["here", "remote", "none"])
def test_a_sync_asks_whether_to_give_way_before_each_file_and_each_batch_made_here(
    desk: Desk, embedder: Watching | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.embedder = embedder
    here = embedder is not None and not isinstance(embedder, Remote)
    fill(desk, 80)
    asked: dict[int, int] = {}

    def recent(_self: Activity, _seconds: float) -> bool:
        thread = threading.get_ident()
        asked[thread] = asked.get(thread, 0) + 1
        return False

    # A real search would be a matter of luck: it has to come within a second of a step.
    monkeypatch.setattr(Activity, "recent", recent)
    desk.sync()

    assert asked.pop(threading.get_ident()) == 79, "before each file but the first"
    assert sum(asked.values()) == (len(embedder.batches) - 1 if here and embedder else 0)
    assert bool(asked) == here
