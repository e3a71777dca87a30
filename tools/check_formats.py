"""Read a folder of files that an index says the truth about, and show how well that went.

    python tools/check_formats.py [FOLDER] [--write docs/formats.md] [--check]

FOLDER holds the files and INDEX.tsv, whose form docs/formats.md describes. With `--check` a goal
that is missed, a miss that has no cause in `format_causes.py`, and a cause without a miss are
errors; nothing is written then, and a page named by `--write` must be what would be written.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the modules beside this one

from tools.conformance import INDEX, Result, run
from tools.format_causes import CAUSES
from tools.formats_page import outcome, page, table

REPOSITORY = Path(__file__).resolve().parents[1]
GOAL = 0.98


def faults(results: Sequence[Result]) -> Iterator[str]:
    """What `--check` calls an error, one line each."""
    for each in results:
        cause = CAUSES.get(each.entry.file)
        if each.misses and cause is None:
            yield f"{each.entry.file}: a miss without a cause: {_what(each)}"
        if cause is not None and not each.misses:
            yield f"{each.entry.file}: has a cause ({cause.why}), and misses nothing"
        if each.appearing:
            yield f"{each.entry.file}: what must not appear does: {', '.join(each.appearing)}"
    words = sum(len(each.words) for each in results)
    for where, missing in (
        ("segment", sum(len(each.not_in_segments) for each in results)),
        ("chunk", sum(len(each.not_in_chunks) for each in results)),
    ):
        if words and 1 - missing / words < GOAL:
            yield f"{words - missing} of {words} words are in a {where} that cites their place"


def _what(result: Result) -> str:
    words = [each.listed for each in result.not_in_chunks]
    return f"{result.wrong or outcome(result)} (expected: {result.entry.expect}) {words}"


def main() -> int:
    """Read the folder, print the table and the faults, and write or check the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    folder = REPOSITORY.parent / "shared" / "data" / "files"
    parser.add_argument("folder", type=Path, nargs="?", default=folder)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not (arguments.folder / INDEX).is_file():
        parser.error(f"there is no {INDEX} in {arguments.folder.resolve()}")
    results = list(run(arguments.folder))
    wrong = list(faults(results))
    print(table(results), *wrong, sep="\n")
    if arguments.write:
        wrong += _written(arguments.write, page(results), check=arguments.check)
    return int(arguments.check and bool(wrong))


def _written(path: Path, made: str, *, check: bool) -> list[str]:
    """Write the page, or only say that it is stale."""
    if not check:
        path.write_text(made, encoding="utf-8")
        print(f"wrote {path}")
        return []
    if path.is_file() and path.read_text(encoding="utf-8") == made:
        return []
    print(f"{path} is not what the run shows: write it anew", file=sys.stderr)
    return [str(path)]


if __name__ == "__main__":
    sys.exit(main())
