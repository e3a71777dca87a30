"""Reads PowerPoint files from before 2007, slide by slide, with notes and comments.

Format: [MS-PPT]. Titles and text that the outline shows lie in a list of their own; the boxes on a
slide refer to them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gdrive_rag_mcp.domain import Document, Locator, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder, one_line
from gdrive_rag_mcp.extraction.comments import tagged
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.office_97 import slide_records as kinds
from gdrive_rag_mcp.extraction.office_97.compound_file import Ole, ole_title, open_ole
from gdrive_rag_mcp.extraction.office_97.slide_records import Presentation, Record
from gdrive_rag_mcp.extraction.slides.page import Page

_STREAM, _USER = "PowerPoint Document", "Current User"
_OLDER = "PersistentStorage Directory"
_DUAL = "PP97_DUALSTORAGE"
"""PowerPoint 97 could keep a file for PowerPoint 95 as well, and its own form in this folder."""

_PLAIN_TOKEN, _ENCRYPTED_TOKEN = 0xE391C05F, 0xF3D1C4DF
_TITLE_KINDS = (0, 6)
_TEXTS = (kinds.TEXT_CHARS, kinds.TEXT_BYTES)
_HIDDEN = 0x4
_NUMBER_MARK = "*"
"""What stands for the number of a slide, or for the day, until it is shown."""

_MARGIN_PARTS = {1: "header", 2: "footer"}


@dataclass(slots=True)
class _Text:
    """A text and what its box is for, as the format counts it."""

    kind: int
    text: str = ""
    shown: bool = False

    @property
    def is_title(self) -> bool:
        return self.kind in _TITLE_KINDS and bool(self.text.strip())


@dataclass(slots=True)
class _Slide:
    """Where a slide is, and its part of the outline."""

    object: int
    identity: int
    outline: list[_Text] = field(default_factory=list)


def read(file: InputFile) -> Document:
    """Read a PPT file.

    Raises:
        ExtractionError: damaged, encrypted, older than 1997, or without text.
    """
    with open_ole(file) as ole:
        presentation = _open(ole)
        title = ole_title(ole)
    document = presentation.document
    if document is None:
        raise ExtractionError(Reason.CORRUPT, "The presentation has lost its list of slides")
    builder = DocumentBuilder()
    notes = dict(_notes(presentation, document))
    for place, slide in enumerate(_listed(document, 0), start=1):
        shown = presentation.object(slide.object, kinds.SLIDE)
        if shown is None:
            builder.fail(f"slide {place}: only what the outline shows of it was found")
        page = _read_slide(builder, place, slide, shown)
        page.say(notes.get(slide.identity, ()), aside="notes")
    for kind, text in dict.fromkeys(_margins(document)):
        builder.add(text, Locator("part", kind))
    builder.title = builder.title or title
    return builder.finish()


def _open(ole: Ole) -> Presentation:
    newer = ole.exists(f"{_DUAL}/{_STREAM}")
    if ole.exists(_OLDER) and not newer:
        raise ExtractionError(
            Reason.UNSUPPORTED_TYPE,
            "The presentation is older than PowerPoint 97",
            hint="Save it in a newer format.",
        )
    folder = f"{_DUAL}/" if newer else ""
    user = next(kinds.records(memoryview(ole.openstream(f"{folder}{_USER}").read())), None)
    token = user.number(4) if user else 0
    if token == _ENCRYPTED_TOKEN:
        raise ExtractionError(
            Reason.ENCRYPTED,
            "The presentation is protected by a password",
            hint="Save a copy without a password.",
        )
    if user is None or token != _PLAIN_TOKEN:
        raise ExtractionError(Reason.CORRUPT, "The presentation has lost its last state")
    return Presentation(ole.openstream(f"{folder}{_STREAM}").read(), user.number(8))


def _listed(document: Record, instance: int) -> list[_Slide]:
    """The slides (0) or notes (2) in their order, with what the outline shows of each."""
    found: list[_Slide] = []
    for each in document.children():
        if each.kind != kinds.SLIDE_LIST or each.instance != instance:
            continue
        for record in each.children():
            if record.kind == kinds.SLIDE_PLACE:
                found.append(_Slide(record.number(0), record.number(12)))
            elif record.kind == kinds.TEXT_HEADER and found:
                found[-1].outline.append(_Text(record.number(0)))
            elif record.kind in _TEXTS and found and found[-1].outline:
                found[-1].outline[-1].text += record.text()
    return found


# ── a slide ──────────────────────────────────────────────────────────────────


def _read_slide(builder: DocumentBuilder, place: int, slide: _Slide, shown: Record | None) -> Page:
    texts = _shown_texts(slide, shown)
    title = next((each for each in texts if each.is_title), None)
    heading = " ".join(title.text.split()) if title else ""
    if place == 1:
        builder.title = heading
    page = Page(builder, place, heading, hidden=_is_hidden(shown))
    for each in texts:
        if each is not title:
            page.say(_lines(each.text))
    page.say(_comments(shown), aside="comments")
    return page


def _shown_texts(slide: _Slide, shown: Record | None) -> list[_Text]:
    """The texts of a slide's boxes in order, after those of the outline that no box refers to."""
    texts = []
    boxes = shown.inside(kinds.TEXT_BOX) if shown else ()
    for box in boxes:
        text = _Text(-1)
        for record in box.children():
            if record.kind == kinds.TEXT_REFERENCE and record.number(0) in range(
                len(slide.outline)
            ):
                text = slide.outline[record.number(0)]
                text.shown = True
            elif record.kind == kinds.TEXT_HEADER:
                text = _Text(record.number(0))
            elif record.kind in _TEXTS:
                text.text += record.text()
        texts.append(text)
    return [each for each in slide.outline if not each.shown] + texts


def _is_hidden(shown: Record | None) -> bool:
    info = next(shown.inside(kinds.SHOW_INFO), None) if shown else None
    return info is not None and bool(max(0, info.number(10, "<H")) & _HIDDEN)


def _comments(shown: Record | None) -> Iterator[str]:
    for comment in shown.inside(kinds.COMMENT) if shown else ():
        said = {
            each.instance: each.text() for each in comment.children() if each.kind == kinds.STRING
        }
        author, text = one_line(said.get(0, "")), " ".join(said.get(1, "").split())
        if text:
            yield tagged(text, author)


# ── what stands beside the slides ────────────────────────────────────────────


def _notes(presentation: Presentation, document: Record) -> Iterator[tuple[int, Sequence[str]]]:
    """The notes of each slide, by the slide's identity."""
    for listed in _listed(document, 2):
        notes = presentation.object(listed.object, kinds.NOTES)
        of = next(notes.inside(kinds.NOTES_OF), None) if notes else None
        if of:
            texts = _shown_texts(listed, notes)
            yield of.number(0), [line for each in texts for line in _lines(each.text)]


def _margins(document: Record) -> Iterator[tuple[str, str]]:
    for margins in document.inside(kinds.MARGINS):
        for each in margins.children():
            if each.kind == kinds.STRING and each.instance in _MARGIN_PARTS:
                yield _MARGIN_PARTS[each.instance], each.text()


def _lines(text: str) -> list[str]:
    """The paragraphs of a text; within one, lines end with a vertical tab."""
    lines = text.replace("\v", "\n").split("\r")
    return [line for line in lines if line.strip() not in ("", _NUMBER_MARK)]
