"""What an index's own probes show of it, beside what the questions of its set show."""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.calibrating.piece_counts import SAMPLE, count_pieces
from gdrive_rag_mcp.calibrating.probes import Candidate, ask, embedded_question, seen
from gdrive_rag_mcp.calibrating.questions import question_from
from gdrive_rag_mcp.domain import Mode, Probe, Query, Seen
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndex
from gdrive_rag_mcp.evaluation.question_sets import QuestionSet
from gdrive_rag_mcp.evaluation.variants import sampled
from gdrive_rag_mcp.evidence.interaction import Rarity
from gdrive_rag_mcp.evidence.model import model_for
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store

SHOWN = 5


@dataclass(frozen=True)
class AskedOf:
    """A question of a set or a probe: what the verdict saw of it, and whether it is answered."""

    kind: str
    seen: Seen
    found: bool

    def odds(self, model: str) -> float:
        """The shipped model's log-odds; so low that nothing saves it where no model is asked."""
        return log_odds(self.seen, model)


def log_odds(one: Seen, model: str) -> float:
    if one.judged_by is None:
        return -99.0
    fitted = model_for(model)
    return fitted.intercept + sum(
        weight.of(one.signals.get(name, math.nan)) for name, weight in fitted.weights.items()
    )


@dataclass(frozen=True)
class SetSeen:
    """All of one set."""

    name: str
    family: str
    language: str
    chunks: int
    questions: tuple[AskedOf, ...]
    probes: tuple[tuple[AskedOf, AskedOf], ...]


def look_at(
    kit: QuestionSet, index: CorpusIndex, embedder: Embedder | None, probes: int, each_kind: int
) -> SetSeen:
    """Ask probes and questions of a copy of a set's index."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.db"
        with Store.open_for_reading(index.path):  # its log is part of it
            for end in ("", "-wal"):
                source = Path(f"{index.path}{end}")
                if source.exists():
                    shutil.copy(source, f"{path}{end}")
        with Store.open_for_writing(path) as store:
            rarity = _rarity(store, embedder)
            asked = list(_probes(store, embedder, probes, rarity))
            questions = tuple(
                _questions(kit, index, _retriever(store, embedder, rarity), each_kind, rarity)
            )
            chunks = len(store.chunk_sample.lowest(10**9))
    pairs = tuple(
        (AskedOf("present", one.present, True), AskedOf("absent", one.absent, False))
        for one in asked
    )
    return SetSeen(kit.name, kit.family, kit.language, chunks, questions, pairs)


def _rarity(store: Store, embedder: Embedder | None) -> Rarity | None:
    sample = [one.number for one in store.chunk_sample.lowest(SAMPLE)]
    pieces = count_pieces(store, embedder, sample, seconds=60.0) if embedder else None
    return pieces.idf_of if pieces else None


def _probes(
    store: Store, embedder: Embedder | None, wanted: int, rarity: Rarity | None
) -> Iterator[Probe]:
    sample = store.chunk_sample.lowest(2 * wanted)
    texts = dict(store.chunk_sample.texts([one.number for one in sample]))
    for one in sample:
        question = question_from(texts[one.number].reading, one.key)
        if question is not None and wanted:
            wanted -= 1
            known = embedded_question(embedder, question) if embedder else None
            yield ask(store, Candidate(one.key, question, one.document_id), known, rarity)


def _retriever(store: Store, embedder: Embedder | None, rarity: Rarity | None) -> Retriever:
    mode = Mode.HYBRID if embedder else Mode.KEYWORD
    return Retriever(store.index, embedder, mode, rarity=rarity)


def _questions(
    kit: QuestionSet,
    index: CorpusIndex,
    retriever: Retriever,
    each_kind: int,
    rarity: Rarity | None,
) -> Iterator[AskedOf]:
    for question in sampled(kit, each_kind).questions:
        retrieved = retriever.retrieve(Query(question.text))
        hits = retrieved.hits[:SHOWN]
        found = index.gold_rank(hits, question.gold) is not None
        yield AskedOf(question.kind, seen(retrieved, rarity), found)


def write(sets: Sequence[SetSeen], path: Path) -> None:
    """Keep what was seen; NaN is null."""
    with path.open("w", encoding="utf-8") as file:
        for one in sets:
            file.write(json.dumps(_plain(asdict(one)), ensure_ascii=False) + "\n")


def read(path: Path) -> list[SetSeen]:
    """What `write` kept."""
    with path.open(encoding="utf-8") as file:
        return [_set(json.loads(line)) for line in file]


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever JSON takes
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _set(told: dict[str, Any]) -> SetSeen:
    told["questions"] = tuple(map(_asked, told["questions"]))
    told["probes"] = tuple((_asked(one), _asked(other)) for one, other in told["probes"])
    return SetSeen(**told)


def _asked(told: dict[str, Any]) -> AskedOf:
    signals = {
        name: math.nan if value is None else value
        for name, value in told["seen"]["signals"].items()
    }
    return AskedOf(told["kind"], Seen(signals, told["seen"]["judged_by"]), told["found"])
