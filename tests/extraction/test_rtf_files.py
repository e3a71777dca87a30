r"""RTF is written by hand here: `\'xx` is a byte in the code page of the font, `\u` a code unit."""

import unicodedata
from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.rtf.document import MAX_BYTES
from gdrive_rag_mcp.extraction.rtf.document import read as read_rtf

Read = Callable[[bytes, str], Document]
RTF = "application/rtf"
FONTS = (
    rb"{\fonttbl{\f0\froman\fcharset0 Times New Roman;}{\f1\fcharset128 MS Gothic;}"
    rb"{\f2\fcharset129 Batang;}{\f3\fcharset163 Arial;}{\f4\fcharset204 Arial Cyr;}}"
)
STYLES = (
    rb"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 heading 2;}"
    rb"{\s9 Title;}{\*\cs10 Strong;}}"
)


def rtf(body: bytes, head: bytes = b"") -> bytes:
    return rb"{\rtf1\ansi\ansicpg1252\deff0" + FONTS + STYLES + head + body + b"}"


def escaped(text: str, codec: str) -> bytes:
    return b"".join(b"\\'%02x" % byte for byte in text.encode(codec))


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


@pytest.mark.parametrize(
    ("font", "codec", "text"),
    [
        (0, "cp1252", "café — naïve"),
        (1, "cp932", "日本語の表示 ソフト能力"),
        (2, "cp949", "대한민국 근로기준법 뷁"),
        (3, "cp1258", "đươ\u0300ng"),
        (4, "cp1251", "Трудовой договор"),
    ],
)
def test_bytes_are_read_in_the_code_page_of_their_font(
    read: Read, font: int, codec: str, text: str
) -> None:
    data = rtf(rb"\pard\f%d " % font + escaped(text, codec) + rb"\par")

    assert read(data, RTF).text == unicodedata.normalize("NFC", text)


def test_a_character_of_two_bytes_may_end_in_a_letter_or_a_backslash(read: Read) -> None:
    # In cp932 the second byte of these is the letter e and the backslash.
    data = rtf(rb"\pard\f1 \'83eA{\'83\\}\'83\'5c\par")

    assert read(data, RTF).text == b"\x83eA\x83\\\x83\\".decode("cp932")


def test_a_character_may_be_cut_by_a_group(read: Read) -> None:
    data = rtf(rb"\pard\f1 {\b \'93}{\i \'fa}\'96\'7b\par")

    assert read(data, RTF).text == "日本"


def test_unicode_is_read_and_its_stand_ins_are_passed_over(read: Read) -> None:
    data = rtf(
        rb"\pard\uc1 \u54620?\u44397\'3f {\uc2\u273\'81\'82\u7897 ab}\uc0\u55357\u56832 .\par"
    )

    assert read(data, RTF).text == "한국 độ😀."


def test_the_code_page_of_the_file_holds_where_a_font_names_none(read: Read) -> None:
    data = rb"{\rtf1\ansi\ansicpg949{\fonttbl{\f0 Gulim;}}\f0 " + escaped("휴가", "cp949") + b"}"

    assert read(data, RTF).text == "휴가"


def test_headings_make_the_path(read: Read) -> None:
    data = rtf(
        rb"\pard\s9 Handbook\par\pard before\par\pard\s1 Leave\par\pard text\par"
        rb"\pard\s2 Unpaid\par\pard more\par\pard\outlinelevel0 End\par"
        rb"\pard\s1\outlinelevel9 last\par"
    )

    document = read(data, RTF)

    assert document.title == "Handbook"
    assert [each.headings for each in document.segments] == [
        (), (), *[("Leave",)] * 2, *[("Leave", "Unpaid")] * 2, *[("End",)] * 2,
    ]  # fmt: skip
    assert document.segments[2].kind is SegmentKind.HEADING
    assert document.segments[1].locator.kind == "paragraph"
    assert document.segments[5].locator.value == "Leave > Unpaid"


def test_tables_are_rows_with_their_names_and_merged_cells_filled(read: Read) -> None:
    plain = rb"\trowd\cellx1\cellx2\pard\intbl "
    data = rtf(
        rb"\pard before\par" + plain + rb"Who\cell Days\cell\row"
        rb"\trowd\clvmgf\cellx1\cellx2\pard\intbl Kim\par and Co\cell 1\cell\row"
        rb"\trowd\clvmrg\cellx1\cellx2\pard\intbl\cell 2\cell\row"
        rb"\pard after\par"
    )

    document = read(data, RTF)

    assert said(document) == ["before", "Who | Days", "Kim and Co | 1", "Kim and Co | 2", "after"]
    assert [each.context for each in document.segments] == ["", "", "Who | Days", "Who | Days", ""]


def test_a_table_that_no_row_ends_is_not_lost(read: Read) -> None:
    assert said(read(rtf(rb"\trowd\cellx1\cellx2\pard\intbl a\cell b\cell"), RTF)) == ["a | b"]


