"""Whatever the page on syncing a Drive says is tested, is tested by a test of that name."""

import ast
import re
from collections import Counter
from pathlib import Path

from gdrive_rag_mcp.app import index_warnings

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "docs" / "drive-sync.md"
REPORTS = 70
_ROW = re.compile(r"^\| (\d+) \| (.+) \| (\S+) \| (.+) \|$", re.MULTILINE)
_TEST = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
_NONE = "does not apply: "


def defined() -> set[tuple[str, str]]:
    """Every test there is, by the name of its module."""
    return {
        (path.name, node.name)
        for path in TESTS.rglob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }


def test_every_test_that_the_page_names_exists() -> None:
    named = set(_TEST.findall(PAGE.read_text(encoding="utf-8")))

    assert len(named) > REPORTS / 2
    assert named - defined() == set()


def test_every_report_has_one_row_with_a_test_or_the_reason_why_it_has_none() -> None:
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))

    assert Counter(int(number) for number, *_ in rows) == Counter(range(1, REPORTS + 1))
    unanswered = [
        number
        for number, _, _, answer in rows
        if not _TEST.search(answer) and not answer.startswith(_NONE)
    ]
    assert unanswered == []


def test_every_warning_that_an_index_gives_is_explained() -> None:
    page = PAGE.read_text(encoding="utf-8")
    warnings = [value for name, value in vars(index_warnings).items() if name.isupper()]

    assert "nothing_in_scope" in [value for value in warnings if isinstance(value, str)]
    unexplained = [one for one in warnings if isinstance(one, str) and f"| `{one}` |" not in page]
    assert unexplained == []
