import json
import time
from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction import json_data
from gdrive_rag_mcp.extraction.input_file import InputFile

Read = Callable[[bytes, str], Document]
JSON = "application/json"
COUNT = 50_000


def said(document: Document) -> list[tuple[str, str]]:
    return [
        (each.locator.value, document.text[each.start : each.end]) for each in document.segments
    ]


def read_json(read: Read, value: object) -> Document:
    return read(json.dumps(value).encode(), JSON)


def test_a_small_object_is_one_piece_of_lines(read: Read) -> None:
    value = {"name": "휴가", "days": 12, "tags": ["a", "b"], "owner": {"name": "Kim", "ok": True}}

    assert said(read_json(read, value)) == [
        ("#", "name: 휴가\ndays: 12\ntags: a, b\nowner.name: Kim\nowner.ok: true")
    ]


def test_the_records_of_a_long_list_are_pieces_with_pointers(read: Read) -> None:
    records = [{"id": number, "text": "word " * 20} for number in range(50)]

    document = read_json(read, {"items": records, "total": 50})

    assert document.segments[3].locator.kind == "pointer"
    assert said(document)[3][0] == "/items/3"
    assert said(document)[3][1].startswith("id: 3\ntext: word word")
    assert document.segments[3].headings == ("items",)
    assert said(document)[-1] == ("/total", "total: 50")


def test_keys_are_escaped_in_pointers(read: Read) -> None:
    document = read_json(read, {"a/b~c": "x" * 500, "d": "y" * 500})

    assert [pointer for pointer, _ in said(document)] == ["/a~1b~0c", "/d"]


def test_escaped_letters_are_letters(read: Read) -> None:
    assert read(rb'{"title": "Ti\u1ebfng Vi\u1ec7t \ud83d\ude00"}', JSON).text == (
        "title: Tiếng Việt 😀"
    )


def test_members_of_the_same_name_are_all_kept(read: Read) -> None:
    assert read(b'{"a": 1, "a": 2}', JSON).text == "a: 1\na: 2"


def test_numbers_stay_as_they_are_written_however_long(read: Read) -> None:
    digits = "9" * 5_000

    document = read(f'{{"big": {digits}, "price": 1.10, "far": 1e999}}'.encode(), JSON)

    assert f"big: {digits}" in document.text
    assert "price: 1.10" in document.text
    assert "far: 1e999" in document.text


@pytest.mark.parametrize(
    ("content", "text"), [(b'"just text"', "just text"), (b"42", "42"), (b"null", "null")]
)
def test_a_value_alone_is_read(read: Read, content: bytes, text: str) -> None:
    assert said(read(content, JSON)) == [("#", text)]


def test_json_lines_are_records_found_at_their_lines(read: Read) -> None:
    document = read(b'{"id": 1, "who": "Kim"}\n\n{"id": 2, "who": "Lee"}\n', JSON)

    assert said(document) == [("1", "id: 1\nwho: Kim"), ("3", "id: 2\nwho: Lee")]
    assert document.segments[1].locator.kind == "lines"


@pytest.mark.parametrize("content", [b'{\n  // how long\n  "days": 12,\n}', b'{"a": 1} trailing'])
def test_what_is_no_json_is_read_as_the_text_it_is(read: Read, content: bytes) -> None:
    document = read(content, JSON)

    assert document.text == content.decode()
    assert document.segments[0].locator.kind == "lines"


def test_a_large_object_of_short_values_is_cut_between_them(read: Read) -> None:
    document = read_json(read, {f"key{number}": f"value {number}" for number in range(500)})

    assert len(document.segments) == 500
    assert said(document)[7] == ("/key7", "key7: value 7")
    assert "key7: value 7\nkey8: value 8" in document.text


def test_what_is_nested_too_deeply_is_a_resource_limit(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(b"[" * 200_000 + b"]" * 200_000, JSON)

    assert refusal.value.reason is Reason.RESOURCE_LIMIT


@pytest.mark.parametrize("content", [b"{}", b"[]", b"[[], {}]"])
def test_nothing_is_no_text(read: Read, content: bytes) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(content, JSON)

    assert refusal.value.reason is Reason.NO_TEXT


def test_json_lines_are_known_by_their_media_type(read: Read) -> None:
    document = read(b'{"name": "\\uc11c\\uc6b8"}\n{"name": "Hanoi"}\n', "application/jsonl")

    assert document.text == "name: 서울\n\nname: Hanoi"


def test_escaped_letters_of_what_is_cut_off_can_be_read_at_their_lines(read: Read) -> None:
    content = (
        b'{"city": "\\uc11c\\uc6b8",\n "path": "C:\\\\users\\u0041", "tail": "\\ud83d\\ude00", "x'
    )

    document = read(content, JSON)

    assert "서울" in document.text
    assert "\\\\users" in document.text
    assert "😀" in document.text
    assert document.segments[0].locator.value == "1-2"


def test_a_damaged_line_among_json_lines_is_told_and_costs_itself_alone(read: Read) -> None:
    document = read(b'{"id": 1}\n{"id": 2}\n\n{"id": 3, "who": "K\\u00e9', "application/jsonl")

    assert said(document) == [("1", "id: 1"), ("2", "id: 2"), ("4", '{"id": 3, "who": "Ké')]
    assert document.failures == ("line 4: no JSON, read as text",)


@pytest.mark.parametrize(
    "content",
    [b'{\n "list": [\n  {"a": 1},\n  {"b": 2}\n ],\n "tail": "cut o', b'{"a": 1} trailing'],
)
def test_json_that_is_damaged_is_read_as_text_and_told(read: Read, content: bytes) -> None:
    document = read(content, JSON)

    assert document.text == content.decode()
    assert document.failures[0].startswith("no JSON from line ")


@pytest.mark.parametrize(
    "content",
    [
        b'{\n  // how long\n  "days": 12,\n}',
        b'{"link": "https://a.b//c", /* two,\n] lines */ "list": [1, 2, // last\n]}',
        b'// all in comments, "one quote\n[1]',
    ],
)
def test_settings_with_comments_and_last_commas_are_no_failure(read: Read, content: bytes) -> None:
    document = read(content, JSON)

    assert document.text == content.decode()
    assert not document.failures


@pytest.mark.parametrize(
    "piece", ['\\"', '"', ",", ", ", "/*", "/", "//", ",/*", ',"', "\\", "\n,", "\n{", ",/**/"]
)
def test_what_is_no_json_costs_in_proportion(piece: str) -> None:
    def seconds(count: int) -> float:
        """The best of three, as the machine may be busy."""
        return min(map(once, [count] * 3))

    def once(count: int) -> float:
        before = time.process_time()
        assert json_data.read(InputFile(("x" + piece * count).encode())).failures
        return time.process_time() - before

    # 8 in proportion, 64 with the square; a busy machine has made 10 out of 4.
    assert seconds(4 * COUNT) < 30 * max(seconds(COUNT // 2), 0.05)
