"""What token vectors cost: bytes a chunk, CPU at sync, CPU of a search, and of looking for gaps.

    python -m benchmarks.bench_tokens FOLDER [--texts 64] [--chunks 20000] [--json FILE]

The texts are the chunks of the Markdown and text files in FOLDER, embedded by the model that runs
here. The index is made up: as many chunks, each with token vectors of the middling length.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import benchmarks.one_thread  # noqa: F401 - before numpy is loaded

# isort: split
import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.measuring import size_mb, timed
from benchmarks.our_index import build_index
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import TokenVectors
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.store.packed_tokens import pack
from gdrive_rag_mcp.testing.small_index import plain_document

_ROUNDS = 5
_WIDTH = 32
_BATCH = 1_000


def texts_in(folder: Path, most: int) -> list[str]:
    """What a sync would embed of the texts in a folder, evenly from all of them."""
    chunker = StructuralChunker(size=300, overlap=40)
    files = sorted(file for file in folder.rglob("*") if file.suffix in {".md", ".txt"})
    documents = [plain_document(file.read_text(encoding="utf-8")) for file in files]
    texts = [chunk.embedded_text for document in documents for chunk in chunker.chunk(document)]
    return texts[:: max(1, len(texts) // most)][:most]


def at_sync(texts: list[str]) -> dict[str, float]:
    """CPU seconds of embedding with and without, in turns, and what comes of it."""
    embedder = OnnxEmbedder(find_weights(None, cache_folder(os.environ), build=True), threads=1)
    tokens = embedder.embed_with_tokens(texts, role="document").tokens or ()
    plain, told = [], []
    for _ in range(_ROUNDS):
        plain.append(timed(lambda: embedder.embed(texts, role="document"))[0])
        told.append(timed(lambda: embedder.embed_with_tokens(texts, role="document"))[0])
    packing = timed(lambda: [pack(one) for one in tokens])[0]
    before, after = statistics.median(plain), statistics.median(told)
    return {
        "texts": len(texts),
        "tokens_a_chunk": statistics.mean(len(one.rows) for one in tokens),
        "bytes_a_chunk": statistics.mean(len(pack(one)) for one in tokens),
        "embedding_cpu_ms_a_chunk": 1000 * before / len(texts),
        "tokens_cpu_ms_a_chunk": 1000 * (after - before + packing) / len(texts),
        "share_of_sync": (after - before + packing) / before,
    }


def at_search(chunks: int, length: int) -> dict[str, float]:
    """CPU of reading five hits, and of finding out that nothing is missing, which is done once."""
    draw = np.random.default_rng(6)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.db"
        build_index(path, Corpus(chunks))
        without = size_mb(path)
        with Store.open_for_writing(path) as store:
            gaps = store.index.without_tokens(1)
            all_missing = timed(gaps.waiting)[0]
            after = 0
            while lacking := gaps.without_vector(after, _BATCH):
                after = lacking[-1][0]
                rows = draw.standard_normal((len(lacking), length, _WIDTH)).astype(np.float32)
                made = [TokenVectors(one, np.ones(length, np.float32), 1) for one in rows]
                hashes = [chunk.hash for _, chunk in lacking]
                gaps.attach_vectors([], hashes, rows, made)
            none_missing = timed(gaps.waiting)[0]
            gaps.settle()
            known = timed(gaps.waiting)[0]
        with Store.open_for_reading(path) as store:
            hits = draw.integers(1, chunks, (200, 5)).tolist()
            read = partial(store.index.token_vectors, projection=1)
            reading = [timed(partial(read, five))[0] for five in hits]
        return {
            "chunks": chunks,
            "index_mb_without": without,
            "index_mb_with": size_mb(path),
            "five_hits_cpu_ms": 1000 * statistics.median(reading),
            "looking_when_all_lack_ms": 1000 * all_missing,
            "looking_when_none_lacks_ms": 1000 * none_missing,
            "known_to_be_whole_ms": 1000 * known,
        }


def main() -> None:
    """Measure, and print a line a figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=int, default=64)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    sync = at_sync(texts_in(asked.folder, asked.texts))
    figures: dict[str, Any] = {**sync, **at_search(asked.chunks, round(sync["tokens_a_chunk"]))}
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    for name, figure in figures.items():
        sys.stdout.write(f"{name:28} {figure:12.4g}\n")


if __name__ == "__main__":
    main()
