"""What is said of the embedding that is ahead, and how near to the truth it comes."""

from dataclasses import replace
from pathlib import Path

import pytest

from gdrive_rag_mcp.chunking.tokens import estimate_tokens
from gdrive_rag_mcp.domain import EmbeddingOutlook, Forecast, SourceFile, SyncReport, TextYield
from gdrive_rag_mcp.indexing.forecasting import estimated
from gdrive_rag_mcp.indexing.pace import Pace
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import Desk, fill
from tests.indexing.embedders import Watching

NOTHING = EmbeddingOutlook(0, 0)


class Billed(Watching):
    """Bills every ten texts."""

    def calls(self, texts: int, characters: int) -> int:
        return -(-texts // 10)


def sync(desk: Desk, options: SyncOptions | None = None) -> tuple[SyncReport, list[Forecast]]:
    told: list[Forecast] = []
    with Store.open_for_writing(desk.path) as store:
        made = desk.synchroniser(store)
        synchroniser = Synchroniser(
            store,
            made.source,
            made.extractor,
            made.chunker,
            made.embedder,
            made.supported,
            made.extraction,
            clock=made.clock,
            foretell=told.append,
        )
        return synchroniser.run(options or SyncOptions()), told


def test_a_first_sync_estimates_what_is_ahead_then_knows_and_reports_it(desk: Desk) -> None:
    desk.embedder = Billed()
    fill(desk, 200)
    texts = [f"sabbatical number{number}" for number in range(200)]

    report, [estimate, known] = sync(desk)

    assert report.forecast
    assert estimate.estimated
    assert estimate.chunks >= 200
    assert replace(known, seconds=None) == replace(report.forecast, seconds=None)
    tokens = sum(map(estimate_tokens, texts))
    assert (known.chunks, known.tokens, known.calls) == (200, tokens, 20)
    assert not known.estimated
    assert known.seconds is not None


def test_a_sync_without_time_to_embed_says_all_that_is_ahead(desk: Desk) -> None:
    desk.embedder = Billed()
    fill(desk, 35)
    desk.source.add_file("twice.md", "sabbatical number7")
    texts = [f"sabbatical number{number}" for number in range(35)]

    report, told = sync(desk, SyncOptions(max_embeddings=0))

    tokens = sum(map(estimate_tokens, texts))
    assert told[1:] == [Forecast(35, tokens, 4, None)] == [report.forecast]


def test_a_later_sync_says_nothing_of_a_moment_of_work_but_reports_it(desk: Desk) -> None:
    fill(desk, 5)
    sync(desk)
    desk.source.add_file("new.md", "brand new")

    report, told = sync(desk)

    assert told == []
    assert report.forecast
    assert report.forecast.chunks == 1


def test_a_later_sync_says_what_takes_more_than_a_minute(desk: Desk) -> None:
    fill(desk, 5)
    sync(desk)
    with Store.open_for_writing(desk.path) as store, store.transaction():
        store.catalog.note_embedding_pace(HashingEmbedder(64).identity.fingerprint, 0.1)
    desk.source.add_file("new.md", "brand new")

    _, [told] = sync(desk)

    assert told.seconds == pytest.approx(10 * len("brand new"))


def test_a_sync_with_nothing_to_embed_has_no_forecast(desk: Desk) -> None:
    fill(desk, 5)
    sync(desk)

    report, told = sync(desk)

    assert (report.forecast, told) == (None, [])


def test_of_very_many_texts_the_tokens_are_told_from_some(desk: Desk) -> None:
    desk.embedder = HashingEmbedder(64)
    for number in range(20):
        paragraphs = [f"sabbatical of {number} rule {part} " * 3 for part in range(80)]
        desk.source.add_file(f"{number}.md", "\n\n".join(paragraphs))

    report, _ = sync(desk, SyncOptions(max_embeddings=0))

    with desk.reading() as store:
        waiting = store.index.without_vector(0, 5000)
    tokens = sum(estimate_tokens(chunk.embedded_text) for _, chunk in waiting)
    assert report.forecast
    assert report.forecast.chunks == len(waiting) == 1600
    assert report.forecast.tokens == pytest.approx(tokens, rel=0.05)


# ── before anything is read ──────────────────────────────────────────────────


def test_a_plan_learns_from_the_files_that_are_in_the_index(desk: Desk) -> None:
    desk.embedder = Billed()
    for number in range(30):
        paragraphs = [f"file {number} says {part} of sabbaticals" for part in range(10)]
        desk.source.add_file(f"{number}.md", "\n\n".join(paragraphs))
    desk.sync()
    with Store.open_for_writing(desk.path) as store, store.transaction():
        store.catalog.note_embedding_pace(desk.embedder.identity.fingerprint, 100.0)
    for number in range(30, 50):
        paragraphs = [f"file {number} says {part} of sabbaticals" for part in range(10)]
        desk.source.add_file(f"{number}.md", "\n\n".join(paragraphs))

    planned = desk.plan().forecast
    report, _ = sync(desk)

    assert planned
    assert planned.estimated
    assert planned.chunks == pytest.approx(report.embedded_chunks, rel=0.1)
    assert planned.calls == -(-planned.chunks // 10)
    assert planned.seconds
    assert planned.seconds > 10


def test_a_plan_counts_what_waits_from_before(desk: Desk) -> None:
    fill(desk, 40)
    sync(desk, SyncOptions(max_embeddings=10))

    planned = desk.plan().forecast

    assert planned
    assert planned.chunks == 30


def test_a_plan_of_nothing_new_has_nothing_ahead(desk: Desk) -> None:
    fill(desk, 5)
    desk.sync()

    assert desk.plan().forecast is None


def test_a_first_sync_of_nothing_says_nothing_of_embedding(desk: Desk) -> None:
    assert desk.plan().forecast is None

    report, told = sync(desk)

    assert (report.forecast, told) == (None, [])


def test_without_an_embedder_a_plan_knows_neither_calls_nor_time(desk: Desk) -> None:
    desk.embedder = None
    fill(desk, 5)

    planned = desk.plan().forecast

    assert planned
    assert planned.chunks >= 5
    assert (planned.calls, planned.seconds) == (None, None)


def file(mime_type: str, size: int | None) -> SourceFile:
    return SourceFile("1", "name", mime_type, (), "1", size=size)


@pytest.mark.parametrize(
    "mime_type",
    ["application/pdf", "text/csv", "text/plain", "text/html", "made/up", "application/json"],
)
def test_a_type_never_met_is_guessed_by_size(mime_type: str) -> None:
    small = estimated([file(mime_type, 100_000)], {}, NOTHING, None, None)
    large = estimated([file(mime_type, 1_000_000)], {}, NOTHING, None, None)

    assert small
    assert large
    assert small.chunks >= 1
    assert large.chunks == pytest.approx(10 * small.chunks, rel=0.1)
    assert large.tokens == pytest.approx(10 * small.tokens, rel=0.1)


def test_a_file_whose_size_nobody_says_is_taken_for_one_of_its_type() -> None:
    document = "application/vnd.google-apps.document"
    yields = {document: [TextYield(files=4, bytes=0, chunks=80, octets=40_000)]}

    [known, unknown] = [
        estimated([file(document, None)], learned, NOTHING, None, None) for learned in (yields, {})
    ]

    assert known
    assert known.chunks == 20
    assert unknown
    assert unknown.chunks >= 1


def test_a_type_whose_files_have_no_text_does_not_divide_by_nothing() -> None:
    empty = {"text/plain": [TextYield(files=1, bytes=0, chunks=3, octets=10)]}

    guess = estimated([file("text/plain", 10)], empty, NOTHING, None, None)
    assert guess
    assert guess.chunks == 1


# ── pace ─────────────────────────────────────────────────────────────────────


def test_the_pace_is_this_runs_as_soon_as_there_is_one() -> None:
    pace = Pace(5.0, side_by_side=2)
    assert pace.characters_per_second == 5.0

    pace.note(1000, seconds=100)  # the model was loaded meanwhile
    assert (pace.measured, pace.characters_per_second) == (None, 5.0)

    pace.note(1000, seconds=1)
    pace.note(3000, seconds=3)
    assert pace.measured == pace.characters_per_second == 2000


def test_a_run_notes_its_pace_and_few_embedders_are_remembered(desk: Desk) -> None:
    fill(desk, 100)
    sync(desk)
    fingerprint = HashingEmbedder(64).identity.fingerprint
    with Store.open_for_writing(desk.path) as store:
        assert store.catalog.embedding_paces[fingerprint] > 0
        with store.transaction():
            for number in range(50):
                store.catalog.note_embedding_pace(f"{number:064}", 1.5)
        assert len(store.catalog.embedding_paces) < 10
        assert store.catalog.embedding_paces[f"{49:064}"] == 1.5


@pytest.mark.parametrize("noted", ["", "[]", "{", '{"a": "b"}', '{"a": -1}', '{"a": NaN}', "7"])
def test_a_damaged_pace_is_no_pace_and_no_error(desk: Desk, noted: str, tmp_path: Path) -> None:
    fill(desk, 3)
    desk.sync()
    with Store.open_for_writing(desk.path) as store:
        store.catalog._meta.set("embedding_paces", noted)
        assert store.catalog.embedding_paces == {}
    assert desk.sync().complete
