"""What is said of an option that is no number, or none in its range: its value, and the range."""

import inspect
from collections.abc import Iterable
from typing import Any, get_args

import typer
from pydantic import ValidationError
from typer.core import TyperCommand

_SHOWN_CHARS = 80
_KINDS = {int: "a whole number", float: "a number"}


def refusing_numbers(parameters: Iterable[inspect.Parameter]) -> type[TyperCommand]:
    """A command that says so of its numbers; typer itself names only the one bound or the type."""
    wanted = {one.name: said for one in parameters if (said := _wanted(one.annotation))}

    class Command(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - its class is typer's own
            try:
                return super().parse_args(ctx, args)
            except typer.BadParameter as error:
                said = wanted.get(getattr(error.param, "name", None) or "")
                if said is not None and isinstance(error.__cause__, ValidationError):
                    error.message = f"{_given(error.__cause__)} is not {said}"
                raise

    return Command


def _given(error: ValidationError) -> str:
    shown = repr(error.errors()[0]["input"])
    return shown if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}…"


def _wanted(annotation: Any) -> str | None:  # noqa: ANN401 - any annotation of an option
    """What an option takes: `a whole number from 1 to 604800`; None where that is no number."""
    kind, *details = get_args(annotation) or (annotation,)
    said = next((_KINDS[one] for one in (kind, *get_args(kind)) if one in _KINDS), None)
    least, most = (
        next((bound for one in details if (bound := getattr(one, name, None)) is not None), None)
        for name in ("min", "max")
    )
    return said and f"{said}{_bound('from', least)}{_bound('to', most)}"


def _bound(word: str, bound: float | None) -> str:
    return "" if bound is None else f" {word} {bound}"
