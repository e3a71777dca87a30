"""The file of cases: what is taken, what is refused, and that all of it is said at once."""

import json
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.domain import Case, Expect
from gdrive_rag_mcp.errors import CasesError
from gdrive_rag_mcp.evaluation.cases import read_cases

FULL = {
    "id": "leave",
    "question": "How many days of leave?",
    "expect": "answer",
    "gold": ["HR/Leave.md", "other-id"],
    "kind": "number",
    "lang": "en",
    "keywords": ["27 days"],
    "group": "handbook",
}


def written(folder: Path, *lines: str | dict[str, Any]) -> Path:
    path = folder / "cases.jsonl"
    texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def refused(folder: Path, *lines: str | dict[str, Any]) -> str:
    with pytest.raises(CasesError) as caught:
        read_cases(written(folder, *lines))
    assert caught.value.hint
    assert caught.value.exit_code == 2
    return caught.value.message


def test_a_case_has_what_its_line_says(tmp_path: Path) -> None:
    [case] = read_cases(written(tmp_path, FULL))

    assert case == Case(
        id="leave",
        question="How many days of leave?",
        expect=Expect.ANSWER,
        kind="number",
        lang="en",
        gold=("HR/Leave.md", "other-id"),
        keywords=("27 days",),
        group="handbook",
        line=1,
    )


def test_question_and_expect_are_enough(tmp_path: Path) -> None:
    bare = {"question": "Wie viele Tage Urlaub gibt es im Jahr?", "expect": "refuse"}
    nulls: dict[str, Any] = bare | {
        "id": None,
        "gold": None,
        "kind": None,
        "lang": None,
        "keywords": [],
    }

    for given in (bare, nulls):
        [case] = read_cases(written(tmp_path, "", given))
        assert (case.id, case.kind, case.lang, case.line) == ("2", "refuse", "de", 2)
        assert (case.gold, case.keywords, case.group) == ((), (), None)


def test_a_question_in_no_language_that_is_known_says_so(tmp_path: Path) -> None:
    [case] = read_cases(written(tmp_path, {"question": "KX-77", "expect": "refuse"}))

    assert case.lang == "-"


def test_a_byte_order_mark_and_the_line_ends_of_windows_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(FULL).encode() + b"\r\n\r\n")

    assert len(read_cases(path)) == 1


def test_a_persian_question_with_joiners_and_one_on_two_lines_are_questions(tmp_path: Path) -> None:
    persian = "حقوق‌ها چگونه محاسبه می‌شود؟"
    asked = [{"question": text, "expect": "refuse"} for text in (persian, "Who pays\nthe rent?")]

    cases = read_cases(written(tmp_path, *asked))

    assert cases[0].question == persian
    assert cases[1].question == "Who pays\nthe rent?"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no JSON", "not JSON"),
        ('{"question": "Who?"', "not JSON"),
        ("[1]", "not a JSON object"),
        ("[" * 100_000, "not"),
        ({"expect": "answer"}, "question is missing"),
        ({"question": "Who pays?"}, "expect is missing"),
        ({"question": "Who pays?", "expect": "maybe"}, '"answer" or "refuse"'),
        ({"question": " ", "expect": "answer"}, "question"),
        ({"question": "?!", "expect": "answer"}, "no word"),
        ({"question": "why " * 2000, "expect": "answer"}, "limit"),
        ({"question": 7, "expect": "answer"}, "question is 7"),
        ({"question": "Who pays?", "expect": "answer", "golden": []}, 'no field "golden"'),
        ({"question": "Who pays?", "expect": "answer", "gold": "a.md"}, "list of texts"),
        ({"question": "Who pays?", "expect": "answer", "gold": [1]}, "list of texts"),
        ({"question": "Who pays?", "expect": "answer", "keywords": [" "]}, "list of texts"),
        ({"question": "Who pays?", "expect": "answer", "kind": "a\nb"}, "on one line"),
        ('{"question": "Who pays?", "expect": "answer", "expect": "refuse"}', "twice"),
    ],
)
def test_a_line_that_is_no_case_is_refused_with_its_number(
    tmp_path: Path, line: str | dict[str, Any], said: str
) -> None:
    message = refused(tmp_path, FULL, line)

    assert "line 2: " in message
    assert said in message
    assert "line 1" not in message


def test_all_wrong_lines_are_named_at_once(tmp_path: Path) -> None:
    message = refused(tmp_path, "no", FULL, "no", "no", FULL)

    assert "4 lines" in message
    assert [number for number in range(1, 6) if f"line {number}: " in message] == [1, 3, 4, 5]
    assert "is that of line 2 too" in message


def test_an_id_made_of_the_line_number_is_a_duplicate_like_any_other(tmp_path: Path) -> None:
    message = refused(tmp_path, FULL | {"id": "2"}, {"question": "Who pays?", "expect": "refuse"})

    assert 'line 2: the id "2" is that of line 1 too' in message


def test_of_very_many_wrong_lines_the_rest_is_counted(tmp_path: Path) -> None:
    message = refused(tmp_path, *["no"] * 500)

    assert "500 lines" in message
    assert "480 more" in message
    assert len(message.splitlines()) < 30


def test_a_file_without_cases_is_refused(tmp_path: Path) -> None:
    assert "no case" in refused(tmp_path, "", " ")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(CasesError, match="cannot be read") as caught:
            read_cases(path)
        assert str(path) in caught.value.message


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(json.dumps(FULL).encode() + b"\n\xff\xfe\n")

    with pytest.raises(CasesError, match=r"line 2 .* is not UTF-8"):
        read_cases(path)
