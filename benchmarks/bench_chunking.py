"""Cutting documents of several scripts, in one run with simpler ways to cut the same text.

    python -m benchmarks.bench_chunking [--megabytes 2] [--check]

Megabytes of UTF-8 a CPU second, medians of runs in turns. Ours is all of the way to chunks: tokens
estimated, lists, tables and headings held together, overlap, citations. `sentences` cuts at full
stops and fills chunks by characters, `slices` cuts every thousand characters; neither cites. Where
llama-index-core is installed, its splitter cuts the same text with a tokenizer that costs nothing.
`--check` fails when ours does less than 10 MB/s over all scripts, or takes more than 10 times as
long as `sentences`.
"""

import argparse
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from statistics import median

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Document, Locator, Segment, SegmentKind

GOAL = 10.0
"""MB of UTF-8 a CPU second, and times as long as sentences alone."""

ROUNDS = 5
_CHARACTERS = 1000
_STOP = re.compile(r"(?<=[.!?。])\s*")
_SCRIPTS = {
    # letters, what parts words, what ends a sentence, width of a line
    "latin": ("etaoinshrdlucmfwypvbgkjqxz", " ", ". ", 90),
    "cyrillic": ("оеаинтсрвлкмдпуяыьгзбчйхжшюцщ", " ", ". ", 90),
    "thai": ("กขคงจชดตถทนบปผพมยรลวสหอะาเแโไ", "", " ", 70),
    "chinese": ("".join(map(chr, range(0x4E00, 0x5A00))), "", "。", 40),
    "korean": ("".join(map(chr, range(0xAC00, 0xB800))), " ", ". ", 60),
}


class Prose:
    """Words of made-up letters, the frequent ones first; always the same for a script."""

    def __init__(self, script: str) -> None:
        letters, self._blank, self._stop, self._width = _SCRIPTS[script]
        self._random = random.Random(script)
        longest = 9 if letters.isascii() or len(letters) < 40 else 3
        self._words = [
            "".join(self._pick(letters) for _ in range(self._random.randint(1, longest)))
            for _ in range(2000)
        ]

    def _pick(self, things: str | list[str]) -> str:
        return things[min(int(self._random.expovariate(8 / len(things))), len(things) - 1)]

    def sentence(self) -> str:
        words = [self._pick(self._words) for _ in range(self._random.randint(6, 22))]
        return self._blank.join([words[0].capitalize(), *words[1:]]) + self._stop

    def paragraph(self) -> str:
        """Some sentences, over lines of one width."""
        text = "".join(self.sentence() for _ in range(self._random.randint(3, 8))).strip()
        lines, start = [], 0
        while len(text) - start > self._width:
            blank = text.rfind(" ", start, start + self._width) + 1
            end = blank if blank > start else start + self._width
            lines.append(text[start:end].rstrip())
            start = end
        return "\n".join([*lines, text[start:]])


class Assembly:
    """A document that grows by a segment at a time."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._segments: list[Segment] = []
        self.length = 0

    def add(self, text: str, kind: SegmentKind, path: tuple[str, ...], context: str = "") -> None:
        page = self.length // 3000 + 1
        locator = Locator("page", str(page), page, page)
        end = self.length + len(text)
        self._segments.append(Segment(self.length, end, kind, locator, path, context))
        between = "\n" if kind is SegmentKind.ROW else "\n\n"
        self._pieces += (text, between)
        self.length = end + len(between)

    @property
    def document(self) -> Document:
        return Document("A document", "".join(self._pieces), tuple(self._segments))


def make_document(script: str, size: int) -> Document:
    """Headings, paragraphs, and now and then a list or a table; `size` bytes of UTF-8 or more."""
    prose, made = Prose(script), Assembly()
    bytes_each = len(_SCRIPTS[script][0][0].encode())
    section = 0
    while made.length * bytes_each < size:
        section += 1
        path = (f"Part {section // 10}", f"Section {section}")
        made.add(path[-1], SegmentKind.HEADING, path)
        for _ in range(6):
            made.add(prose.paragraph(), SegmentKind.TEXT, path)
        if section % 3 == 0:
            items = "\n".join(f"- {prose.sentence().strip()}" for _ in range(8))
            made.add(f"What is needed:\n{items}", SegmentKind.TEXT, path)
        if section % 5 == 0:
            for row in range(20):
                cells = f"{prose.sentence().strip()} | {row * 17} | 2024-03-{row + 1:02}"
                made.add(cells, SegmentKind.ROW, path, "What | How many | When")
    return made.document


def by_sentences(document: Document) -> list[str]:
    """Sentences by full stops alone, as many as stay within a length."""
    chunks, chunk, length = [], list[str](), 0
    for sentence in _STOP.split(document.text):
        if length + len(sentence) > _CHARACTERS and chunk:
            chunks.append(" ".join(chunk))
            chunk, length = [], 0
        chunk.append(sentence)
        length += len(sentence)
    return [*chunks, " ".join(chunk)]


def by_slices(document: Document) -> list[str]:
    return [
        document.text[start : start + _CHARACTERS]
        for start in range(0, len(document.text), _CHARACTERS)
    ]


def ways() -> Iterator[tuple[str, Callable[[Document], object]]]:
    """Every way to cut, by name; ours first."""
    yield "ours", StructuralChunker(300, 40).chunk
    yield "sentences", by_sentences
    yield "slices", by_slices
    if find_spec("llama_index") is not None:
        parser = import_module("llama_index.core.node_parser")
        splitter = parser.SentenceSplitter(
            chunk_size=_CHARACTERS, chunk_overlap=0, tokenizer=lambda text: range(len(text))
        )
        yield "llama-index", lambda document: splitter.split_text(document.text)


def cpu_medians(document: Document) -> dict[str, float]:
    """Median CPU seconds of each way; they take turns."""
    spent: dict[str, list[float]] = {name: [] for name, _ in ways()}
    for _ in range(ROUNDS):
        for name, cut in ways():
            started = time.process_time()
            cut(document)
            spent[name].append(time.process_time() - started)
    return {name: median(own) for name, own in spent.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=2.0)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    names = [name for name, _ in ways()]
    total = dict.fromkeys(names, 0.0)
    size = 0.0
    print(f"{'MB/s':10}" + "".join(f"{name:>13}" for name in names))
    for script in _SCRIPTS:
        document = make_document(script, int(arguments.megabytes * 1e6))
        megabytes = len(document.text.encode()) / 1e6
        took = cpu_medians(document)
        print(f"{script:10}" + "".join(f"{megabytes / took[name]:13.1f}" for name in names))
        size += megabytes
        total = {name: total[name] + took[name] for name in names}
    print(f"{'all':10}" + "".join(f"{size / total[name]:13.1f}" for name in names))
    ratio = total["ours"] / total["sentences"]
    speed = size / total["ours"]
    print(f"ours does {speed:.1f} MB/s; the goal is {GOAL:g} or more")
    print(f"ours takes {ratio:.2f} times as long as sentences alone; the goal is {GOAL:g} at most")
    return int(arguments.check and (ratio > GOAL or speed < GOAL))


if __name__ == "__main__":
    sys.exit(main())
