"""Nothing but another root takes the root away: without it, everything would be out of reach."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gdrive_rag_mcp.domain import (
    ChangePage,
    Gone,
    Listed,
    LookedUp,
    Reason,
    SourceFolder,
    SourceShortcut,
)
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import text_file

NOW = datetime(2026, 5, 1, tzinfo=UTC)
ROOT = SourceFolder("root", "root", ("above",), is_root=True)
ABOVE = SourceFolder("above", "above", ())
LOCKED = SourceFolder("above", "above", (), obstacle=Reason.ACCESS_DENIED)
UP = SourceShortcut("up", "up", ("root",), "above")


@pytest.mark.parametrize(
    "page",
    [
        ChangePage(listed=Listed("above")),
        ChangePage(folders=(LOCKED,), news=True),
        ChangePage(removed=(Gone("above"),), news=True),
        ChangePage(removed=(Gone("root"),), news=True),
        ChangePage(looked_up=(LookedUp("above", Reason.NOT_FOUND),)),
        ChangePage(folders=(replace(ROOT, is_root=False),), looked_up=(LookedUp("root"),)),
        ChangePage(folders=(replace(ROOT, name="renamed", is_root=False),), news=True),
        ChangePage(news=True, outside=True),
    ],
)
def test_whatever_becomes_of_a_linked_folder_above_it_the_root_is_the_root(
    store: Store, page: ChangePage
) -> None:
    inventory = store.inventory
    inventory.begin_listing()
    link = SourceShortcut("to root", "to root", ("root",), "root")
    inventory.record(ChangePage(folders=(ROOT,), shortcuts=(UP, link)), NOW)
    inventory.record(ChangePage(files=(text_file("a"),), listed=Listed("root")), NOW)
    store.straying.close_listing()
    inventory.record(ChangePage(folders=(ABOVE,), looked_up=(LookedUp("above"),)), NOW)
    inventory.record(page, NOW)
    inventory.place()
    assert store.straying.strays(told_only=False) == []
    assert {one.id for one in store.frontier(NOW).folders()} <= {"above"}
