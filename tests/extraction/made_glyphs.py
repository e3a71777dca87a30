"""A PDF whose letters are what its character map says, as files with embedded fonts have them."""

from collections.abc import ItemsView, Sequence

_FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode {map} 0 R>>"
_PAGE = (
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {text} 0 R"
    "/Resources<</Font<</F 3 0 R>>>>>>"
)


def glyph_pdf(lines: Sequence[Sequence[str]]) -> bytes:
    """One page; each line is the glyphs from left to right, each glyph one or more characters."""
    glyphs = list(dict.fromkeys(glyph for line in lines for glyph in line))
    codes = {glyph: 0x41 + place for place, glyph in enumerate(glyphs)}
    written = ["".join(f"{codes[glyph]:02X}" for glyph in line) for line in lines]
    shown = "".join(
        f"BT /F 12 Tf 50 {750 - 20 * row} Td <{line}> Tj ET\n" for row, line in enumerate(written)
    )
    bodies = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[5 0 R]/Count 1>>",
        _FONT.format(map=4),
        _stream(_character_map(codes.items())),
        _PAGE.format(text=6),
        _stream(shown),
    ]
    return _file(bodies)


def _character_map(codes: ItemsView[str, int]) -> str:
    pairs = "\n".join(f"<{code:02X}> <{glyph.encode('utf-16-be').hex()}>" for glyph, code in codes)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{pairs}\nendbfchar\nendcmap end end"
    )


def _stream(content: str) -> str:
    return f"<</Length {len(content)}>>stream\n{content}\nendstream"


def _file(bodies: Sequence[str]) -> bytes:
    written = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate(bodies, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start = len(written)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(bodies) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Size {size}/Root 1 0 R>>\n"
    return written + f"{end}startxref\n{start}\n%%EOF\n".encode()
