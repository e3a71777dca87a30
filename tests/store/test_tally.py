"""What a status says of unread files as a whole, and that it stays within its scope."""

from datetime import UTC, datetime, timedelta

from gdrive_rag_mcp.domain import EVERYTHING, ChangePage, Reason, Scope, SourceFolder
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.store.tally import TYPES
from gdrive_rag_mcp.store.work_queue import retry_delay
from gdrive_rag_mcp.testing.hand_written import HandWritten, text_file

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def refuse(store: Store, file_id: str, reason: Reason, now: datetime = NOW) -> None:
    store.queue.refused(file_id, reason, "why", extraction="1", now=now)


def test_the_first_of_the_next_attempts_is_told_by_reason(store: Store, hand: HandWritten) -> None:
    hand.record(ChangePage(files=tuple(text_file(name) for name in "abcd")))
    hand.settle()
    for _ in range(4):
        refuse(store, "a", Reason.NETWORK)
    for _ in range(3):
        refuse(store, "b", Reason.NETWORK)
    refuse(store, "c", Reason.ACCESS_DENIED, NOW + timedelta(hours=1))
    refuse(store, "d", Reason.ENCRYPTED)

    assert store.catalog.status(EVERYTHING).retries == {
        Reason.NETWORK: NOW + retry_delay(3),
        Reason.ACCESS_DENIED: NOW + timedelta(hours=1),
    }


def test_the_commonest_types_that_cannot_be_read_are_counted(
    store: Store, hand: HandWritten
) -> None:
    files = [
        text_file(f"{kind}-{number}", mime_type=f"video/{kind:02}")
        for kind in range(TYPES + 4)
        for number in range(kind + 1)
    ]
    hand.record(ChangePage(files=tuple(files)))
    hand.settle()
    for file in files:
        refuse(store, file.id, Reason.UNSUPPORTED_TYPE)

    found = store.catalog.status(EVERYTHING).unsupported

    assert list(found.items()) == [
        (f"video/{kind:02}", kind + 1) for kind in reversed(range(4, TYPES + 4))
    ]


def test_what_lies_outside_a_scope_is_not_told_in_it(store: Store, hand: HandWritten) -> None:
    hand.record(
        ChangePage(
            folders=(SourceFolder("hr", "HR", ("root",)), SourceFolder("it", "IT", ("root",))),
            files=(
                text_file("a", parents=("hr",)),
                text_file("b", parents=("it",)),
                text_file("c", parents=("it",), mime_type="video/mp4"),
            ),
        )
    )
    hand.settle()
    refuse(store, "b", Reason.NETWORK)
    refuse(store, "c", Reason.UNSUPPORTED_TYPE)

    outside = store.catalog.status(Scope(frozenset({"hr"})))
    inside = store.catalog.status(Scope(frozenset({"it"})))

    assert (outside.retries, outside.unsupported) == ({}, {})
    assert (set(inside.retries), inside.unsupported) == ({Reason.NETWORK}, {"video/mp4": 1})


def test_an_index_without_trouble_tells_of_none(store: Store) -> None:
    status = store.catalog.status(EVERYTHING)

    assert (status.retries, status.unsupported) == ({}, {})
