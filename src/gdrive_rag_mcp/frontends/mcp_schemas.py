"""JSON Schemas that every MCP client can read: flat, without `$ref` and `anyOf`."""

import types
from collections.abc import Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def output_schema(shape: Any) -> dict[str, Any]:  # noqa: ANN401 - a type, which has no narrower type
    """The schema of a TypedDict of `presentation.shapes`, everything spelled out in place."""
    if shape in _NAMES:
        return {"type": _NAMES[shape]}
    if is_typeddict(shape):
        return {
            "type": "object",
            "properties": {key: output_schema(kind) for key, kind in get_type_hints(shape).items()},
            "required": sorted(shape.__required_keys__),
        }
    arguments = get_args(shape)
    if get_origin(shape) is list:
        return {"type": "array", "items": output_schema(arguments[0])}
    if get_origin(shape) is dict:
        return {"type": "object", "additionalProperties": output_schema(arguments[1])}
    if get_origin(shape) in (types.UnionType, Union):
        return _nullable(arguments)
    raise TypeError(f"no JSON Schema is known for {shape!r}")


def _nullable(arguments: tuple[Any, ...]) -> dict[str, Any]:
    """`X | None` as one schema with two types, so that no `anyOf` is needed."""
    (kind,) = (argument for argument in arguments if argument is not type(None))
    schema = output_schema(kind)
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
