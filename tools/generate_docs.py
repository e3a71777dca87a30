"""Write what is made from the code: docs/settings.md, docs/cli.md and .env.example.

With `--check` nothing is written, and a page that is not up to date is an error.
"""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# Plain help of one width, wherever the pages are made; typer looks at this when it is imported.
os.environ |= {"TYPER_USE_RICH": "0", "COLUMNS": "80"}

import typer.main
from typer.testing import CliRunner

from gdrive_rag_mcp.frontends.cli.running import app
from gdrive_rag_mcp.settings import (
    FILE_ONLY,
    NOT_USED_YET,
    SECRETS,
    Settings,
    environment_name,
)

REPOSITORY = Path(__file__).resolve().parents[1]

_SETTINGS_TOP = """\
# Settings

Made from `settings/fields.py` by `make docs`.

Arguments win over environment variables, those over the config file, that over the defaults.
The config file is the one given with `--config`, else `~/.config/gdrive-rag-mcp/config.toml`.
It is flat:

```toml
source = "folder:/srv/documents"
embed_provider = "embedded"
db_path = "index.db"  # a relative path in the file is relative to the file
```

An unknown `GDRIVE_RAG_*` name, an unknown name in the file, a bad value, or a URL with credentials
is refused (exit code 2).
`.env` is read only with `--env-file`.
Secrets are no settings: a setting holds the *name* of the variable, here called `NAME`, and the
secret is in `NAME` or in the file that `NAME_FILE` names.
"""

_SETTINGS_OURS = """
## Secrets of our own

`eval --url` sends the token of the server that it asks:
"""

_SETTINGS_LATER = """
## Accepted, and not used yet

These names belong to parts that this version does not have, or to Compose.
They are let through, so that one environment file serves every version:
"""

_ENVIRONMENT_TOP = """\
# Copy to .env, uncomment what you need, and name it: gdrive-rag-mcp COMMAND --env-file .env
# It is never read by itself. What each value may be: docs/settings.md
# Keep keys out of it where you can: NAME_FILE may point to a file that holds the value of NAME.
"""

_COMMANDS_TOP = """\
# Commands

Made from the command line's own help by `make docs`.

Results go to stdout, progress and messages to stderr.

| exit code | meaning |
|---|---|
| 0 | done; or a signal ended `sync --watch`, once it was under way; or the reader of a result had \
enough of it |
| 1 | failed, or not one file in scope can be searched; `eval`: a case failed, or a floor is \
missed |
| 2 | bad settings or usage |
| 3 | done, but something is failed, held, pending, not heard to its end or without a vector that \
an embedder should have made, or there is nothing in scope |
| 4 | another writer holds the index |
| 5 | the result cannot be written to stdout, or to the file of `--json`; what the command did \
is kept |
| 130 | stopped by SIGINT, SIGTERM or SIGHUP; what was done is kept, and the next sync goes on |

`serve` ends with 0 when its input does; these signals end it at once, as they end any program \
that does not catch them.
A second signal within a second changes nothing; a later one ends the process on the spot.
A signal is ignored where it was when the command started, as SIGHUP is with `nohup`.
Closed or full streams keep no command from its work: what would go to a closed stderr is dropped.

## What embedding is ahead

`sync --dry-run`, the first sync (on stderr) and `reindex` without `--yes` say what there is to \
embed, and how long it takes; so does a later sync if that is more than a minute.
As JSON it is the object `forecast`, null where there is nothing to embed:

| key | meaning |
|---|---|
| `chunks` | distinct texts; each is embedded once, however many files it is in |
| `tokens` | the chunker's estimate, which is rather too high than too low |
| `calls` | as the provider counts them: requests, or every text; 0 for a model on this machine, \
null without an embedder |
| `minutes` | by the pace of this run, else by that of an earlier run with this embedder; null \
where neither is known |
| `estimated` | true: nothing was read yet, so chunks and tokens are guessed from sizes and types, \
by what files of a type became in this index, else elsewhere, where they may be off by a factor of \
three; a changed file counts as if all of it were new |

With `--max-embeddings N` no run, and no round of `sync --watch`, embeds more than N texts.
All files are read and found by their words all the same; the run ends with 3 and a warning \
`embedding_budget_reached`, and the next one goes on.
A `reindex` within a budget leaves the former vectors in service until all new ones are made.
"""


