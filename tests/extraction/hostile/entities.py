"""Documents whose XML defines entities: ones that grow, and ones that fetch a file."""

from collections.abc import Callable, Mapping

from tests.extraction.hostile import packages as office

Declare = Callable[[str], str]
"""Makes a document type declaration that is to fetch from an address."""

XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'


def laughs(levels: int = 20, times: int = 10) -> str:
    """Ten of ten of ten … of a word, 10^20 in all."""
    first = '<!ENTITY l0 "laugh">'
    rest = "".join(
        f'<!ENTITY l{level} "{f"&l{level - 1};" * times}">' for level in range(1, levels + 1)
    )
    return f'<!DOCTYPE x [{first}{rest}<!ENTITY e "&l{levels};">]>'


def long_laugh() -> str:
    """A long entity that is used often: the square instead of the power."""
    return f'<!DOCTYPE x [<!ENTITY l "{"laugh" * 20_000}"><!ENTITY e "{"&l;" * 20_000}">]>'


def fetching(address: str) -> str:
    """An entity whose text is that of a file, which holds words."""
    return f'<!DOCTYPE x [<!ENTITY e SYSTEM "{address}">]>'


def fetching_by_parameter(address: str) -> str:
    """An entity that is declared in another file, which is brought in."""
    return f'<!DOCTYPE x [<!ENTITY % p SYSTEM "{address}">%p;]>'


def fetching_a_grammar(address: str) -> str:
    """A document type, and with it the entity, that is another file."""
    return f'<!DOCTYPE x SYSTEM "{address}">'


ENTITY = "before &e; after"
CARRIERS: Mapping[str, tuple[str, Callable[[str], bytes]]] = {
    "docx": (office.WORD, lambda dtd: office.word(office.paragraph(ENTITY), dtd)),
    "xlsx": (
        office.SHEET,
        lambda dtd: office.sheet(f'<row r="1">{office.inline("A1", ENTITY)}</row>', prologue=dtd),
    ),
    "xlsx strings": (office.SHEET, lambda dtd: office.sheet_of_strings(ENTITY, dtd)),
    "pptx": (office.SLIDES, lambda dtd: office.slides(office.shape(ENTITY), dtd)),
    "odt": (office.OPEN_TEXT, lambda dtd: office.open_text(ENTITY, dtd)),
    "ods": (
        office.OPEN_SHEET,
        lambda dtd: office.open_sheet(office.open_row(ENTITY), dtd),
    ),
    "epub": (
        office.BOOK,
        lambda dtd: office.book(f"{dtd}<html {XHTML}><body><p>{ENTITY}</p></body></html>"),
    ),
    "epub parts": (
        office.BOOK,
        lambda dtd: office.book(f"<html {XHTML}><body><p>text</p></body></html>", ENTITY, dtd),
    ),
    "xml": ("application/xml", lambda dtd: f"{dtd}<x>{ENTITY}</x>".encode()),
    "svg": (
        "image/svg+xml",
        lambda dtd: f'{dtd}<svg xmlns="http://www.w3.org/2000/svg"><text>{ENTITY}</text></svg>'.encode(),
    ),
    "html": ("text/html", lambda dtd: f"{dtd}<html><body><p>{ENTITY}</p></body></html>".encode()),
    "xhtml": (
        "application/xhtml+xml",
        lambda dtd: f"{dtd}<html {XHTML}><body><p>{ENTITY}</p></body></html>".encode(),
    ),
}  # fmt: skip
"""Formats with XML in them: the media type, and a file after a document type declaration."""

ATTRIBUTES: Mapping[str, tuple[str, Callable[[str], bytes]]] = {
    "docx": (office.WORD, lambda dtd: office.word_with_comment("&e;", "shown", dtd)),
    "ods": (
        office.OPEN_SHEET,
        lambda dtd: office.open_sheet(office.open_row("shown"), dtd, name="&e;"),
    ),
}  # fmt: skip
"""The same with the entity in an attribute that is read. There, files' words may not be brought in
as such, but declarations of other files count, whatever becomes of entities in text."""
