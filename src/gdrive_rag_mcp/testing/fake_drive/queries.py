"""The grammar of `q`: the part of Drive's search language that a sync may want.

Source: https://developers.google.com/workspace/drive/api/guides/ref-search-terms
"""

import re
from collections.abc import Callable

from gdrive_rag_mcp.testing.fake_drive.answers import ApiError, invalid
from gdrive_rag_mcp.testing.fake_drive.files import FakeFiles, Item

Predicate = Callable[[Item], bool]
_TOKEN = re.compile(r"\s*('(?:[^'\\]|\\.)*'|[A-Za-z]+|!=|=|\(|\))")


def parse_query(text: str, files: FakeFiles) -> Predicate:
    """Parse a query into a test of items.

    Raises:
        ApiError: 400 for anything outside the grammar, 404 for a parent that cannot be seen.
    """
    if not text:
        return lambda _: True
    parser = _Parser(_tokens(text), files)
    predicate = parser.alternatives()
    if parser.tokens:
        raise _bad()
    return predicate


def _tokens(text: str) -> list[str]:
    found, position, text = [], 0, text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _bad()
        found.append(match.group(1))
        position = match.end()
    return found


def _bad() -> ApiError:
    return invalid("q")


def _string(token: str) -> str:
    if len(token) < len("''") or token[0] != "'":
        raise _bad()
    return re.sub(r"\\(.)", r"\1", token[1:-1])


class _Parser:
    """Recursive descent: alternatives of conjunctions of terms."""

    def __init__(self, tokens: list[str], files: FakeFiles) -> None:
        self.tokens = tokens
        self._files = files

    def alternatives(self) -> Predicate:
        parts = [self._conjunction()]
        while self._taken("or"):
            parts.append(self._conjunction())
        return lambda item: any(part(item) for part in parts)

    def _conjunction(self) -> Predicate:
        parts = [self._term()]
        while self._taken("and"):
            parts.append(self._term())
        return lambda item: all(part(item) for part in parts)

    def _term(self) -> Predicate:
        if self._taken("not"):
            denied = self._term()
            return lambda item: not denied(item)
        if self._taken("("):
            inner = self.alternatives()
            self._expect(")")
            return inner
        first = self._next()
        return self._membership(first) if first.startswith("'") else self._comparison(first)

    def _membership(self, first: str) -> Predicate:
        self._expect("in")
        self._expect("parents")
        parent = self._files.visible(_string(first)).id
        return lambda item: parent in item.parents

    def _comparison(self, field: str) -> Predicate:
        operator, operand = self._next(), self._next()
        if operator not in ("=", "!="):
            raise _bad()
        wanted = operator == "="
        if field == "trashed" and operand in ("true", "false"):
            expected = operand == "true"
            return lambda item: (self._files.is_trashed(item) == expected) is wanted
        text = _string(operand)
        if field == "name":
            return lambda item: (item.name == text) is wanted
        if field == "mimeType":
            return lambda item: (item.mime_type == text) is wanted
        raise _bad()

    def _next(self) -> str:
        if not self.tokens:
            raise _bad()
        return self.tokens.pop(0)

    def _expect(self, token: str) -> None:
        if self._next() != token:
            raise _bad()

    def _taken(self, token: str) -> bool:
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)
            return True
        return False
