"""The figures of `bench_search` as tables in Markdown."""

from collections.abc import Mapping
from typing import Any

from benchmarks.search_goals import (
    NARROWED_GOAL,
    SCOPE_GOAL,
    SMALL_SCOPE,
    misses,
    narrowed,
    ratio,
    tail,
)
from benchmarks.search_run import OUR_NAME, TEXT, VECTOR, WHOLE

Figures = Mapping[str, Any]
_TITLES = {
    WHOLE: "Whole searches",
    VECTOR: "Nearest vectors",
    TEXT: "Full text",
}
_HEAD = (
    "| engine | CPU p50 ms | CPU p95 ms | ratio to ours | recall@10 | memory MB "
    "| of it mapped files | on disk MB | build, CPU s |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def table(result: Figures) -> str:
    """A run of `bench_search` as Markdown."""
    machine = f"{result['cpu']}, {result['system']}, Python {result['python']}"
    said = f"Run of {result['made']} on {machine}."
    return "\n\n".join([said, _overview(result), *(_size(size) for size in result["sizes"])])


def _overview(result: Figures) -> str:
    head = (
        "| chunks | hybrid, of the naive plan | vectors, of vec0 float32 | recall@10 "
        "| text, of FTS5 OR | text p95, of its p50 | scope of 0.5 %, of none "
        "| slowest filter, of none |"
    )
    lines = [head, "|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for size in result["sizes"]:
        recall = next(
            row["recall"]
            for row in size["rows"]
            if row["group"] == VECTOR and row["name"] == OUR_NAME
        )
        shares = [_share(ratio(size, group)) for group in (WHOLE, VECTOR, TEXT)]
        lines.append(
            f"| {size['chunks']:,} | {shares[0]} | {shares[1]} | {recall:.3f} | {shares[2]} "
            f"| {tail(size):.1f} × | {narrowed(size)[SMALL_SCOPE]:.2f} × "
            f"| {max(narrowed(size).values()):.2f} × |"
        )
    goals = f"| goal | 1/15 | 1/4 | 0.99 | 1/20 | 3 × | {SCOPE_GOAL:g} × | {NARROWED_GOAL:g} × |"
    lines.append(goals)
    return "\n".join(lines)


def _size(size: Figures) -> str:
    start = size["start"]
    spread = f"participation ratio of the vectors {size['participation_ratio']:.0f}"
    parts = [f"### {size['chunks']:,} chunks", f"{size['documents']:,} documents; {spread}."]
    for group, title in _TITLES.items():
        parts.append(f"**{title}**\n\n{_HEAD}\n" + "\n".join(_lines(size, group)))
    parts.append(_filters(size))
    parts.append(
        f"A fresh server's first answer takes {start['first_answer_ms']:,.0f} ms by the clock; "
        f"{start['loaded_s']:.1f} s after it was asked, all vectors are in memory."
    )
    if size["skipped"]:
        parts.append(f"Not asked: {_skipped(size['skipped'])}.")
    missed = misses(size)
    if missed:
        parts.append("Goals missed: " + "; ".join(missed) + ".")
    return "\n\n".join(parts)


def _skipped(why: Mapping[str, str]) -> str:
    reasons: dict[str, list[str]] = {}
    for name, reason in why.items():
        reasons.setdefault(reason, []).append(name)
    return "; ".join(f"{'; '.join(names)} ({reason})" for reason, names in reasons.items())


def _lines(size: Figures, group: str) -> list[str]:
    rows = [row for row in size["rows"] if row["group"] == group]
    ours = next(row["p50"] for row in rows if row["name"] == OUR_NAME)
    return [
        f"| {row['name']} | {row['p50']:.2f} | {row['p95']:.2f} | {row['p50'] / ours:.2f} "
        f"| {_cell(row['recall'], '.3f')} | {_memory(row)} | {_cell(row.get('file'), ',.0f')} "
        f"| {_cell(row.get('size_mb'), ',.0f')} | {_cell(row.get('build_cpu_s'), ',.1f')} |"
        for row in rows
    ]


def _memory(row: Figures) -> str:
    return f"{row['anon'] + row['file']:,.0f}" if "anon" in row else ""


def _cell(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _share(value: float) -> str:
    return f"1/{1 / value:.1f}" if value < 1 else f"{value:.1f} ×"


def _filters(size: Figures) -> str:
    none = size["filters"][0]["p50"]
    lines = ["| narrowed to | CPU p50 ms | CPU p95 ms | of no filter |", "|---|--:|--:|--:|"]
    lines += [
        f"| {one['name']} | {one['p50']:.2f} | {one['p95']:.2f} | {one['p50'] / none:.2f} × |"
        for one in size["filters"]
    ]
    return "**Scopes and filters, hybrid**\n\n" + "\n".join(lines)
