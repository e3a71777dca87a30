"""How well the handed questions find their passages, each set and language by itself.

    python -m benchmarks.retrieval_quality --cache FOLDER [--weights FOLDER]
        [--sets xquad,scifact-en] [--ablate] [--check]

Of questions with an answer: how often a passage of a right document is first (hit@1) and among the
first five (hit@5), the mean reciprocal rank among ten (MRR), and nDCG@10 by the judged documents.
`--ablate` repeats all of it with one mechanism of the ranking switched off at a time. `--check`
fails where a floor is missed. Vectors and indexes are kept in the cache and made only once; an
index is made anew when its file is deleted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import benchmarks.one_thread  # noqa: F401 - before numpy is loaded
from benchmarks.evidence import DATA
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Mode, Query
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights
from gdrive_rag_mcp.evaluation.metrics import (
    gains_of,
    hit_at,
    mean,
    ndcg_at,
    reciprocal_rank,
    share,
)
from gdrive_rag_mcp.evaluation.question_sets import ANSWERABLE, Question, QuestionSet, read_set
from gdrive_rag_mcp.evaluation.remembering import VectorMemory
from gdrive_rag_mcp.evaluation.variants import EACH_KIND, sampled
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.retrieval import DEFAULT_RANKING, Ranking, Retriever
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document

DEPTH, FIRST = 10, 5
XQUAD = ("en", "de", "es", "ro", "tr", "ru", "el", "ar", "hi", "th", "vi", "zh")
NOMIRACL = ("en", "de", "es", "fr", "id", "ru", "ar", "hi", "zh", "ja", "ko")
OTHERS = (
    *("squad2-en", "korquad1-ko", "viquad2-vi", "jaquad-ja", "pquad-fa"),
    *("autorag-ko", "financebench-en", "mtrag-un-en", "rgb-zh", "morehopqa-en", "scifact-en"),
)
HIT_AT_5 = {
    **dict.fromkeys((f"xquad-{language}" for language in XQUAD), 0.98),
    **dict.fromkeys(("korquad1-ko", "jaquad-ja", "pquad-fa"), 0.98),
}
HIT_AT_1 = dict.fromkeys((f"xquad-{language}" for language in XQUAD), 0.93)
NDCG = {"scifact-en": 0.69}
RANK_CONSTANT = 60


def fused_ranks(
    by_text: Mapping[int, float],
    by_vector: Mapping[int, float],
    _background: float | None,
    _unembedded: Collection[int],
) -> list[tuple[int, float]]:
    """Reciprocal rank fusion, to compare with: Cormack, Clarke & Büttcher, SIGIR 2009."""
    scores: dict[int, float] = {}
    for ranking in (by_text, by_vector):
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (RANK_CONSTANT + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


ABLATIONS: Mapping[str, Ranking] = {
    "whole words and phrases not first": replace(DEFAULT_RANKING, exact_first=False),
    "ranks fused, not scores": replace(DEFAULT_RANKING, fuse=fused_ranks),
    "copies not collapsed": replace(DEFAULT_RANKING, collapse=False),
    "no limit a document": replace(DEFAULT_RANKING, most_of_a_document=None),
}


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one set in one mode."""

    name: str
    mode: Mode
    questions: int
    hit1: float
    hit5: float
    mrr: float
    ndcg: float

    def line(self) -> str:
        return (
            f"{self.name:18} {self.mode.value:8} {self.questions:4} {self.hit1:6.3f}"
            f" {self.hit5:6.3f} {self.mrr:6.3f} {self.ndcg:7.3f}"
        )

    def misses(self) -> Iterator[str]:
        """The floors that were not reached; they are those of both ways together."""
        if self.mode is not Mode.HYBRID:
            return
        for name, floors, seen in (
            ("hit@5", HIT_AT_5, self.hit5),
            ("hit@1", HIT_AT_1, self.hit1),
            ("nDCG@10", NDCG, self.ndcg),
        ):
            floor = floors.get(self.name, 0.0)
            if seen < floor:
                yield f"{self.name}: {name} is {seen:.3f}, floor {floor:.2f}"


