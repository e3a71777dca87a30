"""What an index's own questions tell of where its verdict ought to be cut, over public questions.

    python -m benchmarks.calibration --cache FOLDER [--sets xquad,squad2-en] [--seen FILE]

For each set, probes are asked of its index with and without their document, and beside them the
set's own questions. Printed is the threshold that an oracle would choose (at which one in twenty of
the answerable whose answer was found is refused), and how well each figure of the probes foretells
it in families of sets that it was not fitted on. `--seen` keeps what was seen, or judges it anew.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.calibration_asking import AskedOf, SetSeen, look_at, read, write
from benchmarks.evidence import DATA, question_sets
from gdrive_rag_mcp.evaluation.corpus_files import Layout
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndexes
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.wiring.embedders import make_embedder
from gdrive_rag_mcp.wiring.questions import QuestionTools

CORE = ("xquad", "squad2-en", "korquad1-ko", "viquad2-vi", "jaquad-ja", "pquad-fa")
REFUSED = 0.05
_PROBES = 60
_EACH_KIND = 150
_NEVER = -90.0
_SHOWN = 6

Numbers = npt.NDArray[np.float64]


def figures_of(one: SetSeen, model: str) -> dict[str, float]:
    """All that a set's probes show in numbers; no question of the set has a part in them."""
    present = _odds([probe for probe, _ in one.probes], model)
    absent = _odds([probe for _, probe in one.probes], model)
    heights = [_signal([pair[side] for pair in one.probes], "cosine_height") for side in (0, 1)]
    found = {"log chunks": math.log(one.chunks)}
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        found[f"present odds {share}"] = float(np.quantile(present, share))
        found[f"absent odds {share}"] = float(np.quantile(absent, share))
    for name, values in zip(("present height", "absent height"), heights, strict=True):
        found[name] = float(np.median(values))
    for name in ("corpus_coverage", "best_coverage", "close_coverage", "bm25_of_ideal"):
        for side, told in ((0, "present"), (1, "absent")):
            found[f"{told} {name}"] = float(_signal([p[side] for p in one.probes], name).mean())
    return found


def oracle(one: SetSeen, model: str) -> float:
    """The log-odds below which one in twenty of the answered and found lie."""
    answered = [q for q in one.questions if q.kind == "answerable" and q.found]
    return float(np.quantile(_odds(answered, model), REFUSED))


def _odds(asked: Sequence[AskedOf], model: str) -> Numbers:
    odds: Numbers = np.array([one.odds(model) for one in asked], np.float64)
    asked_of_a_model: Numbers = odds[odds > _NEVER]
    return asked_of_a_model


def _signal(asked: Sequence[AskedOf], name: str) -> Numbers:
    values = np.array([one.seen.signals.get(name, math.nan) for one in asked], np.float64)
    known: Numbers = values[~np.isnan(values)]
    return known


def left_over(columns: Numbers, wanted: Numbers, families: Sequence[str]) -> Numbers:
    """What a line through the other families' sets misses each set's oracle by."""
    missed = np.zeros(len(wanted))
    names = np.array(families)
    with_one = np.c_[np.ones(len(wanted)), columns]
    for family in sorted(set(families)):
        others = names != family
        # Each family counts like the root of its sets: XQuAD's twelve are not twelve witnesses.
        counts = np.array([(names == name).sum() ** -0.25 for name in names[others]])
        line = np.linalg.lstsq(
            with_one[others] * counts[:, None], wanted[others] * counts, rcond=None
        )[0]
        missed[~others] = wanted[~others] - with_one[~others] @ line
    return missed


def lines(sets: Sequence[SetSeen], model: str) -> Iterator[str]:
    """The report."""
    wanted = np.array([oracle(one, model) for one in sets])
    figures = [figures_of(one, model) for one in sets]
    yield "| set | chunks | oracle | refused | present odds | absent odds | heights |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for one, best, own in zip(sets, wanted, figures, strict=True):
        answered = [q for q in one.questions if q.kind == "answerable" and q.found]
        refused = float((_odds(answered, model) < 0).mean())
        yield (
            f"| {one.name} | {one.chunks} | {best:.2f} | {refused:.1%}"
            f" | {own['present odds 0.5']:.1f} | {own['absent odds 0.5']:.1f}"
            f" | {own['present height']:.3f} {own['absent height']:.3f} |"
        )
    present, absent = (
        np.mean([own[f"{side} height"] for own in figures]) for side in ("present", "absent")
    )
    yield f"\nheights of the reference: {present:.3f} with the document, {absent:.3f} without"
    yield f"oracle: mean {wanted.mean():.2f}, standard deviation {wanted.std(ddof=1):.2f}"
    yield from _foretold(figures, wanted, [one.family for one in sets])


def _foretold(
    figures: Sequence[dict[str, float]], wanted: Numbers, families: Sequence[str]
) -> Iterator[str]:
    def error(*names: str) -> float:
        columns = np.array([[own[name] for name in names] for own in figures])
        return float(np.sqrt((left_over(columns, wanted, families) ** 2).mean()))

    yield f"left over by a constant, in families left out: {error():.3f}"
    names = sorted(figures[0])
    for size in (1, 2):
        best = sorted((error(*chosen), chosen) for chosen in combinations(names, size))
        for missed, chosen in best[:_SHOWN]:
            yield f"  {missed:.3f} by {' and '.join(chosen)}"


def main() -> None:
    arguments = _arguments()
    seen_before = arguments.seen is not None and arguments.seen.exists()
    sets = read(arguments.seen) if seen_before else list(_looked_at(arguments))
    if arguments.seen is not None and not seen_before:
        write(sets, arguments.seen)
    for line in lines(sets, arguments.model):
        print(line)


def _looked_at(arguments: argparse.Namespace) -> Iterator[SetSeen]:
    settings = Settings.model_validate({"embed_provider": "embedded"})
    tools = QuestionTools(settings, arguments.cache, _note)
    indexes = CorpusIndexes(arguments.cache / "titled-embedded", Layout.TITLED, tools.sync)
    embedder = make_embedder(settings, None, build=False)
    for kit in question_sets(arguments.data, arguments.sets):
        _note(kit.name)
        yield look_at(kit, indexes.of(kit), embedder, _PROBES, _EACH_KIND)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of question sets")
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors and indexes")
    parser.add_argument("--sets", type=lambda text: text.split(","), default=list(CORE))
    parser.add_argument("--model", default="hybrid", help="of the verdict, to judge by")
    parser.add_argument("--seen", type=Path, metavar="FILE", help="keep what was seen, or read it")
    return parser.parse_args()


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
