"""What a projection is learned from and judged by: questions beside the passages found for them."""

import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import Passage, Retrieved
from gdrive_rag_mcp.embedding.token_projection import TokenStates
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndex
from gdrive_rag_mcp.evaluation.question_sets import (
    ANSWERABLE,
    HandedSet,
    Question,
    QuestionSet,
    asking,
)
from gdrive_rag_mcp.evidence.late_loss import Example
from gdrive_rag_mcp.protocols import EmbedRole, Pieces

_HITS = 10
_MOST_GOLD, _MOST_OTHERS = 2, 5
_PARALLEL_SHARE = 3
"""Of sets in parallel languages one question in so many is learned from in each language."""
_EVERY_TOKEN = 23
"""A sample of tokens that is no rhythm of any text."""


class States(Protocol):
    """What a model makes of the tokens of texts."""

    def states(self, texts: Sequence[str], role: EmbedRole) -> Sequence[TokenStates]: ...


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """An index that can be asked, and all passages in it."""

    retrieve: Callable[[str], Retrieved]
    passages: Sequence[Passage]


Opening = Callable[[Path], AbstractContextManager[OpenIndex]]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question and its hits, best first, with the token states of all.

    `gold` are the places of the hits that answer, and `rarity` is the idf of the question's pieces
    among the passages of its corpus. `teaches` tells whether it may be learned from.
    """

    kind: str
    group: str
    question: TokenStates
    rarity: npt.NDArray[np.float32]
    hits: tuple[TokenStates, ...]
    gold: frozenset[int]
    teaches: bool


@dataclass(frozen=True, slots=True, eq=False)
class SetData:
    """The questions of a set as they were asked, and the states of some tokens of its passages."""

    name: str
    asked: tuple[Asked, ...]
    sample: npt.NDArray[np.float32]


def sets_to_ask(handed: HandedSet) -> Iterator[tuple[QuestionSet, bool]]:
    """Each language of a set by itself, where it has answers, and whether there are others like it.

    Of those each teaches less: their questions are the same.
    """
    kits = [handed.asked(language) for language in handed.languages]
    for kit in kits:
        if any(question.kind == ANSWERABLE for question in kit.questions):
            yield kit, len(kits) > 1


def ask(
    kit: QuestionSet, index: CorpusIndex, opening: Opening, states: States, *, parallel: bool
) -> SetData:
    """Ask a set of its index, as a search does."""
    with opening(index.path) as opened:
        texts = list(dict.fromkeys(passage.embedded_text for passage in opened.passages))
        told = dict(zip(texts, states.states(texts, "document"), strict=True))
        asking_one = _Asking(index, opened.retrieve, states, told)
        asked: list[Asked] = []
        for question in kit.questions:
            third = zlib.crc32(question.id.encode("utf-8", "surrogatepass")) % _PARALLEL_SHARE == 0
            with asking(kit, question):
                asked.append(asking_one.ask(question, useful=third or not parallel))
    sample = [one.states[::_EVERY_TOKEN] for one in told.values()]
    return SetData(kit.name, tuple(asked), np.concatenate(sample).astype(np.float32))


class _Asking:
    """Asks one index; `told` are the token states of all its passages by what was embedded."""

    def __init__(
        self,
        index: CorpusIndex,
        retrieve: Callable[[str], Retrieved],
        states: States,
        told: Mapping[str, TokenStates],
    ) -> None:
        self._index = index
        self._retrieve = retrieve
        self._states = states
        self._told = told
        self._rarity = Rarity([one.pieces for one in told.values()])

    def ask(self, question: Question, *, useful: bool) -> Asked:
        found = self._retrieve(question.text)
        hits = found.hits[:_HITS]
        [own] = self._states.states([found.query.text], "query")
        return Asked(
            question.kind,
            question.group,
            own,
            self._rarity(own.pieces),
            tuple(self._told[hit.passage.embedded_text] for hit in hits),
            frozenset(
                place
                for place, hit in enumerate(hits)
                if question.gold.intersection(self._index.documents(hit))
            ),
            teaches=useful and question.kind == ANSWERABLE,
        )


class Rarity:
    """The idf of pieces among passages: log(1 + passages / (1 + those that have it))."""

    def __init__(self, passages: Sequence[Pieces]) -> None:
        self._passages = len(passages)
        self._known = np.bincount(np.concatenate([np.unique(one) for one in passages]))

    def __call__(self, pieces: Pieces) -> npt.NDArray[np.float32]:
        inside = pieces < len(self._known)
        having = np.where(inside, self._known[np.where(inside, pieces, 0)], 0)
        return np.log1p(self._passages / (1 + having)).astype(np.float32)


def examples(data: Sequence[SetData], without: Collection[str] = ()) -> list[Example]:
    """What can be learned from, but for the questions on some articles (by `group`)."""
    return [
        _example(asked)
        for kit in data
        for asked in kit.asked
        if asked.teaches
        and asked.group not in without
        and len(asked.question.pieces)
        and 0 < len(asked.gold) < len(asked.hits)
    ]


def _example(asked: Asked) -> Example:
    gold = [asked.hits[place] for place in sorted(asked.gold)][:_MOST_GOLD]
    others = [hit for place, hit in enumerate(asked.hits) if place not in asked.gold]
    passages = (*gold, *others[:_MOST_OTHERS])
    return Example(
        asked.question.states, asked.rarity, tuple(one.states for one in passages), len(gold)
    )
