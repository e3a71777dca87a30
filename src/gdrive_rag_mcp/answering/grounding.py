"""From a question to what its answer may rest on: retrieve, then sources or a refusal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from gdrive_rag_mcp.answering.refusal import Refusal, refused
from gdrive_rag_mcp.answering.sources import AnswerSource, numbered_sources
from gdrive_rag_mcp.domain import SearchOutcome

Retrieve: TypeAlias = Callable[[str], SearchOutcome]
"""Searches for a question and judges what was found."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """A judged search, and either its sources or its refusal: never both, never neither."""

    outcome: SearchOutcome
    sources: tuple[AnswerSource, ...]
    refusal: Refusal | None


def ground(question: str, retrieve: Retrieve) -> Grounds:
    """Find what a question may be answered from; no model takes part.

    Raises:
        QueryError: the question cannot be searched for.
    """
    outcome = retrieve(question)
    return Grounds(outcome, numbered_sources(outcome), refused(outcome))
