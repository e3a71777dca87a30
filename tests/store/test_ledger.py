"""The ledger: one line and one state an item, totals that add up, pages that miss nothing."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdrive_rag_mcp.domain import (
    EVERYTHING,
    STATE_OF_REASON,
    ChangePage,
    FileState,
    Gone,
    Reason,
    Scope,
    SourceFile,
    SourceFolder,
)
from gdrive_rag_mcp.errors import GdriveRagError, QueryError
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.store.work_queue import retry_delay
from gdrive_rag_mcp.testing.hand_written import HandWritten, text_file

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def listed(hand: HandWritten, *files: SourceFile) -> None:
    hand.record(ChangePage(files=files))
    hand.settle()


def refuse(store: Store, file_id: str, reason: Reason, now: datetime = NOW) -> None:
    store.queue.refused(file_id, reason, "why", extraction="1", now=now)


def paged(store: Store, limit: int, **narrowed: object) -> list[str]:
    """The ids of all pages, which must tell the same totals."""
    found: list[str] = []
    cursor = None
    while True:
        page = store.ledger.page(EVERYTHING, cursor=cursor, limit=limit, **narrowed)  # type: ignore[arg-type] # the narrowings of `page`
        assert len(page.records) <= limit
        found += [record.id for record in page.records]
        if page.next_cursor is None:
            return found
        assert len(page.records) == limit
        cursor = page.next_cursor


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(st.sampled_from(["a", "b/c", "100%", "x_y", "", "🙂", "é", "z\n"]), max_size=24),
    limit=st.integers(1, 9),
)
def test_pages_show_every_line_once_whatever_the_names(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], limit: int
) -> None:
    with Store.open_for_writing(tmp_path_factory.mktemp("paged") / "index.db") as store:
        hand = HandWritten(store)
        listed(hand, *(text_file(f"f{n}", name=name or " ") for n, name in enumerate(names)))
        found = paged(store, limit)
        assert sorted(found) == sorted(f"f{n}" for n in range(len(names)))
        assert [record.id for record in store.ledger.all(EVERYTHING)] == found


def test_pages_are_narrowed_by_folder_state_and_part_of_the_path(
    store: Store, hand: HandWritten
) -> None:
    hand.folder("hr", name="HR_100%")
    for number in range(6):
        where = ("hr",) if number % 2 else ("root",)
        listed(hand, text_file(f"f{number}", parents=where, name=f"Übung_{number}.TXT"))
    refuse(store, "f1", Reason.ENCRYPTED)
    refuse(store, "f2", Reason.NETWORK)
    assert paged(store, 2, folder_id="hr") == ["f1", "f3", "f5"]
    assert paged(store, 2, state=FileState.SKIPPED) == ["f1"]
    assert paged(store, 1, folder_id="hr", state=FileState.PENDING) == ["f3", "f5"]
    assert paged(store, 9, query="hr_100%/") == ["f1", "f3", "f5"]
    assert paged(store, 9, query="_") == ["f1", "f3", "f5", "f0", "f2", "f4"]
    assert paged(store, 9, query="%") == ["f1", "f3", "f5"]
    assert paged(store, 9, query="U\u0308bung_4") == ["f4"]
    assert paged(store, 9, query="\\") == []
    assert paged(store, 9, query="x" * 100_000) == []
    page = store.ledger.page(EVERYTHING, folder_id="hr", state=FileState.SKIPPED)
    assert page.coverage.in_scope == 3, "the totals are those of the folder"
    assert paged(store, 9, folder_id="nowhere") == []


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "5", "[]", '["a"]', '["a", "b"]', "[1, 2]", '["a", 1e400]', '["a", -1]', "null",
     '["a", 99999999999999999999]', '["\\ud800", 1]', "[" * 50_000, '{"a": 1}', '["a", 1, 2]'],
)  # fmt: skip
def test_what_is_no_cursor_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(QueryError, match="cursor"):
        store.ledger.page(EVERYTHING, cursor=cursor)


def test_half_a_character_is_no_id_and_no_crash(store: Store, hand: HandWritten) -> None:
    hand.put("a", "text")
    for read in (
        lambda: store.ledger.get("\ud800", EVERYTHING),
        lambda: store.ledger.resolve_scope("\ud800", EVERYTHING),
        lambda: store.catalog.document("\ud800", EVERYTHING),
        lambda: store.ledger.page(EVERYTHING, folder_id="\ud800").records,
        lambda: store.ledger.page(EVERYTHING, query="\ud800zz").records,
        lambda: store.ledger.get("a", Scope(frozenset({"\ud800"}))),
    ):
        try:
            assert not read()
        except GdriveRagError as error:
            assert "Unicode" in error.message  # noqa: PT017 - either is an answer


def test_names_and_reasons_of_any_characters_are_kept_clean(
    store: Store, hand: HandWritten
) -> None:
    bad = "n\x00ame \ud800\u202eU\u0308.txt"
    hand.record(
        ChangePage((text_file("a", name=bad),), (SourceFolder("f", bad, ("root",)),)),
    )
    hand.settle()
    store.queue.refused("a", Reason.CORRUPT, bad, extraction="1", now=NOW)
    record = store.ledger.get("a", EVERYTHING)
    assert record
    assert (record.name, record.path, record.detail) == ("name Ü.txt",) * 3
    store.queue.indexed("a", content_hash="", extraction="1", failures=(bad,), now=NOW)
    again = store.ledger.get("a", EVERYTHING)
    assert again
    assert (again.state, again.detail) == (FileState.PARTIAL, "name Ü.txt")


def test_a_scope_is_a_folder_or_file_that_can_be_seen(store: Store, hand: HandWritten) -> None:
    hand.folder("hr")
    hand.folder("leave", parents=("hr",))
    hand.folder("it")
    hand.put("a", "text", parents=("leave",))
    hand.put("b", "text", parents=("it",))
    resolve = store.ledger.resolve_scope

    def only(*ids: str) -> Scope:
        return Scope(frozenset(ids))

    for item in ("root", "hr", "leave", "it", "a", "b"):
        assert resolve(item, EVERYTHING) == only(item)
        assert resolve(item, only("root")) == only(item)
    for item in ("hr", "leave", "a"):
        assert resolve(item, only("hr")) == only(item)
        assert resolve(item, only("it")) is None
        assert resolve(item, only()) is None
    for item in ("root", "it", "b", "nowhere", "", "HR", "%"):
        assert resolve(item, only("hr", "a")) is None
    assert resolve("a", only("a")) == only("a")
    assert resolve("leave", only("a")) is None


def test_coverage_counts_states_and_reasons_in_scope(store: Store, hand: HandWritten) -> None:
    hand.folder("hr")
    reasons = [Reason.ENCRYPTED, Reason.ENCRYPTED, Reason.NEEDS_OCR, Reason.NETWORK]
    for number, reason in enumerate(reasons):
        listed(hand, text_file(f"f{number}", parents=("hr" if number else "root",)))
        refuse(store, f"f{number}", reason)
    hand.put("fine", "text")
    locked = SourceFolder("locked", "locked", ("hr",), obstacle=Reason.ACCESS_DENIED)
    hand.record(ChangePage(folders=(locked,)))
    hand.settle()
    listed(hand, text_file("new"))
    coverage = store.ledger.coverage(EVERYTHING)
    assert coverage.by_state == {
        FileState.SKIPPED: 2,
        FileState.EMPTY: 1,
        FileState.FAILED: 2,
        FileState.INDEXED: 1,
        FileState.PENDING: 1,
    }
    assert coverage.by_reason == {
        Reason.ENCRYPTED: 2,
        Reason.NEEDS_OCR: 1,
        Reason.NETWORK: 1,
        Reason.ACCESS_DENIED: 1,
    }
    assert (coverage.in_scope, coverage.searchable, coverage.unreadable) == (7, 1, 6)
    below = store.ledger.coverage(Scope(frozenset({"hr"})))
    assert (below.in_scope, below.by_reason[Reason.ENCRYPTED]) == (4, 1)


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_leads_to_its_state(store: Store, hand: HandWritten, reason: Reason) -> None:
    listed(hand, text_file("a"))
    refuse(store, "a", reason)
    record = store.ledger.get("a", EVERYTHING)
    assert record
    assert (record.state, record.reason) == (STATE_OF_REASON[reason], reason)


def test_failures_rest_longer_each_time_and_come_back_on_the_minute(
    store: Store, hand: HandWritten
) -> None:
    listed(hand, text_file("a"))
    now, waits = NOW, []
    for _ in range(16):
        refuse(store, "a", Reason.NETWORK, now)
        record = store.ledger.get("a", EVERYTHING)
        assert record
        assert record.next_attempt
        waits.append(record.next_attempt - now)
        moment = timedelta(microseconds=1)
        if waits[-1]:
            assert store.queue.work(record.next_attempt - moment) == []
        assert [item.attempts for item in store.queue.work(record.next_attempt)] == [len(waits)]
        now = record.next_attempt
    assert waits[:2] == [timedelta(0)] * 2
    assert waits[2:5] == [timedelta(minutes=5), timedelta(minutes=10), timedelta(minutes=20)]
    assert waits == sorted(waits)
    assert waits[-1] == retry_delay(10**9) == timedelta(days=1)


def test_a_change_ends_the_rest_of_a_failed_file(store: Store, hand: HandWritten) -> None:
    listed(hand, text_file("a"))
    for _ in range(5):
        refuse(store, "a", Reason.NETWORK)
    assert store.queue.work(NOW) == []
    listed(hand, text_file("a", version="2"))
    assert [item.attempts for item in store.queue.work(NOW)] == [0]


def test_what_is_refused_rests_until_its_version_or_the_extraction_changes(
    store: Store, hand: HandWritten
) -> None:
    listed(hand, text_file("a"), text_file("b"), text_file("c"))
    for file in "ab":
        refuse(store, file, Reason.ENCRYPTED)
    hand.put("c", "text")

    def due() -> str:
        return "".join(item.file.id for item in store.queue.work(NOW + timedelta(days=400)))

    store.queue.look_again(extraction="1", everything=False)
    assert due() == ""
    listed(hand, text_file("b", version="2"))
    assert due() == "b"
    store.queue.look_again(extraction="2", everything=False)
    assert due() == "abc"
    for file in "abc":
        store.queue.refused(file, Reason.CORRUPT, "", extraction="2", now=NOW)
    store.queue.look_again(extraction="2", everything=False)
    assert due() == ""
    store.queue.look_again(extraction="2", everything=True)
    assert due() == "abc"


def test_a_held_file_that_is_listed_again_is_what_it_was(store: Store, hand: HandWritten) -> None:
    listed(hand, *(text_file(name) for name in "abcd"))
    hand.put("a", "text")
    refuse(store, "b", Reason.ENCRYPTED)
    before = {name: store.ledger.get(name, EVERYTHING) for name in "abcd"}
    hand.record(ChangePage(removed=tuple(map(Gone, "abcd"))))
    store.straying.hold(store.straying.strays(told_only=True))
    store.straying.hold("abcd")
    store.straying.release()
    assert store.ledger.coverage(EVERYTHING).by_state == {FileState.HELD: 4}
    assert store.ledger.coverage(EVERYTHING).by_reason == {Reason.MASS_DELETE: 4}
    store.inventory.begin_run()
    store.inventory.begin_listing()
    listed(hand, *(text_file(name) for name in "abc"), text_file("d", version="2"))
    store.straying.release()
    after = {name: store.ledger.get(name, EVERYTHING) for name in "abcd"}
    assert {name: after[name] for name in "abc"} == {name: before[name] for name in "abc"}
    assert after["d"]
    assert after["d"].state is FileState.PENDING


def test_a_file_that_was_a_locked_folder_is_read(store: Store, hand: HandWritten) -> None:
    locked = SourceFolder("x", "x", ("root",), obstacle=Reason.ACCESS_DENIED)
    hand.record(ChangePage(folders=(locked,)))
    assert Counter(record.is_folder for record in store.ledger.all(EVERYTHING)) == {True: 1}
    listed(hand, text_file("x"))
    assert [item.file.id for item in store.queue.work(NOW)] == ["x"]


def test_a_folder_that_opens_again_leaves_the_ledger(store: Store, hand: HandWritten) -> None:
    locked = SourceFolder("x", "x", ("root",), obstacle=Reason.ACCESS_DENIED)
    hand.record(ChangePage(folders=(locked,)))
    record = store.ledger.get("x", EVERYTHING)
    assert record
    assert (record.is_folder, record.state, record.reason) == (
        True,
        FileState.FAILED,
        Reason.ACCESS_DENIED,
    )
    hand.folder("x")
    assert store.ledger.get("x", EVERYTHING) is None
    assert store.ledger.resolve_scope("x", EVERYTHING) is not None


def test_a_reader_counts_anew_as_soon_as_somebody_has_written_and_only_then(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "one text")
    with Store.open_for_reading(store.path) as reader:
        with reader.reading():
            assert reader.ledger.coverage(EVERYTHING).in_scope == 1
            hand.put("b", "another text")
            assert reader.ledger.coverage(EVERYTHING).in_scope == 1, "it is still the same state"
        walked: list[str] = []

        def note(_: object, statement: str, __: object) -> bool:
            walked.append(statement)
            return True

        reader._connection.set_exec_trace(note)
        for _ in range(3):
            with reader.reading():
                assert reader.ledger.coverage(EVERYTHING).in_scope == 2
        assert len([sql for sql in walked if "GROUP BY" in sql]) == 1


def test_a_writer_that_rolls_back_counts_what_is_there_again(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "one text")
    with store.rehearsal():
        hand.put("b", "another text")
        assert store.ledger.coverage(EVERYTHING).in_scope == 2
    assert store.ledger.coverage(EVERYTHING).in_scope == 1
