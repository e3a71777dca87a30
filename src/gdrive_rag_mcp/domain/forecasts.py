"""What embedding is ahead, before it is done."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is still to be embedded, and what it takes.

    `chunks` are distinct texts without a vector, or without those of their tokens. `calls` to a
    provider are None where no embedder is set, `seconds` where nothing is known of its pace.
    `estimated`: from the sizes of files that nobody has read yet.
    """

    chunks: int
    tokens: int
    calls: int | None
    seconds: float | None
    estimated: bool = False
    again: int = 0
    """How many of them have a vector, and are embedded again for those of their tokens."""


@dataclass(frozen=True, slots=True)
class TextYield:
    """What became of files of one type: their bytes, the chunks, and the text's length in UTF-8."""

    files: int
    bytes: int
    chunks: int
    octets: int
