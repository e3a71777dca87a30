"""The error tree is drawn where it is defined, and a client can tell the errors apart."""

import inspect

from gdrive_rag_mcp import errors
from gdrive_rag_mcp.domain import STATE_OF_REASON, Reason

TREE = [
    error
    for error in vars(errors).values()
    if inspect.isclass(error) and issubclass(error, errors.GdriveRagError)
]


def test_every_error_is_drawn_in_the_tree_of_the_docstring() -> None:
    drawn = errors.__doc__ or ""

    assert {error.__name__ for error in TREE if error.__name__ not in drawn} == set()


def test_every_error_has_a_code_of_its_own() -> None:
    assert len({error.code for error in TREE}) == len(TREE)


def test_an_error_says_what_happened_and_what_to_do() -> None:
    error = errors.IndexMissingError("there is no index at data/index.db", hint="run sync")

    assert str(error) == "there is no index at data/index.db (run sync)"


def test_every_reason_belongs_to_one_state() -> None:
    assert set(STATE_OF_REASON) == set(Reason)
