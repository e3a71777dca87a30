"""The file of cases: one JSON object a line, checked in full before anything is asked."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.domain import Case, Expect
from gdrive_rag_mcp.errors import CasesError, QueryError
from gdrive_rag_mcp.retrieval.query import checked_question
from gdrive_rag_mcp.terms import detected_language, fold

_EXPECTED = " or ".join(f'"{expect}"' for expect in Expect)
NO_LANGUAGE = "-"
_TEXTS = ("id", "question", "expect", "kind", "lang", "group")
_LISTS = ("gold", "keywords")
_FIELDS = (*_TEXTS, *_LISTS)
_SHOWN_COMPLAINTS = 20
_SHOWN_CHARS = 60


def read_cases(path: Path) -> tuple[Case, ...]:
    """Read a file of cases; blank lines count as lines and are passed over.

    Raises:
        CasesError: it cannot be read, or lines of it are wrong; all of them are named.
    """
    cases: list[Case] = []
    complaints: list[str] = []
    first_use: dict[str, int] = {}
    for number, line in _lines(path):
        try:
            case = _case(line, number)
        except ValueError as error:
            complaints.append(f"line {number}: {error}")
            continue
        if case.id in first_use:
            again = f"the id {_shown(case.id)} is that of line {first_use[case.id]} too"
            complaints.append(f"line {number}: {again}")
        first_use.setdefault(case.id, number)
        cases.append(case)
    if complaints:
        raise CasesError(
            f"{path} has {_counted(len(complaints))}:\n{listed(complaints)}",
            hint="correct them; each line is one JSON object with question and expect, which is "
            f"{_EXPECTED}; it may have {', '.join(_optional())}",
        )
    if not cases:
        raise CasesError(
            f"{path} holds no case",
            hint='write one JSON object a line, such as {"question": "…", "expect": "refuse"}',
        )
    return tuple(cases)


def listed(complaints: list[str]) -> str:
    """Complaints one below the other, up to a number that is still read."""
    shown = [f"  {complaint}" for complaint in complaints[:_SHOWN_COMPLAINTS]]
    if more := len(complaints) - len(shown):
        shown.append(f"  … and {more} more")
    return "\n".join(shown)


def _counted(complaints: int) -> str:
    return "1 line that is no case" if complaints == 1 else f"{complaints} lines that are no cases"


def _optional() -> list[str]:
    return [field for field in _FIELDS if field not in {"question", "expect"}]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers; a byte order mark is none of them."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CasesError(
            f"the file of cases {path.absolute()} cannot be read: {error.strerror}",
            hint="check the path and its permissions",
        ) from None
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            text = line.decode("utf-8").strip()
        except UnicodeDecodeError:
            raise CasesError(
                f"line {number} of {path} is not UTF-8 text", hint="save the file as UTF-8"
            ) from None
        if text:
            yield number, text


def _case(line: str, number: int) -> Case:
    given = _object(line)
    if strangers := sorted(given.keys() - set(_FIELDS)):
        names = ", ".join(map(_shown, strangers))
        raise ValueError(f"there is no field {names}; the fields are {', '.join(_FIELDS)}")
    texts = {name: _text(given, name) for name in _TEXTS}
    question, expect = texts["question"], texts["expect"]
    if question is None or expect is None:
        missing = "question" if question is None else "expect"
        raise ValueError(f"{missing} is missing")
    if expect not in set(Expect):
        raise ValueError(f"expect is {_shown(expect)}, and must be {_EXPECTED}")
    return Case(
        id=texts["id"] or str(number),
        question=_question(question),
        expect=Expect(expect),
        kind=texts["kind"] or expect,
        lang=texts["lang"] or detected_language(question) or NO_LANGUAGE,
        gold=_list(given, "gold"),
        keywords=_list(given, "keywords"),
        group=texts["group"],
        line=number,
    )


def _object(line: str) -> Mapping[str, Any]:
    try:
        given = json.loads(line, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("it is not a JSON object, but one within the other") from None
    if not isinstance(given, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - all complaints are one kind
    return given


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    given = dict(pairs)
    if len(given) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {_shown(repeated)} is there twice")
    return given


def _text(given: Mapping[str, Any], name: str) -> str | None:
    """A text that says something; null is the same as nothing."""
    value = given.get(name)
    if value is None:
        return None
    # A question is cleaned like any other; joiners, as Persian has them, are not printable.
    named = name != "question"
    if not isinstance(value, str) or not value.strip() or (named and not value.isprintable()):
        raise ValueError(f"{name} is {_shown(value)}, and must be text{' on one line' * named}")
    return value.strip()


def _question(text: str) -> str:
    try:
        return checked_question(text)
    except QueryError as error:
        raise ValueError(error.message.rstrip(".")) from None


def _list(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = given.get(name)
    values = value if isinstance(value, list) else [] if value is None else [None]
    for one in values:
        if not isinstance(one, str) or not one.strip() or (name == "keywords" and not fold(one)):
            raise ValueError(f"{name} is {_shown(value)}, and must be a list of texts")
    return tuple(values)


def _shown(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}…"
