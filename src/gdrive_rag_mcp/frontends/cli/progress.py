"""How far a command has come, drawn on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def progress_bars() -> Iterator[Callable[[str, int, int | None], None]]:
    """A bar with counts and rate on a terminal; silence elsewhere, such as in cron's mail."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total, rate="")
            task = next(one for one in bars.tasks if one.id == tasks[stage])
            rate = f"{task.speed:.1f}/s" if task.speed else ""
            bars.update(tasks[stage], completed=done, total=total, rate=rate)

        yield show
