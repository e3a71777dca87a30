"""What the comparison must show, and what it missed."""

from collections.abc import Mapping
from typing import Any

from benchmarks.search_run import OUR_NAME, TEXT, VECTOR, WHOLE

SMALLEST = 100_000
"""From so many chunks on, speed is held to the goals; recall always is."""
WHOLE_GOAL, VECTOR_GOAL, TEXT_GOAL = 1 / 15, 1 / 4, 1 / 20
RECALL_GOAL = 0.99
TAIL_GOAL = 3.0
SMALL_SCOPE, SCOPE_GOAL = "scope 0.5 %", 1.0
NARROWED_GOAL = 1.15
"""Of no filter, whatever a search is narrowed by: no longer, but for the noise of a run."""
NAIVE = {WHOLE: "naive plan", VECTOR: "vec0 float32", TEXT: "FTS5, OR of all words"}
_SPEED = (
    (WHOLE, "hybrid", WHOLE_GOAL),
    (VECTOR, "vectors", VECTOR_GOAL),
    (TEXT, "text", TEXT_GOAL),
)


def row(result: Mapping[str, Any], group: str, name: str) -> Mapping[str, Any]:
    """One engine of a group."""
    found: Mapping[str, Any] = next(
        row for row in result["rows"] if row["group"] == group and row["name"] == name
    )
    return found


def ratio(result: Mapping[str, Any], group: str) -> float:
    """Our time as a share of the naive way's."""
    ours, theirs = row(result, group, OUR_NAME), row(result, group, NAIVE[group])
    return float(ours["p50"] / theirs["p50"])


def tail(result: Mapping[str, Any]) -> float:
    """How many times its median the text stage's p95 is."""
    text = row(result, TEXT, OUR_NAME)
    return float(text["p95"] / text["p50"])


def narrowed(result: Mapping[str, Any]) -> dict[str, float]:
    """Each narrowed search's time as a share of the same search's without."""
    by_name = {one["name"]: float(one["p50"]) for one in result["filters"]}
    none = by_name.pop("none")
    return {name: p50 / none for name, p50 in by_name.items()}


def misses(result: Mapping[str, Any]) -> list[str]:
    """Every goal that a size has missed, in words; empty when all are reached."""
    size = f"{result['chunks']:,} chunks"
    found = []
    recall = row(result, VECTOR, OUR_NAME)["recall"]
    if recall < RECALL_GOAL:
        found.append(f"{size}: recall@10 is {recall:.4f}, below {RECALL_GOAL}")
    if result["chunks"] < SMALLEST:
        return found
    for group, title, goal in _SPEED:
        seen = ratio(result, group)
        if seen > goal:
            found.append(
                f"{size}: {title} takes 1/{1 / seen:.1f} of {NAIVE[group]}, goal 1/{1 / goal:g}"
            )
    if tail(result) > TAIL_GOAL:
        found.append(f"{size}: text p95 is {tail(result):.1f} times p50, goal {TAIL_GOAL:g}")
    for name, seen in narrowed(result).items():
        goal = SCOPE_GOAL if name == SMALL_SCOPE else NARROWED_GOAL
        if seen > goal:
            found.append(f"{size}: {name} takes {seen:.2f} of no filter, goal {goal:g}")
    return found
