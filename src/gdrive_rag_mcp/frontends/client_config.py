"""Ready-to-paste configuration of MCP clients that start this server themselves."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SERVER_NAME = "gdrive_rag"
_START_SECONDS = 60
_TOOL_SECONDS = 60


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How a client starts the server.

    `command` is an absolute path, because clients clear PATH. `environment` holds no secrets:
    variables that do are only named in `forwarded`.
    """

    command: str
    arguments: Sequence[str] = ("serve", "--transport", "stdio")
    environment: Mapping[str, str] = field(default_factory=dict)
    forwarded: Sequence[str] = ()


def codex_config(server: ServerCommand) -> str:
    """A section for `~/.codex/config.toml`."""
    lines = [
        f"[mcp_servers.{SERVER_NAME}]",
        f"command = {_quoted(server.command)}",
        f"args = {_listed(server.arguments)}",
    ]
    if server.environment:
        pairs = [f"{name} = {_quoted(value)}" for name, value in server.environment.items()]
        lines.append(f"env = {{ {', '.join(pairs)} }}")
    if server.forwarded:
        lines.append(f"env_vars = {_listed(server.forwarded)}")
    lines += [f"startup_timeout_sec = {_START_SECONDS}", f"tool_timeout_sec = {_TOOL_SECONDS}"]
    return "\n".join(lines) + "\n"


def hermes_config(server: ServerCommand) -> str:
    """A section for `~/.hermes/config.yaml`."""
    lines = [
        "mcp_servers:",
        f"  {SERVER_NAME}:",
        f"    command: {_quoted(server.command)}",
        f"    args: {_listed(server.arguments)}",
    ]
    environment = {**server.environment, **{name: f"${{{name}}}" for name in server.forwarded}}
    if environment:
        lines.append("    env:")
        lines += [f"      {name}: {_quoted(value)}" for name, value in environment.items()]
    lines += [f"    timeout: {_TOOL_SECONDS}", f"    connect_timeout: {_START_SECONDS}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A JSON string, which TOML and YAML read alike."""
    return json.dumps(text, ensure_ascii=False)


def _listed(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"
