"""Floors: how much of a kind must be judged rightly, as given with the command."""

import re
from collections.abc import Mapping, Sequence

from gdrive_rag_mcp.domain import Case, CaseResult, Floor
from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.evaluation.metrics import share

_RATE = re.compile(r"0*(?:0|1|0?\.\d+|1\.0+)")


def read_floors(given: Sequence[str], cases: Sequence[Case]) -> Mapping[str, float]:
    """Read `kind=rate`; the rate goes from 0 to 1.

    Raises:
        SettingsError: names the floor and what is wrong with it.
    """
    kinds = list(dict.fromkeys(case.kind for case in cases))
    floors: dict[str, float] = {}
    for floor in given:
        kind, _, rate = (part.strip() for part in floor.rpartition("="))
        if kind not in kinds:
            wrong = f"there is no kind {kind!r}" if kind else "it is not kind=rate"
            raise _refusal(floor, wrong, f"the kinds are {', '.join(kinds)}")
        if not _RATE.fullmatch(rate):
            raise _refusal(floor, f"{rate!r} is no rate", f"such as {kind}=0.95, from 0 to 1")
        if kind in floors:
            raise _refusal(floor, f"{kind} has two floors", "leave out one of them")
        floors[kind] = float(rate)
    return floors


def reached(floors: Mapping[str, float], results: Sequence[CaseResult]) -> tuple[Floor, ...]:
    """Each floor with the share of its kind that was judged rightly."""
    return tuple(
        Floor(kind, least, share([one.judged_rightly for one in results if one.case.kind == kind]))
        for kind, least in floors.items()
    )


def _refusal(floor: str, wrong: str, hint: str) -> SettingsError:
    return SettingsError(f"--floor {floor}: {wrong}", hint=hint)
