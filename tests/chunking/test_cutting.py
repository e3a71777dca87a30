"""Where text without sentence ends is cut."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.chunking.cutting import between_characters, pieces
from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.tokens import estimate_tokens


def cut(text: str, limit: int) -> list[str]:
    ends = list(pieces(Reading(text), 0, len(text), limit))
    return [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]


@given(st.text(max_size=400), st.integers(2, 60))
def test_pieces_make_up_the_text_and_keep_the_limit(text: str, limit: int) -> None:
    parts = cut(text, limit)

    assert "".join(parts) == text
    assert all(estimate_tokens(part) <= limit or len(part) == 1 for part in parts)


@pytest.mark.parametrize(
    ("text", "ends_with"),
    [
        ("\n".join(f"entry {n}, of a log without stops" for n in range(90)), "\n"),
        (", ".join(f"clause {n} of a very long enumeration" for n in range(90)), ", "),
        (" | ".join(f"cell{n}" for n in range(200)), "| "),
        (" ".join(f"word{n}" for n in range(200)), " "),
        ("".join(f"第{n}条规定的内容，" for n in range(90)), "，"),
    ],
)
def test_a_cut_is_at_the_best_boundary_there_is(text: str, ends_with: str) -> None:
    parts = cut(text, 60)

    assert len(parts) > 3
    assert all(part.endswith(ends_with) for part in parts[:-1])


def test_a_wrapped_line_is_cut_after_a_clause_and_not_at_its_end() -> None:
    clause = "whoever leaves early, e.g. before the end of a month, pays for the whole of it, "
    words = (clause * 40).split(" ")
    lines = [" ".join(words[at : at + 9]) for at in range(0, len(words), 9)]

    parts = cut("\n".join(lines), 60)

    assert len(parts) > 10
    assert all(part.rstrip().endswith(",") for part in parts[:-1])


CLUSTERS = [
    "e\u0301\u0323",  # marks on a letter
    "กี่",
    "น้ำ",
    "เ" + "ก",
    "क्षि",
    unicodedata.normalize("NFD", "각"),
    "\U0001f469\u200d\U0001f52c",  # joined by a joiner
    "\U0001f44d\U0001f3fd",  # a skin tone
    "\U0001f1f3\U0001f1f4",  # a flag
    "❤\ufe0f",
]


@pytest.mark.parametrize("cluster", CLUSTERS, ids=ascii)
def test_what_a_reader_takes_for_one_character_is_never_cut(cluster: str) -> None:
    parts = cut(cluster * 300, 20)

    assert len(parts) > 3
    assert all(len(part) % len(cluster) == 0 for part in parts)


@pytest.mark.parametrize("cluster", CLUSTERS, ids=ascii)
def test_no_offset_within_one_character_is_one_to_cut_at(cluster: str) -> None:
    text = f"ab{cluster}c"
    end = 2 + len(cluster)

    assert {between_characters(text, 0, offset) for offset in range(3, end)} == {2}
    assert between_characters(text, 0, end) == end


@pytest.mark.parametrize("vowel", "เแโใไເແໂໃໄ", ids=ascii)
def test_a_vowel_that_is_written_before_its_consonant_stays_with_it(vowel: str) -> None:
    """In Thai and Lao, where no grapheme rule joins the two."""
    consonant = "ก" if vowel < "\u0e80" else "ກ"
    text = (consonant + vowel) * 301

    parts = cut(text, 20)

    assert len(parts) > 3
    assert not any(part.endswith(vowel) for part in parts[:-1])


def test_a_flag_is_found_from_the_start_of_its_run() -> None:
    norway = "\U0001f1f3\U0001f1f4"

    assert between_characters(f"a{norway * 4}", 0, 4) == 3
    assert between_characters(f"a{norway * 4}", 0, 5) == 5


def test_endless_marks_on_one_letter_are_cut_all_the_same() -> None:
    parts = cut("e" + "\u0301" * 5000, 20)

    assert len(parts) > 100
    assert max(map(estimate_tokens, parts)) <= 20
