"""The calibration as rows of the index: what the verdict goes by, and the probes it rests on.

Both can be made anew at any time, so that what is damaged is as good as absent.
"""

import hashlib
import json
import logging
import math
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import apsw

from gdrive_rag_mcp.domain import (
    Calibration,
    CalibrationBasis,
    CalibrationStatus,
    Odds,
    PieceFrequencies,
    Probe,
    Seen,
    SignalScale,
)
from gdrive_rag_mcp.errors import IndexCorruptError
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.scoping import read_time, stored_time

CALIBRATION_TABLES = (
    # One row; `digest` tells a reader whether it is another, and whether it is whole.
    """CREATE TABLE calibration (
        num INTEGER PRIMARY KEY CHECK (num = 1), digest TEXT NOT NULL, facts TEXT NOT NULL,
        pieces BLOB NOT NULL)""",
    # Questions made from chunks; `key` is the hash of the chunk's embedded text.
    """CREATE TABLE probes (
        num INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, facts TEXT NOT NULL,
        vector BLOB NOT NULL)""",
)
"""The step of the schema that this module needs."""

_DAMAGED = (
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
    RecursionError,
    zlib.error,
)
_LARGEST_NUMBER = 2**63 - 1
"""Of a row of SQLite."""
_log = logging.getLogger(__name__)