def sets(wanted: Sequence[str]) -> Iterator[QuestionSet]:
    """The handed sets, answerable questions only; one for each language of a set in several."""
    languages = {"xquad": XQUAD, "nomiracl": NOMIRACL, **dict.fromkeys(OTHERS, ())}
    for folder, ours in languages.items():
        names = {f"{folder}-{language}" for language in ours} or {folder}
        if wanted and folder not in wanted and names.isdisjoint(wanted):
            continue
        handed = read_set(DATA / folder)
        for language in ours or handed.languages:
            kit = sampled(handed.asked(language), EACH_KIND)
            if not wanted or folder in wanted or kit.name in wanted:
                answerable = tuple(q for q in kit.questions if q.kind == ANSWERABLE)
                yield replace(kit, questions=answerable)


def worth(question: Question) -> Mapping[str, float]:
    """What each right document is worth: as it was judged where a set says so, else 1."""
    return {**dict.fromkeys(question.gold, 1.0), **question.relevant}


def documents_found(retriever: Retriever, question: Question) -> list[frozenset[str]]:
    """The documents that each of the first hits stands for: its own, and those of its copies."""
    hits = retriever.retrieve(Query(question.text, limit=DEPTH)).hits[:DEPTH]
    return [
        frozenset((hit.passage.document_id, *(copy.document_id for copy in hit.duplicates)))
        for hit in hits
    ]


def figures(
    name: str, mode: Mode, found: Sequence[list[frozenset[str]]], questions: Sequence[Question]
) -> Figures:
    """What came of a set's questions."""
    worths = [worth(question) for question in questions]
    ranks = [
        next((rank for rank, one in enumerate(own, 1) if any(map(gold.get, one))), None)
        for own, gold in zip(found, worths, strict=True)
    ]
    return Figures(
        name,
        mode,
        len(ranks),
        share([hit_at(rank, 1) for rank in ranks]),
        share([hit_at(rank, FIRST) for rank in ranks]),
        mean([reciprocal_rank(rank) for rank in ranks]),
        mean(
            [
                min(1.0, ndcg_at(gains_of(own, gold), list(gold.values()), DEPTH))
                for own, gold in zip(found, worths, strict=True)
            ]
        ),
    )


def index_of(kit: QuestionSet, embedder: Embedder, folder: Path) -> Path:
    """The set's index, one document a text, made by the first run."""
    path = folder / f"{kit.name}.db"
    if not path.exists():
        making = path.with_suffix(".making")
        making.unlink(missing_ok=True)
        documents = ((text.id, plain_document(text.text, text.title)) for text in kit.corpus)
        fill_index(making, documents, StructuralChunker(size=300, overlap=40), embedder)
        making.rename(path)
    return path


def measured(
    kit: QuestionSet,
    embedder: Embedder,
    folder: Path,
    ranking: Ranking,
    modes: Iterable[Mode],
) -> Iterator[Figures]:
    store = Store.open_for_reading(index_of(kit, embedder, folder))
    for mode in modes:
        retriever = Retriever(store.index, embedder, mode, ranking=ranking)
        found = [documents_found(retriever, question) for question in kit.questions]
        yield figures(kit.name, mode, found, kit.questions)
    store.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--sets", default="")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    weights = arguments.weights or find_weights(None, cache_folder(os.environ), build=True)
    embedder = VectorMemory(arguments.cache).wrap(OnnxEmbedder(weights))
    wanted = [name for name in arguments.sets.split(",") if name]
    misses: list[str] = []
    print(f"{'set':18} {'mode':8} {'n':>4} {'hit@1':>6} {'hit@5':>6} {'MRR':>6} {'nDCG@10':>7}")
    for kit in sets(wanted):
        for one in measured(kit, embedder, arguments.cache, DEFAULT_RANKING, Mode):
            print(one.line(), flush=True)
            misses += one.misses()
        for name, ranking in ABLATIONS.items() if arguments.ablate else ():
            for one in measured(kit, embedder, arguments.cache, ranking, (Mode.HYBRID,)):
                print(f"{one.line()}  {name}", flush=True)
    print("\n".join(misses), file=sys.stderr)
    return 1 if misses and arguments.check else 0


if __name__ == "__main__":
    raise SystemExit(main())
