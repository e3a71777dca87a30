"""What the pages say of names, versions and files is so."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gdrive_rag_mcp import __version__
from gdrive_rag_mcp.settings import FILE_ONLY, Settings, environment_name, load_settings

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page
    for folder in (".", "docs", "data", "secrets", "benchmarks")
    for page in (REPOSITORY / folder).glob("*.md")
)
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _prose(page: Path) -> str:
    return _FENCED.sub("", _text(page))


def _anchors(page: Path) -> set[str]:
    headings = (
        re.sub(r"[^\w\s-]", "", heading.lower()) for heading in _HEADING.findall(_prose(page))
    )
    return {heading.strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_to_a_file_or_heading_leads_there(page: Path) -> None:
    broken = []
    for link in _LINK.findall(_prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            broken.append(link)

    assert broken == []


def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len(_text(REPOSITORY / "README.md").splitlines()) <= 250


def test_the_newest_version_of_the_changelog_is_the_packages() -> None:
    versions = re.findall(r"^## \[([^\]]+)\]", _text(REPOSITORY / "CHANGELOG.md"), re.MULTILINE)

    assert versions[0] == __version__


def test_every_setting_is_in_the_example_and_an_uncommented_copy_is_accepted() -> None:
    example = _text(REPOSITORY / ".env.example")
    given = dict(re.findall(r"^# ([A-Z_]+)=(.*)$", example, re.MULTILINE))

    assert set(given) == {
        environment_name(field) for field in Settings.model_fields.keys() - FILE_ONLY
    }
    stranger = {"HOME": os.devnull}
    assert load_settings(environ=stranger | given) == load_settings(environ=stranger)


def test_the_example_of_a_config_file_in_the_settings_page_is_accepted(tmp_path: Path) -> None:
    [example] = re.findall(
        r"^```toml\n(.*?)^```", _text(REPOSITORY / "docs" / "settings.md"), re.MULTILINE | re.DOTALL
    )
    config = tmp_path / "config.toml"
    config.write_text(example, encoding="utf-8")

    settings = load_settings(environ={}, config_file=config)

    assert settings.source == tomllib.loads(example)["source"]
    assert settings.index_path == tmp_path / "index.db"


def test_generated_pages_are_what_the_code_says() -> None:
    command = [sys.executable, str(REPOSITORY / "tools" / "generate_docs.py"), "--check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr


def test_decisions_are_numbered_and_say_why_and_instead_of_what() -> None:
    decisions = re.split(r"^## ", _text(REPOSITORY / "docs" / "design.md"), flags=re.MULTILINE)[1:]

    assert [entry.split(".", 1)[0] for entry in decisions] == [
        str(number) for number in range(1, len(decisions) + 1)
    ]
    for entry in decisions:
        parts = ("**Because**", "**Instead of**", "**Would change if**")
        assert [part for part in parts if part not in entry] == [], entry.splitlines()[0]