class CalibrationRows:
    """The calibration of an index, over a connection it does not own."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._digest = ""
        self._known: Calibration | None = None

    def get(self) -> Calibration | None:
        """What was kept; None where nothing was, or it is damaged. Read once a change."""
        try:
            digests = fetch(self._connection, "SELECT digest FROM calibration")
            digest = str(digests[0][0]) if digests else ""
            if digest != self._digest:
                self._digest, self._known = digest, None
                self._known = self._read() if digest else None
        except (*_DAMAGED, IndexCorruptError) as error:
            _log.warning("The index's calibration is damaged, and not used: %s", error)
        return self._known

    def _read(self) -> Calibration | None:
        rows = fetch(self._connection, "SELECT digest, facts, pieces FROM calibration")
        for digest, facts, pieces in rows:
            if _digest(facts, pieces) != digest:
                raise ValueError("its digest is another")
            return _calibration(json.loads(facts), pieces)
        return None

    def status(self) -> CalibrationStatus:
        """What is known of the calibration in force, in a few figures."""
        found = self.get()
        if found is None:
            return CalibrationStatus()
        most_asked = max(found.odds.values(), key=lambda odds: odds.probes, default=None)
        height = found.scales.get("cosine_height")
        return CalibrationStatus(
            found.basis.made_at,
            found.basis.chunks,
            found.probes,
            most_asked.separation if most_asked else None,
            height.separation if height else None,
            found.lacking,
        )

    def keep(self, calibration: Calibration) -> None:
        """Put a calibration in place of the former one."""
        facts, pieces = _facts(calibration), _packed(calibration.piece_frequencies)
        self._connection.execute(
            "INSERT OR REPLACE INTO calibration VALUES (1, ?, ?, ?)",
            (_digest(facts, pieces), facts, pieces),
        )
        self._digest = ""  # to be read again, even if it is what it was before it was damaged

    # ── probes ───────────────────────────────────────────────────────────────

    def probes(self) -> dict[str, Probe]:
        """The probes by key; one that is damaged is as if it had never been asked."""
        found: dict[str, Probe] = {}
        # As bytes: text that is no UTF-8 any more would end the whole query.
        rows = fetch(
            self._connection,
            "SELECT CAST(key AS BLOB), CAST(facts AS BLOB), vector FROM probes",
        )
        for stored_key, facts, vector in rows:
            try:
                key = stored_key.decode()
                found[key] = _probe(key, json.loads(facts), vector)
            except _DAMAGED:
                _log.warning("A probe of the index is damaged, and asked again")
        return found

    def keep_probe(self, probe: Probe) -> None:
        """Keep what a probe showed, in place of what it showed before."""
        facts = json.dumps(
            {
                "question": probe.question,
                "present": _told(probe.present),
                "absent": _told(probe.absent),
                "near": list(probe.near),
                "reach": probe.reach,
                "chunks": probe.chunks,
                "newest": probe.newest,
                "asked_of": probe.asked_of,
            },
            ensure_ascii=False,
        )
        self._connection.execute(
            """INSERT INTO probes (key, facts, vector) VALUES (?, ?, ?) ON CONFLICT (key)
            DO UPDATE SET facts = excluded.facts, vector = excluded.vector""",
            (probe.key, facts, probe.vector),
        )

    def drop_probes(self, keys: Iterable[str]) -> None:
        """Forget probes."""
        self._connection.executemany("DELETE FROM probes WHERE key = ?", ((key,) for key in keys))


def _digest(facts: str, pieces: bytes) -> str:
    return hashlib.sha256(facts.encode() + b"\0" + pieces).hexdigest()


def _facts(calibration: Calibration) -> str:
    told = {
        "basis": asdict(calibration.basis) | {"made_at": stored_time(calibration.basis.made_at)},
        "probes": calibration.probes,
        "lacking": calibration.lacking,
        "pieces_mark": calibration.pieces_mark,
        "scales": {name: asdict(scale) for name, scale in calibration.scales.items()},
        "odds": {name: asdict(odds) for name, odds in calibration.odds.items()},
    }
    return json.dumps(told, ensure_ascii=False)


def _calibration(told: Mapping[str, Any], pieces: bytes) -> Calibration:
    basis = dict(told["basis"])
    made_at = read_time(basis.pop("made_at"))
    if made_at is None:
        raise ValueError("it has no time")
    odds = {name: _odds(values) for name, values in told["odds"].items()}
    scales = {name: SignalScale(**values) for name, values in told["scales"].items()}
    numbers = [
        *(one.separation for one in odds.values()),
        *(number for scale in scales.values() for number in (scale.present, scale.absent)),
    ]
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a number of it is not finite")
    return Calibration(
        CalibrationBasis(**basis, made_at=made_at),
        int(told["probes"]),
        str(told["lacking"]),
        _unpacked(pieces),
        str(told["pieces_mark"]),
        scales,
        odds,
    )


def _odds(values: Mapping[str, Any]) -> Odds:
    present, absent = (tuple(map(float, values[name])) for name in ("present", "absent"))
    return Odds(int(values["probes"]), present, absent, float(values["separation"]))


def _packed(pieces: PieceFrequencies | None) -> bytes:
    """Ids by their distances, counts and the number of chunks, small numbers for zlib."""
    if pieces is None:
        return b""
    import numpy as np

    gaps = np.diff(pieces.ids, prepend=0)
    rows = np.concatenate([[pieces.chunks], gaps, pieces.counts]).astype("<u4")
    return zlib.compress(rows.tobytes(), level=6)


def _unpacked(packed: bytes) -> PieceFrequencies | None:
    if not packed:
        return None
    import numpy as np

    rows = np.frombuffer(zlib.decompress(packed), "<u4").astype(np.int64)
    gaps, counts = np.split(rows[1:], 2)
    return PieceFrequencies(np.cumsum(gaps), counts, int(rows[0]))


def _told(seen: Seen) -> dict[str, Any]:
    signals = {name: None if math.isnan(value) else value for name, value in seen.signals.items()}
    return {"signals": signals, "judged_by": seen.judged_by}


def _seen(told: Mapping[str, Any]) -> Seen:
    signals = {
        name: math.nan if value is None else float(value) for name, value in told["signals"].items()
    }
    judged_by = told["judged_by"]
    if any(map(math.isinf, signals.values())) or not isinstance(judged_by, str | None):
        raise ValueError("it is not what was seen")
    return Seen(signals, judged_by)


def _probe(key: str, told: Mapping[str, Any], vector: object) -> Probe:
    if not isinstance(vector, bytes):
        raise TypeError("its vector is none")
    probe = Probe(
        key,
        str(told["question"]),
        _seen(told["present"]),
        _seen(told["absent"]),
        tuple(map(int, told["near"])),
        float(told["reach"]),
        int(told["chunks"]),
        int(told["newest"]),
        str(told["asked_of"]),
        vector,
    )
    numbers = (*probe.near, probe.chunks, probe.newest)
    if not all(0 <= number <= _LARGEST_NUMBER for number in numbers):
        raise ValueError("a number of it counts nothing")
    if not math.isfinite(probe.reach) or not _is_whole(probe.vector):
        raise ValueError("its vector is none")
    return probe


def _is_whole(vector: bytes) -> bool:
    """Whether it is made of float16, all finite; one that is not known is."""
    import numpy as np

    return len(vector) % 2 == 0 and bool(np.isfinite(np.frombuffer(vector, np.float16)).all())
