"""Checks the operator's term dictionary: lists of terms that mean the same."""

from gdrive_rag_mcp.terms import phrase_of

_MOST_GROUPS, _MOST_TERMS, _LONGEST_TERM = 1_000, 50, 100
_SHAPE = 'must be lists of terms that mean the same, such as [["PTO", "paid time off"], ["NDA", …]]'

Synonyms = tuple[tuple[str, ...], ...]


def checked_synonyms(value: object) -> Synonyms:
    """The groups of a dictionary.

    Raises:
        ValueError: it has another shape, or a group says nothing; the message is for the operator.
    """
    groups = value if isinstance(value, list | tuple) else (None,)
    if not all(isinstance(group, list | tuple) for group in groups):
        raise ValueError(_SHAPE)
    if len(groups) > _MOST_GROUPS:
        raise ValueError(f"must be at most {_MOST_GROUPS:,} groups; these are {len(groups):,}")
    return tuple(_checked_group(group, place) for place, group in enumerate(groups, 1))


def _checked_group(group: "list[object] | tuple[object, ...]", place: int) -> tuple[str, ...]:
    where = f"has a group, the {place}. of the list, that"
    terms = [term.strip() for term in group if isinstance(term, str)]
    if len(terms) != len(group):
        raise ValueError(f"{where} holds something else than text in quotation marks")
    if len(terms) > _MOST_TERMS:
        raise ValueError(f"{where} has more than {_MOST_TERMS} terms")
    for term in terms:
        if not phrase_of(term):
            raise ValueError(f"{where} holds {term!r}, in which there is no word to look for")
        if len(term) > _LONGEST_TERM:
            raise ValueError(f"{where} holds a term of more than {_LONGEST_TERM} characters")
    if len({phrase_of(term) for term in terms}) <= 1:
        raise ValueError(f"{where} needs two terms at least that are not spelled the same: {terms}")
    return tuple(terms)
