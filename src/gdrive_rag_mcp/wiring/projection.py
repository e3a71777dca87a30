"""`evidence fit-projection`: from question sets to a projection, through sync and search."""

import io
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from gdrive_rag_mcp.domain import EVERYTHING, Mode
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.token_projection import (
    TokenProjection,
    projection_file,
    read_projection,
)
from gdrive_rag_mcp.errors import QuestionSetError, SettingsError
from gdrive_rag_mcp.evaluation.corpus_files import Layout
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndexes
from gdrive_rag_mcp.evaluation.projection_data import OpenIndex, SetData, ask, examples, sets_to_ask
from gdrive_rag_mcp.evaluation.projection_report import FOLDS, Told, fold_of, told_apart
from gdrive_rag_mcp.evaluation.question_sets import read_sets
from gdrive_rag_mcp.evaluation.state_memory import StateMemory
from gdrive_rag_mcp.evidence.projection_fit import Learned, fit_projection, untrained
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.wiring.embedders import make_embedder
from gdrive_rag_mcp.wiring.questions import QuestionTools

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FittedProjection:
    """The file that the package reads, and how each set is told apart without its articles."""

    file: bytes
    questions: int
    held_out: list[Told]


def fit_token_projection(
    settings: Settings,
    data: Path,
    cache: Path,
    *,
    only: Collection[str] = (),
    held_out: bool = False,
    report: Report,
) -> FittedProjection:
    """Learn the projection of the embedded model's tokens; `cache` keeps states and indexes.

    Raises:
        QuestionSetError: the data is malformed, or too little can be learnt from it.
        SettingsError: another model than the one that is projected is set.
        GdriveRagError: as a sync and a search.
    """
    memory = StateMemory(model_of(settings, report), cache)
    sets = asked_sets(settings, data, cache, memory, only=only, report=report)
    start = _untrained(sets)
    learned = fit_projection(taught := examples(sets), start)
    report(f"learned from {len(taught)} questions")
    judged = _held_out(sets, start, report) if held_out else []
    return FittedProjection(_file(learned), len(taught), judged)


def asked_sets(
    settings: Settings,
    data: Path,
    cache: Path,
    memory: StateMemory,
    *,
    only: Collection[str] = (),
    report: Report,
) -> list[SetData]:
    """Ask every set, in each of its languages, with the token states of questions and hits.

    Raises:
        GdriveRagError: as `fit_token_projection`.
    """
    settings = settings.model_copy(update={"embed_provider": "embedded"})
    tools = QuestionTools(settings, cache, report, wrap=lambda _: memory)
    indexes = CorpusIndexes(cache / f"{Layout.TITLED}-states", Layout.TITLED, tools.sync)
    sets: list[SetData] = []
    for handed in read_sets(data, only):
        for kit, parallel in sets_to_ask(handed):
            index = indexes.of(kit)
            sets.append(ask(kit, index, partial(_opened, tools), memory, parallel=parallel))
            report(f"{kit.name}: {len(kit.questions)} questions asked")
    return sets


def projections_without(sets: list[SetData], report: Report) -> list[TokenProjection]:
    """For each fold of the articles, the projection that was learned without it."""
    start, folds = _untrained(sets), []
    groups = {asked.group for kit in sets for asked in kit.asked}
    for fold in range(FOLDS):
        without = {group for group in groups if fold_of(group) == fold}
        folds.append(_projection(fit_projection(examples(sets, without), start)))
        report(f"fold {fold + 1} of {FOLDS} learned")
    return folds


def _untrained(sets: list[SetData]) -> Learned:
    if not sets:
        raise QuestionSetError(
            "there is nothing to learn from: no set has an answerable question",
            hint="docs/evidence.md tells what a question set is made of",
        )
    return untrained(np.concatenate([one.sample for one in sets]))


def model_of(settings: Settings, report: Report) -> OnnxEmbedder:
    """The embedded model, which tells its token states.

    Raises:
        SettingsError: another model than the one that is projected is set.
    """
    settings = settings.model_copy(update={"embed_provider": "embedded"})
    embedder = make_embedder(settings, None, build=True, report=report)
    if not isinstance(embedder, OnnxEmbedder) or embedder.token_projection() is None:
        raise SettingsError(
            "the model that is set has no token vectors, so that no projection is of use to it",
            hint="unset GDRIVE_RAG_EMBED_MODEL_PATH, or set a folder of multilingual-e5-small",
        )
    return embedder


@contextmanager
def _opened(tools: QuestionTools, path: Path) -> Iterator[OpenIndex]:
    with Store.open_for_reading(path) as store:
        passages = [
            passage
            for record in store.ledger.all(EVERYTHING)
            for _, passage in store.catalog.chunks(record.id, EVERYTHING)
        ]
    with tools.retrieving(path) as opened:
        yield OpenIndex(opened.retrieve[Mode.HYBRID], passages)


def _held_out(sets: list[SetData], start: Learned, report: Report) -> list[Told]:
    folds, untaught = projections_without(sets, report), _projection(start)
    return [told_apart(kit, folds.__getitem__, untaught) for kit in sets]


def _projection(learned: Learned) -> TokenProjection:
    return read_projection(io.BytesIO(_file(learned)))


def _file(learned: Learned) -> bytes:
    return projection_file(
        learned.centre, learned.projection, learned.importance, learned.importance_bias
    )
