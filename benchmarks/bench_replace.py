"""Replacing one 12-chunk document: does it cost more in a larger index?

    python -m benchmarks.bench_replace [--small 2000] [--large 20000] [--check]

CPU medians over many documents of both indexes, in turns, in one run. `--check` fails when the
large index needs more than twice the small one's time.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.corpus import (
    CHUNKS_A_DOCUMENT,
    Corpus,
    attach_all,
    build_index,
    document_of,
    make_corpus,
)
from gdrive_rag_mcp.store import Store

GOAL = 2.0
REPEATS = 60


def replace_once(store: Store, corpus: Corpus, round_: int) -> float:
    """CPU seconds to replace a document with another text and give its chunks vectors."""
    documents = len(corpus.texts) // CHUNKS_A_DOCUMENT
    number = (round_ * 37) % documents
    start = number * CHUNKS_A_DOCUMENT
    texts = [f"{text} {round_}" for text in corpus.texts[start : start + CHUNKS_A_DOCUMENT]]
    vectors = corpus.vectors[start : start + CHUNKS_A_DOCUMENT]
    document, chunks = document_of(texts)
    edited = Corpus(texts, vectors, [], vectors)
    started = time.process_time()
    with store.transaction():
        store.index.replace(f"doc{number}", document, chunks, chunking="benchmark")
        attach_all(store, edited)
    return time.process_time() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=2_000)
    parser.add_argument("--large", type=int, default=20_000)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    sizes = (arguments.small, arguments.large)
    spent: dict[int, list[float]] = {size: [] for size in sizes}
    with tempfile.TemporaryDirectory() as folder:
        corpora = {size: make_corpus(size, questions=1) for size in sizes}
        paths = {size: Path(folder) / f"{size}.db" for size in sizes}
        for size in sizes:
            build_index(paths[size], corpora[size])
        stores = {size: Store.open_for_writing(paths[size]) for size in sizes}
        for round_ in range(REPEATS):
            for size in sizes:
                spent[size].append(replace_once(stores[size], corpora[size], round_))
        for store in stores.values():
            store.close()
    small, large = (float(np.median(spent[size])) * 1000 for size in sizes)
    print(f"replace one {CHUNKS_A_DOCUMENT}-chunk document, CPU medians of {REPEATS}")
    print(f"{sizes[0]:>7} chunks  {small:6.2f} ms")
    print(f"{sizes[1]:>7} chunks  {large:6.2f} ms   {large / small:.2f} times (goal: {GOAL})")
    return int(arguments.check and large > GOAL * small)


if __name__ == "__main__":
    sys.exit(main())
