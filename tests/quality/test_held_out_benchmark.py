"""The tables of what weights make of sets they have not seen say what the rows say."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.held_out import (
    Judged,
    by_set,
    of_size,
    own_thresholds_table,
    read,
    report,
    sets_table,
)
from gdrive_rag_mcp.evidence.rows import Row, write_rows
from gdrive_rag_mcp.evidence.specs import SPECS

NAMES = sorted({name for spec in SPECS.values() for name in spec.signs})


def row(
    name: str, number: int, kind: str, value: float, *, gold: int | None = 1, asked_in: str = "en"
) -> Row:
    return Row(
        set=name,
        family=name.partition("/")[0].partition("<")[0],
        language="en",
        asked_in=asked_in,
        id=str(number),
        kind=kind,
        group=f"{name}{number // 4}",
        mode="hybrid",
        gold_rank=gold if kind == "answerable" else None,
        judged_by="tokens",
        signals={one: value if SPECS["tokens"].signs.get(one, 1) > 0 else -value for one in NAMES}
        | {"corpus_coverage": 1.0},
    )


def rows() -> Iterator[Row]:
    """Answers that stand far above the rest, in sets of three families and of three sizes."""
    for name in ("a", "b", "c", "a/12", "b/grown"):
        for number in range(40):
            yield row(name, number, "answerable", 1.0 + number / 100)
            yield row(name, number, "absent_topic", number / 100)
            yield row(name, number, "adjacent_topic", 0.2 + number / 100)


def judged(**scores: list[float]) -> Judged:
    return Judged("a", scores)


def cells(table: str, name: str) -> list[str]:
    line = next(line for line in table.splitlines() if line.startswith(f"| {name} "))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_line_counts_what_lies_on_the_wrong_side_of_the_threshold() -> None:
    one = judged(
        answerable=[-1.0, 0.0, 2.0, 3.0],
        absent_topic=[-3.0, -2.0, -0.5, 1.0],
        adjacent_topic=[1.0, -2.0],
    )

    assert cells(sets_table([one]), "a") == [
        "a", ".812", ".750", "", "25.0", "25.0", "50.0"
    ]  # fmt: skip


def test_a_threshold_of_its_own_is_placed_by_the_answerable_alone() -> None:
    one = judged(
        answerable=[float(score) for score in range(101)],
        absent_topic=[4.0, 4.9, 5.1, 6.0],
        adjacent_topic=[0.0, 50.0],
    )

    assert cells(own_thresholds_table([one]), "a")[1:] == ["50.0", "50.0"]


def test_answers_that_were_not_found_and_scores_that_are_none_do_not_count() -> None:
    told = [
        row("a", 0, "answerable", 1.0),
        row("a", 1, "answerable", -9.0, gold=None),
        row("a", 2, "absent_topic", math.nan),
        row("b", 0, "absent_topic", 1.0),
    ]

    assert by_set(told, lambda one: one.signals["best_coverage"]) == [
        Judged("a", {"answerable": [1.0]})
    ]


def test_corpora_are_told_by_their_size_and_crossing_ones_left_out() -> None:
    told = [
        row(name, 0, "answerable", 1.0, asked_in=asked_in)
        for name, asked_in in (("a", "en"), ("a/12", "en"), ("a/grown", "en"), ("a<de", "de"))
    ]

    names = [[one.set for one in of_size(told, size)] for size in ("whole", "small", "grown")]

    assert names == [["a"], ["a/12"], ["a/grown"]]


def test_the_report_has_a_line_for_each_set_and_size_and_a_lower_bar_lets_more_in() -> None:
    texts = list(report(list(rows())))

    assert [cells(texts[0], name)[0] for name in "abc"] == ["a", "b", "c"]
    assert "a/12" not in texts[0]
    assert [cells(texts[2], size)[1] for size in ("small", "whole", "grown")] == ["1", "3", "1"]
    assert not any(text.startswith("## Asked in another") for text in texts)
    trade = [cells(texts[3], aim) for aim in ("4.6", "5.0", "6.0", "7.0", "8.0")]
    refused = [float(line[1]) for line in trade]
    assert refused == sorted(refused)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "No such file"),
        ("", "has no rows"),
        ("{", "holds no rows"),
        ("[1]", "holds no rows"),
        ('{"signals": {}, "set": "a"}', "holds no rows"),
    ],
)
def test_what_is_no_file_of_rows_is_told(tmp_path: Path, text: str | None, told: str) -> None:
    path = tmp_path / "rows.jsonl"
    if text is not None:
        path.write_text(text, encoding="utf-8")

    with pytest.raises(SystemExit, match=told):
        read(path)


def test_rows_without_a_signal_of_the_models_are_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    complete = row("a", 0, "answerable", 1.0)
    without = {name: value for name, value in complete.signals.items() if name != "tokens_met"}
    write_rows([complete], path)
    assert read(path) == [complete]

    lacking = Row(
        **{name: getattr(complete, name) for name in Row.__slots__} | {"signals": without}
    )
    write_rows([complete, lacking], path)

    with pytest.raises(SystemExit, match="tokens_met"):
        read(path)
