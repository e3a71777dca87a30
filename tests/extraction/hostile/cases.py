"""All hostile files by name."""

from collections.abc import Callable, Mapping

from tests.extraction.hostile import entities, packages, pdfs, texts

Case = tuple[str, Callable[[], bytes]]


def _const(content: bytes) -> Callable[[], bytes]:
    return lambda: content


def _carried(name: str, dtd: Callable[[], str]) -> Case:
    mime_type, carry = entities.CARRIERS[name]
    return mime_type, lambda: carry(dtd())


CASES: Mapping[str, Case] = {
    "sheet: far cell": (packages.SHEET, packages.far_cell),
    "sheet: far cell first": (packages.SHEET, packages.far_cell_in_disorder),
    "sheet: a million empty rows": (packages.SHEET, packages.many_empty_rows),
    "sheet: 42,000 merged ranges": (packages.SHEET, packages.many_merged_ranges),
    "sheet: one merged range over all": (packages.SHEET, packages.one_merged_range_over_all),
    "sheet: claims to be full": (packages.SHEET, packages.claimed_dimension),
    "word: nested tables": (packages.WORD, packages.nested_tables),
    "word: long text node": (packages.WORD, packages.long_text_node),
    "word: 200 MB of paragraphs": (packages.WORD, packages.many_paragraphs),
    "slides: nested groups": (packages.SLIDES, packages.nested_groups),
    "open sheet: repeated rows and cells": (packages.OPEN_SHEET, packages.repeated_rows_and_cells),
    "open sheet: repeated empty rows": (packages.OPEN_SHEET, packages.repeated_empty_rows),
    "book: deep chapter": (packages.BOOK, packages.deep_chapter),
    "zip: 10,001 members": (packages.WORD, packages.many_members),
    "zip: overlapping members": (packages.WORD, packages.overlapping_members),
    "zip: lying sizes": (packages.WORD, packages.lying_sizes),
    "zip: nested": (packages.WORD, packages.nested_archives),
    "zip: cut off": (packages.WORD, packages.cut_off),
    "pdf: double flate": ("application/pdf", pdfs.double_flate),
    "pdf: double flate of spaces": ("application/pdf", pdfs.flate_of_spaces),
    "pdf: 200,000 pages": ("application/pdf", pdfs.many_pages),
    "pdf: claimed pages": ("application/pdf", pdfs.claimed_pages),
    "pdf: page tree in a circle": ("application/pdf", pdfs.page_tree_in_a_circle),
    "pdf: deep page tree": ("application/pdf", pdfs.deep_page_tree),
    "pdf: form in itself": ("application/pdf", pdfs.form_in_itself),
    "pdf: deep arrays": ("application/pdf", pdfs.deep_arrays),
    "pdf: circles": ("application/pdf", pdfs.objects_that_refer_to_each_other),
    "pdf: huge page": ("application/pdf", pdfs.huge_page_picture),
    "web: nested divisions": ("text/html", texts.nested_divisions),
    "web: nested formats": ("text/html", texts.nested_formats),
    "web: 200,000 attributes": ("text/html", texts.many_attributes),
    "web: nested tables": ("text/html", texts.nested_tables),
    "web: wide spans": ("text/html", texts.wide_spans),
    "web: unclosed comment": ("text/html", texts.unclosed_comment),
    "json: nested lists": ("application/json", texts.nested_json),
    "json: nested objects": ("application/json", texts.nested_json_objects),
    "json: long number": ("application/json", texts.long_number),
    "mail: nested parts": ("message/rfc822", texts.nested_mail),
    "mail: in mail in mail": ("message/rfc822", texts.mail_in_mail),
    "mail: many headers": ("message/rfc822", texts.many_headers),
    "mail: long encoded subject": ("message/rfc822", texts.long_encoded_word),
    "rtf: nested braces": ("application/rtf", texts.nested_braces),
    "rtf: open braces": ("application/rtf", texts.open_braces),
    "rtf: long binary": ("application/rtf", texts.long_binary_claim),
    "text: one long line": ("text/plain", texts.one_long_line),
    "text: one line of words": ("text/plain", texts.one_line_of_words),
    "csv: one long line": ("text/csv", texts.one_long_line),
    "csv: a million columns": ("text/csv", texts.many_columns),
    "csv: one long cell": ("text/csv", texts.one_long_cell),
    "csv: unclosed quotes": ("text/csv", texts.unclosed_quotes),
    "notebook: 50 MB of pictures": ("application/x-ipynb+json", texts.notebook_with_pictures),
    **{
        f"markdown: {name}": ("text/markdown", _const(content))
        for name, content in texts.MARKDOWN_RUNS.items()
    },
    **{
        f"web: {name}": ("text/html", _const(b"<p>" + content))
        for name, content in texts.MARKDOWN_RUNS.items()
    },
    **{f"{name}: laughs": _carried(name, entities.laughs) for name in entities.CARRIERS},
    **{f"{name}: long laugh": _carried(name, entities.long_laugh) for name in entities.CARRIERS},
}
