"""With another model's vectors, and from fifty documents to five thousand, a verdict stays usable.

The public questions are looked for beside the repository. A folder with an English-only model in
ONNX, if it is named in GDRIVE_RAG_TEST_ENGLISH_MODEL, is measured like the hashing embedder.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gdrive_rag_mcp.calibrating.run import Calibrating
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Mode, Query
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.evaluation.question_sets import QuestionSet, Text, read_set
from gdrive_rag_mcp.evaluation.variants import sampled, small
from gdrive_rag_mcp.evidence.verdict import judge
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document

DATA = Path(__file__).resolve().parents[2] / "../shared/data/evidence"
MODEL = os.environ.get("GDRIVE_RAG_TEST_ENGLISH_MODEL")
MOST_REFUSED = 0.2
"""Of the answerable whose answer was found, by vectors without any sense of meaning."""
LEAST_REFUSED = 0.8
"""Of questions about what the corpus does not speak of."""


def corpus(documents: int) -> tuple[QuestionSet, Sequence[Text]]:
    """Questions of an English set, and so many documents: fewer of it, or others beside it."""
    if not DATA.exists():
        pytest.skip(f"there are no question sets in {DATA}")
    whole = read_set(DATA / "squad2-en").asked("en")
    kit = small(whole, documents, 1) if documents < len(whole.corpus) else whole
    others = read_set(DATA / "scifact-en").corpus if documents > len(whole.corpus) else ()
    kit = replace(kit, questions=tuple(q for q in kit.questions if q.kind != "absent_fact"))
    return sampled(kit, 60), [*kit.corpus, *others][:documents]


def refused(path: Path, embedder: Embedder, kit: QuestionSet) -> dict[str, float]:
    """The share of each kind of question that is refused; of answerable ones, those found."""
    verdicts: dict[str, list[bool]] = {}
    with Store.open_for_writing(path) as store:
        assert Calibrating(store, embedder).run().asked
        calibration = store.calibration.get()
        retriever = Retriever(store.index, embedder, Mode.HYBRID)
        for question in kit.questions:
            retrieved = retriever.retrieve(Query(question.text))
            found = {hit.passage.document_id for hit in retrieved.hits[:5]}
            if question.kind != "answerable" or question.gold & found:
                sufficient = judge(retrieved, calibration).sufficient
                verdicts.setdefault(question.kind, []).append(not sufficient)
    return {kind: sum(own) / len(own) for kind, own in verdicts.items()}


@pytest.mark.acceptance
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("documents", [50, 500, 5_000])
@pytest.mark.parametrize("model", ["hashing", "english"])
def test_false_refusals_and_refused_absents_stay_within_their_bands(
    tmp_path: Path, model: str, documents: int
) -> None:
    if model == "english" and MODEL is None:
        pytest.skip("GDRIVE_RAG_TEST_ENGLISH_MODEL names no model folder")
    embedder = HashingEmbedder(384) if model == "hashing" else OnnxEmbedder(Path(str(MODEL)))
    kit, texts = corpus(documents)
    made = [(one.id, plain_document(f"{one.title}\n\n{one.text}", one.title)) for one in texts]
    fill_index(tmp_path / "index.db", made, StructuralChunker(300, 40), embedder)
    share = refused(tmp_path / "index.db", embedder, kit)
    assert share["answerable"] <= MOST_REFUSED
    assert share["absent_topic"] >= LEAST_REFUSED