def test_notes_comments_headers_and_boxes_stand_apart(read: Read) -> None:
    data = rtf(
        rb"{\header\pard Secret\par}{\headerf\pard Secret\par}{\footer\pard p. 1\par}"
        rb"\pard\s1 Leave\par\pard Text{\footnote\pard\chftn  See law.} on"
        rb"{\*\atnid K}{\*\atnauthor Kim}\chatn{\*\annotation\pard Sure?}."
        rb"{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt\pard boxed\par}}{\shprslt old}}\par"
        rb"\pard end\par"
    )

    document = read(data, RTF)

    assert said(document) == [
        "Leave", "Text[^1] on.", "boxed", "end", "[^1] See law.", "[Comment by Kim] Sure?",
        "Secret", "p. 1",
    ]  # fmt: skip
    assert document.segments[4].headings == ("Leave",)
    assert [each.locator.value for each in document.segments][5:] == [
        "comments", "header", "footer",
    ]  # fmt: skip


def test_deletions_under_review_are_left_out(read: Read) -> None:
    assert read(rtf(rb"\pard kept {\deleted gone }{\revised new}\par"), RTF).text == "kept new"


def test_pictures_objects_fields_and_unknown_groups_are_passed_over(read: Read) -> None:
    data = rtf(
        rb"\pard a{\pict\pngblip 89504e47}{\*\shppict{\pict 00}}{\pict\bin4 }{}\}"
        rb"}{\object{\*\objdata 0105}{\result shown}}{\field{\*\fldinst HYPERLINK \"http://x\"}"
        rb"{\fldrslt link}}{\*\unknown{\deep text}} \{b\}\par"
    )

    assert read(data, RTF).text == "ashownlink {b}"


def test_the_title_is_that_of_the_properties(read: Read) -> None:
    head = rb"{\info{\title Leave plan}{\author Kim}{\doccomm secret}}"

    document = read(rtf(rb"\pard text\par", head), RTF)

    assert (document.title, document.text) == ("Leave plan", "text")


def test_numbers_and_bullets_of_lists_stay_with_their_items(read: Read) -> None:
    data = rtf(
        rb"\pard{\listtext 1.\tab}one\par\pard{\pntext\f5\'b7\tab}two\par"
        rb"\pard{\listtext\u61623?\tab}three\par"
    )

    assert said(read(data, RTF))[0] == "1.\tone"
    assert said(read(data, RTF))[2] == "•\tthree"


def test_deep_groups_are_read_in_bounded_time(read: Read) -> None:
    data = rtf(b"{" * 200_000 + b"deep" + b"}" * 200_000)

    assert read(data, RTF).text == "deep"


def test_a_file_that_ends_early_is_read_so_far(read: Read) -> None:
    whole = rtf(rb"\pard first\par\pard second {\b third}\par")
    end = whole.index(b"third")

    assert said(read(whole[: end + 2] + b"\\'8", RTF))[:2] == ["first", "second th8"]


def test_a_file_that_ends_before_its_text_has_none(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(rtf(b"")[:60], RTF)

    assert refusal.value.reason is Reason.NO_TEXT


def test_absurd_numbers_do_no_harm(read: Read) -> None:
    data = rtf(
        rb"\f9999999999\s-9999999999\uc9999999999\ansicpg99999\outlinelevel-5\pard x"
        rb"\u-9999999999 0123456789abcdefy\bin9999999999 z"
    )

    assert read(data, RTF).text.endswith("y")


def test_text_in_any_number_of_braces_is_kept(read: Read) -> None:
    depth = 200_000
    data = rtf(b"{" * depth + b"deep" + b"}" * depth + b" after")

    assert read(data, RTF).text == "deep after"


def test_more_braces_close_than_open(read: Read) -> None:
    assert read(rtf(rb"\pard a}}}}} b {c\par"), RTF).text.startswith("a")


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InputFile, "size", MAX_BYTES + 1)

    with pytest.raises(ExtractionError) as refusal:
        read_rtf(InputFile(b"{\\rtf1 a}"))

    assert refusal.value.reason is Reason.TOO_LARGE


def test_a_file_without_words_has_no_text(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(rtf(rb"\pard\par"), RTF)

    assert refusal.value.reason is Reason.NO_TEXT


def test_a_star_amid_a_group_hides_nothing(read: Read) -> None:
    document = read(rtf(rb"\pard{\f0\b0\*\cs10 The quick brown fox}\par"), RTF)

    assert document.text == "The quick brown fox"


def test_hidden_text_is_no_content(read: Read) -> None:
    document = read(rtf(rb"Seen{\v  unseen} and\v  hidden\v0  shown\v  lost\plain .\par"), RTF)

    assert document.text == "Seen and shown."


def test_each_table_is_cited_by_a_place_of_its_own(read: Read) -> None:
    row = rb"\trowd\cellx1\cellx2\pard\intbl %s\cell 1\cell\row"

    document = read(rtf(row % b"a" + rb"\pard between\par" + row % b"b" + rb"\pard end\par"), RTF)

    assert [each.locator.first for each in document.segments] == [1, 2, 3, 4]


def test_a_frame_around_text_is_cited_by_its_paragraphs(read: Read) -> None:
    row = rb"\trowd\cellx1\pard\intbl %s\cell\row"

    document = read(rtf(row % b"a" + row % b"b" + rb"\pard end\par"), RTF)

    assert [each.locator.first for each in document.segments] == [1, 2, 3]


@pytest.mark.parametrize("end", [b"third", b"end of {"])
def test_a_file_that_ends_early_says_so(read: Read, end: bytes) -> None:
    whole = rtf(rb"\pard first\par\pard second {\b third}\par{\pict 00 end of {}}")

    assert read(whole, RTF).failures == ()
    assert "ends early" in read(whole[: whole.index(end) + len(end)], RTF).failures[0]
