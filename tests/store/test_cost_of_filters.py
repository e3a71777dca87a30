"""To narrow a search costs no more than not to, whatever it is narrowed by."""

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.domain import EVERYTHING, Filters, QueryTerm, Scope
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.terms import query_terms
from gdrive_rag_mcp.testing.hand_written import WRITTEN, HandWritten, cut, joined, text_file

FILES, CHUNKS_A_FILE = 1000, 12
AT_MOST = 1.3
FLOOR_SECONDS = 0.02  # of a round of questions; the clock may tick in steps of 10 ms
SHARES = {"few": 0.005, "some": 0.05, "many": 0.2, "most": 0.6, "nearly": 0.98}
EVERY = {"some": 20, "many": 5, "most": 2}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, list[str]]]:
    """12,000 chunks of words as frequent as Zipf says, in folders, types and days of many sizes."""
    path: Path = tmp_path_factory.mktemp("cost") / "index.db"
    draw = np.random.default_rng(3)
    vocabulary = [f"w{number}x" for number in range(2000)]
    weights = 1 / np.arange(20, 2020)
    drawn = draw.choice(2000, size=(FILES, CHUNKS_A_FILE, 30), p=weights / weights.sum())
    with Store.open_for_writing(path) as writer:
        hand = HandWritten(writer)
        with writer.transaction():
            for name in SHARES:
                hand.folder(name)
            for number, chunks in enumerate(drawn):
                parents = [name for name, share in SHARES.items() if draw.random() < share]
                name = f"n{number}"
                mime = next((m for m, every in EVERY.items() if number % every == 0), "text/plain")
                modified = WRITTEN - timedelta(hours=number)
                listed = text_file(
                    name, parents=parents or ["root"], mime_type=mime, modified=modified
                )
                texts = [" ".join(vocabulary[word] for word in chunk) for chunk in chunks]
                hand.put(listed, texts[0])
                writer.index.replace(name, joined(texts), cut(texts), chunking="one text a chunk")
    asked = draw.integers(100, 600, size=(40, 3))
    with Store.open_for_reading(path) as reader:
        yield reader, [" ".join(vocabulary[word] for word in words) for words in asked]


def spent(store: Store, questions: list[list[QueryTerm]], within: Scope, filters: Filters) -> float:
    """CPU seconds of one round of questions."""
    began = time.process_time()
    for terms in questions:
        statistics = store.index.statistics(terms, within, filters)
        store.index.search_text(statistics.terms, within, filters, 50)
    return time.process_time() - began


def of(folder: str) -> Scope:
    return Scope(frozenset({folder}))


AGO = {days: WRITTEN - timedelta(days=days) for days in (1, 7, 20, 40)}


@pytest.mark.parametrize(
    ("within", "filters"),
    [
        *((of(folder), Filters()) for folder in ("few", "some", "most", "root")),
        *((EVERYTHING, Filters(mime)) for mime in ("some", "most")),
        (EVERYTHING, Filters(modified_before=AGO[20])),
        (EVERYTHING, Filters(modified_after=AGO[40])),
        (EVERYTHING, Filters(modified_after=AGO[20], modified_before=AGO[7])),
        (of("many"), Filters("most")),
        (of("most"), Filters("most", AGO[40])),
        (of("few"), Filters("most", AGO[40], AGO[1])),
        (of("nearly"), Filters(modified_after=AGO[40])),
        (EVERYTHING, Filters("no/such")),
    ],
    ids=str,
)
def test_a_narrowed_search_costs_no_more_than_one_of_everything(
    filled: tuple[Store, list[str]], within: Scope, filters: Filters
) -> None:
    store, texts = filled
    questions = [list(query_terms(text)) for text in texts]
    with store.reading():
        spent(store, questions, within, filters)
        rounds = [
            (
                spent(store, questions, EVERYTHING, Filters()),
                spent(store, questions, within, filters),
            )
            for _ in range(3)
        ]
    whole, narrowed = np.median(np.array(rounds), axis=0)
    assert narrowed <= AT_MOST * whole + FLOOR_SECONDS
