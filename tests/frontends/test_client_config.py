"""Configuration that clients can be given as it is."""

import json
import tomllib

from gdrive_rag_mcp.frontends.client_config import (
    SERVER_NAME,
    ServerCommand,
    codex_config,
    hermes_config,
)

PLAIN = ServerCommand("/opt/venv/bin/gdrive-rag-mcp")
FULL = ServerCommand(
    '/opt/with "quotes" & spaces/gdrive-rag-mcp',
    ("serve", "--transport", "stdio", "--config", "C:\\müller\\config.toml"),
    {"GDRIVE_RAG_DB_PATH": "/data/한국어 😀.db"},
    ("EMBEDDING_KEY",),
)


def test_codex_reads_what_it_is_given() -> None:
    section = tomllib.loads(codex_config(FULL))["mcp_servers"][SERVER_NAME]

    assert section["command"] == FULL.command
    assert section["args"] == list(FULL.arguments)
    assert section["env"] == dict(FULL.environment)
    assert section["env_vars"] == ["EMBEDDING_KEY"]
    assert section["startup_timeout_sec"] >= 30


def test_what_is_not_needed_is_left_out() -> None:
    section = tomllib.loads(codex_config(PLAIN))["mcp_servers"][SERVER_NAME]

    assert set(section) == {"command", "args", "startup_timeout_sec", "tool_timeout_sec"}
    assert set(_hermes_values(hermes_config(PLAIN))) == {
        "command",
        "args",
        "timeout",
        "connect_timeout",
    }


def _hermes_values(text: str) -> dict[str, object]:
    """The leaves of the section: every value is written as JSON, which YAML reads alike."""
    leaves = (line.strip().partition(": ") for line in text.splitlines() if ": " in line)
    return {key: json.loads(value) for key, _, value in leaves}


def test_hermes_reads_what_it_is_given() -> None:
    text = hermes_config(FULL)
    values = _hermes_values(text)

    assert text.startswith(f"mcp_servers:\n  {SERVER_NAME}:\n    command: ")
    assert values["command"] == FULL.command
    assert values["args"] == list(FULL.arguments)
    assert values["GDRIVE_RAG_DB_PATH"] == "/data/한국어 😀.db"
    assert values["EMBEDDING_KEY"] == "${EMBEDDING_KEY}"


def test_the_servers_name_leaves_room_for_the_names_of_tools() -> None:
    assert len(SERVER_NAME) <= 12
