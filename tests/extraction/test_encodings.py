from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
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


LAW = {
    "cp949": "제1조 이 규정은 직원의 휴가에 관한 사항을 정한다. 매년 15일의 연차 휴가를 쓴다.",
    "gb18030": "第一条 本规定适用于员工休假。员工每年享有十五天年假。",
    "big5": "第一條 本規定適用於員工休假。員工每年享有十五天年假。",
    "euc_jp": "第一条 この規定は従業員の休暇に関する事項を定める。毎年15日の年次休暇を与える。",
    "cp932": "第一条 この規定は従業員の休暇に関する事項を定める。毎年15日の年次休暇を与える。",
}
SCRIPTS = LAW | {
    "cp1251": "Настоящее положение определяет порядок предоставления отпуска работникам.",
    "koi8-r": "Настоящее положение определяет порядок предоставления отпуска работникам.",
    "cp1253": "Ο κανονισμός αυτός ορίζει τις άδειες των εργαζομένων κάθε χρόνο.",
    "cp1255": "תקנון זה קובע את החופשה השנתית של העובדים בחברה ואת תנאי העבודה.",
    "cp1256": "تحدد هذه اللائحة الإجازة السنوية للعاملين في الشركة وشروط العمل.",
    "cp874": "ระเบียบนี้กำหนดวันลาพักผ่อนประจำปีของพนักงานทุกคนในบริษัท",
    "cp1252": "Der Urlaub beträgt dreißig Tage; übertragene Tage verfallen für alle.",
    "utf-8": "Nội quy này quy định ngày nghỉ phép hằng năm của người lao động.",
}
FF_IS_A_LETTER = {"cp1251", "cp1252", "cp1256", "koi8-r"}


@pytest.mark.parametrize("codec", LAW)
@pytest.mark.parametrize(
    ("damage", "remark"),
    [
        (lambda data: data[:60] + b"\xff" + data[60:], "could not be decoded as"),
        (lambda data: data + b"caf\xe9 x\n", "could not be decoded as"),
        (lambda data: data[:60] + b"\0" + data[60:], "1 zero bytes were left out"),
        (lambda data: data[:11] + data[12:], ""),
    ],
    ids=["a stray byte", "a Latin line", "a zero byte", "a lost byte"],
)
def test_a_damaged_east_asian_text_is_read_but_for_its_damage(
    codec: str, damage: Callable[[bytes], bytes], remark: str
) -> None:
    line = LAW[codec] + "\n"
    data = damage((line * 30).encode(codec))

    text, losses = read_text(InputFile(data))

    assert text.count(line) >= 29
    assert remark in "".join(losses)


@given(
    codec=st.sampled_from(sorted(SCRIPTS)),
    stray=st.sampled_from([b"\xff", b"\0"]),
    where=st.floats(0, 1, exclude_max=True),
    lines=st.integers(6, 40),
)
@settings(deadline=None)
def test_one_stray_byte_costs_at_most_the_line_it_stands_in(
    codec: str, stray: bytes, where: float, lines: int
) -> None:
    line = SCRIPTS[codec] + "\n"
    data = (line * lines).encode(codec)
    place = int(where * len(data))

    text, losses = read_text(InputFile(data[:place] + stray + data[place:]))

    assert text.count(line.strip()) >= lines - 2
    assert losses or (stray == b"\xff" and codec in FF_IS_A_LETTER)


def test_few_characters_of_utf8_are_read_as_such_among_stray_bytes() -> None:
    data = b"ok line\nbad \xff\xfe bytes\nmore text " + "가".encode()

    text, losses = read_text(InputFile(data))

    assert text.endswith("more text 가")
    assert losses == ("2 characters could not be decoded as utf-8",)


def test_bytes_that_a_codec_leaves_without_meaning_are_lost_not_private() -> None:
    data = JAPANESE.encode("cp932")

    text, losses = read_text(InputFile(data + b"\xff\n" + data))

    assert "\uf8f3" not in text
    assert losses == ("1 characters could not be decoded as cp932",)


def test_a_text_that_statistics_are_unsure_of_is_remarked_on() -> None:
    three_rare_characters = "日本語".encode("cp949")

    _, losses = read_text(InputFile(three_rare_characters))

    assert "the encoding is uncertain" in "".join(losses)


@pytest.mark.parametrize(
    "data",
    [
        b"short\0note with words\n",
        b"one line\n\0",
        b"name\n\0value\n\0other\n\0",
        b"a.txt\0b.txt\0c.txt\0",
        b"GET /index.html 200\n" * 200 + b"\0" * 4000 + b"GET /after.html 200\n" * 200,
    ],
)
def test_stray_zero_bytes_are_left_out_with_a_remark(data: bytes) -> None:
    text, losses = read_text(InputFile(data))

    assert text == data.replace(b"\0", b"").decode()
    assert losses == (f"{data.count(0)} zero bytes were left out",)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("script", sorted(SCRIPTS))
def test_wide_text_without_a_mark_is_known_by_its_letters_or_blanks(
    codec: str, script: str
) -> None:
    text = (SCRIPTS[script] + "\n") * 3

    assert detect(text.encode(codec)) == codec


def test_a_stray_byte_in_iso_2022_costs_itself() -> None:
    data = JAPANESE.encode("iso2022_jp")

    text, losses = read_text(InputFile(data + b"\xff\n" + data))

    assert text.count(JAPANESE) == 2
    assert losses
