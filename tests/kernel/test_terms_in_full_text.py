"""The index, questions and evidence cut a text into the same words."""

import re
from pathlib import Path

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gdrive_rag_mcp import terms
from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.terms import fold, index_text, is_single_sign, tokens, words

TOKENIZER = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
SCRIPTS = {
    "Latin": "aZßéıİłđœǅ\u0301\u0323",
    "Greek": "αΆςΣϊᾳ",
    "Cyrillic": "яЁйїґ\u0306",
    "Arabic": "اأىةکی\u064e\u0640ﷺ\u06d6",
    "Hebrew": "אםשׁ\u05b8",
    "Devanagari": "कषि्ंँ़०",
    "Tamil": "தமிழ்நா௧",
    "Bengali": "বাংলা্য়",
    "Thai": "ลากำ่้ัๆฯ๑",
    "Lao": "ລາວ່ຳ",
    "Khmer": "ខ្មែរ។",
    "Myanmar": "မြန်မာ",
    "Tibetan": "བོད་ཡིག",
    "Ethiopic": "አማርኛ፩",
    "Georgian": "ქᲥ",
    "Armenian": "հԱև",
    "Han": "年假々〆㐀𠮷",
    "Kana": "がカーｶﾞゞヶ・",
    "Hangul": "각가ᄀㄱ",
    "signs": "0½²Ⅳ①№℃_-.,/'’&@#%$€\u00a0\u3000 \n",
    "joiners": "\u00ad\u200c\u200d",
    "emoji": "🙂👩🏻\ufe0f",
    "private": "\ue000",
}
_RUNS = st.lists(
    st.sampled_from(list(SCRIPTS.values())).flatmap(lambda signs: st.text(signs, max_size=5))
)
MIXED = _RUNS.map("".join)
# No script puts its marks on another's letters.
WRITTEN = _RUNS.map(" ".join)
WITHOUT_MARKS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "M"]))
ANYTHING = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]))
INDIA = st.text(st.characters(min_codepoint=0x900, max_codepoint=0xDFF, exclude_categories=["Cn"]))


class FullText:
    """A table with the tokenizer of the index, and what it makes of a text."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        self._connection.execute(f'CREATE VIRTUAL TABLE t USING fts5(x, tokenize="{TOKENIZER}")')
        self._connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")

    def split(self, text: str) -> list[str]:
        self._connection.execute("DELETE FROM t")
        self._connection.execute("INSERT INTO t VALUES (?)", (text,))
        rows = self._connection.execute("SELECT term FROM v ORDER BY offset")
        return [str(term) for (term,) in rows]


@pytest.fixture(scope="module")
def full_text() -> FullText:
    """One table for all examples: each replaces what the one before left."""
    return FullText()


def test_the_tokenizer_tested_here_is_the_indexs_own(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    Store.open_for_writing(path).close()
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tables = connection.execute("SELECT sql FROM sqlite_master WHERE sql LIKE '%fts5(%'").fetchall()

    assert tables
    assert all(f'tokenize="{TOKENIZER}"' in str(sql) for (sql,) in tables)
    connection.close()


@given(text=MIXED | ANYTHING | INDIA)
@example(text="snake_case Straße 年假２ ½ กำไร")
@example(text="\u0301a \u0e31 \u093f")
def test_the_full_text_index_holds_exactly_the_tokens_of_a_text(
    full_text: FullText, text: str
) -> None:
    """Else a word could be found by one side and be missing to the other."""
    assert full_text.split(index_text(text)) == tokens(text)


@given(
    words=st.lists(MIXED | ANYTHING), blank=st.sampled_from("\t\n\x1f\x85\xa0\u2003\u2028\u3000")
)
def test_any_blank_parts_words_for_the_full_text_index_as_for_tokens(
    full_text: FullText, words: list[str], blank: str
) -> None:
    text = blank.join(words)
    assert full_text.split(index_text(text)) == tokens(text)


def test_what_is_kept_of_words_read_before_is_bounded_and_changes_nothing(
    full_text: FullText,
) -> None:
    numbered = [f"д{number}" for number in range(70_000)]
    parts = [" ".join(numbered[start : start + 900]) for start in range(0, len(numbered), 900)]
    once = " ".join(map(index_text, parts))

    assert len(terms._cut_before) <= terms._MOST_KEPT
    assert " ".join(map(index_text, parts)) == once == " ".join(map(fold, numbered))
    long = "年" * 10_000
    assert full_text.split(index_text(long)) == tokens(long)
    assert long not in terms._cut_before


@given(text=st.text(st.characters(max_codepoint=127, exclude_categories=["Cc"])))
def test_plain_ascii_is_split_by_the_full_text_index_itself(full_text: FullText, text: str) -> None:
    assert full_text.split(index_text(text)) == tokens(text)


def _of_words(text: str) -> list[str]:
    return [token for _, word_tokens in words(text) for token in word_tokens]


def _indexed_tails(text: str) -> set[str]:
    """The tokens that only the index has: a character at the end of a run."""
    return {token for token in tokens(text) if is_single_sign(token)}


@given(text=WRITTEN | WITHOUT_MARKS)
def test_the_words_of_a_question_have_tokens_of_the_index_in_their_order(text: str) -> None:
    text = clean(text)
    asked, indexed = _of_words(text), tokens(text)

    assert [token for token in asked if not is_single_sign(token)] == [
        token for token in indexed if not is_single_sign(token)
    ]
    assert {token for token in asked if is_single_sign(token)} <= _indexed_tails(text)


@given(
    text=st.sampled_from(["Thai", "Han", "Kana", "Hangul", "Lao", "Khmer"]).flatmap(
        lambda name: st.text(SCRIPTS[name].translate({ord("・"): None, ord("។"): None}), min_size=1)
    ),
    data=st.data(),
)
def test_whatever_part_of_a_run_is_asked_for_begins_a_token_of_the_index(
    text: str, data: st.DataObject
) -> None:
    run = fold(text)
    start = data.draw(st.integers(0, len(run) - 1))
    part = run[start : data.draw(st.integers(start + 1, len(run)))]
    indexed = tokens(run)

    for token in _of_words(part):
        assert any(
            known.startswith(token) if is_single_sign(token) else known == token
            for known in indexed
        )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("می\u200cخواهم", ["ميخواهم"]),
        ("क्\u200dष", ["क्ष"]),
        ("Vertrags\u00adtext", ["vertragstext"]),
        ("ลา\u200bป่วย", ["ลา", "าป", "ป่", "่ว", "วย"]),
    ],
)
def test_a_joiner_or_soft_hyphen_in_a_question_splits_no_word(
    text: str, expected: list[str]
) -> None:
    assert _of_words(text) == expected


@pytest.mark.parametrize("text", ["৳500", "௹500", "૱20", "a෴b"])
def test_a_sign_of_money_is_no_part_of_the_number(full_text: FullText, text: str) -> None:
    assert full_text.split(index_text(text)) == tokens(text)
    assert tokens(text) == re.findall("[a-z]+|[0-9]+", text)


def test_every_sign_that_the_index_parts_by_itself_is_parted_in_the_same_places(
    full_text: FullText,
) -> None:
    signs = [chr(code) for code in (*range(0x20, 0x250), *range(0x2010, 0x2060))]
    for sign in signs:
        text = f"ab{sign}cd {sign} {sign}x y{sign}"
        assert full_text.split(index_text(text)) == tokens(text), ascii(sign)
