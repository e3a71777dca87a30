"""The grammar of `q`: Drive's search language.

`and` and `or` have the same rank and are taken from left to right; terms that this module does not
know are refused, even where Google has them.
Source: https://developers.google.com/workspace/drive/api/guides/ref-search-terms
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from gdrive_rag_mcp.testing.fake_drive.answers import ApiError, invalid
from gdrive_rag_mcp.testing.fake_drive.items import Item
from gdrive_rag_mcp.testing.fake_drive.query_terms import Terms

Test = Callable[[Item], bool]
_TOKEN = re.compile(r"\s*('(?:[^'\\]|\\.)*'|[A-Za-z][A-Za-z.]*|!=|<=|>=|=|<|>|\(|\))")


@dataclass(frozen=True, slots=True)
class Query:
    """A test of items, and the folders of which one must be a parent of whatever passes it.

    `parents` is None where the query names none, or not in every case.
    """

    test: Test
    parents: tuple[str, ...] | None = None


def parse_query(text: str, terms: Terms) -> Query:
    """Parse a query; `terms` knows what the words mean.

    Raises:
        ApiError: 400 for anything outside the grammar, 404 for a parent that cannot be seen.
    """
    if not text.strip():
        return Query(lambda _: True)
    parser = _Parser(_tokens(text), terms)
    query = parser.query()
    if parser.tokens:
        raise _bad()
    return query


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
    """Recursive descent."""

    def __init__(self, tokens: list[str], terms: Terms) -> None:
        self.tokens = tokens
        self._terms = terms

    def query(self) -> Query:
        found = self._term()
        while True:
            if self._taken("and"):
                found = _both(found, self._term())
            elif self._taken("or"):
                found = _either(found, self._term())
            else:
                return found

    def _term(self) -> Query:
        if self._taken("not"):
            denied = self._term().test
            return Query(lambda item: not denied(item))
        if self._taken("("):
            inner = self.query()
            self._expect(")")
            return inner
        first = self._next()
        return self._membership(first) if first.startswith("'") else self._comparison(first)

    def _membership(self, first: str) -> Query:
        self._expect("in")
        collection, member = self._next(), _string(first)
        if collection == "parents":
            folder = self._terms.folder(member)
            return Query(lambda item: folder in item.parents, (folder,))
        test = self._terms.membership(collection, member)
        if test is None:
            raise _bad()
        return Query(test)

    def _comparison(self, field: str) -> Query:
        operator, operand = self._next(), self._next()
        if operand in ("true", "false"):
            test = self._terms.truth(field, operator, value=operand == "true")
        else:
            test = self._terms.comparison(field, operator, _string(operand))
        if test is None:
            raise _bad()
        return Query(test)

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


def _both(one: Query, other: Query) -> Query:
    named = one.parents if one.parents is not None else other.parents
    return Query(lambda item: one.test(item) and other.test(item), named)


def _either(one: Query, other: Query) -> Query:
    named = None
    if one.parents is not None and other.parents is not None:
        named = tuple(dict.fromkeys(one.parents + other.parents))
    return Query(lambda item: one.test(item) or other.test(item), named)
