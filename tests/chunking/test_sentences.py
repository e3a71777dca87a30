"""Where sentences end, and where they only seem to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.sentences import ends_sentence, sentence_ends


def split(text: str) -> list[str]:
    ends = list(sentence_ends(Reading(text), 0, len(text)))
    return [text[a:b].strip() for a, b in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rains.", "Is it late?", "Go!", "He said so.”", "Done."],
        ["Der Vertrag endet.", "Wer zahlt?", "Über 3.500 Euro sind fällig."],
        ["계약은 종료된다.", "보증금은 삼 주 안에 낸다.", "질문이 있습니까?"],
        ["Hợp đồng chấm dứt.", "Ai trả tiền?", "Đặt cọc trong ba tuần."],
        ["Договор окончен.", "Кто платит?", "Залог внесён."],
        ["Η σύμβαση λήγει.", "Ποιος πληρώνει?", "Τέλος."],
        ["انتهى العقد.", "من يدفع؟", "الوديعة مستحقة."],
        ["معاہدہ ختم ہوا۔", "رقم کون دے گا؟", "ختم۔"],
        ["अनुबंध समाप्त हुआ।", "भुगतान कौन करेगा?", "जमा राशि देय है।"],
        ["የኪራይ ውል አልቋል።", "ክፍያ ተፈጽሟል።"],
        ["ราคาต่าง ๆ ฯลฯ", "ข้อสอง"],
    ],
)
def test_sentences_end_at_the_marks_of_their_script(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["合同已经终止。", "谁来付款？", "“押金三周内支付！”", "完。"],
        ["契約は終了した。", "誰が払うのか？", "「保証金は三週間以内。」", "以上。"],
    ],
)
def test_wide_marks_end_a_sentence_without_a_blank(sentences: list[str]) -> None:
    assert split("".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentence",
    [
        "Ask Dr. Weber or Prof. Kim about it.",
        "It weighs 3.5 kg and costs 1.200,50 Euro.",
        "Das gilt z. B. für Nr. 5 und Art. 12 Abs. 3 des Vertrags.",
        "Am 3. Mai und am 14. Juni ist geschlossen.",
        "J. R. Miller signed for A. B. Example.",
        "See approx. five pages, e.g. the annex, etc. and so on.",
        "Visit www.example.org or write to a.b@example.org now.",
        "“Really?” asked the auditor and left.",
        "Văn phòng ở TP. Hồ Chí Minh mở cửa.",
        "Version 2.0.1 is out.",
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(sentence: str) -> None:
    assert split(f"{sentence} Next one.") == [sentence, "Next one."]


def test_a_number_of_a_list_stays_with_its_item() -> None:
    text = "Steps:\n1. Open the case.\n2. Read the label.\n\n3.1. Close it."

    assert split(text) == ["Steps:", "1. Open the case.", "2. Read the label.", "3.1. Close it."]


def test_bullets_and_blank_lines_end_a_sentence_but_a_wrapped_line_does_not() -> None:
    text = "A line that\nis wrapped\n\n- first\n- second\nwrapped\n• third"

    assert split(text) == ["A line that\nis wrapped", "- first", "- second\nwrapped", "• third"]


@pytest.mark.parametrize(
    "sentences",
    [
        ["The lease was signed by the director, Dr.¶Weber, and by nobody else.", "It holds."],
        ["The rules for such a case are given on page¶12. There they may be read.", "It holds."],
        ["他在合同终止的那一天对我们说：“押金三周内退还。¬”", "然后他就离开了这座房子。"],
    ],
)
def test_sentences_of_wrapped_lines_end_where_they_end_in_running_text(
    sentences: list[str],
) -> None:
    blank = "" if "¬" in sentences[0] else " "
    text = blank.join(sentences).replace("¶", "\n").replace("¬", "\n")
    written = [each.replace("¶", "\n").replace("¬", "\n") for each in sentences]

    assert split(text) == written


@given(st.text(alphabet='aB1 .!?。\n-"ฯ।', max_size=120), st.integers(0, 20), st.integers(0, 20))
def test_the_ends_rise_and_the_last_is_the_end_asked_for(text: str, skip: int, drop: int) -> None:
    start = min(skip, len(text))
    end = max(start, len(text) - drop)

    ends = list(sentence_ends(Reading(text), start, end))

    assert ends[-1] == end
    assert ends == sorted(set(ends))
    assert all(start < each <= end for each in ends) or start == end


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("It ends.  \n", True),
        ("So he said.”", True),
        ("终。", True),
        ("The deposit is", False),
        ("", False),
    ],
)
def test_a_text_tells_whether_its_last_sentence_is_complete(text: str, *, complete: bool) -> None:
    assert ends_sentence(text, len(text)) is complete
