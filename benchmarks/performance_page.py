"""docs/performance.md: its tables come out of the figures of runs, and the figures stay with them.

Each part lies between `<!-- NAME -->` and `<!-- /NAME -->`: first the figures as JSON within a
comment, then the tables that `bench_NAME` makes of them, so that anyone can see that they belong
together.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

Figures = Mapping[str, Any]
PARTS = ("search", "replace", "write", "serving")


def finish(name: str, figures: Figures, file: Path | None, page: Path | None) -> None:
    """Print a run's tables, and keep its figures where they are asked for."""
    if file:
        file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if page:
        rewrite(page, name, figures)
    print(table_of(name)(figures))


def reported(missed: Sequence[str], *, check: bool) -> int:
    """Say which goals were missed; the status to end with."""
    for miss in missed:
        print(f"MISSED {miss}")
    return int(check and bool(missed))


def table_of(name: str) -> Callable[[Figures], str]:
    """What shows the figures of a part."""
    table: Callable[[Figures], str] = import_module(f"benchmarks.bench_{name}").table
    return table


def figures_on(page: str, name: str) -> Figures:
    """The figures that a part of a page was made of."""
    found = re.search(rf"<!-- {name} -->\n<!-- figures\n(.*?)\n-->", page, re.DOTALL)
    if found is None:
        raise SystemExit(f"the page has no part {name} with figures")
    figures: Figures = json.loads(found[1])
    return figures


def part(name: str, figures: Figures) -> str:
    """A part of the page, its marks included."""
    stored = json.dumps(_rounded(figures), separators=(",", ":"))
    shown = table_of(name)(json.loads(stored))
    return f"<!-- {name} -->\n<!-- figures\n{stored}\n-->\n\n{shown}\n\n<!-- /{name} -->"


def rewrite(path: Path, name: str, figures: Figures) -> None:
    """Put the figures of a run in place of those of a former one."""
    page = path.read_text(encoding="utf-8")
    before, opening, rest = page.partition(f"<!-- {name} -->")
    _, closing, after = rest.partition(f"<!-- /{name} -->")
    if not opening or not closing:
        raise SystemExit(f"{path} has no place <!-- {name} --> … <!-- /{name} -->")
    path.write_text(before + part(name, figures) + after, encoding="utf-8")


def _rounded(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    if isinstance(value, dict):
        return {name: _rounded(own) for name, own in value.items()}
    if isinstance(value, list):
        return [_rounded(own) for own in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
