"""A history: what people did, and syncs in between; and how it is made up, told and cut short."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.drive_model.deeds import DEEDS, OFTEN
from tests.drive_model.people import ROOTS

SYNCS = ("calm sync", "stormy sync", "killed sync", "killed sync", "killed sync", "busy sync")
KNOBS = ("page size", "empty pages", "time", "not found")


@dataclass(frozen=True, slots=True)
class Step:
    """A deed, a sync or a knob, with numbers for whatever there is to choose."""

    what: str
    one: int
    other: int


@dataclass(frozen=True, slots=True)
class History:
    """What happened to a Drive whose root is of one of the `ROOTS`."""

    root: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        steps = "".join(f"\n    {step.what!r}, {step.one}, {step.other}," for step in self.steps)
        return f"history({self.root!r},{steps}\n)"


def history(root: str, *steps: str | int) -> History:
    """A history as `str` writes it: the parts of its steps in a row."""
    rows = zip(steps[::3], steps[1::3], steps[2::3], strict=True)
    return History(root, tuple(Step(str(what), int(one), int(other)) for what, one, other in rows))


def made_up(seed: int) -> History:
    """The history of a seed."""
    draw = random.Random(seed)  # noqa: S311 - made up, not kept secret
    deeds = [*DEEDS, *OFTEN, *OFTEN]
    steps = [
        Step(draw.choice(OFTEN), draw.randrange(1000), draw.randrange(1000))
        for _ in range(draw.randrange(12))
    ]
    for _ in range(draw.choice([2, 3, 4, 6, 10])):
        deed_count = draw.choice([0, 1, 1, 2, 3, 5])
        whats = [draw.choice(deeds) for _ in range(deed_count)]
        if draw.random() < 0.3:
            whats.append(draw.choice(KNOBS))
        whats.append(draw.choice(SYNCS))
        steps += [Step(what, draw.randrange(1000), draw.randrange(1000)) for what in whats]
    return History(draw.choice(ROOTS), tuple(steps))


def shortest(failing: History, fails: Callable[[History], bool]) -> History:
    """A part of a failing history that still fails, and of which no single step can be left out."""
    size = max(1, len(failing.steps) // 2)
    while True:
        for start in range(0, len(failing.steps), size):
            steps = failing.steps[:start] + failing.steps[start + size :]
            if fails(shorter := History(failing.root, steps)):
                failing = shorter
                break
        else:
            if size == 1:
                return failing
            size = max(1, size // 2)
