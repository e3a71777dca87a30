"""What is damaged of the questions an index asked itself costs asking it again, and no sync."""

from pathlib import Path

import apsw
import pytest

from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.calibrating.shelf import calibrate, fill


@pytest.mark.parametrize(
    "damage",
    [
        "vector = substr(vector, 1, 8)",
        "vector = x''",
        "vector = x'007e'",
        "facts = json_set(facts, '$.newest', json('99999999999999999999'))",
        "facts = CAST(x'ff00' AS TEXT)",
    ],
)
def test_a_damaged_probe_is_asked_again_and_the_others_are_not(tmp_path: Path, damage: str) -> None:
    path, embedder = tmp_path / "index.db", HashingEmbedder(64)
    fill(path, range(40), embedder)
    assert calibrate(path, embedder).asked == 40
    connection = apsw.Connection(str(path))
    connection.execute(f"UPDATE probes SET {damage} WHERE num = (SELECT min(num) FROM probes)")
    connection.close()
    fill(path, [40], embedder)  # something to look at in the light of the former probes

    done = calibrate(path, embedder)

    assert done.embedded == 2  # it, and that of the new document
    assert done.asked < 40
    with Store.open_for_reading(path) as store:
        assert len(store.calibration.probes()) == 41
