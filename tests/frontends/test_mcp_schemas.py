"""Tool schemas that every client can read, and that say what is true."""

import json
from collections.abc import Iterator
from typing import NoReturn, NotRequired, TypedDict

import anyio
import pytest
from mcp import Client
from mcp_types import ListToolsResult, Tool

from gdrive_rag_mcp.frontends.mcp_schemas import input_schema, output_schema
from gdrive_rag_mcp.frontends.mcp_server import build_server
from gdrive_rag_mcp.presentation import shapes


def _never() -> NoReturn:
    pytest.fail("listing tools must not make a reader")


def _listed(mode: str) -> ListToolsResult:
    async def listed() -> ListToolsResult:
        async with Client(build_server(_never), mode=mode) as client:
            return await client.list_tools()

    return anyio.run(listed)


@pytest.fixture(scope="module", params=["legacy", "auto"])
def tools(request: pytest.FixtureRequest) -> list[Tool]:
    return _listed(request.param).tools


def _keys(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield key
            yield from _keys(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _keys(value)


def test_the_tools_are_those_that_read(tools: list[Tool]) -> None:
    assert [tool.name for tool in tools] == [
        "search_knowledge",
        "answer_question",
        "verify_quote",
        "get_document",
        "get_document_metadata",
        "list_documents",
        "check_index_status",
    ]


def test_every_tool_is_announced_as_harmless(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.idempotent_hint is True
        assert tool.annotations.open_world_hint is False


def test_names_are_short_and_every_tool_and_argument_is_described(tools: list[Tool]) -> None:
    for tool in tools:
        assert len(tool.name) <= 30
        assert "evidence" in (tool.description or "")
        assert "verdict" in (tool.description or "") or tool.name.startswith(("get_", "list_"))
        for argument in tool.input_schema["properties"].values():
            assert argument["description"]


def test_no_schema_refers_or_chooses(tools: list[Tool]) -> None:
    for tool in tools:
        for schema in (tool.input_schema, tool.output_schema):
            assert not {"$ref", "$defs", "anyOf", "oneOf", "allOf"} & set(_keys(schema))


def test_every_argument_has_one_type_and_no_null_default(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.input_schema["additionalProperties"] is False
        for argument in tool.input_schema["properties"].values():
            assert isinstance(argument["type"], str)
            assert argument.get("default", "") is not None


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_list_of_tools_leaves_room_for_others(mode: str) -> None:
    assert len(_listed(mode).model_dump_json(by_alias=True, exclude_none=True)) < 12_000


def test_arguments_are_as_they_were_promised(tools: list[Tool]) -> None:
    assert {tool.name: tool.input_schema for tool in tools} == {
        "search_knowledge": {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The question, in any language.",
                },
                "limit": {
                    "type": "integer",
                    "default": 5,
                    "minimum": 1,
                    "maximum": 50,
                    "description": "Passages at most.",
                },
                "scope_id": {
                    "type": "string",
                    "maxLength": 12288,
                    "description": "Only below this folder id, or in this document id.",
                },
                "mime_type": {
                    "type": "string",
                    "maxLength": 200,
                    "description": "Only documents of this type.",
                },
                "modified_after": {
                    "type": "string",
                    "maxLength": 200,
                    "description": "ISO 8601 date or time, inclusive.",
                },
                "modified_before": {
                    "type": "string",
                    "maxLength": 200,
                    "description": "ISO 8601 date or time, inclusive.",
                },
                "neighbours": {
                    "type": "integer",
                    "default": 0,
                    "minimum": 0,
                    "maximum": 2,
                    "description": "Chunks shown around each.",
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        },
        "answer_question": {
            "type": "object",
            "properties": {
                "question": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The question, in any language.",
                },
                "scope_id": {
                    "type": "string",
                    "maxLength": 12288,
                    "description": "Only below this folder id, or in this document id.",
                },
            },
            "required": ["question"],
            "additionalProperties": False,
        },
        "verify_quote": {
            "type": "object",
            "properties": {
                "document_id": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 12288,
                    "description": "From search results or list_documents.",
                },
                "quote": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The words; … or [...] for what is left out.",
                },
            },
            "required": ["document_id", "quote"],
            "additionalProperties": False,
        },
        "get_document": {
            "type": "object",
            "properties": {
                "document_id": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 12288,
                    "description": "From search results or list_documents.",
                },
                "start": {
                    "type": "integer",
                    "default": 0,
                    "minimum": 0,
                    "description": "First character, from 0.",
                },
                "max_chars": {
                    "type": "integer",
                    "default": 20_000,
                    "minimum": 1,
                    "maximum": 30_000,
                    "description": "Characters at most.",
                },
            },
            "required": ["document_id"],
            "additionalProperties": False,
        },
        "get_document_metadata": {
            "type": "object",
            "properties": {
                "document_id": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 12288,
                    "description": "From search results or list_documents.",
                }
            },
            "required": ["document_id"],
            "additionalProperties": False,
        },
        "list_documents": {
            "type": "object",
            "properties": {
                "folder_id": {
                    "type": "string",
                    "maxLength": 12288,
                    "description": "Only below this folder.",
                },
                "state": {
                    "type": "string",
                    "enum": [
                        "indexed", "partial", "empty", "skipped", "failed", "pending", "held"
                    ],
                    "description": (
                        "Only files in this state; others may be found by a former text."
                    ),
                },
                "query": {
                    "type": "string",
                    "maxLength": 200,
                    "description": "Part of a path.",
                },
                "cursor": {
                    "type": "string",
                    "maxLength": 8_000,
                    "description": "next_cursor of the page before.",
                },
            },
            "required": [],
            "additionalProperties": False,
        },
        "check_index_status": {
            "type": "object",
            "properties": {},
            "required": [],
            "additionalProperties": False,
        },
    }  # fmt: skip


