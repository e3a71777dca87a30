"""Holds requests to the discovery documents that ship with Google's client."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.answers import invalid, required


@cache
def document(name: str = "drive.v3") -> dict[str, Any]:
    """Google's description of an API: `drive.v3`, `docs.v1`, `sheets.v4` or `slides.v1`."""
    cached = files("googleapiclient.discovery_cache") / "documents" / f"{name}.json"
    loaded: dict[str, Any] = json.loads(cached.read_text(encoding="utf-8"))
    return loaded


@cache
def _query_parameters(api: str, resource: str, method: str) -> dict[str, Any]:
    described = document(api)
    specification = described["resources"][resource]["methods"][method]
    both = described["parameters"] | specification.get("parameters", {})
    return {
        name: schema
        for name, schema in both.items()
        if schema.get("location") == "query" and not schema.get("deprecated")
    }


def checked_parameters(
    resource: str, method: str, given: Mapping[str, str], api: str = "drive.v3"
) -> dict[str, Any]:
    """The query parameters of a call, typed, with defaults, clamped to their maxima.

    Raises:
        ApiError: 400 for a parameter or value that the method does not have, for a deprecated
            parameter, and for one that is missing.
    """
    known = _query_parameters(api, resource, method)
    for name in given:
        if name not in known:
            raise invalid(name, f"Unknown parameter: {name}")
    for name, schema in known.items():
        if schema.get("required") and not given.get(name):
            raise required(name)
    return {
        name: _value(name, given[name] if name in given else schema["default"], schema)
        for name, schema in known.items()
        if name in given or "default" in schema
    }


def _value(name: str, text: str, schema: Mapping[str, Any]) -> str | int | bool:
    if "enum" in schema and text not in schema["enum"]:
        raise invalid(name)
    if schema["type"] == "boolean":
        if text not in ("true", "false"):
            raise invalid(name)
        return text == "true"
    if schema["type"] == "integer":
        if not (text.isascii() and text.isdigit()) or int(text) < int(schema.get("minimum", 0)):
            raise invalid(name)
        return min(int(text), int(schema.get("maximum", text)))
    return text


def check_body(schema: str, body: Mapping[str, Any], api: str) -> None:
    """Hold a resource that a test has made to its schema.

    Raises:
        ValueError: it has a field that Google's resource does not have.
    """
    _check(document(api)["schemas"][schema], body, api, schema)


def _check(schema: Mapping[str, Any], value: object, api: str, where: str) -> None:
    if "$ref" in schema:
        schema = document(api)["schemas"][schema["$ref"]]
    if isinstance(value, list):
        for item in value:
            _check(schema.get("items", {}), item, api, where)
    if not isinstance(value, Mapping):
        return
    for name, inner in value.items():
        known = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
        if known is None:
            raise ValueError(f"{where} has no field {name!r}.")
        _check(known, inner, api, f"{where}.{name}")
