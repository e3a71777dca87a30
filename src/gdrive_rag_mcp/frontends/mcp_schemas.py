"""JSON Schemas that every MCP client can read: flat, without `$ref` and `anyOf`."""

import types
from collections.abc import Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from gdrive_rag_mcp.presentation import answer_shapes, shapes

RESULTS: Mapping[str, type] = {
    "search_knowledge": shapes.SearchObject,
    "answer_question": answer_shapes.AnswerObject,
    "verify_quote": answer_shapes.QuoteObject,
    "get_document": shapes.DocumentObject,
    "get_document_metadata": shapes.MetadataObject,
    "list_documents": shapes.LedgerObject,
    "check_index_status": shapes.StatusObject,
}
"""What each tool returns, in the order in which the tools are listed."""

_LEVELS = 2
_FENCE = set(get_type_hints(shapes.Fenced))
"""The marks that are in every fenced result; the instructions say what they mean."""
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def output_schema(shape: type, spelled: set[type] | None = None) -> dict[str, Any]:
    """The schema of a TypedDict of `presentation`, without definitions to refer to.

    All tools share the room that a client has for them: a shape is spelled out once, also where it
    was in `spelled` by an earlier tool, and so are the marks of the fence; what lies below the
    items of a list is just an object; and which of the keys are always there is not told.
    """
    return _schema(shape, set() if spelled is None else spelled, _LEVELS)


def _schema(kind: Any, spelled: set[type], levels: int) -> dict[str, Any]:  # noqa: ANN401 - any annotation
    arguments = get_args(kind)
    if kind in _NAMES:
        return {"type": _NAMES[kind]}
    if is_typeddict(kind):
        return _object_schema(kind, spelled, levels)
    if get_origin(kind) is list:
        return {"type": "array", "items": _schema(arguments[0], spelled, levels)}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], spelled, levels)}
    if get_origin(kind) in (types.UnionType, Union):
        return _nullable(arguments, spelled, levels)
    raise TypeError(f"no JSON Schema is known for {kind!r}")


def _object_schema(shape: type, spelled: set[type], levels: int) -> dict[str, Any]:
    if shape in spelled or not levels:
        return {"type": "object"}
    hints = get_type_hints(shape)
    told = _FENCE if shapes.Fenced in spelled else set()
    spelled.update({shape, shapes.Fenced} if hints.keys() >= _FENCE else {shape})
    properties = {key: _schema(hints[key], spelled, levels - 1) for key in hints if key not in told}
    return {"type": "object", "properties": properties}


def _nullable(arguments: tuple[Any, ...], spelled: set[type], levels: int) -> dict[str, Any]:
    """`X | None` as one schema with two types, so that no `anyOf` is needed."""
    (kind,) = (argument for argument in arguments if argument is not type(None))
    schema = _schema(kind, spelled, levels)
    return {**schema, "type": [schema["type"], "null"]}


def input_schema(generated: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's generated input schema, less titles and null defaults, and closed to strangers."""
    properties = {
        name: {
            key: value
            for key, value in schema.items()
            if key != "title" and not (key == "default" and value is None)
        }
        for name, schema in generated["properties"].items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(generated.get("required", ())),
        "additionalProperties": False,
    }