def test_a_schema_may_be_cached_by_clients_of_the_new_era() -> None:
    listed = json.loads(_listed("auto").model_dump_json(by_alias=True))

    assert (listed["ttlMs"], listed["cacheScope"]) == (300_000, "public")


# ── how schemas are made ─────────────────────────────────────────────────────


class _Inner(TypedDict):
    title: str
    score: float | None


class _Outer(TypedDict):
    first: list[_Inner]
    second: list[_Inner]
    counts: dict[str, int]
    yes: bool
    perhaps: NotRequired[_Inner | None]


def test_a_shape_that_occurs_twice_is_spelled_out_once() -> None:
    inner = {
        "type": "object",
        "properties": {"title": {"type": "string"}, "score": {"type": ["number", "null"]}},
    }

    assert output_schema(_Outer) == {
        "type": "object",
        "properties": {
            "first": {"type": "array", "items": inner},
            "second": {"type": "array", "items": {"type": "object"}},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "yes": {"type": "boolean"},
            "perhaps": {"type": ["object", "null"]},
        },
    }


def test_a_shape_that_an_earlier_tool_has_told_is_not_spelled_out_again() -> None:
    spelled: set[type] = set()
    output_schema(_Outer, spelled)

    class Later(TypedDict):
        inner: _Inner

    assert output_schema(Later, spelled)["properties"] == {"inner": {"type": "object"}}


def test_the_marks_around_what_documents_say_are_spelled_out_by_the_first_tool_alone() -> None:
    class First(shapes.Fenced):
        own: int

    class Second(shapes.Fenced):
        own: bool

    spelled: set[type] = set()
    first, second = output_schema(First, spelled), output_schema(Second, spelled)

    assert list(first["properties"]) == ["content_begins", "content_ends", "own"]
    assert second["properties"] == {"own": {"type": "boolean"}}


def test_what_lies_below_the_items_of_a_list_is_just_an_object() -> None:
    class Item(TypedDict):
        inner: _Inner

    class Result(TypedDict):
        items: list[Item]

    items = output_schema(Result)["properties"]["items"]

    assert items["items"]["properties"] == {"inner": {"type": "object"}}


def test_a_type_without_schema_is_a_programmers_mistake() -> None:
    class Odd(TypedDict):
        odd: complex

    with pytest.raises(TypeError, match="complex"):
        output_schema(Odd)


def test_an_argument_called_title_keeps_its_place() -> None:
    generated = {"properties": {"title": {"title": "Title", "type": "string", "default": None}}}

    assert input_schema(generated)["properties"] == {"title": {"type": "string"}}


def test_the_schema_of_a_search_allows_a_hit_to_have_a_state() -> None:
    hit = output_schema(shapes.SearchObject)["properties"]["results"]["items"]

    assert hit["properties"]["state"] == {"type": "string"}
