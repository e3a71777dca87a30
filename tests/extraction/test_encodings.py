from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction import encodings
from gdrive_rag_mcp.extraction.encodings import detect, read_text
from gdrive_rag_mcp.extraction.input_file import InputFile

KOREAN = (
    "연차 휴가는 입사일을 기준으로 매년 부여하며, 사용하지 않은 휴가는 이월되지 않습니다.\n" * 4
)
JAPANESE = "有給休暇は入社日から起算して毎年付与され、翌年に限り繰り越すことができます。\n" * 4
CHINESE = "员工每年享有十五天带薪年假，未使用的假期不得转入下一年度。\n" * 4
GERMAN = "Der Urlaub beträgt dreißig Tage; übertragene Tage verfallen am Jahresende für alle.\n" * 4
RUSSIAN = "Ежегодный оплачиваемый отпуск составляет двадцать восемь календарных дней.\n" * 4


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (KOREAN, "utf-8"),
        (KOREAN, "cp949"),
        (KOREAN, "iso2022_kr"),
        (KOREAN, "utf-16"),
        (KOREAN, "utf-16-le"),
        (KOREAN, "utf-16-be"),
        (JAPANESE, "utf-8-sig"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (CHINESE, "gb18030"),
        (CHINESE, "big5"),
        (GERMAN, "cp1252"),
        (GERMAN, "utf-32"),
        (GERMAN, "utf-32-le"),
        (GERMAN, "utf-32-be"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
    ],
)
def test_a_text_is_read_as_it_was_written(text: str, codec: str) -> None:
    if codec == "big5":
        text = "員工每年享有十五天帶薪年假，未使用的假期不得轉入下一年度。\n" * 4
    data = text.encode(codec)

    assert data.decode(detect(data)).lstrip("\ufeff") == text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc", "Cn", "So"]), min_size=1))
def test_utf8_is_never_taken_for_anything_else(text: str) -> None:
    assert detect(text.encode()) in {"utf-8", "utf-8-sig"}


def test_one_stray_zero_byte_does_not_turn_utf8_into_utf16() -> None:
    data = GERMAN.encode()

    assert detect(data[:51] + b"\0" + data[51:]) == "utf-8"


def test_korean_after_a_screen_of_ascii_is_found() -> None:
    data = b"id,name\n" * 2000 + KOREAN.encode("cp949")

    assert data.decode(detect(data)).endswith(KOREAN)


@pytest.mark.parametrize(
    "binary",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 50,
        bytes(range(32)) * 300,
        b"\0" * 5000,
        b"\x7fELF\x02\x01\x01" + b"\0\x01\xff\xfe\x90" * 900,
    ],
)
def test_binary_content_is_a_type_mismatch(binary: bytes) -> None:
    with pytest.raises(ExtractionError) as refusal:
        detect(binary)

    assert refusal.value.reason is Reason.TYPE_MISMATCH


def test_lost_characters_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(
        b"\xef\xbb\xbfgood " + b"\xff\xfe" + b" text that goes on for a good while " * 4
    )

    text, losses = read_text(InputFile(path))

    assert text.startswith("good ")
    assert losses == ("2 characters could not be decoded as utf-8-sig",)


def test_a_text_file_beyond_the_limit_is_not_even_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encodings, "MAX_BYTES", 100)
    path = tmp_path / "log.txt"
    path.write_bytes(b"x" * 101)

    with pytest.raises(ExtractionError) as refusal:
        read_text(InputFile(path))

    assert refusal.value.reason is Reason.TOO_LARGE


@pytest.mark.parametrize("stray", [b"\xff", b"\xe9", b"\x80\x81"])
def test_a_stray_byte_does_not_turn_utf8_into_something_else(stray: bytes) -> None:
    text = "Đơn xin nghỉ phép không lương được gửi trước tám tuần."
    data = text.encode() + stray + b" The end."

    read, losses = read_text(InputFile(data))

    assert read.startswith(text)
    assert losses


def test_text_of_one_byte_a_letter_is_not_taken_for_damaged_utf8() -> None:
    data = "Für Jäger ist das Gelände täglich geöffnet, außer an Feiertagen.".encode("cp1252")

    assert detect(data) == "cp1252"
