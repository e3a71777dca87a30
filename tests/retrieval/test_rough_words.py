"""The cheap look at raw words decides as the plain definition of it does."""

import re

from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.retrieval.copies import rough_words

ASCII = st.text(st.characters(max_codepoint=127))


@given(st.one_of(ASCII, st.text()))
def test_rough_words_are_runs_of_letters_digits_and_underscores(text: str) -> None:
    assert rough_words(text) == re.findall(r"\w+", text.casefold())
