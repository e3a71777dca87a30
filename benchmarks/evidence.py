"""How good the verdict is on public questions with and without an answer, floors beside results.

    python -m benchmarks.evidence --cache FOLDER [--sets xquad-de,squad2-en] [--layout bare]

Each corpus is written out as files and synced as anybody's folder is, with the default settings,
and each question is asked as the command line asks it. The cache keeps every vector and the
indexes, so that the next run embeds nothing. In the same run single scores judge the same hits.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.evidence_asking import Asked, asked
from benchmarks.evidence_cost import GOAL_MILLISECONDS, cost, told
from benchmarks.evidence_figures import Figures, all_figures
from benchmarks.evidence_floors import BySet, Floor, floors, overall, unanswered
from benchmarks.evidence_tables import (
    answerable_table,
    auroc_table,
    carried_over_table,
    floors_table,
    percent,
    rate,
    unanswerable_table,
)
from gdrive_rag_mcp.evaluation.corpus_files import Layout
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndexes
from gdrive_rag_mcp.evaluation.question_sets import QuestionSet, read_set
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.wiring.questions import QuestionTools

DATA = Path(__file__).resolve().parents[1] / "../shared/data/evidence"
_FIRST = ("xquad", "squad2-en", "korquad1-ko", "viquad2-vi", "jaquad-ja", "pquad-fa")
"""What the floors are about, and small; then what takes longest to embed comes last."""
_LAST = ("pathquestion-en", "rgb-zh", "nomiracl", "scifact-en")
_EMBEDDERS = ("embedded", "none")


def question_sets(data: Path, wanted: Sequence[str]) -> Iterator[QuestionSet]:
    """The sets wanted, one a language; a name may be that of a set or of one of its languages.

    Raises:
        SystemExit: one is not there.
    """
    folders = sorted((place.parent for place in data.glob("*/corpus.jsonl")), key=_turn)
    lacking = [name for name in wanted if not any(_is_of(name, one.name) for one in folders)]
    if lacking or not folders:
        sys.exit(f"there is no question set {', '.join(lacking) or 'at all'} in {data}")
    for folder in folders:
        if wanted and not any(_is_of(name, folder.name) for name in wanted):
            continue
        handed = read_set(folder)
        for language in handed.languages:
            kit = handed.asked(language)
            if not wanted or folder.name in wanted or kit.name in wanted:
                yield kit


def _is_of(name: str, folder: str) -> bool:
    return name == folder or name.startswith(f"{folder}-")


def _turn(folder: Path) -> tuple[int, int, str]:
    first = _FIRST.index(folder.name) if folder.name in _FIRST else len(_FIRST)
    last = _LAST.index(folder.name) + 1 if folder.name in _LAST else 0
    return last, first, folder.name


def measure(
    kits: Iterable[QuestionSet], tools: QuestionTools, indexes: CorpusIndexes
) -> dict[str, list[Asked]]:
    """Index and ask every set; says on stderr what takes its time."""
    by_set = {}
    for kit in kits:
        started = time.process_time()
        index = indexes.of(kit)
        indexed = time.process_time()
        by_set[kit.name] = list(asked(kit, index, tools.reader(index.path).search))
        _note(
            f"{kit.name}: {len(kit.corpus)} documents in {indexed - started:.1f} CPU s,"
            f" {len(kit.questions)} questions in {time.process_time() - indexed:.1f}"
        )
    return by_set


def main() -> None:
    arguments = _arguments()
    if arguments.cost:
        spent = cost(arguments.cache)
        print(told(spent))
        sys.exit(int(arguments.check and spent.p50 > GOAL_MILLISECONDS))
    settings = Settings.model_validate({"embed_provider": arguments.embedder})
    tools = QuestionTools(settings, arguments.cache, _note)
    layout = Layout(arguments.layout)
    indexes = CorpusIndexes(arguments.cache / f"{layout}-{arguments.embedder}", layout, tools.sync)
    kits = question_sets(arguments.data, arguments.sets)
    limited = (replace(kit, questions=kit.questions[: arguments.limit_questions]) for kit in kits)
    by_set = measure(limited, tools, indexes)
    measured = all_figures(by_set)
    reached = floors(by_set, measured)
    _print(by_set, measured, reached)
    if arguments.json:
        _write(arguments.json, by_set, measured, reached)
    if arguments.check and any(floor.missed and not floor.goal for floor in reached):
        sys.exit(1)


def _print(by_set: BySet, measured: Sequence[Figures], reached: Sequence[Floor]) -> None:
    for title, text in (
        ("Answerable", answerable_table(measured)),
        ("Not answerable", unanswerable_table(measured)),
        ("AUROC beside single scores", auroc_table(measured)),
        ("Refused at thresholds carried over from other sets, %", carried_over_table(measured)),
        ("Floors", floors_table(reached)),
    ):
        print(f"\n## {title}\n\n{text}")
    everything, sets, worst = overall(by_set)
    print(
        f"\nanswered in the top 5 but refused: {rate(everything)} % of {everything.n}; mean of the"
        f" sets {percent(sets)} %, worst {percent(worst)} %"
    )
    print(f"refused of all answerable, found or not: {rate(unanswered(by_set))} %")
    missed = [floor for floor in reached if floor.missed and not floor.goal]
    print(f"floors missed: {len(missed)} of {sum(not floor.goal for floor in reached)}")


def _write(
    path: Path, by_set: BySet, measured: Sequence[Figures], reached: Sequence[Floor]
) -> None:
    written: dict[str, Any] = {
        "sets": [one.as_json() for one in measured],
        "floors": [
            {
                "what": floor.what,
                "of": floor.of,
                "floor": floor.bound,
                "at_most": floor.at_most,
                "goal": floor.goal,
                "reached": floor.figure.value,
                "n": floor.figure.n,
                "missed": floor.missed,
            }
            for floor in reached
        ],
        "questions": [one.as_json() for own in by_set.values() for one in own],
    }
    path.write_text(json.dumps(written, ensure_ascii=False), encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of question sets")
    parser.add_argument("--cache", type=Path, help="folder for vectors and indexes")
    parser.add_argument("--sets", type=lambda text: text.split(","), default=[], help="of these")
    parser.add_argument("--layout", choices=[one.value for one in Layout], default="titled")
    parser.add_argument("--embedder", choices=_EMBEDDERS, default="embedded")
    parser.add_argument("--limit-questions", type=int, metavar="N", help="ask the first N of each")
    parser.add_argument("--check", action="store_true", help="exit 1 when a floor is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures and verdicts")
    parser.add_argument("--cost", action="store_true", help="measure what a verdict costs instead")
    arguments = parser.parse_args()
    if not arguments.cost and arguments.cache is None:
        parser.error("--cache is needed")
    return arguments


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
