"""Made-up corpora of any size: documents of twelve chunks in nested folders, and questions.

Nothing here is measured; it only has to be as hard for an index as real documents are. A document
is made when it is asked for, from the seed and its number, so that no corpus need fit in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.made_vectors import DIMENSIONS, Floats, MadeVectors
from benchmarks.made_words import Lexicon, Whole, make_lexicon
from gdrive_rag_mcp.domain import Chunk, Document, Locator, Segment, SegmentKind

CHUNKS_A_DOCUMENT = 12
_NAMED = "doc"
_FEWEST_WORDS, _MOST_WORDS = 130, 170
_TOPICS = 400
_TOPIC_WORDS, _DOCUMENT_WORDS = 300, 40
_ASIDE = ("ko", "zh", "th", "vi")
_IN_OTHER_LANGUAGES = 0.05  # of the documents
# Shares of what stands in a chunk, added up: words of all topics, of the topic, of the document,
# names; the rest are figures.
_KINDS = (0.74, 0.89, 0.95, 0.97)

# A tree of folders: each of the outer ones holds a fifth of all documents, each of those in between
# a twentieth, each of the innermost 0.5 %.
OUTER, BETWEEN, INNERMOST = 5, 20, 200
MEDIA_TYPES = (
    ("application/pdf", ".pdf", 0.45),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx", 0.70),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx", 0.82),
    ("text/markdown", ".md", 0.94),
    ("text/plain", ".txt", 1.0),
)
_WRAPPED_TYPE = MEDIA_TYPES[0][0]
_LATEST = datetime(2026, 6, 30, 12, tzinfo=UTC)


@dataclass(frozen=True)
class MadeDocument:
    """A document as a source and a chunker would bring it, with a vector a chunk."""

    number: int
    name: str
    folder: str
    mime_type: str
    modified: datetime
    title: str
    texts: list[str]
    vectors: Floats

    @property
    def id(self) -> str:
        return document_id(self.number)

    @property
    def first_row(self) -> int:
        """The place of its first chunk among all."""
        return self.number * CHUNKS_A_DOCUMENT

    def cut(self) -> tuple[Document, list[Chunk]]:
        """The document and its chunks, each a segment of its own, under headings."""
        segments, chunks, start = [], [], 0
        for ordinal, text in enumerate(self.texts):
            end = start + len(text)
            place = ordinal + 1
            headings = (f"Part {ordinal // 6 + 1}", f"Section {ordinal // 3 + 1}")
            locator = Locator("page", str(place), place, place)
            segments.append(Segment(start, end, SegmentKind.TEXT, locator, headings))
            chunks.append(Chunk(ordinal, start, end, text, locator, self.title, headings))
            start = end + 2
        return Document(self.title, "\n\n".join(self.texts), tuple(segments)), chunks


def document_id(number: int) -> str:
    return f"{_NAMED}{number:07d}"


@dataclass(frozen=True)
class Questions:
    """Questions with their vectors, shape (questions, 384); no chunk has any of these vectors."""

    texts: list[str]
    vectors: Floats


@dataclass(frozen=True)
class Corpus:
    """Chunks by number of documents; the same for a seed on every machine."""

    chunks: int
    seed: int = 7
    language: str | None = None
    """All documents in this one; None: English, with some in others."""

    @property
    def documents(self) -> int:
        return -(-self.chunks // CHUNKS_A_DOCUMENT)

    def row(self, document: str, ordinal: int) -> int:
        """The place of a chunk among all, from 0."""
        return int(document.removeprefix(_NAMED)) * CHUNKS_A_DOCUMENT + ordinal

    def __iter__(self) -> Iterator[MadeDocument]:
        return (self.document(number) for number in range(self.documents))

    def document(self, number: int) -> MadeDocument:
        random = self._random(number)
        topic, lexicon = self._kind(number, random)
        size = min(CHUNKS_A_DOCUMENT, self.chunks - number * CHUNKS_A_DOCUMENT)
        vectors = self._vectors.document(topic, size, self._random(number, 1))
        words, lengths = self._words(topic, lexicon, size, random)
        mime_type, ending, _ = self._media_type(random)
        line = 13 if mime_type == _WRAPPED_TYPE else _MOST_WORDS
        texts = [
            lexicon.text(own[:length], random, line)
            for own, length in zip(words, lengths, strict=True)
        ]
        title = lexicon.text(words[0, :5], random, 5).rstrip("。. ")
        age = timedelta(minutes=int(random.exponential(1_200_000)))
        leaf = number * INNERMOST // self.documents
        name = f"{title[:40]} {number}{ending}".replace("\n", " ")
        return MadeDocument(
            number, name, f"inner{leaf}", mime_type, _LATEST - age, title, texts, vectors
        )

    def questions(self, count: int = 60) -> Questions:
        """Each asks for three words of one English passage: what is the X of Y for Z."""
        random = np.random.default_rng([self.seed, 4])
        texts, vectors = list[str](), np.empty((count, DIMENSIONS), np.float32)
        while len(texts) < count:
            number = int(random.integers(self.documents))
            own = self._random(number)
            topic, lexicon = self._kind(number, own)
            size = min(CHUNKS_A_DOCUMENT, self.chunks - number * CHUNKS_A_DOCUMENT)
            words, lengths = self._words(topic, lexicon, size, own)
            asked = int(random.integers(size))
            said = words[asked, : lengths[asked]]
            telling = said[(said >= lexicon.language.function_words) & (said < lexicon.words)]
            chosen = list(dict.fromkeys(random.permutation(telling).tolist()))[:3]
            if lexicon is not make_lexicon(self.language or "en", self.seed) or len(chosen) < 3:
                continue
            one, two, three = (lexicon.language.words[word] for word in chosen)
            vectors[len(texts)] = self._vectors.question(
                topic, size, asked, self._random(number, 1)
            )
            texts.append(f"what is the {one} of {two} for {three}")
        return Questions(texts, vectors)

    # ── how a document is made ───────────────────────────────────────────────

    def _random(self, number: int, stream: int = 0) -> np.random.Generator:
        return np.random.default_rng([self.seed, 5 + stream, number])

    def _kind(self, number: int, random: np.random.Generator) -> tuple[int, Lexicon]:
        """A document's topic, half the time one of its folder's, and its language."""
        folder = number * BETWEEN // self.documents
        drawn, at_home, aside, which = random.random(4).tolist()
        topic = int(np.searchsorted(self._topic_shares, drawn))
        if at_home < 1 / 2:
            topic = int(self._topics_of_folders[folder][int(drawn * 12)])
        language = self.language or (
            "en" if aside >= _IN_OTHER_LANGUAGES else _ASIDE[int(which * 4)]
        )
        return topic, make_lexicon(language, self.seed)

    def _words(
        self, topic: int, lexicon: Lexicon, size: int, random: np.random.Generator
    ) -> tuple[Whole, list[int]]:
        """Words of each chunk, shape (size, most words), and how many of them are used."""
        shape = (size, _MOST_WORDS)
        words = lexicon.draw(shape, random)
        kinds = np.searchsorted(_KINDS, random.random(shape))
        ranks = np.exp(random.random(shape) * np.log(_TOPIC_WORDS)).astype(np.int64)
        of_topic = self._words_of_topics[topic] % lexicon.words
        own = random.integers(lexicon.language.function_words, lexicon.words, _DOCUMENT_WORDS)
        choices = (
            of_topic[ranks - 1],
            random.choice(own, shape),
            _zipf(random.random(shape), *lexicon.names),
            random.integers(*lexicon.figures, size=shape),
        )
        for kind, choice in enumerate(choices, start=1):
            np.copyto(words, choice, where=kinds == kind)
        return words, random.integers(_FEWEST_WORDS, _MOST_WORDS + 1, size).tolist()

    def _media_type(self, random: np.random.Generator) -> tuple[str, str, float]:
        drawn = float(random.random())
        return next(known for known in MEDIA_TYPES if drawn < known[-1])

    @cached_property
    def _vectors(self) -> MadeVectors:
        return MadeVectors(_TOPICS, self.seed)

    @cached_property
    def _topic_shares(self) -> npt.NDArray[np.float64]:
        weights = np.cumsum(np.arange(1, _TOPICS + 1) ** -0.8)
        shares: npt.NDArray[np.float64] = weights / weights[-1]
        return shares

    @cached_property
    def _topics_of_folders(self) -> Whole:
        return np.random.default_rng([self.seed, 7]).integers(_TOPICS, size=(BETWEEN, 12))

    @cached_property
    def _words_of_topics(self) -> Whole:
        return np.random.default_rng([self.seed, 8]).integers(
            300, 60_000, size=(_TOPICS, _TOPIC_WORDS)
        )


def _zipf(drawn: npt.NDArray[np.float64], first: int, end: int) -> Whole:
    """Numbers from `first` to before `end`, each rarer than the one before."""
    found: Whole = first + np.exp(drawn * np.log(end - first)).astype(np.int64) - 1
    return found


def write_vectors(corpus: Corpus, path: Path) -> Floats:
    """All vectors of a corpus in one file, mapped into memory: shape (chunks, 384), float32."""
    rows = np.lib.format.open_memmap(path, "w+", np.float32, (corpus.chunks, DIMENSIONS))
    for document in corpus:
        start = document.first_row
        rows[start : start + len(document.vectors)] = document.vectors
    rows.flush()
    return rows
