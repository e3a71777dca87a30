"""What is asked, and within which scope."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
    """A question as asked; the scope stays what the caller named, resolved or not.

    `neighbours` is how many chunks before and after each hit are shown with it.
    """

    text: str
    limit: int = 5
    scope: Scope = EVERYTHING
    filters: Filters = Filters()
    neighbours: int = 0


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word of the question that says what it is about, and its token in the index.

    In scripts without blanks a term is a pair of characters. `key` is false for function words,
    which are searched for only when nothing else is left. A token with blanks in it is several that
    stand side by side. `synonyms` are tokens that count as the term, by the operator's dictionary.
    """

    surface: str
    token: str
    key: bool = True
    synonyms: tuple[str, ...] = ()


class PhraseKind(StrEnum):
    """Why something is looked for whole."""

    QUOTATION = "quotation"
    CODE = "code"
    """A code, a date, an address: what stands in few places, and means these."""
    WORDS = "words"
    """Words with a hyphen: found whole they count as one more word, and no more."""


@dataclass(frozen=True, slots=True)
class QueryPhrase:
    """What a question asks for whole: a quotation, a code, a date.

    `forms` are the ways to write it, each of index tokens that stand side by side, blanks between.
    `signs` is a regular expression for what of it the index does not keep, as in `C++`: it has to
    match the folded text of a passage that holds it.
    """

    surface: str
    forms: tuple[str, ...]
    kind: PhraseKind = PhraseKind.CODE
    signs: str | None = None


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """A query term as the corpus in scope knows it.

    `forms` are the index tokens it may appear as, first its own; one with blanks in it is several
    that stand side by side. `near` are pairs of tokens that mean it where they stand close together
    in any order, as the parts of a compound do. `chunks` is the number of chunks in scope that hold
    any of them (0: the corpus does not know the term). Of a function word it is only said whether
    there is any.
    """

    surface: str
    forms: tuple[str, ...]
    chunks: int
    idf: float
    key: bool = True
    near: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PhraseStatistics:
    """How many chunks in scope hold what was asked for whole."""

    phrase: QueryPhrase
    chunks: int
    idf: float
