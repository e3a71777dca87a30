"""Which model judges: by what could be compared, and whether the languages are the same."""

from dataclasses import replace

import numpy as np
import pytest

from gdrive_rag_mcp.domain import TokenVectors
from gdrive_rag_mcp.evidence.measuring import measure
from gdrive_rag_mcp.evidence.reading import read
from gdrive_rag_mcp.evidence.verdict import crosses_languages, model_name
from gdrive_rag_mcp.testing.made_evidence import retrieved
from tests.evidence.test_verdict import ANSWER, BACKGROUND, GERMAN, KNOWN, QUESTION, answered


@pytest.mark.parametrize(
    ("question", "text"),
    [("KX-4711?", ANSWER), (GERMAN, "KX-4711: 24"), ("KX-4711?", "KX-4711: 24")],
)
def test_what_does_not_show_its_language_is_taken_to_be_in_the_others(
    question: str, text: str
) -> None:
    assert not crosses_languages(retrieved(question, answered(text=text), KNOWN))
    assert crosses_languages(retrieved(GERMAN, answered(), KNOWN))


@pytest.mark.parametrize(("question", "model"), [(QUESTION, "tokens"), (GERMAN, "tokens_across")])
def test_where_tokens_can_be_compared_they_judge_in_the_language_and_across(
    question: str, model: str
) -> None:
    one = TokenVectors(
        np.eye(1, dtype=np.float32), np.ones(1, np.float32), pieces=np.zeros(1, np.int32)
    )
    hits = tuple(replace(found, tokens=one) for found in answered())
    made = retrieved(question, hits, KNOWN, background=BACKGROUND)
    made = replace(made, question_tokens=one)
    reading = read(made, lambda pieces: np.ones(len(pieces), np.float32))
    assert model_name(reading, measure(reading)) == model
    assert model_name(read(made), measure(read(made))) in {"hybrid", "across"}
