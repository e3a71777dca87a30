"""Numbers as people write them."""

import doctest

import pytest

from gdrive_rag_mcp import numbers
from gdrive_rag_mcp.numbers import other_spellings
from gdrive_rag_mcp.terms import phrase_of, query_terms


def test_the_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(numbers).failed == 0


@pytest.mark.parametrize(
    ("token", "language", "other"),
    [
        ("1943", "fa", "۱۹۴۳"), ("۱۹۴۳", "fa", "1943"), ("1943", "ar", "١٩٤٣"),
        ("1943", "hi", "१९४३"), ("1943", "th", "๑๙๔๓"), ("7", "en", "07"), ("07", "en", "7"),
        ("12000", "de", "12 000"), ("kx4711", "en", "kx 4711"),
    ],
)  # fmt: skip
def test_a_number_has_other_spellings(token: str, language: str, other: str) -> None:
    assert other in other_spellings(token, language)


@pytest.mark.parametrize("token", ["2024", "word", "32", "0"])
def test_a_year_a_word_or_a_small_number_has_none(token: str) -> None:
    assert other_spellings(token, "en") == ()


@pytest.mark.parametrize("written", ["5,000", "5.000", "5 000", "12,34,567", "1'000'000"])
def test_a_grouped_number_is_one_term_of_its_digits(written: str) -> None:
    digits = "".join(sign for sign in written if sign.isdigit())
    assert [term.token for term in query_terms(f"pay {written}") if term.key] == [
        "pay", digits,
    ]  # fmt: skip
    assert phrase_of(written) in (digits, *other_spellings(digits, "en"))


@pytest.mark.parametrize("written", ["192.168.1.1", "2024.03", "A5.000", "12.5", "1,2"])
def test_what_only_looks_like_a_grouped_number_keeps_its_parts(written: str) -> None:
    assert len(query_terms(written)) > 1


@pytest.mark.parametrize(
    ("token", "year"),
    [
        ("fy2022", "2022"),
        ("fy22", "2022"),
        ("fy98", "1998"),
        ("q22023", "2023"),
        ("2023q1", "2023"),
        ("fy2023q1", "2023"),
        ("3qfy24", "2024"),
        ("gj2021", "2021"),
    ],
)
def test_a_period_may_stand_as_its_year(token: str, year: str) -> None:
    assert year in other_spellings(token, "en")


@pytest.mark.parametrize("token", ["cve2022", "q3", "h123", "a380", "kx4711", "1h23", "fy2"])
def test_a_code_that_is_no_period_has_no_year(token: str) -> None:
    assert [way for way in other_spellings(token, "en") if way.isdecimal()] == []


def test_figures_and_letters_may_stand_apart() -> None:
    assert "10 k" in other_spellings("10k", "en")
