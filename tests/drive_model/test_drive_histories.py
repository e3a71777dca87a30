"""Whatever people do in Drive, and whatever goes wrong: the index becomes what can be seen there.

`python -m pytest tests/drive_model -m acceptance` plays thousands of histories.
"""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drive_model.history import History, history, made_up, shortest
from tests.drive_model.telling import Counted, tell

FEW = 24
MANY = 2000


def play(seed: int, counted: Counted | None = None) -> None:
    """Play the history of a seed; of one that fails, the shortest part that does is shown."""
    told = made_up(seed)
    if _fails(told, counted):
        with tempfile.TemporaryDirectory() as folder:
            tell(shortest(told, _fails), Path(folder))
        raise AssertionError(f"seed {seed} failed once, and then did not:\n{told}")


def _fails(told: History, counted: Counted | None = None) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            tell(told, Path(folder), counted)
        except AssertionError:
            return True
    return False


@pytest.mark.parametrize("seed", range(FEW))
def test_a_history_of_deeds_faults_and_kills_ends_in_what_can_be_seen(seed: int) -> None:
    play(seed)


@settings(max_examples=FEW, deadline=None)
@given(st.integers(0, 2**32))
def test_any_history_of_deeds_faults_and_kills_ends_in_what_can_be_seen(seed: int) -> None:
    play(seed)


@pytest.mark.acceptance
@pytest.mark.timeout(3600)
def test_thousands_of_histories_end_in_what_can_be_seen() -> None:
    counted = Counted()
    for seed in range(10_000, 10_000 + MANY):
        play(seed, counted)
    assert counted.histories >= MANY, counted
    assert counted.kills > MANY / 2, counted
    assert counted.faults > MANY / 2, counted


def test_the_log_of_a_linked_folder_is_followed_again_after_everything_was_listed_again(
    tmp_path: Path,
) -> None:
    told = history(
        "whole drive",
        *("add_shortcut", 462, 520),
        *("add_document", 189, 823),
        *("add_shortcut", 644, 628),
        *("add_folder", 96, 457),
        *("busy sync", 406, 429),
        *("calm sync", 120, 137),
        *("add_shortcut", 452, 264),
    )
    tell(told, tmp_path)
