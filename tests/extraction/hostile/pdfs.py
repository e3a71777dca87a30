"""Hostile PDF files, object by object."""

import zlib
from collections.abc import Sequence


def pdf(objects: Sequence[bytes]) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    content, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(content)
    content += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    content += b"".join(b"%010d 00000 n \n" % place for place in places)
    content += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1, start,
    )  # fmt: skip
    return bytes(content)


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(data), entries, data)


_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def page(contents: int, font: int, parent: int = 2) -> bytes:
    return (
        b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
        b"/Resources<</Font<</F %d 0 R>>>>>>" % (parent, contents, font)
    )


def page_with_object(size: bytes) -> bytes:
    """A page with an object named X to draw."""
    return (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %s]/Contents 4 0 R"
        b"/Resources<</XObject<</X 5 0 R>>>>>>" % size
    )


def one_page(content: bytes, entries: bytes = b"") -> bytes:
    """A PDF with this content on its page."""
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            page(4, 5),
            stream(content, entries),
            _FONT,
        ]
    )


def double_flate(size: int = 96 << 20) -> bytes:
    once = zlib.compress(b"BT /F 9 Tf (text) Tj ET " * (size // 24), 9)
    return one_page(zlib.compress(once, 9), b"/Filter[/FlateDecode/FlateDecode]")


def flate_of_spaces(size: int = 1 << 30) -> bytes:
    packer = zlib.compressobj(9)
    block = b" " * (1 << 20)
    data = b"".join(packer.compress(block) for _ in range(size >> 20)) + packer.flush()
    return one_page(zlib.compress(data, 9), b"/Filter[/FlateDecode/FlateDecode]")


def many_pages(count: int = 200_000) -> bytes:
    """As many pages as numbers for them, all of them the same object."""
    kids = b"3 0 R " * count
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count),
            page(4, 5),
            stream(b"BT /F 9 Tf 50 700 Td (the same text) Tj ET"),
            _FONT,
        ]
    )


def claimed_pages() -> bytes:
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 2000000000>>",
            page(4, 5),
            stream(b"BT /F 9 Tf 50 700 Td (the one page) Tj ET"),
            _FONT,
        ]
    )


def page_tree_in_a_circle() -> bytes:
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R 2 0 R]/Count 5/Parent 3 0 R>>",
            b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 5/Parent 2 0 R>>",
        ]
    )


def deep_page_tree(depth: int = 20_000) -> bytes:
    nodes = [
        b"<</Type/Pages/Kids[%d 0 R]/Count 1/Parent %d 0 R>>" % (number + 1, number - 1)
        for number in range(3, depth)
    ]
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            *nodes,
            b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 600 800]>>" % (depth - 1),
        ]
    )


def form_in_itself() -> bytes:
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            page_with_object(b"600 800"),
            stream(b"/X Do"),
            stream(
                b"/X Do /X Do",
                b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>",
            ),
        ]
    )


def deep_arrays(depth: int = 500_000) -> bytes:
    return one_page(b"[" * depth + b"]" * depth + b" TJ", b"/X " + b"[" * 5_000 + b"]" * 5_000)


def objects_that_refer_to_each_other() -> bytes:
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R/PageLabels 4 0 R/AcroForm 5 0 R/Outlines 6 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 7 0 R/Annots[8 0 R 8 0 R]>>",
            b"<</Kids[4 0 R 4 0 R]/Limits[0 9]>>",
            b"<</Fields[8 0 R 5 0 R]>>",
            b"<</First 6 0 R/Next 6 0 R/Last 6 0 R/Count 9>>",
            b"7 0 R",
            b"<</Type/Annot/Subtype/Widget/FT/Tx/Parent 8 0 R/Kids[8 0 R]/Rect[0 0 9 9]/V 8 0 R>>",
        ]
    )


def huge_page_picture() -> bytes:
    """A page of a square kilometre under a picture that claims a trillion pixels."""
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            page_with_object(b"2834645 2834645"),
            stream(b"2834645 0 0 2834645 0 0 cm /X Do"),
            stream(
                b"\x00",
                b"/Type/XObject/Subtype/Image/Width 1000000/Height 1000000/BitsPerComponent 8"
                b"/ColorSpace/DeviceGray",
            ),
        ]
    )
