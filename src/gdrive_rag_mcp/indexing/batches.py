"""Texts in the batches that an embedder takes: as many as it takes at once, alike in length."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gdrive_rag_mcp.protocols import Embedder

_LOCAL = 16
"""For a model that runs here, where more are no faster, and an end would wait for them."""
_BY_THE_TEXT = 64
"""For a provider that counts every text, so that the number of calls is of no account."""
_MOST = 128
_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class Batch:
    """Distinct texts that are embedded by one call, and their hashes, in the same order."""

    hashes: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def characters(self) -> int:
        return sum(map(len, self.texts))

    def halves(self) -> "tuple[Batch, Batch]":
        middle = len(self.texts) // 2
        return (
            Batch(self.hashes[:middle], self.texts[:middle]),
            Batch(self.hashes[middle:], self.texts[middle:]),
        )


def runs_here(embedder: Embedder) -> bool:
    """Whether it computes on this machine: nobody counts its calls."""
    return embedder.calls(1, _CHARACTERS) == 0


def batch_size(embedder: Embedder) -> int:
    """How many texts are handed to an embedder at once: what it takes for the price of one call."""
    if runs_here(embedder):
        return _LOCAL
    size, price = 1, embedder.calls(1, _CHARACTERS)
    while size < _MOST and embedder.calls(size + 1, (size + 1) * _CHARACTERS) <= price:
        size += 1
    return size if size > 1 else _BY_THE_TEXT


def batches(texts: Mapping[str, str], size: int) -> Iterator[Batch]:
    """Cut texts, by hash, into batches; the longest are last.

    Padding is wasted work, wherever it happens, so those of one length go together.
    """
    ordered = sorted(texts.items(), key=lambda text: (len(text[1]), text[0]))
    for start in range(0, len(ordered), size):
        hashes, content = zip(*ordered[start : start + size], strict=True)
        yield Batch(hashes, content)
