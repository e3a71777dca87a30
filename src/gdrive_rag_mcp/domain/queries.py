"""What is asked, and within which scope."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Scope:
    """What a read may see: everything (`ids is None`), or the items below and among `ids`."""

    ids: frozenset[str] | None = None

    @property
    def everything(self) -> bool:
        return self.ids is None


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is narrowed to besides its scope; times are aware and inclusive."""

    mime_type: str | None = None
    modified_after: datetime | None = None
    modified_before: datetime | None = None

    @property
    def any(self) -> bool:
        return self != Filters()


@dataclass(frozen=True, slots=True)
class Query:
    """A question as asked; the scope stays what the caller named, resolved or not."""

    text: str
    limit: int = 5
    scope: Scope = EVERYTHING
    filters: Filters = Filters()


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word of the question that says what it is about, and its token in the index.

    In scripts without blanks a term is a pair of characters. `key` is false for function words,
    which are searched for only when nothing else is left.
    """

    surface: str
    token: str
    key: bool = True


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """A query term as the corpus in scope knows it.

    `forms` are the index tokens it may appear as; `chunks` is the number of chunks in scope that
    hold any of them (0: the corpus does not know the term). Of a function word it is only said
    whether there is any.
    """

    surface: str
    forms: tuple[str, ...]
    chunks: int
    idf: float
    key: bool = True
