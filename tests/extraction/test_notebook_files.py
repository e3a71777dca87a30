import json
from collections.abc import Callable
from typing import Any

import pytest

from gdrive_rag_mcp.domain import Document, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError

Read = Callable[[bytes, str], Document]
NOTEBOOK = "application/x-ipynb+json"
PICTURE = "iVBORw0KGgo" * 1000


def notebook(*cells: dict[str, Any], **metadata: object) -> bytes:
    return json.dumps({"nbformat": 4, "metadata": metadata, "cells": cells}).encode()


def markdown(*lines: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": [f"{line}\n" for line in lines]}


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": outputs}


def said(document: Document) -> list[tuple[str, str]]:
    return [
        (each.locator.value, document.text[each.start : each.end]) for each in document.segments
    ]


def test_cells_are_numbered_from_one_and_stand_under_the_headings_above(read: Read) -> None:
    document = read(
        notebook(markdown("# Leave", "", "Who may go."), code("print(1)"), markdown("## Unpaid")),
        NOTEBOOK,
    )

    assert said(document) == [
        ("1", "Leave"), ("1", "Who may go."), ("2", "print(1)"), ("3", "Unpaid"),
    ]  # fmt: skip
    assert document.title == "Leave"
    assert document.segments[0].kind is SegmentKind.HEADING
    assert document.segments[2].headings == ("Leave",)
    assert document.segments[3].headings == ("Leave", "Unpaid")
    assert (document.segments[2].locator.kind, document.segments[2].locator.first) == ("cell", 2)


def test_what_a_cell_printed_follows_it_without_pictures_pages_or_colours(read: Read) -> None:
    shown = {
        "output_type": "display_data",
        "data": {
            "image/png": PICTURE,
            "text/html": "<b>markup</b>",
            "text/plain": ["a table\n", "of two"],
        },
    }
    printed = {"output_type": "stream", "text": "\x1b[31mred\x1b[0m line\n"}
    failed = {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["…"]}

    document = read(notebook(code("run()", printed, shown, failed)), NOTEBOOK)

    assert said(document) == [
        ("1", "run()"),
        ("1", "red line\na table\nof two\nKeyError: 'x'"),
    ]
    assert document.segments[1].context == "output"


def test_a_long_log_is_cut(read: Read) -> None:
    log = {"output_type": "stream", "text": "epoch 1 done\n" * 10_000}

    document = read(notebook(code("train()", log), markdown("after")), NOTEBOOK)

    assert len(document.text) < 5_000
    assert said(document)[-1] == ("2", "after")


def test_number_signs_in_code_are_no_headings(read: Read) -> None:
    document = read(
        notebook(markdown("# Top", "```", "# comment", "```"), code("# also")), NOTEBOOK
    )

    assert document.segments[-1].headings == ("Top",)
    assert document.title == "Top"


def test_pictures_within_markdown_are_dropped(read: Read) -> None:
    cell = markdown(f"![chart](data:image/png;base64,{PICTURE}) shows growth")

    document = read(notebook(cell), NOTEBOOK)

    assert "shows growth" in document.text
    assert len(document.text) < 100


def test_the_language_is_told_with_code(read: Read) -> None:
    document = read(notebook(code("x <- 1"), language_info={"name": "R"}), NOTEBOOK)

    assert document.segments[0].context == "R"


def test_notebooks_of_the_third_version_are_read(read: Read) -> None:
    cells = [
        {"cell_type": "heading", "level": 1, "source": "Old"},
        {
            "cell_type": "code",
            "input": "1 + 1",
            "language": "python",
            "outputs": [{"output_type": "pyout", "text": ["2"]}],
        },
    ]
    content = json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]})

    document = read(content.encode(), NOTEBOOK)

    assert said(document) == [("1", "Old"), ("2", "1 + 1"), ("2", "2")]
    assert document.segments[1].headings == ("Old",)


def test_cells_of_a_strange_form_cost_only_themselves(read: Read) -> None:
    content = {
        "nbformat": 4,
        "cells": [None, 7, {"cell_type": "code", "source": {"a": 1}}, {"source": ["kept", None]}],
    }

    assert said(read(json.dumps(content).encode(), NOTEBOOK)) == [("4", "kept")]


@pytest.mark.parametrize("content", [b'{"nbformat": 4, "cells": [', b"[1, 2]"])
def test_what_is_no_notebook_is_corrupt(read: Read, content: bytes) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(content, NOTEBOOK)

    assert refusal.value.reason is Reason.CORRUPT


def test_a_notebook_without_cells_has_no_text(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(notebook(), NOTEBOOK)

    assert refusal.value.reason is Reason.NO_TEXT


def test_outputs_that_only_show_as_markdown_or_as_a_page_are_read(read: Read) -> None:
    marked = {"output_type": "display_data", "data": {"text/markdown": ["**27**", " days"]}}
    table = "<style>td {}</style><table><tr><th>Who<th>Days<tr><td>Kim<td>12</table>"
    page = {"output_type": "display_data", "data": {"text/html": table}}
    named = {
        "text/plain": "<IPython.core.display.HTML object>",
        "text/html": ["<b>on", " leave</b>"],
    }
    older = {"output_type": "display_data", "html": "<p>of old</p>"}
    bare = {"output_type": "execute_result", "data": {"text/plain": "<object object at 0x7f>"}}

    document = read(
        notebook(
            code("a", marked), code("b", page), code("c", {"data": named}), code("d", older, bare)
        ),
        NOTEBOOK,
    )

    assert [text for _, text in said(document)[1::2]] == [
        "**27** days", "Who | Days\nKim | 12", "on leave", "of old\n<object object at 0x7f>",
    ]  # fmt: skip


def test_an_output_that_is_no_page_to_be_read_is_told_and_costs_itself_alone(read: Read) -> None:
    hostile = {"output_type": "display_data", "data": {"text/html": "<p>" * 2_000_001}}

    document = read(notebook(code("a", hostile), markdown("after")), NOTEBOOK)

    assert [text for _, text in said(document)] == ["a", "after"]
    assert document.failures[0].startswith("cell 1: an output was not read: ")
