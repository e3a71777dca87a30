"""What an index learnt of itself comes back as it was, and is no error where it is damaged."""

import logging
from dataclasses import replace
from datetime import UTC, datetime

import apsw
import numpy as np
import pytest

from gdrive_rag_mcp.domain import (
    Calibration,
    CalibrationBasis,
    Odds,
    PieceFrequencies,
    Probe,
    Seen,
    SignalScale,
)
from gdrive_rag_mcp.store import Store

BASIS = CalibrationBasis(
    embedding="abc",
    model="m",
    chunking="structural 1",
    projection=7,
    weights="w",
    chunks=40,
    mark="40 40",
    made_at=datetime(2026, 6, 1, tzinfo=UTC),
)
PIECES = PieceFrequencies(np.array([3, 70, 250_000]), np.array([10, 1, 4]), 10)
LEARNT = Calibration(
    BASIS,
    probes=9,
    lacking="",
    piece_frequencies=PIECES,
    scales={"cosine_height": SignalScale(0.5, 0.25, 0.1, 0.1, 0.9, 9)},
    odds={"hybrid": Odds(9, (1.0, 2.0), (-2.0, -1.0), 0.875)},
)
PROBE = Probe(
    "aa", "leave weeks?", Seen({"a": 1.0}, "hybrid"), Seen({"a": float("nan")}, None), (1, 2), 0.5
)


def test_what_was_learnt_comes_back_as_it_was(store: Store) -> None:
    assert store.calibration.get() is None
    store.calibration.keep(LEARNT)
    read = store.calibration.get()
    assert read is not None
    pieces = read.piece_frequencies
    assert pieces is not None
    assert replace(read, piece_frequencies=None).basis == BASIS
    assert (read.probes, read.lacking, read.scales, read.odds) == (
        *(9, "", LEARNT.scales, LEARNT.odds),
    )
    assert pieces.ids.tolist() == PIECES.ids.tolist()
    assert pieces.counts.tolist() == PIECES.counts.tolist()
    assert pieces.chunks == 10


def test_the_rarer_a_piece_the_more_it_counts_and_an_unseen_one_most() -> None:
    idf = PIECES.idf_of(np.array([[3, 250_000], [70, 999_999]]))
    expected = np.log(1 + 10 / np.array([[11, 5], [2, 1]]))
    assert idf.shape == (2, 2)
    assert np.allclose(idf, expected)
    nothing = PieceFrequencies(np.zeros(0, np.int64), np.zeros(0, np.int64), 4)
    assert np.allclose(nothing.idf_of(np.array([5])), np.log(5))


def test_a_reader_sees_what_another_process_learnt_and_reads_it_once(store: Store) -> None:
    with Store.open_for_reading(store.path) as reader:
        assert reader.calibration.get() is None
        store.calibration.keep(LEARNT)
        first = reader.calibration.get()
        assert first is not None
        assert reader.calibration.get() is first
        store.calibration.keep(replace(LEARNT, probes=10))
        second = reader.calibration.get()
        assert second is not None
        assert second.probes == 10


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE calibration SET facts = replace(facts, '0.25', '0.75')",
        "UPDATE calibration SET facts = '', digest = 'x'",
        "UPDATE calibration SET pieces = x'00'",
        "UPDATE calibration SET digest = x'00'",
        "UPDATE calibration SET facts = 7",
    ],
)
def test_a_damaged_calibration_is_as_good_as_none_and_said_once(
    store: Store, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    store.calibration.keep(LEARNT)
    apsw.Connection(str(store.path)).execute(damage)
    with caplog.at_level(logging.WARNING):
        assert store.calibration.get() is None
        assert store.calibration.get() is None
    assert [record.getMessage() for record in caplog.records if "damaged" in record.msg]
    assert len(caplog.records) == 1
    store.calibration.keep(LEARNT)
    assert store.calibration.get() is not None


def test_probes_come_back_and_a_damaged_one_alone_is_lost(store: Store) -> None:
    store.calibration.keep_probe(PROBE)
    store.calibration.keep_probe(replace(PROBE, key="bb", vector=b"xy"))
    store.calibration.keep_probe(replace(PROBE, key="cc", question="again?"))
    found = store.calibration.probes()
    assert sorted(found) == ["aa", "bb", "cc"]
    assert found["aa"].present == PROBE.present
    assert np.isnan(found["aa"].absent.signals["a"])
    assert (found["bb"].vector, found["aa"].near, found["aa"].reach) == (b"xy", (1, 2), 0.5)
    apsw.Connection(str(store.path)).execute("UPDATE probes SET facts = '{}' WHERE key = 'aa'")
    store.calibration.drop_probes(["bb"])
    assert sorted(store.calibration.probes()) == ["cc"]


@pytest.mark.parametrize(
    "damage",
    [
        "facts = json_set(facts, '$.near', json('[1e999]'))",
        "facts = json_set(facts, '$.chunks', json('1e999'))",
        "facts = json_set(facts, '$.newest', json('99999999999999999999'))",
        "facts = json_set(facts, '$.newest', -5)",
        "facts = json_set(facts, '$.reach', json('1e999'))",
        "facts = json_set(facts, '$.present.judged_by', json('[1]'))",
        "facts = json_set(facts, '$.present.signals.a', json('1e999'))",
        "facts = CAST(x'ff00' AS TEXT)",
        "facts = '[' || facts || ']'",
        "facts = replace(hex(zeroblob(100000)), '0', '[')",
        "key = CAST(x'ff' AS TEXT)",
        "vector = 7",
        "vector = x'00'",
        "vector = x'007e'",
    ],
)
def test_whatever_is_damaged_of_a_probe_that_one_alone_is_lost(store: Store, damage: str) -> None:
    store.calibration.keep_probe(PROBE)
    store.calibration.keep_probe(replace(PROBE, key="bb"))
    apsw.Connection(str(store.path)).execute(f"UPDATE probes SET {damage} WHERE key = 'aa'")

    assert sorted(store.calibration.probes()) == ["bb"]
