"""The one form of every text: what is taken out, what is kept, and that doing it twice is once."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gdrive_rag_mcp.cleaning import clean

ANY_TEXT = st.text(st.characters(exclude_categories=()))
# What cleaning is about, far more often than chance would bring it.
NASTY = st.text(st.sampled_from("a\u0301\u0323 \t\n\r\x85\u2028\x00\x0b\x0c\x1b\x9f\ufeff\ud83d"))


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("nghi\u0309", "nghỉ"),
        ("\u1100\u1161\u11a8", "각"),
        ("leave\x00", "leave"),
        ("a\x01\x08\x0e\x1b\x1f\x7f\x80\x9fb", "ab"),
        ("\ud83d lone \udc4d", " lone "),
        ("\ufeffstart\ufeff", "start"),
        ("invoice\u202efdp.exe\u202c", "invoicefdp.exe"),
        ("\u202a\u202b\u202d\u2066\u2067\u2068x\u2069", "x"),
        ("soft\ufffehyphen\uffff", "softhyphen"),
        ("seen\U000e0068\U000e0069\U000e0064", "seen"),
        ("one\r\ntwo\rthree\nfour", "one\ntwo\nthree\nfour"),
        ("one\n\r\n\rtwo", "one\n\n\ntwo"),
        ("one\x0btwo\x0cthree\x85four\u2028five\u2029six", "one two three four five six"),
    ],
)
def test_what_has_no_place_in_a_text_goes(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tab\tand\nline",
        "می\u200cخواهم",  # the non-joiner keeps two parts of a Persian word apart
        "क्\u200dष",  # the joiner asks for another shape
        "👩\u200d👧",
        "עברית\u200f and \u200eenglish",  # marks of direction, which override nothing
        "½ ﬁ Ａ ①",  # compatibility forms are as they were written
        "x\u00ady",
        "\U0001f642",
    ],
)
def test_what_changes_how_a_text_reads_stays(text: str) -> None:
    assert clean(text) == text


@given(ANY_TEXT | NASTY)
@example("a\r\x00\n")
@example("e\x00\u0301")
@example("\ud83d\udc4d")
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = clean(text)

    assert clean(once) == once


@given(ANY_TEXT | NASTY)
def test_a_clean_text_can_be_stored_and_is_composed(text: str) -> None:
    cleaned = clean(text)

    cleaned.encode()
    assert unicodedata.is_normalized("NFC", cleaned)
    assert not set(cleaned) & set("\x00\x0b\x0c\r\x7f\x85\u2028\u202e\ufeff")
    assert not {c for c in cleaned if unicodedata.category(c) == "Cc"} - set("\t\n")


@given(st.text(st.characters(max_codepoint=126)))
def test_plain_ascii_is_cleaned_like_all_other_text(text: str) -> None:
    """A letter beyond ASCII takes the way round the short cut."""
    assert clean(text + "é") == clean(text) + "é"
