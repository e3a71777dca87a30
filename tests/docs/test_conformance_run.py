"""The run that `docs/formats.md` reports finds what is wrong, and only that."""

from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Locator, Reason
from tools.check_formats import faults
from tools.conformance import INDEX, Result, run
from tools.formats_page import outcome, page, table
from tools.located_words import LocatedWord

COLUMNS = (
    "file",
    "category",
    "repo",
    "path",
    "expect",
    "must_appear (loc:word)",
    "must_not_appear",
)
CSV = "name,place\nKim,Seoul\nLee,Busan\n"


def results_of(folder: Path, *rows: tuple[str, str, str, str]) -> list[Result]:
    """Run over files that are there, each with what is expected, its words and unwanted words."""
    lines = ["\t".join(COLUMNS)]
    for name, expect, words, unwanted in rows:
        kind = name.partition(".")[2]
        lines.append(
            "\t".join((name, kind, "owner/project", f"tests/{name}", expect, words, unwanted))
        )
    (folder / INDEX).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(run(folder))


def test_what_is_as_expected_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(CSV, encoding="utf-8")
    (tmp_path / "b.txt").write_text("  \n", encoding="utf-8")

    results = results_of(
        tmp_path,
        ("a.csv", "text", "doc:Busan | doc:seoul", "Daegu"),
        ("b.txt", "ok, zero chunks, reported", "", ""),
    )

    assert [each.misses for each in results] == [False, False]
    assert list(faults(results)) == []
    assert "| **all** | 2 | 2 | 2 of 2 | 2 of 2 | 1 of 1 |" in table(results)


def test_words_that_are_absent_out_of_place_or_unwanted_are_missed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(CSV, encoding="utf-8")

    [result] = results_of(tmp_path, ("a.csv", "text", "doc:Daegu | p1:Busan | doc:Lee", "Seoul"))

    assert [each.listed for each in result.not_in_segments] == ["doc:Daegu", "p1:Busan"]
    assert [each.listed for each in result.not_in_chunks] == ["doc:Daegu", "p1:Busan"]
    assert result.appearing == ("Seoul",)
    assert len(list(faults([result]))) == 4


def test_a_file_that_is_read_where_a_refusal_is_right_is_wrong_and_so_is_the_reverse(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.txt").write_text("Readable after all.", encoding="utf-8")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7\nnothing else")

    read, refused = results_of(
        tmp_path, ("a.txt", "error:corrupt", "", ""), ("b.pdf", "pages=2", "p1:word", "")
    )

    assert read.wrong
    assert (refused.reason, bool(refused.wrong)) == (Reason.CORRUPT, True)
    assert refused.not_in_segments == refused.entry.words
    assert "not known" in page([read, refused])


def test_words_of_what_is_rightly_refused_are_not_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(bytes(range(256)) * 8)

    [result] = results_of(tmp_path, ("a.docx", "error:type mismatch", "doc:text", ""))

    assert (outcome(result), result.words, result.misses) == ("`type_mismatch`", (), False)


@pytest.mark.parametrize(
    ("listed", "inside", "outside"),
    [
        ("p3:Word", Locator("page", "2-3", 2, 3), Locator("page", "4", 4, 4)),
        ("slide2:word", Locator("slide", "2", 2, 2, "notes"), Locator("page", "2", 2, 2)),
        (
            "My! Sheet!row5:word",
            Locator("sheet", "My! Sheet!A4:B6", 4, 6, "My! Sheet"),
            Locator("sheet", "Other!A5:B5", 5, 5, "Other"),
        ),
        (
            "OPS/one.xhtml:word",
            Locator("chapter", "OPS/one.xhtml", 1, 1),
            Locator("chapter", "OPS/two"),
        ),
        ("body:word", Locator("part", "body"), Locator("part", "attachment 1: word.pdf")),
        ("cell4:word", Locator("cell", "4", 4, 4), Locator("cell", "5", 5, 5)),
    ],
)
def test_a_place_is_covered_by_the_locators_that_hold_it(
    listed: str, inside: Locator, outside: Locator
) -> None:
    word = LocatedWord.of(listed)

    assert word.word == "word"
    assert word.covers(inside)
    assert not word.covers(outside)


def test_nothing_covers_a_place_of_an_unknown_form() -> None:
    assert not LocatedWord.of("verse:word").covers(Locator("lines", "1", 1, 1))
