"""The words of the full-text index, and which of them a question's term may appear as."""

from collections.abc import Collection, Mapping, Sequence

import apsw

from gdrive_rag_mcp.compounds import best_split, made_of
from gdrive_rag_mcp.domain import QueryTerm
from gdrive_rag_mcp.numbers import other_spellings
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.terms import is_single_sign, starts_of_forms, stem

_MOST_FORMS = 12
_MOST_OF_A_PART = 3
_MOST_PAIRS = 64
_SCAN = 400


class Vocabulary:
    """Looks forms up in range scans; the index keeps words as they were written."""

    def __init__(self, connection: apsw.Connection, table: str) -> None:
        self._connection = connection
        self._table = table

    def forms(
        self, term: QueryTerm, language: str, others: Collection[str] = ()
    ) -> tuple[str, ...]:
        """A term's own token, then the commonest words with its stem, other spellings, synonyms.

        Words made of the term and of one of `others`, the question's other words, count, too.
        """
        found = [*self._forms(term.token, language, others)]
        for synonym in term.synonyms:
            found += self._forms(synonym, language, ())
        return tuple(dict.fromkeys(found))

    def _forms(self, token: str, language: str, others: Collection[str]) -> tuple[str, ...]:
        if " " in token:
            return (token,)
        if is_single_sign(token):
            return (token, *self._pairs_beginning_with(token))
        if any(map(str.isdigit, token)):
            return (token, *other_spellings(token, language))
        root = stem(token, language)
        inflected: set[tuple[int, str]] = set()
        compounds: set[tuple[int, str]] = set()
        for start in starts_of_forms(token, language):
            near = self._beginning_with(start)
            words = [word for word, _ in near]
            made = set(made_of(token, words, others, language)) if others else ()
            for word, count in near:
                if word in made:
                    compounds.add((-count, word))
                elif word != token and stem(word, language) == root:
                    inflected.add((-count, word))
        ranked = [*sorted(inflected)[:_MOST_FORMS], *sorted(compounds)[:_MOST_FORMS]]
        return token, *(word for _, word in ranked)

    def parts(self, token: str, language: str) -> tuple[tuple[str, str], ...]:
        """The forms of a compound's two parts, in pairs; none where it is no compound."""
        found = best_split(token, language, self.counts)
        if found is None:
            return ()
        heads, tails = (self._forms(part, language, ())[:_MOST_OF_A_PART] for part in found)
        return tuple((head, tail) for head in heads for tail in tails)

    def counts(self, words: Collection[str]) -> Mapping[str, int]:
        """In about how many chunks each of the words stands; unknown ones are left out."""
        places = ",".join("?" * len(words))
        return dict(self._words(f"term IN ({places})", *sorted(words)))

    def _beginning_with(self, start: str) -> list[tuple[str, int]]:
        return self._words("term >= ? AND term < ? LIMIT ?", start, just_after(start), _SCAN)

    def _pairs_beginning_with(self, sign: str) -> list[str]:
        # No pair is left out of the scan: a sign has some hundreds, and any may be the commonest.
        pairs = self._words(
            "term > ? AND term < ? ORDER BY doc DESC, term LIMIT ?",
            sign,
            just_after(sign),
            _MOST_PAIRS,
        )
        return [pair for pair, _ in pairs]

    def _words(self, condition: str, *parameters: str | int) -> list[tuple[str, int]]:
        """Words of the vocabulary, each with about how many chunks hold it."""
        statement = f"SELECT term, doc FROM {self._table} WHERE {condition}"
        return [(word, count) for word, count in fetch(self._connection, statement, parameters)]


def just_after(start: str) -> str:
    """The first string that sorts behind all that begin with `start`."""
    return start[:-1] + chr(ord(start[-1]) + 1)


def phrases(forms: Sequence[str], near: Sequence[tuple[str, str]] = ()) -> list[str]:
    """The FTS5 expressions that find a term's forms.

    A single sign is looked for as what words begin with: one phrase, which BM25 weighs by all
    chunks that hold the sign, and which leaves no rare pair out.
    """
    if forms and is_single_sign(forms[0]):
        return [_phrase(forms[0]), *(_phrase(form) for form in forms if " " in form)]
    return [
        *map(_phrase, forms),
        *(f"NEAR({_quoted(one)} {_quoted(other)}, {NEAR})" for one, other in near),
    ]


NEAR = 4
"""How many tokens may stand between the parts of a compound that are written apart."""


def _phrase(form: str) -> str:
    """One form; what ends in a single sign may go on in the index."""
    return _quoted(form) + (" *" if is_single_sign(form.rpartition(" ")[2]) else "")


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'
