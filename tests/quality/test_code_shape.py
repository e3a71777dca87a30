"""The limits on size and the habits that no linter knows."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "gdrive_rag_mcp"
MODULES = sorted(PACKAGE.rglob("*.py"))
FILE_LIMIT = 300
FUNCTION_LIMIT = 40

# Where everything may be caught and kept, with the reason why.
BROAD_HANDLERS = {
    "extraction/reading.py": "readers raise anything; what holds the file they read goes on",
    "extraction/panics.py": "a panic is no Exception, and has no type to name; others go on",
    "extraction/isolation/zygote.py": "parsers raise anything; their process answers",
    "indexing/embedding_threads.py": "what a thread meets is raised again by whoever writes",
    "indexing/fetching.py": "what a reader meets is raised again by whoever waits for its file",
    "frontends/cli/__init__.py": "the outermost handler says that it is a bug of ours",
}


def _name(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


def _tree(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_a_module_says_in_its_first_lines_what_it_is_for(module: Path) -> None:
    tree = _tree(module)

    assert not tree.body or ast.get_docstring(tree)


def test_no_file_is_longer_than_one_concept_needs() -> None:
    long = {
        _name(module): lines
        for module in MODULES
        if (lines := len(module.read_text(encoding="utf-8").splitlines())) > FILE_LIMIT
    }

    assert long == {}


def _lines_without_docstring(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert function.end_lineno is not None
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is not None:
        docstring = function.body[0]
        assert docstring.end_lineno is not None
        lines -= docstring.end_lineno - docstring.lineno + 1
    return lines


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{_name(module)}:{node.name}": lines
        for module in MODULES
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := _lines_without_docstring(node)) > FUNCTION_LIMIT
    }

    assert long == {}


def _caught(handler: ast.ExceptHandler) -> Iterator[str]:
    if handler.type is None:
        yield "everything"
        return
    for node in ast.walk(handler.type):
        if isinstance(node, ast.Name):
            yield node.id


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether it catches everything and does more than to tidy up and let it pass."""
    last = handler.body[-1]
    passes_on = isinstance(last, ast.Raise) and last.exc is None
    broad = {"everything", "Exception", "BaseException"} & set(_caught(handler))
    return bool(broad) and not passes_on


def test_nobody_swallows_everything_without_a_reason() -> None:
    broad = {
        _name(module)
        for module in MODULES
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.ExceptHandler) and _swallows(node)
    }

    assert broad == set(BROAD_HANDLERS)


# The code of the check, a dash (or, for mypy, another `#`), and words.
_SILENCED = re.compile(r"#\s*(?:noqa|type:\s*ignore)(.*)$", re.MULTILINE)
_WITH_REASON = re.compile(
    r"^(?::\s*[A-Z]+[0-9]+(?:,\s*[A-Z]+[0-9]+)*|\[[a-z, -]+\])\s*(?:-|#)\s*\S+"
)


def test_a_silenced_check_names_itself_and_its_reason() -> None:
    root = PACKAGE.parents[1]
    bare = {
        f"{path.relative_to(root)}: {silenced.group().strip()}"
        for folder in ("src", "tests", "benchmarks", "tools")
        for path in sorted((root / folder).rglob("*.py"))
        if path != Path(__file__).resolve()
        for silenced in _SILENCED.finditer(path.read_text(encoding="utf-8"))
        if not _WITH_REASON.match(silenced.group(1))
    }

    assert bare == set()
