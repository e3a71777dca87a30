"""Where contents lie while they are read."""

import pytest

from gdrive_rag_mcp.errors import StoreError
from gdrive_rag_mcp.indexing.content_folder import READING
from tests.indexing.desk import Desk


def test_what_is_in_the_way_of_the_folder_for_contents_is_named_and_left_alone(desk: Desk) -> None:
    desk.source.add_file("a.md", "sabbatical")
    desk.sync()
    in_the_way = desk.path.with_name(desk.path.name + READING)
    in_the_way.write_text("somebody's letter", encoding="utf-8")
    desk.source.add_file("b.md", "sabbatical")

    with pytest.raises(StoreError, match=READING) as raised:
        desk.sync()

    assert "in the way" in raised.value.hint
    assert in_the_way.read_text(encoding="utf-8") == "somebody's letter"
    in_the_way.unlink()
    assert desk.sync().added == 1
