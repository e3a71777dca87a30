"""The verdict on public questions that nobody here wrote; needs the handed data."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmarks.evidence import DATA
from benchmarks.evidence_asking import Asked, asked
from benchmarks.evidence_figures import answerable, found, refused
from gdrive_rag_mcp.errors import EmbedderUnavailableError
from gdrive_rag_mcp.evaluation.corpus_files import Layout
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndexes
from gdrive_rag_mcp.evaluation.question_sets import ABSENT_TOPIC, ADJACENT_TOPIC, read_set
from gdrive_rag_mcp.evaluation.variants import sampled
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.wiring.questions import QuestionTools

XQUAD = DATA / "xquad"

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(not XQUAD.is_dir(), reason=f"the handed data is not at {XQUAD}"),
]

Ask = Callable[..., list[Asked]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Sync the paragraphs of one language as files, and ask the questions of another of them."""

    def over(
        language: str, asked_in: str, embedder: str = "embedded", each_kind: int = 1000
    ) -> list[Asked]:
        settings = Settings.model_validate({"embed_provider": embedder})
        tools = QuestionTools(settings, tmp_path, report=lambda _: None)
        kit = sampled(read_set(XQUAD).asked(language, asked_in), each_kind)
        try:
            index = CorpusIndexes(tmp_path, Layout.BARE, tools.sync).of(kit)
        except EmbedderUnavailableError as error:
            pytest.skip(str(error))
        return list(asked(kit, index, tools.reader(index.path).search))

    return over


def share_found(own: Sequence[Asked]) -> float:
    return len(found(own)) / len(answerable(own))


def accepted(own: Sequence[Asked], kind: str) -> float:
    """The share of a kind of questions that was accepted."""
    return 1 - refused([one for one in own if one.question.kind == kind])


def test_english_questions_find_their_passage_and_are_judged_rightly(ask: Ask) -> None:
    own = ask("en", "en")
    assert share_found(own) >= 0.97
    assert refused(found(own)) <= 0.08
    assert accepted(own, ABSENT_TOPIC) <= 0.06
    assert accepted(own, ADJACENT_TOPIC) <= 0.32


def test_words_alone_still_tell_an_absent_topic(ask: Ask) -> None:
    own = ask("en", "en", "none")
    assert refused(answerable(own)) <= 0.10
    assert accepted(own, ABSENT_TOPIC) <= 0.30


def test_words_alone_find_arabic_nouns_through_their_article(ask: Ask) -> None:
    own = ask("ar", "ar", "none")
    assert share_found(own) >= 0.97
    assert refused(answerable(own)) <= 0.13
    assert accepted(own, ABSENT_TOPIC) <= 0.20


def test_german_questions_to_english_documents_are_not_refused_wholesale(ask: Ask) -> None:
    own = ask("en", "de", each_kind=150)
    assert refused(answerable(own)) <= 0.25
    assert accepted(own, ABSENT_TOPIC) <= 0.40
