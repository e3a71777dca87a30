"""Made documents, and an index of them to calibrate: for the tests beside this file."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from gdrive_rag_mcp.calibrating.run import Calibrated, Calibrating
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Document
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er")]


def made(number: int) -> Document:
    """A document of three sentences, most of whose words no other has."""
    drawn = random.Random(number)  # noqa: S311 - the same documents in every run

    def word() -> str:
        return "".join(drawn.choices(_SYLLABLES, k=3))

    topic = word()
    sentences = [
        f"The {topic} of {word()} and {word()} is {word()} with {word()} {word()} {word()}."
        for _ in range(3)
    ]
    return plain_document(" ".join(sentences), topic)


def documents(numbers: Iterable[int]) -> Sequence[tuple[str, Document]]:
    return [(f"d{number}", made(number)) for number in numbers]


def fill(path: Path, numbers: Iterable[int], embedder: Embedder | None) -> None:
    fill_index(path, documents(numbers), StructuralChunker(300, 40), embedder)


def calibrate(path: Path, embedder: Embedder | None, budget: int | None = None) -> Calibrated:
    with Store.open_for_writing(path) as store:
        return Calibrating(store, embedder, budget).run()
