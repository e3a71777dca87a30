"""Recognises the text of a picture with the `tesseract` program, through pipes: no file is written.

One run, one language: a mix of several is slower and less accurate than the best of them.
"""

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from gdrive_rag_mcp.extraction.options import Ocr

# One thread: several only get into each other's way on pages, and their number is not held back.
_ENVIRONMENT = {"OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"}
_COLUMNS = 12
_WORD_LEVEL = "5"
_TURN = re.compile(rb"^Rotate: (90|180|270)$", re.MULTILINE)
_TURN_CONFIDENCE = re.compile(rb"^Orientation confidence: ([\d.]+)$", re.MULTILINE)
_SURE_OF_TURN = 2.0
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_BESIDE_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3,.:;!?()\[\]%]")
_UNSPACED = re.compile("[\u2e80-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")
_SYLLABLE_GAP = 0.25
"""Of the height of the letters: Korean is recognised syllable by syllable, and closer ones are one
word. Spaces between words measured 0.3 and more, gaps within words mostly up to 0.24."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Grey levels, row by row, one byte a pixel, at a resolution in dots per inch."""

    width: int
    height: int
    pixels: bytes
    resolution: int

    def as_pgm(self) -> bytes:
        """In Netpbm's format (pgm(5)), which any image library reads without decompression."""
        return b"P5 %d %d 255\n" % (self.width, self.height) + self.pixels


@dataclass(frozen=True, slots=True)
class Recognised:
    """A picture's text, and how sure the program is of its characters on average, 0 to 100."""

    text: str = ""
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class _Word:
    block: str
    line: str
    left: int
    right: int
    height: int
    confidence: float
    text: str


class Tesseract:
    """The program, as the options name it."""

    def __init__(self, ocr: Ocr) -> None:
        self._ocr = ocr

    def recognise(self, picture: Picture, language: str) -> Recognised:
        """The text of a picture; none where the program ends in an error."""
        out = self._run(picture, "-l", language, "-c", "tessedit_create_tsv=1")
        return text_of_table(out.decode("utf-8", "replace"))

    def turn(self, picture: Picture) -> int:
        """By how many degrees clockwise a picture has to be turned to stand upright."""
        if not self._ocr.upright:
            return 0
        out = self._run(picture, "-l", "osd", "--psm", "0")
        turn, sure = _TURN.search(out), _TURN_CONFIDENCE.search(out)
        return int(turn[1]) if turn and sure and float(sure[1]) >= _SURE_OF_TURN else 0

    def _run(self, picture: Picture, *arguments: str) -> bytes:
        command = [self._ocr.program, "stdin", "stdout", "--tessdata-dir", self._ocr.data,
                   "--dpi", str(picture.resolution), *arguments]  # fmt: skip
        try:
            done = subprocess.run(
                command,
                input=picture.as_pgm(),
                capture_output=True,  # all through pipes: nothing may be opened for writing here
                env=_ENVIRONMENT,
                check=False,
            )
        except OSError:  # gone since the start, or out of reach: the page stays unrecognised
            return b""
        return b"" if done.returncode else done.stdout


def text_of_table(table: str) -> Recognised:
    """What tesseract says in its TSV, one word a row."""
    words = list(_words(table))
    letters = sum(len(word.text) for word in words)
    if not letters:
        return Recognised()
    sure = sum(word.confidence * len(word.text) for word in words) / letters
    return Recognised(_joined(words), sure)


def _words(table: str) -> Iterator[_Word]:
    """The words of tesseract's TSV, whose rows are also blocks, paragraphs and lines."""
    for row in table.splitlines():
        fields = row.split("\t")
        if len(fields) != _COLUMNS or fields[0] != _WORD_LEVEL or not fields[11].strip():
            continue
        _, _, block, paragraph, line, _, left, _, width, height, sure, text = fields
        yield _Word(
            block=block,
            line=f"{paragraph} {line}",
            left=int(left),
            right=int(left) + int(width),
            height=int(height),
            confidence=max(0.0, float(sure)),
            text=text,
        )


def _joined(words: Iterable[_Word]) -> str:
    """Lines as lines, and an empty line between blocks; paragraphs are found as in any page."""
    blocks = [
        "\n".join(_line(list(line)) for _, line in groupby(block, lambda word: word.line))
        for _, block in groupby(words, lambda word: word.block)
    ]
    return "\n\n".join(blocks)


def _line(words: list[_Word]) -> str:
    text = words[0].text
    for before, word in pairwise(words):
        text += word.text if _is_one_word(before, word) else f" {word.text}"
    return text


def _is_one_word(before: _Word, word: _Word) -> bool:
    last, first = before.text[-1], word.text[0]
    if _UNSPACED.match(last) and _UNSPACED.match(first):
        return True
    gap = (word.left - before.right) / max(before.height, word.height, 1)
    korean = (_HANGUL.match(last) and _BESIDE_HANGUL.match(first)) or (
        _BESIDE_HANGUL.match(last) and _HANGUL.match(first)
    )
    return bool(korean) and gap <= _SYLLABLE_GAP
