"""What is said of a setting that is wrong: where it came from, its value, and what it must be."""

from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import ValidationError

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.settings.fields import Settings
from gdrive_rag_mcp.settings.names import MAY_HOLD_SECRETS

_SHOWN_CHARS = 80
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def refusal(field: str, place: str, error: ValidationError) -> SettingsError:
    """The first thing that is wrong; `place` says where the value was given.

    A value that may be a secret, or a URL that may carry one, is not shown.
    """
    wrong = next(one for one in error.errors() if one["loc"][0] == field)
    ours = wrong["type"] == "value_error"
    must = str(wrong["msg"]).removeprefix("Value error, ") if ours else f"must be {_what(field)}"
    shown = _shown(field, wrong["input"])
    info = Settings.model_fields[field]
    default = "" if info.default is None else f" for {str(info.default).lower()}"
    return SettingsError(
        f"{place}: {shown}{must}",
        hint=f"correct it, or leave it out{default}. It means: {info.description}",
    )


def _shown(field: str, value: object) -> str:
    shown = repr(value)
    if field in MAY_HOLD_SECRETS or ("://" in shown and "@" in shown):
        return ""
    return f"{shown} " if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}… "


def _what(field: str) -> str:
    """What a setting takes, from its type and its bounds: `a whole number from 50 to 2000`."""
    info = Settings.model_fields[field]
    kind = _kind(info.annotation)
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    bounds = {
        name: bound
        for limit in info.metadata
        for name in ("ge", "gt", "le")
        if (bound := getattr(limit, name, None)) is not None
    }
    said = _KINDS.get(kind, "a path")
    if "ge" in bounds:
        said += f" from {bounds['ge']:g}"
    if "gt" in bounds:
        said += f" above {bounds['gt']:g}"
    if "le" in bounds:
        said += f" to {bounds['le']:g}" if "ge" in bounds else f", at most {bounds['le']:g}"
    return said


def _kind(annotation: Any) -> Any:  # noqa: ANN401 - any annotation of a field
    """The type that is not None, where there is a choice."""
    if get_origin(annotation) is Literal:
        return annotation
    kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
    return kinds[0] if kinds else annotation
