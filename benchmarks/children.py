"""What is measured in a process of its own: building, memory, and a server's first seconds."""

import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.measuring import memory_added, timed
from benchmarks.naive_plan import NaivePlan
from benchmarks.our_index import build_index
from benchmarks.our_search import OurSearch
from benchmarks.peers import PEERS_KNOWN, add_peers

P = ParamSpec("P")
T = TypeVar("T")
OURS, NAIVE, VECTORS = "index.db", "naive.db", "vectors.npy"
_ASKED = 60


def in_child(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a function of a module in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1, maxtasksperchild=1) as pool:
        return pool.apply(function, arguments, named)


def built_ours(corpus: Corpus, folder: Path) -> dict[str, float]:
    watch = build_index(folder / OURS, corpus)
    return {"build_cpu_s": watch.cpu, "build_s": watch.wall}


def built_naive(corpus: Corpus, folder: Path) -> dict[str, float]:
    plan = NaivePlan(folder / NAIVE)
    watch = plan.build(corpus)
    plan.close()
    return {"build_cpu_s": watch.cpu, "build_s": watch.wall}


def built_peer(at: int, corpus: Corpus, folder: Path, libraries: Path) -> dict[str, float]:
    add_peers(libraries)
    vectors = np.load(folder / VECTORS, mmap_mode="r")
    watch = PEERS_KNOWN[at].engine(folder).build(corpus, vectors)
    return {"build_cpu_s": watch.cpu, "build_s": watch.wall}


def memory_of_naive(corpus: Corpus, folder: Path) -> dict[str, float]:
    added: dict[str, float] = {}
    questions = corpus.questions(_ASKED)
    with memory_added(added):
        plan = NaivePlan(folder / NAIVE)
        for text, vector in zip(questions.texts, questions.vectors, strict=True):
            plan.search(text, vector)
    plan.close()
    return added


def memory_of_peer(at: int, corpus: Corpus, folder: Path, libraries: Path) -> dict[str, float]:
    add_peers(libraries)
    added: dict[str, float] = {}
    questions = corpus.questions(_ASKED)
    engine = PEERS_KNOWN[at].engine(folder)
    with memory_added(added):
        engine.open()
        for text, vector in zip(questions.texts, questions.vectors, strict=True):
            engine.nearest(vector)
            engine.matching(text)
    return added


def first_seconds(corpus: Corpus, folder: Path) -> dict[str, float]:
    """A fresh serving process: its first answer, when the vectors are in memory, and its memory.

    The question before the first one is asked when the process has loaded its code, as a server
    that has started; what an embedder would take to load is not in it.
    """
    questions = corpus.questions(_ASKED)
    added: dict[str, float] = {}
    with memory_added(added):
        started = time.perf_counter()
        search = OurSearch(folder / OURS, questions)
        cpu, wall = timed(lambda: search.hybrid(questions.texts[0]))
        search.become_resident()
        loaded = time.perf_counter() - started
        for text in questions.texts:
            search.hybrid(text)
    search.close()
    first = {"first_answer_ms": wall * 1000, "first_answer_cpu_ms": cpu * 1000}
    return {**first, "loaded_s": loaded, **added}
