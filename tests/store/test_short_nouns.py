"""Nouns of two signs or one syllable are found wherever they stand."""

import pytest

from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_words


def ids(store: Store, question: str) -> list[str]:
    return [hit.document_id for hit in found_by_words(store, question)]


@pytest.mark.parametrize(
    ("text", "noun", "absent"),
    [
        ("公司的年度休假制度说明", "休假", "假年"),
        ("带薪产假申请流程", "产假", "假产"),
        ("中途採用者の雇用契約書", "契約", "約契"),
        ("オンライン会議室の予約", "会議", "議会"),
        ("인사팀의휴가정책은다음과같다", "정책", "책정"),
        ("재택근무자에게도", "근무", "무근"),
        ("นโยบายการลาป่วยของพนักงาน", "ลา", "ปล"),
        ("แบบฟอร์มขอภาษีคืน", "ภาษี", "ภีษา"),
        ("Nghỉ phép không hưởng lương", "phép", "phe"),
        ("Nghỉ phép không hưởng lương", "PHEP", "hep"),
        ("nghi phep khong huong luong", "hưởng", "huon"),
        ("Đơn đăng ký bảo hiểm", "dang", "đan"),
        ("Don dang ky bao hiem", "đăng ký", "kyb"),
    ],
)
def test_a_short_noun_is_found_inside_longer_words_with_its_marks_and_without(
    store: Store, hand: HandWritten, text: str, noun: str, absent: str
) -> None:
    """Chinese, Japanese, Korean and Thai write words together; Vietnamese writes syllables."""
    hand.put("a", text)
    hand.put("b", "unrelated 12 無関係 다른")
    assert ids(store, noun) == ["a"]
    assert ids(store, absent) == []
