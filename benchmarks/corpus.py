"""Made-up corpora: text with a natural distribution of words, vectors in clusters, questions.

Nothing here is measured; it only has to be as hard for an index as real documents are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import (
    ChangePage,
    Chunk,
    Document,
    EmbeddingIdentity,
    Locator,
    Segment,
    SegmentKind,
    SourceFile,
    SourceFolder,
)
from gdrive_rag_mcp.store import Store

CHUNKS_A_DOCUMENT = 12
WORDS_A_CHUNK = 130
FRAME = ("what", "is", "the", "of", "for", "in", "a", "and")


@dataclass(frozen=True)
class Corpus:
    """Chunk texts and their unit vectors, shape (chunks, dimensions)."""

    texts: list[str]
    vectors: npt.NDArray[np.float32]
    questions: list[str]
    question_vectors: npt.NDArray[np.float32]


def make_corpus(
    chunks: int, *, dimensions: int = 384, questions: int = 60, seed: int = 7
) -> Corpus:
    """Words follow Zipf's law around topics; vectors lie around the same topics."""
    random = np.random.default_rng(seed)
    vocabulary = _vocabulary(40_000, random)
    topics = 400
    centres = _unit(random.normal(size=(topics, dimensions)))
    topic_words = random.integers(200, len(vocabulary), size=(topics, 120))
    ranks = np.arange(1, len(vocabulary) + 1)
    weights = 1.0 / ranks
    common = np.concatenate([[0.0], np.cumsum(weights / weights.sum())])[1:]
    texts, vectors = [], np.empty((chunks, dimensions), np.float32)
    for start in range(0, chunks, CHUNKS_A_DOCUMENT):
        topic = int(random.zipf(1.3)) % topics
        for at in range(start, min(start + CHUNKS_A_DOCUMENT, chunks)):
            words = np.searchsorted(common, random.random(WORDS_A_CHUNK))
            local = random.random(WORDS_A_CHUNK) < 0.25
            words[local] = random.choice(topic_words[topic], local.sum())
            texts.append(_prose([vocabulary[min(w, len(vocabulary) - 1)] for w in words]))
            vectors[at] = centres[topic] + random.normal(scale=0.04, size=dimensions)
    asked, asked_vectors = _questions(questions, vocabulary, topic_words, centres, random)
    return Corpus(texts, _unit(vectors), asked, asked_vectors)


def _vocabulary(size: int, random: np.random.Generator) -> list[str]:
    """Distinct pronounceable words; the most frequent are those that questions are framed in."""
    onsets = (
        "b",
        "br",
        "d",
        "f",
        "g",
        "gr",
        "k",
        "l",
        "m",
        "n",
        "p",
        "pl",
        "r",
        "s",
        "st",
        "t",
        "v",
    )
    nuclei = ("a", "e", "i", "o", "u", "ai", "ou", "ea")
    words = dict.fromkeys(FRAME)
    while len(words) < size:
        syllables = int(random.integers(2, 5))
        word = "".join(
            onsets[random.integers(len(onsets))] + nuclei[random.integers(len(nuclei))]
            for _ in range(syllables)
        )
        words[word] = None
    return list(words)


def _prose(words: list[str]) -> str:
    sentences = (" ".join(words[at : at + 13]) for at in range(0, len(words), 13))
    return ". ".join(sentences) + "."


def _questions(
    count: int,
    vocabulary: list[str],
    topic_words: npt.NDArray[np.int64],
    centres: npt.NDArray[np.float32],
    random: np.random.Generator,
) -> tuple[list[str], npt.NDArray[np.float32]]:
    asked, vectors = [], np.empty((count, centres.shape[1]), np.float32)
    for at in range(count):
        topic = int(random.zipf(1.3)) % len(centres)
        one, two, three = (vocabulary[w] for w in random.choice(topic_words[topic], 3))
        asked.append(f"what is the {one} of the {two} for a {three}")
        vectors[at] = centres[topic] + random.normal(scale=0.06, size=centres.shape[1])
    return asked, _unit(vectors)


def _unit(rows: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    unit: npt.NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit.astype(np.float32)


IDENTITY = EmbeddingIdentity("benchmark", "clusters", 384, "benchmark-clusters-384")


def document_of(texts: list[str]) -> tuple[Document, list[Chunk]]:
    """A document of one chunk a text, each a segment of its own."""
    segments, chunks, start = [], [], 0
    for ordinal, text in enumerate(texts):
        end = start + len(text)
        locator = Locator("lines", str(ordinal + 1), ordinal + 1, ordinal + 1)
        segments.append(Segment(start, end, SegmentKind.TEXT, locator))
        chunks.append(Chunk(ordinal, start, end, text, locator))
        start = end + 1
    return Document("", "\n".join(texts), tuple(segments)), chunks


def document_ids(chunks: int) -> Iterator[tuple[str, slice]]:
    """The documents of a corpus and which of its chunks each one holds."""
    for number, start in enumerate(range(0, chunks, CHUNKS_A_DOCUMENT)):
        yield f"doc{number}", slice(start, min(start + CHUNKS_A_DOCUMENT, chunks))


def build_index(path: Path, corpus: Corpus) -> None:
    """Put a corpus into a real index, 20 folders, through the same calls a sync makes."""
    chunks = len(corpus.texts)
    with Store.open_for_writing(path) as store:
        root = SourceFolder("root", "Root", (), is_root=True)
        folders = tuple(SourceFolder(f"folder{n}", f"Folder {n}", ("root",)) for n in range(20))
        files = tuple(
            SourceFile(name, f"{name}.md", "text/markdown", (f"folder{n % 20}",), "1")
            for n, (name, _) in enumerate(document_ids(chunks))
        )
        store.inventory.begin_listing()
        store.inventory.record(ChangePage(files, (root, *folders)), datetime.now(UTC))
        store.inventory.place()
        store.catalog.accept_embedding(IDENTITY)
        for name, part in document_ids(chunks):
            document, cut = document_of(corpus.texts[part])
            with store.transaction():
                store.index.replace(name, document, cut, chunking="benchmark")
        attach_all(store, corpus)


def attach_all(store: Store, corpus: Corpus) -> None:
    """Give every chunk that waits for a vector the corpus's, by its text."""
    place = {text: at for at, text in enumerate(corpus.texts)}
    after = 0
    while waiting := store.index.without_vector(after, 2000):
        after = waiting[-1][0]
        rows = corpus.vectors[[place[chunk.text] for _, chunk in waiting]]
        store.index.attach_vectors(
            [number for number, _ in waiting], [chunk.hash for _, chunk in waiting], rows
        )
