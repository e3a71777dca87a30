"""The run that `docs/formats.md` reports finds what is wrong, and only that."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Document, Locator, Reason, Segment, SegmentKind
from tools.check_formats import faults, main
from tools.conformance import INDEX, Entry, Result, judge, run
from tools.format_causes import BLANK
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
    write_index(folder, *rows)
    return list(run(folder))


def write_index(folder: Path, *rows: tuple[str, str, str, str]) -> None:
    lines = ["\t".join(COLUMNS)]
    for name, expect, words, unwanted in rows:
        kind = name.partition(".")[2]
        lines.append(
            "\t".join((name, kind, "owner/project", f"tests/{name}", expect, words, unwanted))
        )
    (folder / INDEX).write_text("\n".join(lines) + "\n", encoding="utf-8")


def told_of(
    expect: str, places: Sequence[Locator], failures: Sequence[str] = (), file: str = "a.bin"
) -> str:
    """What is wrong with a document that says something in each of these places."""
    segments = [
        Segment(5 * at, 5 * at + 4, SegmentKind.TEXT, place) for at, place in enumerate(places)
    ]
    document = Document("", "word\n" * len(places), tuple(segments), tuple(failures))
    entry = Entry(file, "any", "owner/project: a.bin", expect, (), ())
    return judge(entry, document, StructuralChunker(300, 40)).wrong


def numbered(kind: str, *numbers: int) -> list[Locator]:
    return [Locator(kind, str(number), number, number) for number in numbers]


def sheets(*names: str) -> list[Locator]:
    return [Locator("sheet", f"{name}!A1", 1, 1, name) for name in names]


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
    ("expect", "places", "failures"),
    [
        ("pages=3", numbered("page", 1, 2, 2, 3), ()),
        ("pages=3", numbered("page", 1), ("pages 2-3: no text layer, needs OCR",)),
        ("pages=3", numbered("page", 1, 3), ("page 2: damaged",)),
        ("pages=2", numbered("page", 1, 2), ("page 2: damaged",)),
        ("slides=2", numbered("slide", 2), ("slide 1: a picture without text",)),
        ("sheets=2", sheets("Costs", "Staff"), ()),
        ("sheets=2", sheets("Costs"), ("Sheet Staff is damaged: x",)),
        ("text", numbered("page", 1), ()),
    ],
)
def test_a_file_whose_places_are_all_cited_or_named_as_not_read_is_right(
    expect: str, places: list[Locator], failures: tuple[str, ...]
) -> None:
    assert told_of(expect, places, failures) == ""


@pytest.mark.parametrize(
    ("expect", "places", "failures", "wrong"),
    [
        ("pages=3", numbered("page", 1, 3), (), "1 of 3 pages are neither cited nor named"),
        ("slides=4", numbered("slide", 1), (), "3 of 4 slides are neither cited nor named"),
        ("sheets=2", sheets("Costs", "Costs"), (), "1 of 2 sheets are neither cited nor named"),
        ("pages=3", numbered("page", 1), ("slide 2: x", "page 3: x"), "1 of 3 pages are neither"),
        ("pages=4", numbered("page", 1), ("pages 2-3: x",), "1 of 4 pages are neither"),
        ("sheets=3", sheets("Costs"), ("Costs: x", "Sheet B: x"), "1 of 3 sheets are neither"),
        ("pages=3", numbered("page", 1, 2, 3, 4), (), "4 pages are cited, up to 4"),
        ("pages=3", numbered("page", 0, 1, 2), (), "3 pages are cited, up to 0"),
        ("sheets=1", sheets("Costs", "Staff"), (), "2 sheets are cited, up to 1"),
    ],
)
def test_a_file_of_which_a_place_is_lost_or_made_up_is_wrong(
    expect: str, places: list[Locator], failures: tuple[str, ...], wrong: str
) -> None:
    assert told_of(expect, places, failures).startswith(wrong)


def test_a_blank_place_need_not_be_cited_and_may_not_be_either() -> None:
    file, blank = next(iter(BLANK.items()))
    places = numbered("slide", *range(1, 4))

    assert told_of(f"slides={3 + blank}", places, file=file) == ""
    assert told_of("slides=3", places, file=file)


@pytest.mark.parametrize(
    ("words", "options", "code"),
    [
        ("doc:Busan", ["--check"], 0),
        ("doc:Daegu", ["--check"], 1),
        ("doc:Daegu", [], 0),
    ],
)
def test_a_check_fails_for_a_miss_and_a_plain_run_does_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    options: list[str],
    code: int,
) -> None:
    (tmp_path / "a.csv").write_text(CSV, encoding="utf-8")
    write_index(tmp_path, ("a.csv", "text", words, ""))
    monkeypatch.setattr(sys, "argv", ["check_formats.py", str(tmp_path), *options])

    assert main() == code


def test_a_page_that_is_not_what_the_run_shows_fails_the_check_and_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text(CSV, encoding="utf-8")
    write_index(tmp_path, ("a.csv", "text", "doc:Busan", ""))
    made = tmp_path / "formats.md"
    write = ["check_formats.py", str(tmp_path), "--write", str(made)]

    codes = []
    for options in ([], ["--check"]):
        monkeypatch.setattr(sys, "argv", [*write, *options])
        codes.append(main())
    made.write_text("stale", encoding="utf-8")
    codes.append(main())

    assert codes == [0, 0, 1]
    assert made.read_text(encoding="utf-8") == "stale"


def test_too_few_words_in_place_are_a_fault_however_good_their_causes(tmp_path: Path) -> None:
    """The goal holds for the whole folder, whatever is said of each file."""
    (tmp_path / "a.csv").write_text(CSV, encoding="utf-8")

    [result] = results_of(tmp_path, ("a.csv", "text", "doc:Daegu | doc:Busan", ""))

    assert [each for each in faults([result]) if each.startswith("1 of 2 words")] == [
        "1 of 2 words are in a segment that cites their place",
        "1 of 2 words are in a chunk that cites their place",
    ]


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
