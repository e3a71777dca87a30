"""Reads JSON as lines `key: value`, located by JSON Pointers; JSON Lines by their lines.

What is no JSON after all, such as settings with comments, is read as the text it is; where it
should have been JSON, as in a file that was cut off, that is told.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gdrive_rag_mcp.domain import Document, Locator
from gdrive_rag_mcp.extraction.building import DocumentBuilder, one_line
from gdrive_rag_mcp.extraction.encodings import read_text
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.text import add_text, lines_locator

_SMALL = 800
"""Characters. What takes no more is one piece of text; what takes more is cut at its entries."""

_IN_A_LINE = 100
# Escapes of what is no control character, mark or ASCII at all.
_LETTERS = re.compile(r"(?<!\\)(?:\\u(?!00[0-7])[0-9a-fA-F]{4})+")
# What people write into settings: comments, and commas behind last entries. Texts are matched, too,
# so that nothing is found within them.
_LENIENT = re.compile(
    r"""(?s)(?P<text>"(?:[^"\\]|\\.?)*+"?)|//[^\n]*+|/\*.*?(?:\*/|\Z)"""
    r"""|,(?=(?:\s|//[^\n]*+|/\*.*?\*/)*+[}\]])"""
)
_UNFINISHED = (",", ":", "[", "{")
"""No JSON value ends with one of these."""

_ROOT = "#"
"""The whole file, as a URI fragment; the pointer itself would be empty (RFC 6901, section 6)."""


class Members(tuple[tuple[str, "Value"], ...]):
    """An object's members in order; of the same name there may be several."""

    __slots__ = ()


# Numbers are kept as they are written.
Value: TypeAlias = "Members | list[Value] | str | bool | None"


def read(file: InputFile) -> Document:
    """Read a JSON file, or one of JSON Lines.

    Raises:
        ExtractionError: it is too large, not text, blank, or holds nothing.
    """
    text, losses = read_text(file)
    builder = DocumentBuilder()
    try:
        _Walk(builder).add(parse(text), "", ())
    except json.JSONDecodeError as error:
        _add_no_json(builder, text, error)
    builder.failures.extend(losses)
    return builder.finish()


def parse(text: str) -> Value:
    """Parse JSON.

    Raises:
        JSONDecodeError: it is none.
        RecursionError: it is nested too deeply.
    """
    value: Value = json.loads(
        text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=Members
    )
    return value


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that is not blank, and the value it holds, if it is JSON."""

    number: int
    text: str
    is_json: bool
    value: Value = None


def _add_no_json(builder: DocumentBuilder, text: str, error: json.JSONDecodeError) -> None:
    """Add what is no JSON as a whole: JSON Lines, of which a few may be damaged, or text."""
    found = list(_json_lines(text))
    is_whole = all(line.is_json for line in found)
    is_lenient = not is_whole and _is_lenient(text)
    if is_whole or (not is_lenient and _are_json_lines(found)):
        for line in found:
            _add_line(builder, line)
        return
    add_text(builder, _unescaped(text))
    if not is_lenient:
        builder.fail(f"no JSON from line {error.lineno} on ({error.msg}): all read as text")


def _add_line(builder: DocumentBuilder, line: _Line) -> None:
    said = "\n".join(_lines(line.value, "")) if line.is_json else _unescaped(line.text)
    builder.add(said, lines_locator(line.number, line.number))
    if not line.is_json:
        builder.fail(f"line {line.number}: no JSON, read as text")


def _json_lines(text: str) -> Iterator[_Line]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _json_line(number, line)


def _json_line(number: int, line: str) -> _Line:
    # Saves nearly all the work for a file over many lines that is no JSON.
    if not line.rstrip().endswith(_UNFINISHED):
        try:
            return _Line(number, line, True, parse(line))
        except json.JSONDecodeError:
            pass
    return _Line(number, line, False)


def _are_json_lines(lines: Sequence[_Line]) -> bool:
    """Whether at least half of the lines are objects or lists.

    In a file over many lines that was cut off, only a few lines are anything whole.
    """
    whole = sum(isinstance(line.value, (Members, list)) for line in lines)
    return whole * 2 >= len(lines) > 0


def _is_lenient(text: str) -> bool:
    """Whether it is JSON but for comments and commas behind last entries, as settings are."""
    try:
        parse(_LENIENT.sub(lambda match: match["text"] or " ", text))
    except json.JSONDecodeError:
        return False
    return True


def _unescaped(text: str) -> str:
    """What is nearly JSON: the letters that are written by their numbers can be read all the same.

    Line ends among them stay as they are, so that the numbers of lines hold.
    """
    return _LETTERS.sub(lambda match: str(json.loads(f'"{match[0]}"')), text)


class _Walk:
    """Adds values to a document, those that are too large entry by entry."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder

    def add(self, value: Value, pointer: str, keys: tuple[str, ...]) -> None:
        """Add what stands at a pointer; `keys` are the names on the way, of objects only."""
        text = _small_text(value)
        if text is not None:
            self._builder.add(text, Locator("pointer", pointer or _ROOT), headings=keys)
            return
        for at, (key, inner) in enumerate(_entries(value)):
            place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            is_named = isinstance(value, Members)
            if isinstance(inner, (Members, list)):
                named = (*keys, one_line(key)) if is_named and key.strip() else keys
                self.add(inner, place, named)
            else:
                shown = f"{key}: {_shown(inner)}" if is_named else _shown(inner)
                self._builder.add(shown, Locator("pointer", place), headings=keys, tight=at > 0)


def _entries(value: Value) -> Iterator[tuple[str, Value]]:
    if isinstance(value, Members):
        yield from value
    elif isinstance(value, list):
        yield from ((str(index), inner) for index, inner in enumerate(value))


def _small_text(value: Value) -> str | None:
    """The lines of a value, unless they are too long; a single value is never cut."""
    if not isinstance(value, (Members, list)):
        return _shown(value)
    lines = []
    left = _SMALL
    for line in _lines(value, ""):
        left -= len(line) + 1
        if left < 0:
            return None
        lines.append(line)
    return "\n".join(lines)


def _lines(value: Value, path: str) -> Iterator[str]:
    """A value as lines `key: value`, with the keys on the way to it, such as `owner.name: Kim`."""
    lead = f"{path}: " if path else ""
    if isinstance(value, Members):
        for key, inner in value:
            yield from _lines(inner, f"{path}.{key}" if path else key)
    elif not isinstance(value, list):
        yield f"{lead}{_shown(value)}"
    elif not value:
        return
    elif len(value) <= _IN_A_LINE and not any(isinstance(each, (Members, list)) for each in value):
        yield f"{lead}{', '.join(_shown(each) for each in value)}"
    else:
        for index, inner in enumerate(value):
            yield from _lines(inner, f"{path}[{index}]")


def _shown(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
