"""Which part speaks to which service of Google, where import-linter cannot tell them apart."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

# `google` is one package to whoever looks at its name alone, and many distributions in truth.
ALLOWED = {
    "google.auth": {"sources"},
    "google.oauth2": {"sources"},
    "google.genai": {"embedding"},
}


def _imports(tree: ast.AST) -> Iterator[str]:
    """Names of modules, as far as the statement tells: `from google import genai` is two."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _named(package: Path) -> Iterator[tuple[str, str]]:
    """The layer and the module of every import from `google`."""
    for module in package.rglob("*.py"):
        layer = module.relative_to(package).parts[0]
        for name in _imports(ast.parse(module.read_text(encoding="utf-8"))):
            if name.split(".")[0] == "google":
                yield layer, ".".join(name.split(".")[:2])


def test_each_service_of_google_is_spoken_to_by_the_part_it_is_for(repository: Path) -> None:
    named = set(_named(repository / "src" / "gdrive_rag_mcp"))

    assert {name for _, name in named} == set(ALLOWED)
    assert {(layer, name) for layer, name in named if layer not in ALLOWED[name]} == set()


@pytest.mark.parametrize(
    "source",
    [
        "import google.genai",
        "from google import genai",
        "from google.genai import types",
        "from google.genai.types import Part",
        "def later():\n    from google.genai import Client",
    ],
)
def test_an_import_is_seen_in_every_form(tmp_path: Path, source: str) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "module.py").write_text(source, encoding="utf-8")

    assert set(_named(tmp_path)) == {("sources", "google.genai")}


def test_only_one_module_speaks_to_gemini_and_imports_it_when_it_is_used(
    repository: Path,
) -> None:
    for module in (repository / "src").rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        if "google.genai" not in text and "google import genai" not in text:
            continue
        assert module.name == "gemini.py"
        at_once = {
            name
            for node in ast.parse(text).body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in _imports(node)
        }
        assert not any(name.startswith("google") for name in at_once)
