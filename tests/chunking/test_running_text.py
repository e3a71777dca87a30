"""Which lines run on, how they are joined, and that every character keeps its way back."""

import re
from itertools import pairwise
from textwrap import dedent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.tokens import measure
from gdrive_rag_mcp.domain import Chunk, Locator
from gdrive_rag_mcp.domain.running_text import WrappedLines, join_lines, running_text

_LINES = st.lists(
    st.one_of(
        st.text(alphabet="ab Z9-.,;:|\t\u00ad\u2010\u3000", max_size=30),
        st.text(alphabet="合同终止。「」“”a ", max_size=30),
        st.sampled_from(
            [
                "The tenant returns the keys on the last day, and the self-",
                "employed brother of the tenant pays for the Nord-",
                "und Südseite of the house until the con-",
                "tract ends, as agreed in January of the year be-  ",
                "押金应当在合同终止后三周内退还给承租人，并且应当说明扣除的理由和金额以及相",
                "관한 사항은 임대차 계약이 끝난 날부터 삼 주 안에 임차인에게",
                "- an item of a list that is long enough to fill the line",
                "12. another item of such a list, or a number",
                "",
                "  ",
            ]
        ),
    ),
    max_size=12,
).map("\n".join)

# In each, ¶ is a line end that is read as a blank, ¬ one that is not read, and ≠ one with a hyphen
# of which neither is read.
RUNNING = {
    "latin": "The deposit is due within three weeks¶after the end of the lease, unless damage¶"
    "was found on the last day.",
    "capitals": "Der Vertrag über die Wohnung endet am letzten¶Tag des Monats, wenn nicht vorher "
    "die¶Kündigung durch eine Partei erfolgt.",
    "chinese": "承租人应当在合同终止后三周内收回押¬金，出租人应当说明扣除的理由和金¬额。",
    "japanese": "敷金は賃貸借契約の終了後三週間以内に返¬還されるものとし、"
    "貸主は控除の理由を書¬面で説明する。",
    "thai": "ผู้เช่าต้องชำระค่าเช่าภายในวันที่ห้าของ¬ทุกเดือนตามที่ตกลงกันไว้ในสัญญา",
    "korean": "보증금은 임대차 계약이 종료된 날부터¶삼 주 안에 임차인에게 돌려주어야 하며¶"
    "공제한 이유를 알린다.",
    "arabic": "يجب رد التأمين خلال ثلاثة أسابيع من¶تاريخ انتهاء عقد الإيجار المبرم بين¶الطرفين.",
    "hyphen": "Employees ask for their unpaid leave at the lat≠est eight weeks before.",
    "hyphen of a compound": "The scheme is open to everybody who has been self-¬employed in "
    "state-of-¬the-art work.",
    "hyphen before a capital": "Bitte schicken Sie uns den Antrag bis Mai per E-¬Mail zurück.",
    "hyphen of two words": "Die Sanierung umfasst im nächsten Jahr die Nord-¶und Südseite.",
    "years": "The figures in this report are those of 2020-¬2021 and not later.",
    "number at a line's start": "The rules for this case are given on page¶12. The others follow "
    "in the annex below.",
    "a line twice as long": "Rent is due on the fifth day of each¶month and is paid into the "
    "account of the owner or to whoever was named in his place before¶the lease began, in the "
    "currency of¶the lease.",
}

LINES = {
    "bullets": """
        You must bring:
        • your passport and one copy of it
        • the signed form, in two copies""",
    "dashes": """
        - the contract, signed by both parties
        - the deposit, paid into the account""",
    "numbers": """
        1. The tenant hands over all keys to the owner.
        2. The owner pays the deposit back.""",
    "chinese numbers": """
        一、承租人应当按时支付租金和其他各项费用。
        二、出租人应当保证房屋符合居住条件。""",
    "clauses": """
        第三条 承租人应当按时支付租金以及费用。
        第四条 出租人应当保证房屋的安全条件。""",
    "address": """
        Nordlicht GmbH
        Hafenstraße 12
        20457 Hamburg
        Germany""",
    "verse": """
        The ships lay still along the silent quay,
        No lantern burned, no sailor sang,
        The tide went out across the bay,
        And far away a church bell rang.""",
    "program": """
        total = price * count;
        if (total > limit) {
          warn(total, "more than what was agreed upon");
        }
        return total;""",
    "python": """
        def total(prices, counts, limit=100000):
            pairs = zip(prices, counts)
            return min(limit, sum(p * c for p, c in pairs))
        print(total([1], [2]))""",
    "rows": """
        NL-4400 | Rotor blade, left, with all of its bolts | 12 | 1,299.00 EUR
        NL-4410 | Rotor blade, right, with all of its bolts | 7 | 89.50 EUR""",
    "short lines": """
        Opening hours
        Monday to Friday
        9 to 17
        closed on holidays""",
    "rows of numbers": """
        管理费用 7,764,789.98 15,753,158.14 -50.71%
        财务费用 7,667.69 403,265.89 -98.10%""",
    "log": "\n".join(f"entry {n}, the pump of the north side was seen to run" for n in range(8)),
    "paragraphs": """
        Rent is due on the fifth day of the month.

        It is paid by transfer to the owner.""",
    "wide indentation": f"{'承租人应当收回押金' * 5}\n\u3000\u3000出租人应当说明扣除的理由。",
}


