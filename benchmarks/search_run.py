"""One size of the comparison: everything built, asked in turns, and put into rows."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec

import numpy as np

from benchmarks import children
from benchmarks.children import NAIVE, OURS, VECTORS, in_child
from benchmarks.corpus import (
    BETWEEN,
    INNERMOST,
    MEDIA_TYPES,
    OUTER,
    Corpus,
    Questions,
    write_vectors,
)
from benchmarks.made_vectors import Floats, participation_ratio
from benchmarks.measuring import Ask, Times, in_turns, interleaved, size_mb
from benchmarks.naive_plan import NaivePlan
from benchmarks.our_search import OurSearch
from benchmarks.peers import PEERS_KNOWN, Engine, add_peers
from gdrive_rag_mcp.domain import EVERYTHING, Filters, Scope

P = ParamSpec("P")
Row = dict[str, Any]
Say = Callable[[str], None]

WHOLE, VECTOR, TEXT = "whole", "vectors", "text"
OUR_NAME = "gdrive-rag-mcp"
ROUNDS = 3
_SAMPLE = 24_000
_NEAREST = 10
_AFTER, _BEFORE = datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 9, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Run:
    """What is measured, where it lies, and whom to tell how far it has come."""

    corpus: Corpus
    folder: Path
    libraries: Path | None
    say: Say
    questions: int = 60


def measure(run: Run) -> dict[str, Any]:
    """Everything that is told of one size, ready for JSON."""
    corpus, folder = run.corpus, run.folder
    run.say(f"{corpus.chunks:,} chunks: the vectors")
    if not (folder / VECTORS).exists():
        write_vectors(corpus, folder / VECTORS)
    vectors = np.load(folder / VECTORS, mmap_mode="r")
    sample = np.array(vectors[:: max(1, len(vectors) // _SAMPLE)])
    ours = _built(run, OURS, children.built_ours, corpus, folder)
    naive = _built(run, NAIVE, children.built_naive, corpus, folder)
    run.say("a fresh server's first seconds")
    start = in_child(children.first_seconds, corpus, folder)
    memory = {name: start.pop(name, 0.0) for name in ("anon", "file")}
    ours |= memory | {"size_mb": size_mb(folder / OURS)}
    naive |= in_child(children.memory_of_naive, corpus, folder)
    naive["size_mb"] = size_mb(folder / NAIVE)
    peers, skipped = _peers(run)
    run.say("asking")
    questions = corpus.questions(run.questions)
    search, plan = OurSearch(folder / OURS, questions), NaivePlan(folder / NAIVE)
    opened = {name: engine for name, (engine, _) in peers.items()}
    search.become_resident()
    spent = in_turns(_asks(search, plan, questions, opened), _rounds(corpus))
    recalls = _recalls(search, plan, questions, opened, vectors, corpus)
    facts = {OUR_NAME: ours, "naive plan": naive, **{n: facts for n, (_, facts) in peers.items()}}
    scopes = interleaved(_narrowed(search, questions), 2)
    plan.close()
    search.close()
    return {
        "chunks": corpus.chunks,
        "documents": corpus.documents,
        "participation_ratio": participation_ratio(sample),
        "start": start,
        "rows": [_row(place, times, recalls, facts) for place, times in spent.items()],
        "filters": [{"name": name, **asdict(times)} for name, times in scopes.items()],
        "skipped": skipped,
    }


def _built(run: Run, file: str, build: Callable[P, Row], *place: P.args, **named: P.kwargs) -> Row:
    """What building took; what lies there from an earlier run that was kept is not built again."""
    note = run.folder / f"built-{file}.json"
    if not note.exists():
        run.say(f"building {file}")
        for old in run.folder.glob(f"{file}*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        note.write_text(json.dumps(in_child(build, *place, **named)), encoding="utf-8")
    facts: Row = json.loads(note.read_text(encoding="utf-8"))
    return facts


def _rounds(corpus: Corpus) -> int:
    return ROUNDS if corpus.chunks <= 100_000 else 2


def _peers(run: Run) -> tuple[dict[str, tuple[Engine, Row]], dict[str, str]]:
    """The peers that take part, open, with what is known of them; and why others do not."""
    taking_part: dict[str, tuple[Engine, Row]] = {}
    skipped: dict[str, str] = {}
    if run.libraries is None:
        return {}, {peer.name: "left out of this run" for peer in PEERS_KNOWN}
    add_peers(run.libraries)
    for at, peer in enumerate(PEERS_KNOWN):
        why = peer.missing(run.corpus.chunks)
        if why:
            skipped[peer.name] = why
            continue
        place = (at, run.corpus, run.folder, run.libraries)
        facts: Row = {} if peer.shares else _built(run, peer.file, children.built_peer, *place)
        facts |= in_child(children.memory_of_peer, *place)
        facts["size_mb"] = size_mb(run.folder / peer.file)
        engine = peer.engine(run.folder)
        engine.open()
        taking_part[peer.name] = engine, facts
    return taking_part, skipped


def _asks(
    search: OurSearch, plan: NaivePlan, questions: Questions, peers: Mapping[str, Engine]
) -> dict[str, Sequence[Ask]]:
    """Every kind of call over all questions, by `group: name`."""
    texts, vectors = questions.texts, questions.vectors
    pairs = list(zip(texts, vectors, strict=True))
    asks: dict[str, Sequence[Ask]] = {
        f"{WHOLE}: {OUR_NAME}": [partial(search.hybrid, text) for text in texts],
        f"{WHOLE}: {OUR_NAME}, with verdict": [partial(search.answer, text) for text in texts],
        f"{WHOLE}: naive plan": [partial(plan.search, text, vector) for text, vector in pairs],
        f"{VECTOR}: {OUR_NAME}": [partial(search.vector_stage, vector) for vector in vectors],
        f"{VECTOR}: vec0 float32": [partial(plan.by_vector, vector) for vector in vectors],
        f"{TEXT}: {OUR_NAME}": [partial(search.text_stage, text) for text in texts],
        f"{TEXT}: FTS5, OR of all words": [partial(plan.by_words, text) for text in texts],
    }
    for name, engine in peers.items():
        if engine.matching(texts[0]):
            asks[f"{TEXT}: {name}"] = [partial(engine.matching, text) for text in texts]
        else:
            asks[f"{VECTOR}: {name}"] = [partial(engine.nearest, vector) for vector in vectors]
    return asks


def _recalls(
    search: OurSearch,
    plan: NaivePlan,
    questions: Questions,
    peers: Mapping[str, Engine],
    vectors: Floats,
    corpus: Corpus,
) -> dict[str, float]:
    """Share of the exact ten nearest that each finds among its first ten."""
    exact = exact_nearest(questions.vectors, vectors)
    finders: dict[str, Callable[[Floats], list[int]]] = {
        OUR_NAME: lambda vector: search.nearest(vector, corpus),
        "vec0 float32": lambda vector: [row - 1 for row in plan.by_vector(vector)],
        **{name: engine.nearest for name, engine in peers.items()},
    }
    return {
        name: float(
            np.mean(
                [
                    len(set(find(vector)[:_NEAREST]) & set(nearest)) / _NEAREST
                    for vector, nearest in zip(questions.vectors, exact, strict=True)
                ]
            )
        )
        for name, find in finders.items()
    }


def exact_nearest(asked: Floats, vectors: Floats, *, block: int = 50_000) -> list[list[int]]:
    """The ten nearest rows of each question by float32 products with all vectors."""
    rows = np.zeros((len(asked), 0), np.int64)
    scores = np.zeros((len(asked), 0), np.float32)
    for start in range(0, len(vectors), block):
        part = asked @ vectors[start : start + block].T
        numbers = np.broadcast_to(np.arange(start, start + part.shape[1]), part.shape)
        scores, rows = np.hstack([scores, part]), np.hstack([rows, numbers])
        best = np.argsort(-scores, axis=1)[:, :_NEAREST]
        scores = np.take_along_axis(scores, best, 1)
        rows = np.take_along_axis(rows, best, 1)
    found: list[list[int]] = rows.tolist()
    return found


def _narrowed(search: OurSearch, questions: Questions) -> dict[str, Sequence[Ask]]:
    """The same questions under scopes and filters, a different scope for each question."""
    one_type = Filters(mime_type=MEDIA_TYPES[0][0])
    dates = Filters(modified_after=_AFTER, modified_before=_BEFORE)
    both = Filters(MEDIA_TYPES[0][0], _AFTER, _BEFORE)

    def asks(kind: str, count: int, filters: Filters) -> list[Ask]:
        return [
            partial(
                search.hybrid,
                text,
                Scope(frozenset({f"{kind}{at * 37 % count}"})) if kind else EVERYTHING,
                filters,
            )
            for at, text in enumerate(questions.texts)
        ]

    return {
        "none": asks("", 1, Filters()),
        "scope 0.5 %": asks("inner", INNERMOST, Filters()),
        "scope 5 %": asks("between", BETWEEN, Filters()),
        "scope 20 %": asks("outer", OUTER, Filters()),
        "type 45 %": asks("", 1, one_type),
        "dates": asks("", 1, dates),
        "type and dates": asks("", 1, both),
        "scope 5 % and type": asks("between", BETWEEN, one_type),
        "scope 20 %, type and dates": asks("outer", OUTER, both),
    }


def _row(place: str, times: Times, recalls: Mapping[str, float], facts: Mapping[str, Row]) -> Row:
    group, name = place.split(": ", 1)
    whole = group == WHOLE or name not in {OUR_NAME, "naive plan"}
    known = facts.get(name, {}) if whole else {}
    recall = recalls.get(name) if group == VECTOR else None
    return {"group": group, "name": name, **asdict(times), "recall": recall, **known}
