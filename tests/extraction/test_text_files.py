import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdrive_rag_mcp.domain import Document, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError

Read = Callable[[bytes, str], Document]

FRAGMENTS = (
    "",
    "words of a line",
    "한국어 문장.",
    "    code",
    "> quote",
    "- item",
    "1. x",
    "# One",
    "## Two ##",
    "#nothing",
    "Under",
    "===",
    "---",
    "```",
    "~~~ py",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "|",
)
LINES = st.lists(st.sampled_from(FRAGMENTS), max_size=40).filter(
    lambda lines: re.search(r"\w", "".join(lines)) is not None
)
SAFE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


# ── plain text ───────────────────────────────────────────────────────────────


def test_a_paragraph_is_located_by_its_lines(read: Read) -> None:
    document = read(b"one\ntwo\n\n\nthree\r\n\r\nfour\rfive", "text/plain")

    assert said(document) == ["one\ntwo", "three", "four\nfive"]
    assert [each.locator.value for each in document.segments] == ["1-2", "5", "7-8"]
    assert document.title == ""


def test_a_file_without_blank_lines_is_cut_at_sentence_ends_into_bounded_parts(read: Read) -> None:
    lines = [f"line {number}{'.' if number % 7 == 0 else ''}" for number in range(1, 201)]

    document = read("\n".join(lines).encode(), "text/plain")

    assert document.text == "\n".join(lines)
    sizes = [each.locator.last - each.locator.first + 1 for each in document.segments]  # type: ignore[operator]  # lines have numbers
    assert max(sizes) <= 40
    assert all(part.endswith(".") for part in said(document)[:-1])


@SAFE
@given(LINES)
def test_lines_of_plain_text_are_where_their_locator_says(read: Read, lines: list[str]) -> None:
    document = read("\n".join(lines).encode(), "text/plain")

    for segment in document.segments:
        first, last = segment.locator.first or 0, segment.locator.last or 0
        text = document.text[segment.start : segment.end]
        assert text.strip() == "\n".join(lines[first - 1 : last]).strip()


@pytest.mark.parametrize("mime_type", ["text/plain", "text/markdown", "text/plain; charset=utf-8"])
def test_nothing_but_blanks_is_no_text(read: Read, mime_type: str) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(b" \n\t\r\n ", mime_type)

    assert refusal.value.reason is Reason.NO_TEXT


# ── Markdown ─────────────────────────────────────────────────────────────────

HANDBOOK = """\
---
title: "Staff handbook"
tags: [hr]
---
Before any heading.

# Leave
Some words
on two lines.

## *Unpaid* [leave](https://example.org) {#unpaid}

```python
# not a heading
```

Sick pay
--------
| Grade | Days |
|-------|-----:|
| A     | 12   |
| B \\| C | 9  |

- item
---
## Closed ##
end
"""


def test_headings_make_the_path_and_the_lines_are_those_of_the_file(read: Read) -> None:
    document = read(HANDBOOK.encode(), "text/markdown")

    assert document.title == "Staff handbook"
    places = {
        document.text[each.start : each.end]: (
            each.locator.value,
            each.locator.first,
            each.locator.last,
        )
        for each in document.segments
    }
    assert places["Before any heading."] == ("5", 5, 5)
    assert places["Some words\non two lines."] == ("Leave", 8, 9)
    assert places["Unpaid leave"] == ("Leave > Unpaid leave", 11, 11)
    assert places["```python\n# not a heading\n```"] == ("Leave > Unpaid leave", 13, 15)
    assert places["Sick pay"] == ("Leave > Sick pay", 17, 18)
    assert places["end"] == ("Leave > Closed", 27, 27)


def test_a_pipe_table_becomes_rows_under_its_header(read: Read) -> None:
    document = read(HANDBOOK.encode(), "text/markdown")

    rows = [each for each in document.segments if each.kind is SegmentKind.ROW]
    texts = [document.text[each.start : each.end] for each in rows]
    assert texts == ["Grade | Days", "A | 12", "B | C | 9"]
    assert [each.context for each in rows] == ["", "Grade | Days", "Grade | Days"]
    assert [each.locator.first for each in rows] == [19, 21, 22]


def test_a_rule_under_a_list_is_no_heading(read: Read) -> None:
    document = read(HANDBOOK.encode(), "text/markdown")

    headings = [
        document.text[each.start : each.end]
        for each in document.segments
        if each.kind is SegmentKind.HEADING
    ]
    assert headings == ["Leave", "Unpaid leave", "Sick pay", "Closed"]


def test_pictures_inside_the_text_are_left_out(read: Read) -> None:
    data = "QUJD" * 50_000

    document = read(f"# A\n[image1]: <data:image/png;base64,{data}>\n".encode(), "text/markdown")

    assert len(document.text) < 100


@SAFE
@given(LINES)
def test_markdown_loses_no_word(read: Read, lines: list[str]) -> None:
    document = read("\n".join(lines).encode(), "text/markdown")

    words = re.findall(r"\w+", "\n".join(lines))
    assert re.findall(r"\w+", document.text) == words
    numbers = [each.locator.first or 0 for each in document.segments]
    assert numbers == sorted(numbers)


def test_a_long_heading_of_marks_is_read_in_bounded_steps(read: Read) -> None:
    document = read(b"# " + b"*a " * 200_000, "text/markdown")

    assert document.segments[0].kind is SegmentKind.HEADING


def test_separators_that_no_editor_counts_as_line_ends_move_no_line_numbers(read: Read) -> None:
    content = "one\u2028still one\u2029and\u0085on\n\ntwo\n".encode()

    document = read(content, "text/plain")

    assert document.text == "one still one and on\n\ntwo"
    assert document.segments[1].locator.value == "3"
