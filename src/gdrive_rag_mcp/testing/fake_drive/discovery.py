"""Holds requests to the discovery document that ships with Google's client."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.answers import invalid


@cache
def document() -> dict[str, Any]:
    """Google's description of Drive v3."""
    cached = files("googleapiclient.discovery_cache") / "documents" / "drive.v3.json"
    loaded: dict[str, Any] = json.loads(cached.read_text(encoding="utf-8"))
    return loaded


def checked_parameters(resource: str, method: str, given: Mapping[str, str]) -> dict[str, Any]:
    """The query parameters of a call, typed, with defaults, clamped to their maxima.

    Raises:
        ApiError: 400 for a parameter or value that the method does not have.
    """
    specification = document()["resources"][resource]["methods"][method]
    known = {
        name: schema
        for name, schema in (document()["parameters"] | specification["parameters"]).items()
        if schema.get("location") == "query"
    }
    for name in given:
        if name not in known:
            raise invalid(name, f"Unknown parameter: {name}")
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
        if not text.isdigit() or int(text) < int(schema.get("minimum", 0)):
            raise invalid(name)
        return min(int(text), int(schema.get("maximum", text)))
    return text
