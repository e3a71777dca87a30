import io
import zipfile
from collections.abc import Callable, Mapping

import pytest

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError

Read = Callable[[bytes, str], Document]
EPUB = "application/epub+zip"
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>"
)
XHTML = "application/xhtml+xml"
NAV = (
    '<nav epub:type="toc"><ol><li><a href="text/one.xhtml#s">The <b>First</b></a></li>'
    '<li><a href="text/two%20b.xhtml">The Second</a></li></ol></nav>'
)


def opf(items: str, spine: str, title: str = "A Book") -> str:
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )


def item(name: str, media_type: str = XHTML, properties: str = "") -> str:
    return f'<item id="{name}" href="{name}" media-type="{media_type}" properties="{properties}"/>'


def refs(*names: str) -> str:
    return "".join(f'<itemref idref="{name}"/>' for name in names)


def xhtml(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml">'
        f"<head><title>T</title><script/></head><body>{body}</body></html>"
    )


def book(package: str, members: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", EPUB, zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OPS/book.opf", package)
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def two_chapters(**members: str) -> bytes:
    package = opf(
        item("text/two%20b.xhtml") + item("text/one.xhtml") + item("nav.xhtml", XHTML, "nav"),
        refs("text/one.xhtml", "text/two%20b.xhtml"),
    )
    return book(
        package,
        {
            "OPS/text/one.xhtml": xhtml("<p>Before.</p><h2>Leave</h2><p>Thirty days.</p>"),
            "OPS/text/two b.xhtml": xhtml("<h1>The second</h1><p>No days.</p>"),
            "OPS/nav.xhtml": xhtml(NAV),
            **members,
        },
    )


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def refusal_of(read: Read, content: bytes) -> ExtractionError:
    with pytest.raises(ExtractionError) as refusal:
        read(content, EPUB)
    return refusal.value


def test_chapters_come_in_reading_order_each_at_its_member_under_its_title(read: Read) -> None:
    document = read(two_chapters(), EPUB)

    assert document.title == "A Book"
    assert said(document)[:5] == ["Before.", "Leave", "Thirty days.", "The second", "No days."]
    first, last = document.segments[2], document.segments[4]
    assert (first.locator.kind, first.locator.value) == ("chapter", "OPS/text/one.xhtml")
    assert (first.locator.first, first.locator.label) == (1, "The First")
    assert first.headings == ("The First", "Leave")
    assert (last.locator.value, last.locator.first) == ("OPS/text/two b.xhtml", 2)
    assert last.headings == ("The second",)


def test_the_contents_are_read_at_the_end_when_the_spine_leaves_them_out(read: Read) -> None:
    document = read(two_chapters(), EPUB)

    assert said(document)[-2:] == ["1. The First", "2. The Second"]
    assert document.segments[-1].locator.value == "OPS/nav.xhtml"


def test_contents_in_the_spine_are_read_where_they_stand_and_once(read: Read) -> None:
    package = opf(
        item("nav.xhtml", XHTML, "nav") + item("a.xhtml"), refs("nav.xhtml", "a.xhtml", "a.xhtml")
    )
    members = {"OPS/nav.xhtml": xhtml(NAV), "OPS/a.xhtml": xhtml("<p>Days.</p>")}

    assert said(read(book(package, members), EPUB)) == ["1. The First", "2. The Second", "Days."]


def test_what_stands_beside_the_main_line_comes_after_it(read: Read) -> None:
    spine = f'<itemref idref="a.xhtml" linear="no"/>{refs("b.xhtml")}'
    package = opf(item("a.xhtml") + item("b.xhtml"), spine)
    members = {"OPS/a.xhtml": xhtml("<p>Aside.</p>"), "OPS/b.xhtml": xhtml("<p>Main.</p>")}

    document = read(book(package, members), EPUB)

    assert said(document) == ["Main.", "Aside."]
    assert [each.locator.first for each in document.segments] == [1, 2]


def test_an_older_table_of_contents_names_the_chapters_too(read: Read) -> None:
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>One'
        '</text></navLabel><content src="a.xhtml#x"/></navPoint></navMap></ncx>'
    )
    package = opf(item("a.xhtml") + item("toc.ncx", "application/x-dtbncx+xml"), refs("a.xhtml"))
    members = {"OPS/a.xhtml": xhtml("<p>Days.</p>"), "OPS/toc.ncx": ncx}

    assert read(book(package, members), EPUB).segments[0].locator.label == "One"