def settings_page() -> str:
    """One row a setting, in the order of `Settings`."""
    properties: dict[str, dict[str, Any]] = Settings.model_json_schema()["properties"]
    rows = ["| variable | in config.toml | value | default | meaning |", "|---|---|---|---|---|"]
    rows += [
        f"| {_variable(name)} | `{name}` | {_value(schema)} | {_default(schema)} "
        f"| {_cell(schema['description'])} |"
        for name, schema in properties.items()
    ]
    later = [f"- `{name}`" for name in sorted(NOT_USED_YET)]
    secrets = [f"- `{name}`" for name in sorted(SECRETS)]
    return "\n".join([_SETTINGS_TOP, *rows, _SETTINGS_OURS, *secrets, _SETTINGS_LATER, *later, ""])


def _variable(name: str) -> str:
    return "only in the file" if name in FILE_ONLY else f"`{environment_name(name)}`"


def _value(schema: dict[str, Any]) -> str:
    """What a setting may be, from its JSON schema; `null` only says that it may be left out."""
    [schema] = [choice for choice in schema.get("anyOf", [schema]) if choice.get("type") != "null"]
    if "enum" in schema:
        return ", ".join(f"`{choice}`" for choice in schema["enum"])
    if schema["type"] == "array":
        return "lists of text"
    kind = {"string": "text", "number": "number", "integer": "whole number", "boolean": "yes or no"}
    bounds = [
        f"{sign} {schema[key]:g}"
        for key, sign in {
            "minimum": "≥",
            "exclusiveMinimum": ">",
            "maximum": "≤",
            "exclusiveMaximum": "<",
        }.items()
        if key in schema
    ]
    name = "path" if schema.get("format") == "path" else kind[schema["type"]]
    return " ".join([name, ", ".join(bounds)]).strip()


def _default(schema: dict[str, Any]) -> str:
    value = schema.get("default")
    if value is None or value == []:
        return "unset"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def environment_example() -> str:
    """Every variable, commented out, with its default: an empty copy changes nothing."""
    lines = [_ENVIRONMENT_TOP]
    for name, field in Settings.model_fields.items():
        if name in FILE_ONLY:
            continue
        value = "" if field.default is None else str(field.default)
        value = value.lower() if isinstance(field.default, bool) else value
        lines += [f"# {field.description}", f"# {environment_name(name)}={value}", ""]
    return "\n".join(lines)


def commands_page() -> str:
    """The help of every command."""
    return "\n".join([_COMMANDS_TOP, *_sections(typer.main.get_command(app), ())])


def _sections(command: object, path: tuple[str, ...]) -> Iterator[str]:
    program = "gdrive-rag-mcp"
    shown = CliRunner().invoke(app, [*path, "--help"], prog_name=program)
    yield f"## {' '.join((program, *path))}\n\n```text\n{shown.output.strip()}\n```\n"
    children: dict[str, Any] = getattr(command, "commands", {})
    for name, child in sorted(children.items()):
        if not child.hidden:
            yield from _sections(child, (*path, name))


PAGES: dict[str, Callable[[], str]] = {
    "docs/settings.md": settings_page,
    "docs/cli.md": commands_page,
    ".env.example": environment_example,
}


def stale_pages() -> dict[Path, str]:
    """The pages that differ from what the code says, with what they should be."""
    made = {REPOSITORY / name: make() for name, make in PAGES.items()}
    return {
        path: text
        for path, text in made.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    }


def main() -> int:
    """Write what is stale, or with `--check` name it."""
    stale = stale_pages()
    for path, text in stale.items():
        name = path.relative_to(REPOSITORY)
        if "--check" in sys.argv[1:]:
            print(f"{name} is not what the code says: run `make docs`", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
