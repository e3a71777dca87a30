"""Copies and neighbours in results: told, and never at the price of a passage."""

from dataclasses import replace

from gdrive_rag_mcp.domain import Duplicate
from gdrive_rag_mcp.presentation import MAX_RESULT_CHARS, as_json, bounded_search
from gdrive_rag_mcp.presentation.objects import hit_object
from gdrive_rag_mcp.presentation.shapes import HitObject
from gdrive_rag_mcp.testing.made_evidence import hit
from tests.presentation.test_limits import search

COPIES = tuple(Duplicate(f"c{n}:0:0", f"c{n}", f"old/{n}.txt", n % 2 == 0) for n in range(30))


def shown(text: str, *, before: str = "", after: str = "") -> HitObject:
    return hit_object(replace(hit(text), duplicates=COPIES, before=before, after=after), 1.0)


def test_copies_are_named_with_document_and_path() -> None:
    copies = shown("text")["duplicates"]
    assert copies[1] == {
        "chunk_id": "c1:0:0", "document_id": "c1", "path": "old/1.txt", "exact": False,
    }  # fmt: skip


def test_a_result_names_ten_copies_and_counts_the_others() -> None:
    [bounded] = bounded_search(search([shown("text")]))["results"]
    assert (len(bounded["duplicates"]), bounded["omitted_duplicates"]) == (10, 20)


def test_what_stands_beside_passages_gives_way_before_their_text() -> None:
    hits = [shown("passage " * 300, before="x" * 6_000, after="y" * 6_000) for _ in range(5)]
    bounded = bounded_search(search(hits))
    assert len(as_json(bounded)) <= MAX_RESULT_CHARS
    assert all(one["text"] == "passage " * 300 for one in bounded["results"])
    assert bounded["results"][0].get("before")
    assert "before" not in bounded["results"][-1]
    assert bounded["results"][-1]["truncated"]
