"""The text of a Word paragraph, as a reader who accepted all changes would see it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name

# Properties, deleted text, field codes, and the small print over East Asian characters.
SKIPPED = frozenset(
    {
        "pPr", "rPr", "tblPr", "trPr", "tcPr", "sectPr", "sdtPr", "sdtEndPr",
        "del", "moveFrom", "delText", "instrText", "delInstrText", "rt", "",
    }
)  # fmt: skip
_BLOCKS = frozenset({"txbxContent", "tbl", "chart", "relIds"})
_CHARACTERS: Mapping[str, str] = {
    "tab": "\t",
    "ptab": "\t",
    "br": "\n",
    "cr": "\n",
    "noBreakHyphen": "-",
}
_NOTES: Mapping[str, str] = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}

NoteMark = Callable[[str, str], str]
"""Given the kind and the id of a note, the mark that stands for it in the text."""


@dataclass(slots=True)
class Inline:
    """What a paragraph says, and the boxes, tables, charts and diagrams that hang on it."""

    pieces: list[str] = field(default_factory=list)
    blocks: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def inline(paragraph: Element, mark: NoteMark) -> Inline:
    """Collect the text of a paragraph in reading order."""
    found = Inline()
    _collect(paragraph, mark, found)
    return found


def children(element: Element) -> Iterator[Element]:
    """The children that count: of alternatives only the first, which newer programs show."""
    if local_name(element) == "AlternateContent":
        choices = [each for each in element if local_name(each) in ("Choice", "Fallback")]
        yield from choices[:1]
        return
    yield from (each for each in element if local_name(each) not in SKIPPED)


def _is_hidden(run: Element) -> bool:
    """Whether a run is formatted as hidden text, which is neither shown nor printed."""
    vanish = child(run, "rPr", "vanish")
    return vanish is not None and attribute(vanish, "val") not in ("0", "false", "off")


def _collect(element: Element, mark: NoteMark, found: Inline) -> None:
    for each in children(element):
        name = local_name(each)
        if name == "r" and _is_hidden(each):
            continue
        if name == "t":
            # The tails belong to entities that were left unexpanded.
            found.pieces += (each.text or "", *(inner.tail or "" for inner in each))
        elif name in _CHARACTERS:
            found.pieces.append(_CHARACTERS[name])
        elif name in _NOTES:
            found.pieces.append(mark(_NOTES[name], attribute(each, "id") or ""))
        elif name in _BLOCKS:
            found.blocks.append(each)
        else:
            _collect(each, mark, found)
