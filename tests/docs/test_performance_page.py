"""The page on performance is what its figures make of it, and what it tells to run is there."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.performance_page import PARTS, figures_on, part, rewrite, table_of

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "performance.md"


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PARTS)
def test_each_table_is_made_of_the_figures_beside_it(name: str) -> None:
    figures = figures_on(page(), name)

    assert part(name, figures) in page()
    assert table_of(name)(figures).count("\n|") > 3


def test_the_commands_on_the_page_exist() -> None:
    modules = set(re.findall(r"python -m benchmarks\.(\w+)", page()))
    targets = set(re.findall(r"(?:`|^ {4})make ([a-z-]+)", page(), re.MULTILINE))
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")

    assert modules >= {f"bench_{name}" for name in PARTS}
    assert [name for name in modules if not (REPOSITORY / f"benchmarks/{name}.py").exists()] == []
    assert [name for name in targets if not re.search(f"^{name}:", makefile, re.MULTILINE)] == []


@pytest.mark.parametrize("name", PARTS)
def test_the_options_on_the_page_are_those_of_the_command(name: str) -> None:
    lines = re.findall(rf"benchmarks\.bench_{name} (.*)", page())
    source = (REPOSITORY / f"benchmarks/bench_{name}.py").read_text(encoding="utf-8")

    options = {option for line in lines for option in re.findall(r"--[a-z]+", line)}
    assert options
    assert [option for option in options if f'"{option}"' not in source] == []


def test_other_figures_take_the_place_of_the_former_ones_and_of_nothing_else(
    tmp_path: Path,
) -> None:
    copy = tmp_path / "performance.md"
    copy.write_text(page(), encoding="utf-8")
    figures: dict[str, Any] = json.loads(json.dumps(figures_on(page(), "write")))
    figures["kinds"][0]["chunks_a_cpu_second"] = 12345.0

    rewrite(copy, "write", figures)

    changed = copy.read_text(encoding="utf-8")
    assert "12,345" in changed
    assert figures_on(changed, "write") == figures
    assert [
        name
        for name in PARTS
        if name != "write" and part(name, figures_on(page(), name)) not in changed
    ] == []
    assert changed.split("<!-- write -->")[0] == page().split("<!-- write -->")[0]


def test_a_page_without_a_place_for_the_figures_is_refused(tmp_path: Path) -> None:
    bare = tmp_path / "page.md"
    bare.write_text("# Nothing\n", encoding="utf-8")

    with pytest.raises(SystemExit, match="no place"):
        rewrite(bare, "write", {})
