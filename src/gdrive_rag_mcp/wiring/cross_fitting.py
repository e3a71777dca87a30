"""Token vectors for fitting the verdict, by projections that never saw the question's articles.

The shipped projection has learned from these very questions. Its token vectors fit them better than
they will fit any other, and a verdict fitted on those would trust them too much. The
order of the hits is still that of the shipped one.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from gdrive_rag_mcp.domain import Retrieved, TokenVectors
from gdrive_rag_mcp.embedding.token_projection import TokenProjection
from gdrive_rag_mcp.evaluation.projection_report import fold_of
from gdrive_rag_mcp.evaluation.question_sets import Question
from gdrive_rag_mcp.evaluation.state_memory import StateMemory
from gdrive_rag_mcp.evidence.reading import READ_HITS
from gdrive_rag_mcp.protocols import EmbedRole
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.store.packed_tokens import pack, unpack
from gdrive_rag_mcp.wiring.projection import asked_sets, model_of, projections_without

_REMEMBERED = 4_096


class CrossFitting:
    """What was retrieved, with token vectors made by the projection of the question's fold."""

    def __init__(self, states: StateMemory, folds: Sequence[TokenProjection]) -> None:
        self._states = states
        self._folds = folds
        self._told = lru_cache(_REMEMBERED)(self._tokens)

    def __call__(self, question: Question, found: Retrieved) -> Retrieved:
        if found.question_tokens is None:
            return found
        fold = fold_of(question.group)
        best = (
            replace(hit, tokens=self._told(hit.passage.embedded_text, "document", fold))
            for hit in found.hits[:READ_HITS]
        )
        own = self._told(found.query.text, "query", fold)
        return replace(found, question_tokens=own, hits=(*best, *found.hits[READ_HITS:]))

    def _tokens(self, text: str, role: EmbedRole, fold: int) -> TokenVectors | None:
        projection = self._folds[fold]
        [told] = self._states.states([text], role)
        tokens = projection.of(np.asarray(told.states, np.float32), told.pieces)
        return tokens if role == "query" else unpack(pack(tokens), projection.id)


def cross_fitting(
    settings: Settings, data: Path, cache: Path, *, report: Callable[[str], None]
) -> CrossFitting:
    """Learn a projection for each fold of the articles; `cache` keeps states and indexes.

    Raises:
        GdriveRagError: as `fit_token_projection`.
    """
    memory = StateMemory(model_of(settings, report), cache)
    sets = asked_sets(settings, data, cache, memory, report=report)
    return CrossFitting(memory, projections_without(sets, report))
