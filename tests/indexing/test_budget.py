"""`--max-embeddings`: never more texts than that in a run, and the next one goes on."""

from pathlib import Path

import pytest

from gdrive_rag_mcp.app.syncing import change_embedder
from gdrive_rag_mcp.domain import EVERYTHING, SyncReport
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import found_by_vector
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import Desk, fill
from tests.indexing.embedders import Refusing, Watching


def sync(desk: Desk, most: int | None) -> SyncReport:
    with Store.open_for_writing(desk.path) as store:
        return desk.synchroniser(store).run(SyncOptions(max_embeddings=most))


def vectors(desk: Desk) -> int:
    with desk.reading() as store:
        return store.catalog.status(EVERYTHING).vectors


@pytest.mark.parametrize("most", [0, 1, 15, 16, 17, 99])
@pytest.mark.parametrize("parallel_calls", [1, 4])
def test_so_many_texts_are_embedded_and_not_one_more(
    desk: Desk, most: int, parallel_calls: int
) -> None:
    desk.embedder = watching = Watching(parallel_calls=parallel_calls)
    fill(desk, 100)

    report = sync(desk, most)

    assert watching.embedded_texts == report.embedded_chunks == vectors(desk) == most
    assert (report.added, report.pending_vectors) == (100, 100 - most)
    assert report.embedding_incomplete
    [said] = [one for one in report.warnings if one.startswith("embedding_budget_reached: ")]
    assert f"{100 - most} chunks wait" in said
    assert len(desk.find("number99")) == 1, "all of the text is searchable"


@pytest.mark.parametrize("most", [100, 101, None])
def test_a_budget_that_is_enough_is_not_said_to_be_reached(desk: Desk, most: int | None) -> None:
    fill(desk, 100)

    report = sync(desk, most)

    assert (report.embedded_chunks, report.pending_vectors) == (100, 0)
    assert not report.embedding_incomplete
    assert report.warnings == ()


def test_run_by_run_all_is_embedded_and_nothing_twice(desk: Desk) -> None:
    desk.embedder = watching = Watching()
    fill(desk, 100)

    runs = [sync(desk, 30) for _ in range(5)]

    assert [one.embedded_chunks for one in runs] == [30, 30, 30, 10, 0]
    assert [one.embedding_incomplete for one in runs] == [True, True, True, False, False]
    assert set(watching.times_asked.values()) == {1}
    assert desk.source.usage.downloads == 100


def test_a_text_that_is_known_costs_nothing_of_the_budget(desk: Desk) -> None:
    fill(desk, 10)
    desk.sync()
    for number in range(10):
        desk.source.add_file(f"copy{number}.md", f"sabbatical number{number}")

    report = sync(desk, 0)

    assert (report.embedded_chunks, report.reused_chunks, report.pending_vectors) == (0, 10, 0)
    assert not report.embedding_incomplete


def test_what_is_refused_is_not_embedded_and_makes_room_for_others(desk: Desk) -> None:
    desk.embedder = Refusing("odd")
    for number in range(60):
        odd = "odd" if number < 20 else "even"
        desk.source.add_file(f"{number:02}.md", f"sabbatical {odd} number{number}")

    report = sync(desk, 30)

    assert (report.embedded_chunks, report.pending_vectors) == (30, 30)
    assert len([one for one in report.warnings if one.startswith("embedding_")]) == 2


def test_room_that_refused_texts_leave_is_used_in_the_same_run(desk: Desk) -> None:
    desk.embedder = Refusing("odd")
    for number in range(200):
        odd = "odd" if number % 2 else "even"
        desk.source.add_file(f"{number:03}.md", f"sabbatical {odd} number{number}")

    report = sync(desk, 100)

    assert (report.embedded_chunks, report.pending_vectors) == (100, 100)


def test_a_reindex_within_a_budget_serves_the_former_vectors_until_all_are_made(
    desk: Desk,
) -> None:
    old, new = HashingEmbedder(64), Watching(128)
    desk.embedder = old
    fill(desk, 100)
    desk.sync()

    def found(embedder: HashingEmbedder, path: Path) -> bool:
        vector = embedder.embed(["sabbatical number42"], role="query")[0]
        with Store.open_for_reading(path) as store:
            [(_, cosine)] = found_by_vector(store, vector, limit=1)
        return cosine > 0.999

    for made in (40, 80):
        report = change_embedder(desk.path, new, Terms(budget=40))
        assert (report.embedded, report.waiting, report.flipped) == (40, 100 - made, False)
        assert any(one.startswith("embedding_budget_reached: ") for one in report.warnings)
        assert found(old, desk.path)
    report = change_embedder(desk.path, new, Terms(budget=40))

    assert (report.embedded, report.waiting, report.flipped) == (20, 0, True)
    assert report.warnings == ()
    assert found(new, desk.path)
    assert set(new.times_asked.values()) == {1}
    assert change_embedder(desk.path, old, Terms(budget=0)).flipped, "going back embeds nothing"


def test_a_sync_between_two_reindexes_within_a_budget_keeps_what_was_made(desk: Desk) -> None:
    new = Watching(128)
    fill(desk, 100)
    desk.sync()
    assert change_embedder(desk.path, new, Terms(budget=40)).waiting == 60
    desk.source.add_file("later.md", "sabbatical number100")

    assert desk.sync().embedded_chunks == 1

    with Store.open_for_writing(desk.path) as store:
        assert store.begun == new.identity
        assert store.building(new.identity).waiting() == 61
    assert vectors(desk) == 101, "search goes by the former ones"
    report = change_embedder(desk.path, new, Terms(budget=61))
    assert (report.embedded, report.reused, report.waiting) == (61, 0, 0)
    assert report.flipped
    assert set(new.times_asked.values()) == {1}
    assert vectors(desk) == 101


def test_a_file_that_goes_between_two_reindexes_within_a_budget_is_embedded_for_neither(
    desk: Desk,
) -> None:
    new = Watching(128)
    made, *_, waiting = fill(desk, 100)
    desk.sync()
    change_embedder(desk.path, new, Terms(budget=40))
    for gone in (made, waiting):
        desk.source.remove(gone)
    desk.later(days=40)  # after which a vector that nothing uses is dropped

    desk.sync()

    report = change_embedder(desk.path, new, Terms())
    assert (report.embedded, report.reused, report.waiting) == (59, 0, 0)
    assert vectors(desk) == 98
