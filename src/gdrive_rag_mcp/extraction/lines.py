"""Cuts lines of text into paragraphs that remember their line numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAX_LINES = 40
"""A longer paragraph is cut, so that a citation names lines a reader can take in."""

_SENTENCE_ENDS = tuple(".!?:;。！？…")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some lines, numbered from 1; `continued` says that the paragraph began before them."""

    text: str
    first: int
    last: int
    continued: bool = False


def paragraphs(lines: Sequence[str], first: int = 1) -> Iterator[Paragraph]:
    """Cut lines at blank ones; `first` is the number of the first line handed in."""
    start: int | None = None
    for index, line in enumerate((*lines, "")):
        if line.strip():
            start = index if start is None else start
        elif start is not None:
            yield from portions(lines[start:index], first + start)
            start = None


def portions(lines: Sequence[str], first: int) -> Iterator[Paragraph]:
    """Cut one paragraph into portions of bounded length, where a sentence ends if possible."""
    start = 0
    while start < len(lines):
        end = _portion_end(lines, start)
        yield Paragraph("\n".join(lines[start:end]), first + start, first + end - 1, start > 0)
        start = end


def _portion_end(lines: Sequence[str], start: int) -> int:
    limit = start + MAX_LINES
    if limit >= len(lines):
        return len(lines)
    for end in range(limit, start + MAX_LINES // 2, -1):
        if lines[end - 1].rstrip().endswith(_SENTENCE_ENDS):
            return end
    return limit
