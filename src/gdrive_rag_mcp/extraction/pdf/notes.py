"""What stands on a PDF page beside its text: the values of form fields, and comments.

pdfium's own functions are called, as its Python layer has none for this.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pypdfium2 as pdfium
from pypdfium2 import raw

from gdrive_rag_mcp.extraction.pdf.page import Notes

_MOST_ANNOTATIONS = 2_000
_LONGEST = 1 << 16
_UNSAID = frozenset(
    {raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_UNKNOWN}
)
_TOLD_FIELDS = frozenset(
    {
        raw.FPDF_FORMFIELD_TEXTFIELD,
        raw.FPDF_FORMFIELD_COMBOBOX,
        raw.FPDF_FORMFIELD_LISTBOX,
    }
)
_TICKED_FIELDS = frozenset({raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON})


def notes_on(page: pdfium.PdfPage) -> Notes:
    """The notes on a page, in the order in which the file has them."""
    fields: dict[str, None] = {}
    comments: dict[str, None] = {}
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST_ANNOTATIONS)):
        with _annotation(page, index) as annotation:
            if annotation is None:
                continue
            kind = raw.FPDFAnnot_GetSubtype(annotation)
            if kind == raw.FPDF_ANNOT_WIDGET and page.formenv:
                fields[_field(page.formenv, annotation)] = None
            elif kind not in _UNSAID:
                comments[_contents(annotation)] = None
    return Notes(tuple(filter(None, fields)), tuple(filter(None, comments)))


@contextmanager
def _annotation(page: pdfium.PdfPage, index: int) -> Iterator[Any]:
    annotation = raw.FPDFPage_GetAnnot(page, index)
    try:
        yield annotation or None
    finally:
        if annotation:
            raw.FPDFPage_CloseAnnot(annotation)


def _field(form: pdfium.PdfFormEnv, annotation: object) -> str:
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    name = _string(
        lambda into, size: raw.FPDFAnnot_GetFormFieldAlternateName(form, annotation, into, size)
    ) or _string(lambda into, size: raw.FPDFAnnot_GetFormFieldName(form, annotation, into, size))
    value = ""
    if kind in _TOLD_FIELDS:
        value = _string(
            lambda into, size: raw.FPDFAnnot_GetFormFieldValue(form, annotation, into, size)
        )
    elif kind in _TICKED_FIELDS and raw.FPDFAnnot_IsChecked(form, annotation):
        value = _string(
            lambda into, size: raw.FPDFAnnot_GetFormFieldExportValue(form, annotation, into, size)
        )
    return f"{name}: {value}" if name and value else value


def _contents(annotation: object) -> str:
    return _string(
        lambda into, size: raw.FPDFAnnot_GetStringValue(annotation, b"Contents", into, size)
    )


def _string(get: Callable[[Any, int], int]) -> str:
    """A string of pdfium's: asked for its length in bytes first, then in UTF-16 with a NUL."""
    length = min(get(None, 0), _LONGEST)
    if length <= 2:  # noqa: PLR2004 - nothing but the NUL
        return ""
    buffer = ctypes.create_string_buffer(_LONGEST)
    if get(ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), _LONGEST) > _LONGEST:
        return ""
    return buffer.raw[: length - 2].decode("utf-16-le", "replace").strip()