@pytest.mark.parametrize("ncx", ["<ncx", "", "<ncx/>"])
def test_a_broken_table_of_contents_costs_nothing_but_the_names(read: Read, ncx: str) -> None:
    package = opf(item("a.xhtml") + item("toc.ncx", "application/x-dtbncx+xml"), refs("a.xhtml"))
    members = {"OPS/a.xhtml": xhtml("<h1>Leave</h1><p>Days.</p>"), "OPS/toc.ncx": ncx}

    document = read(book(package, members), EPUB)

    assert document.segments[1].locator.label == "Leave"
    assert document.segments[1].headings == ("Leave",)
    assert document.failures == ()


def test_a_missing_or_damaged_chapter_is_named_and_costs_only_itself(read: Read) -> None:
    package = opf(
        item("gone.xhtml") + item("bad.xhtml") + item("b.xhtml"),
        refs("gone.xhtml", "bad.xhtml", "b.xhtml", "unlisted"),
    )
    members: dict[str, str | bytes] = {
        "OPS/bad.xhtml": bytes(range(256)) * 4,
        "OPS/b.xhtml": xhtml("<p>Days.</p>"),
    }

    document = read(book(package, members), EPUB)

    assert said(document) == ["Days."]
    assert document.segments[0].locator.first == 3
    assert len(document.failures) == 2
    assert "gone.xhtml" in document.failures[0]
    assert "bad.xhtml" in document.failures[1]


def test_a_chapter_whose_bytes_changed_is_named_and_costs_only_itself(read: Read) -> None:
    package = opf(item("a.xhtml") + item("b.xhtml"), refs("a.xhtml", "b.xhtml"))
    file = io.BytesIO(book(package, {"OPS/b.xhtml": xhtml("<p>Days.</p>")}))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr("OPS/a.xhtml", xhtml("<p>Changed.</p>"))
    content = file.getvalue().replace(b"<p>Changed", b"<p>Chanced")

    document = read(content, EPUB)

    assert said(document) == ["Days."]
    assert "a.xhtml is damaged" in document.failures[0]


def test_a_book_whose_only_chapter_is_missing_is_refused_for_that(read: Read) -> None:
    refusal = refusal_of(read, book(opf(item("gone.xhtml"), refs("gone.xhtml")), {}))

    assert refusal.reason is Reason.CORRUPT
    assert "gone.xhtml" in refusal.message


@pytest.mark.parametrize(
    ("package", "reason"),
    [
        ("<package", Reason.CORRUPT),
        ("<package/>", Reason.NO_TEXT),
        (opf(item("a.png", "image/png"), refs("a.png")), Reason.NO_TEXT),
    ],
)
def test_a_book_without_readable_pages_says_why(read: Read, package: str, reason: Reason) -> None:
    assert refusal_of(read, book(package, {})).reason is reason


def encryption(algorithm: str) -> str:
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
        f'<enc:EncryptionMethod Algorithm="{algorithm}"/></enc:EncryptedData></encryption>'
    )


def test_a_protected_book_is_encrypted_and_scrambled_fonts_are_no_protection(read: Read) -> None:
    cipher = encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")
    fonts = encryption("http://www.idpf.org/2008/embedding")
    protected = two_chapters(**{"META-INF/encryption.xml": cipher})
    rights = two_chapters(**{"META-INF/rights.xml": "<rights/>"})

    assert refusal_of(read, protected).reason is Reason.ENCRYPTED
    assert refusal_of(read, rights).reason is Reason.ENCRYPTED
    assert "Thirty days." in read(two_chapters(**{"META-INF/encryption.xml": fonts}), EPUB).text


def test_entities_are_neither_expanded_nor_fetched(read: Read) -> None:
    bomb = "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' for at in range(1, 30))
    canary = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    package = canary + opf(item("a.xhtml"), refs("a.xhtml"), "A &f; Book")
    chapter = f'<!DOCTYPE x [<!ENTITY l0 "lol">{bomb}]>' + xhtml("<p>Days &l29; &f;</p>")[38:]

    document = read(book(package, {"OPS/a.xhtml": chapter}), EPUB)

    assert said(document) == ["Days &l29; &f;"]
    assert "root:" not in document.title


def test_a_package_document_that_expands_without_end_is_refused(read: Read) -> None:
    bomb = "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' for at in range(1, 30))
    package = f'<!DOCTYPE x [<!ENTITY l0 "lol">{bomb}]>' + opf("", "", "&l29;")

    assert refusal_of(read, book(package, {})).reason is Reason.RESOURCE_LIMIT


def test_a_book_that_unpacks_to_far_more_than_it_is_is_refused(read: Read) -> None:
    bomb = {"OPS/a.xhtml": b"<p>" + b"x" * 20_000_000}

    refusal = refusal_of(read, book(opf(item("a.xhtml"), refs("a.xhtml")), bomb))

    assert refusal.reason is Reason.RESOURCE_LIMIT
