"""Reads PowerPoint files from before 2007, slide by slide, with the notes."""

from gdrive_rag_mcp.domain import Document
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.office_97 import Part, line, lines, open_97, table_rows
from gdrive_rag_mcp.extraction.slides_page import Page
from gdrive_rag_mcp.extraction.tables import row_line


def read(file: InputFile) -> Document:
    """Read a PPT file.

    Raises:
        ExtractionError: damaged, encrypted, too large, or without text.
    """
    opened = open_97(file, "ppt")
    builder = DocumentBuilder()
    for place, section in enumerate(opened.sections, start=1):
        _read_slide(builder, place, section)
    for loss in opened.losses:
        builder.fail(loss)
    builder.title = builder.title or opened.title
    return builder.finish()


def _read_slide(builder: DocumentBuilder, place: int, slide: Part) -> None:
    elements = list(slide.get("elements", ()))
    is_titled = bool(elements) and elements[0].get("type") == "heading"
    title = " ".join(line(elements.pop(0)).split()) if is_titled else ""
    if place == 1:
        builder.title = title
    page = Page(builder, place, title, hidden=bool(slide.get("hidden")))
    for element in elements:
        if element.get("type") == "table":
            page.say_rows(map(row_line, table_rows(element)), "")
        else:
            page.say(lines([element]))
    page.say(lines(slide.get("speaker_notes") or ()), aside="notes")
