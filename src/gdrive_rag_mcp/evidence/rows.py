"""What the verdict is fitted on: for each question its signals, and what is known of its answer."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ANSWERABLE = "answerable"


@dataclass(frozen=True, slots=True)
class Row:
    """A question as one mode of search sees it.

    `set` names the corpus and the language it is asked in, `family` the set those were made from.
    `gold_rank` is the place of the first hit that answers (None: not among those read), and
    `judged_by` the model that the verdict asks (None: it refuses without one). A signal that could
    not be had is NaN.
    """

    set: str
    family: str
    language: str
    asked_in: str
    id: str
    kind: str
    group: str
    mode: str
    gold_rank: int | None
    judged_by: str | None
    signals: Mapping[str, float]

    @property
    def crossing(self) -> bool:
        """Whether the question is in another language than the documents."""
        return self.language != self.asked_in

    @property
    def answers(self) -> bool:
        """Whether the corpus answers the question."""
        return self.kind == ANSWERABLE


def write_rows(rows: Iterable[Row], path: Path) -> None:
    r"""Write rows as JSON Lines; NaN is null, and a lone surrogate of a name is its `\u` escape."""
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        for row in rows:
            values = asdict(row)
            values["signals"] = {
                name: None if math.isnan(value) else value for name, value in row.signals.items()
            }
            file.write(json.dumps(values, ensure_ascii=False) + "\n")


def read_rows(path: Path) -> list[Row]:
    """Read what `write_rows` wrote."""
    with path.open(encoding="utf-8") as file:
        return [_row(json.loads(line)) for line in file]


def _row(values: dict[str, Any]) -> Row:
    signals = values.pop("signals")
    read = {name: math.nan if value is None else value for name, value in signals.items()}
    return Row(signals=read, **values)
