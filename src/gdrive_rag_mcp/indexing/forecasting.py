"""What embedding is ahead: of texts that are there, or of files that nobody has read yet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from gdrive_rag_mcp.chunking.tokens import estimate_tokens
from gdrive_rag_mcp.domain import EmbeddingOutlook, Forecast, SourceFile, TextYield
from gdrive_rag_mcp.indexing.vectorising import Unembedded
from gdrive_rag_mcp.protocols import Embedder

_SAMPLE = 1000
"""Texts whose tokens are estimated one by one; more are taken to be like these."""
_TOKENS_AN_OCTET = 0.38
"""Of a document's text in UTF-8, titles, headings and overlaps included; Thai has half as many."""
_CHARACTERS_A_TOKEN = 2.9
_UNREAD = TextYield(1, 0, 10, 8_000)
"""A file whose size nobody says, such as a Google document."""


@dataclass(frozen=True, slots=True)
class _Ratio:
    chunks: float
    octets: float


# Chunks and octets of text for each byte of a file; first match wins. Between what was measured of
# all bytes of some real documents of a type, and of the document in the middle: off by up to 3.
_BY_TYPE: tuple[tuple[str, _Ratio], ...] = (
    ("application/pdf", _Ratio(0.0003, 0.2)),
    ("wordprocessing", _Ratio(0.0006, 0.4)),
    ("spreadsheet", _Ratio(0.0005, 0.15)),
    ("presentation", _Ratio(0.0001, 0.02)),
    ("text/csv", _Ratio(0.0065, 2.6)),
    ("tab-separated", _Ratio(0.0038, 1.4)),
    ("text/html", _Ratio(0.0005, 0.25)),
    ("text/", _Ratio(0.0015, 0.95)),
    ("json", _Ratio(0.0018, 0.8)),
    ("xml", _Ratio(0.0018, 1.0)),
    ("", _Ratio(0.0003, 0.1)),
)


def tokens_ahead(unembedded: Unembedded, outlook: EmbeddingOutlook) -> int:
    """The chunker's estimate of the texts that have no vector, from the first that wait.

    Some of those may be known already: so it is the outlook's characters that are reckoned with.
    """
    if not outlook.texts:
        return 0
    sample = unembedded.without_vector(0, _SAMPLE)
    texts = {chunk.hash: chunk.embedded_text for _, chunk in sample}
    tokens = sum(map(estimate_tokens, texts.values()))
    if len(texts) == outlook.texts:
        return tokens
    return round(tokens * outlook.characters / max(1, sum(map(len, texts.values()))))


def both(one: Forecast | None, other: Forecast | None) -> Forecast | None:
    """What two parts of a run embed together."""
    if one is None or other is None:
        return one or other
    known = one.seconds is not None and other.seconds is not None
    return Forecast(
        chunks=one.chunks + other.chunks,
        tokens=one.tokens + other.tokens,
        calls=None if one.calls is None or other.calls is None else one.calls + other.calls,
        seconds=(one.seconds or 0.0) + (other.seconds or 0.0) if known else None,
        estimated=one.estimated or other.estimated,
        again=one.again + other.again,
    )


def estimated(
    files: Iterable[SourceFile],
    yields: Mapping[str, Sequence[TextYield]],
    waiting: EmbeddingOutlook,
    embedder: Embedder | None,
    characters_per_second: float | None,
) -> Forecast | None:
    """What files would bring, if all of their text were new, and what waits in the index anyhow.

    None where there is nothing to embed.
    """
    chunks, octets = 0.0, 0.0
    for file in files:
        expected = _expected(file, yields.get(file.mime_type, ()))
        chunks += max(1.0, expected.chunks)  # no file is searchable without one
        octets += expected.octets
    tokens = octets * _TOKENS_AN_OCTET + waiting.characters / _CHARACTERS_A_TOKEN
    texts = ceil(chunks) + waiting.texts
    if not texts:
        return None
    characters = round(tokens * _CHARACTERS_A_TOKEN)
    return Forecast(
        chunks=texts,
        tokens=round(tokens),
        calls=embedder.calls(texts, characters) if embedder else None,
        seconds=characters / characters_per_second if characters_per_second else None,
        estimated=True,
    )


def _expected(file: SourceFile, learned: Sequence[TextYield]) -> _Ratio:
    """Chunks and octets of one file: as files of its type became here, else as they do elsewhere.

    A file whose size nobody says is taken for an average one.
    """
    if file.size is None:
        alike = [one for one in learned if not one.bytes] or [*learned] or [_UNREAD]
        files = sum(one.files for one in alike)
        return _Ratio(
            sum(one.chunks for one in alike) / files, sum(one.octets for one in alike) / files
        )
    read = sum(one.bytes for one in learned)
    if read:
        sized = [one for one in learned if one.bytes]
        ratio = _Ratio(
            sum(one.chunks for one in sized) / read, sum(one.octets for one in sized) / read
        )
    else:
        ratio = next(ratio for kind, ratio in _BY_TYPE if kind in file.mime_type)
    return _Ratio(ratio.chunks * file.size, ratio.octets * file.size)
