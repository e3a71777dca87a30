"""Numbers, units and dates as they are written in many languages."""

import pytest

from gdrive_rag_mcp.evidence.dates import days, tells_time, years
from gdrive_rag_mcp.evidence.lexicon_dates import MONTHS
from gdrive_rag_mcp.evidence.quantities import quantities, units_named
from gdrive_rag_mcp.evidence.written import plain


def values(text: str) -> list[float]:
    return [found.value for found in quantities(plain(text))]


@pytest.mark.parametrize(
    "written",
    ["5000", "5,000", "5.000", "5 000", "5\u00a0000", "5'000", "５０００", "٥٠٠٠", "५०००", "5٬000"],
)
def test_a_number_is_the_same_however_it_is_grouped_and_in_whatever_digits(written: str) -> None:
    assert values(f"x {written} y") == [5000]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1.5", 1.5),
        ("1,5", 1.5),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("0.125", 0.125),
        ("3万", 30_000),
        ("2억", 200_000_000),
        ("1.2 million", 1_200_000),
        ("7 triệu", 7_000_000),
        ("4 Millionen", 4_000_000),
    ],
)
def test_decimals_and_magnitudes_are_read(written: str, value: float) -> None:
    assert values(written) == [pytest.approx(value)]


def test_a_date_or_a_version_is_no_number() -> None:
    assert values("12.05.1950 and 1.2.3.4") == []


@pytest.mark.parametrize(
    ("text", "measures", "unit"),
    [
        ("5 km", "length", "kilometre"),
        ("5公里", "length", "kilometre"),
        ("5 километров", "length", "kilometre"),
        ("5 कि॰मी॰", "length", "kilometre"),
        ("30 Tage", "time", "day"),
        ("30 ngày", "time", "day"),
        ("30일", "time", "day"),
        ("3-year", "time", "year"),
        ("12%", "percent", "percent"),
        ("12 Prozent", "percent", "percent"),
        ("12 درصد", "percent", "percent"),
        ("$500", "money", "dollar"),
        ("USD 500", "money", "dollar"),
        ("500 dollars", "money", "dollar"),
        ("500円", "money", "yen"),
        ("3 million dollars", "money", "dollar"),
        ("500 đồng", "money", "dong"),
        ("20 square kilometers", "area", "square_kilometre"),
    ],
)
def test_what_a_number_measures_is_read_beside_it(text: str, measures: str, unit: str) -> None:
    (found,) = quantities(plain(text))
    assert found.unit
    assert (found.unit.measures, found.unit.name) == (measures, unit)


def test_the_digits_of_a_code_are_no_number() -> None:
    assert values("the A320 of 7 rows") == [7]


def test_a_number_of_things_has_no_unit() -> None:
    assert [found.unit for found in quantities("12 chairs, 3 von")] == [None, None]


def test_units_are_named_without_a_number_but_not_by_single_letters_or_function_words() -> None:
    assert {unit.name for unit in units_named("how many miles or kilometers")} == {
        "mile",
        "kilometre",
    }
    assert not units_named("m or g go", frozenset(("go",)))


@pytest.mark.parametrize(
    "text",
    [
        "on 3 May 1950",
        "May 3rd, 1950",
        "am 3. Mai 1950",
        "le 3 mai 1950",
        "el 3 de mayo de 1950",
        "3 maggio 1950",
        "3 mei 1950",
        "3 Mayıs 1950",
        "3 Μαΐου 1950",
        "3 мая 1950",
        "3 मई 1950",
        "3 พฤษภาคม 1950",
        "٣ مايو ١٩٥٠",
        "ngày 3 tháng 5 năm 1950",
        "1950年5月3日",
        "1950년 5월 3일",
        "1950-05-03",
        "3.5.1950",
        "3/5/1950",
    ],
)
def test_a_day_is_the_same_in_every_language(text: str) -> None:
    assert "05-03" in days(plain(text))


def test_a_month_needs_a_day_or_a_year_beside_it() -> None:
    assert days("in may 1950") == {"05"}
    assert not days("you may march on")


@pytest.mark.parametrize("text", ["in 1950", "1950年", "1950년", "năm 1950", "(1950)", "१९५०"])
def test_a_year_is_four_bare_digits_without_a_unit_of_measure(text: str) -> None:
    assert years(tuple(quantities(plain(text)))) == {"1950"}


@pytest.mark.parametrize("text", ["1950 km", "1,950 people", "19500", "1950 euros"])
def test_a_measured_or_grouped_number_is_no_year(text: str) -> None:
    assert not years(tuple(quantities(plain(text))))


@pytest.mark.parametrize(
    "text",
    [
        "in 1950",
        "on Monday",
        "am Dienstag",
        "at 10:30",
        "in 430 BC",
        "in the first century",
        "im 19. Jahrhundert",
        "19世紀",
    ],
)
def test_a_text_tells_a_time_by_year_weekday_clock_era_or_century(text: str) -> None:
    assert tells_time(plain(text), tuple(quantities(plain(text))))


def test_a_count_of_things_tells_no_time() -> None:
    assert not tells_time("20 chairs, long ago", tuple(quantities("20 chairs, long ago")))


def test_there_are_twelve_months() -> None:
    assert len(MONTHS) == 12