def _written_and_read(marked: str) -> tuple[str, str]:
    written = marked.replace("≠", "-\n").replace("¬", "\n").replace("¶", "\n")
    return written, marked.replace("≠", "").replace("¬", "").replace("¶", " ")


@pytest.mark.parametrize("kind", RUNNING)
def test_wrapped_lines_are_read_as_running_text(kind: str) -> None:
    written, read = _written_and_read(RUNNING[kind])

    assert running_text(written) == read


@pytest.mark.parametrize("kind", LINES)
def test_lines_that_are_done_stay_lines(kind: str) -> None:
    text = dedent(LINES[kind]).strip()

    assert running_text(text) == text


def test_a_soft_hyphen_and_the_blanks_around_a_line_end_are_not_read() -> None:
    text = (
        "   Employees ask for their unpaid leave at the lat\u00ad\n   est eight weeks  \n   before."
    )

    assert running_text(text) == (
        "   Employees ask for their unpaid leave at the latest eight weeks  \n   before."
    )


def test_the_items_of_a_list_are_joined_each_by_itself() -> None:
    text = (
        "- the contract, signed by both of the parties in\n  the presence of a witness\n"
        "- the deposit, paid into the account named above"
    )

    assert running_text(text) == text.replace("in\n  the", "in the")


@given(_LINES)
@example("ab-\n")
@example("合同终止合同终止合同。\n合")
def test_every_character_keeps_its_way_back(text: str) -> None:
    joined = join_lines(text)
    offsets = [joined.offset(position) for position in range(len(joined.text))]

    for char, offset in zip(joined.text, offsets, strict=True):
        assert text[offset] == char or (char == " " and text[offset] in " \t\n")
    assert all(one < two for one, two in pairwise(offsets))
    assert joined.offset(len(joined.text)) == len(text)


@given(_LINES, st.data())
def test_a_quote_of_the_running_text_is_found_in_the_source(text: str, data: st.DataObject) -> None:
    joined = join_lines(text)
    start = data.draw(st.integers(0, len(joined.text)))
    end = data.draw(st.integers(start, len(joined.text)))

    first, last = joined.span(start, end)

    assert _bare(text[first:last]) == _bare(joined.text[start:end])


@given(_LINES)
def test_joining_drops_only_line_ends_blanks_and_hyphens(text: str) -> None:
    assert _bare(running_text(text)) == _bare(text)


@given(_LINES)
def test_a_single_line_end_is_judged_as_it_is_joined(text: str) -> None:
    lines, joined = WrappedLines(text), join_lines(text)
    kept = {joined.offset(match.start()) for match in re.finditer("\n", joined.text)}

    for match in re.finditer("\n", text):
        assert lines.runs_on(match.start()) == (match.start() not in kept)


@given(_LINES)
def test_running_text_never_costs_more_than_its_lines(text: str) -> None:
    assert measure(running_text(text)) <= Reading(text).costs.of(0, len(text))


def test_a_chunk_is_embedded_as_running_text_and_keeps_its_text() -> None:
    written, read = _written_and_read(RUNNING["chinese"])
    chunk = Chunk(0, 0, len(written), written, Locator("page", "1", 1, 1), "租约")

    assert (chunk.text, chunk.reading) == (written, read)
    assert chunk.embedded_text == f"租约\n{read}"


def test_the_rows_of_a_sheet_are_never_joined() -> None:
    rows, _ = _written_and_read(RUNNING["chinese"])

    assert Chunk(0, 0, 1, rows, Locator("sheet", "A!A1:A3", 1, 3, "A")).reading == rows


def _bare(text: str) -> str:
    return re.sub("[\\s\u00ad\u2010-]", "", text)
