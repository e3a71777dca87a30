"""Every command has help, and the pages name it."""

from pathlib import Path

import pytest
import typer.main

from gdrive_rag_mcp.frontends.cli.running import app

REPOSITORY = Path(__file__).resolve().parents[2]
COMMANDS = sorted(getattr(typer.main.get_command(app), "commands", {}).items())


def test_there_are_commands() -> None:
    assert {"sync", "status", "search", "serve", "doctor", "demo"} <= {name for name, _ in COMMANDS}


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_every_command_and_every_option_says_what_it_is_for(
    name: str, command: typer.core.TyperCommand
) -> None:
    assert command.help
    assert [p.name for p in command.params if not getattr(p, "help", None)] == []


@pytest.mark.parametrize("name", [name for name, _ in COMMANDS])
def test_every_command_is_documented(name: str) -> None:
    page = (REPOSITORY / "docs" / "cli.md").read_text(encoding="utf-8")

    assert f"## gdrive-rag-mcp {name}\n" in page
