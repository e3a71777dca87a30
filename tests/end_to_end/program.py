"""A command that was run, as its user sees it."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PROGRAM = (sys.executable, "-W", "error", "-m", "gdrive_rag_mcp")

# An interrupt may come between the opening of a file and the name that it gets; Python closes it
# then, and says so.
INTERRUPTED_PROGRAM = (*PROGRAM[:3], "-W", "ignore::ResourceWarning", *PROGRAM[3:])


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.out)
        return parsed


Run = Callable[..., Ended]
