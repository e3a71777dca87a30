"""`fields` masks: parsed, held to the schema, and applied; what is not asked for is not sent."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.answers import ApiError, invalid
from gdrive_rag_mcp.testing.fake_drive.discovery import document

Mask = dict[str, "Mask"]
_TOKEN = re.compile(r"\s*([A-Za-z0-9_]+|[*(),/])")


@lru_cache(maxsize=256)
def parse_mask(text: str, schema: str, api: str = "drive.v3") -> Mask:
    """Parse `a,b(c,d),e/f,*`; an empty inner mask stands for everything below.

    Raises:
        ApiError: 400 for bad syntax or a field that the schema does not have.
    """
    tokens = _tokens(text)
    mask = _selection(tokens)
    if tokens:
        raise _invalid(text)
    _hold_to_schema(mask, document(api)["schemas"][schema], api)
    return mask


def apply_mask(mask: Mask, value: Any) -> Any:  # noqa: ANN401 -- any JSON value
    """What of a JSON value the mask asks for."""
    if isinstance(value, list):
        return [apply_mask(mask, item) for item in value]
    if not mask or not isinstance(value, Mapping):
        return value
    return {
        name: apply_mask(mask.get(name, mask.get("*", {})), inner)
        for name, inner in value.items()
        if name in mask or "*" in mask
    }


def _tokens(text: str) -> list[str]:
    found, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _invalid(text)
        found.append(match.group(1))
        position = match.end()
    return found


def _selection(tokens: list[str]) -> Mask:
    mask: Mask = {}
    while True:
        name, inner = _field(tokens)
        mask[name] = _union(mask[name], inner) if name in mask else inner
        if not tokens or tokens[0] != ",":
            return mask
        tokens.pop(0)


def _field(tokens: list[str]) -> tuple[str, Mask]:
    if not tokens or tokens[0] in "(),/":
        raise _invalid("".join(tokens))
    name = tokens.pop(0)
    inner: Mask = {}
    if tokens and tokens[0] == "/":
        tokens.pop(0)
        inner = dict([_field(tokens)])
    elif tokens and tokens[0] == "(":
        tokens.pop(0)
        inner = _selection(tokens)
        if not tokens or tokens.pop(0) != ")":
            raise _invalid(name)
    return name, inner


def _union(one: Mask, other: Mask) -> Mask:
    """Both selections; one that is empty stands for everything."""
    if not one or not other:
        return {}
    both = dict(one)
    for name, inner in other.items():
        both[name] = _union(one[name], inner) if name in one else inner
    return both


def _hold_to_schema(mask: Mask, schema: Mapping[str, Any], api: str) -> None:
    schema = schema.get("items", schema)
    if "$ref" in schema:
        schema = document(api)["schemas"][schema["$ref"]]
    properties = schema.get("properties", {})
    for name, inner in mask.items():
        known = properties.get(name, schema.get("additionalProperties"))
        if known is None and name != "*":
            raise _invalid(name)
        if inner and known is not None:
            _hold_to_schema(inner, known, api)


def _invalid(selection: str) -> ApiError:
    return invalid("fields", f"Invalid field selection {selection}")
