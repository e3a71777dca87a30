"""The command line: reads options, calls one use case, prints what came of it.

Results go to stdout, everything else to stderr. Heavy parts are imported by the command that needs
them, so that `--help`, `--version` and `serve` start at once.
"""

import sys
import traceback
from typing import Annotated, Any

import typer

from gdrive_rag_mcp import __version__
from gdrive_rag_mcp.errors import GdriveRagError, SettingsError
from gdrive_rag_mcp.frontends.cli import evaluating, fitting, google, quoting, syncing
from gdrive_rag_mcp.frontends.cli.running import (
    Json,
    ReadSettings,
    app,
    command,
    note,
    show,
    tell,
)
from gdrive_rag_mcp.frontends.cli.streams import mend_standard_streams, unwritable
from gdrive_rag_mcp.frontends.interrupts import INTERRUPTED, broken_off

# Their import is what makes their commands.
__all__ = ["evaluating", "fitting", "google", "main", "quoting", "syncing"]

_MOST_PASSAGES = 50


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,  # noqa: FBT002 - a flag
) -> None:
    if version:
        typer.echo(f"gdrive-rag-mcp {__version__}")
        raise typer.Exit


@command("search")
def search(
    read_settings: ReadSettings,
    query: Annotated[str, typer.Argument(help="The question, in any language.")],
    *,
    limit: Annotated[int, typer.Option(help="Passages at most.", min=1, max=_MOST_PASSAGES)] = 5,
    scope: Annotated[str | None, typer.Option(help="Only below this folder or file id.")] = None,
    mime_type: Annotated[str | None, typer.Option(help="Only files of this type.")] = None,
    modified_after: Annotated[str | None, typer.Option(help="ISO 8601, inclusive.")] = None,
    modified_before: Annotated[str | None, typer.Option(help="ISO 8601, inclusive.")] = None,
    neighbours: Annotated[
        int, typer.Option(help="Chunks of context before and after a passage.", min=0, max=2)
    ] = 0,
    as_json: Json = False,
) -> None:
    """Find cited passages, with a verdict on whether they answer."""
    from gdrive_rag_mcp import presentation, wiring
    from gdrive_rag_mcp.app import parse_time
    from gdrive_rag_mcp.domain import Filters

    after, before = "--modified-after", "--modified-before"
    filters = Filters(
        mime_type,
        parse_time(modified_after, name=after) if modified_after else None,
        parse_time(modified_before, name=before, end_of_day=True) if modified_before else None,
    )
    reader = wiring.make_reader(read_settings(), resident=False)
    outcome = reader.search(
        query, limit=limit, scope_id=scope, filters=filters, neighbours=neighbours
    )
    if as_json:
        show(presentation.as_json(presentation.search_object(outcome)))
    else:
        show(presentation.search_text(outcome))


@command("export")
def export(
    read_settings: ReadSettings,
    *,
    chunks: Annotated[
        bool, typer.Option("--chunks", help="With the text and place of every chunk.")
    ] = False,
) -> None:
    """Print the whole ledger as JSON Lines, one file a line, for audits."""
    from gdrive_rag_mcp import presentation, wiring

    reader = wiring.make_reader(read_settings(), resident=False)
    for record, parts in reader.export(chunks=chunks):
        show(presentation.as_json(presentation.export_object(record, parts)))


@command("serve")
def serve(
    read_settings: ReadSettings,
    *,
    transport: Annotated[str, typer.Option(help="`stdio`.")] = "stdio",
) -> None:
    """Serve the index to an MCP client."""
    settings = read_settings()
    if transport != "stdio":
        raise SettingsError(
            f"there is no transport {transport!r} in this version", hint="use --transport stdio"
        )
    from gdrive_rag_mcp.frontends.mcp_server import serve_stdio

    def make_reader() -> Any:  # noqa: ANN401 - its type would load the use cases before serving
        from gdrive_rag_mcp import wiring

        return wiring.make_reader(settings, resident=True)

    try:
        serve_stdio(make_reader)
    except BaseExceptionGroup as failures:
        failed, others = failures.split(OSError)
        if failed is None or others is not None:
            raise
        raise unwritable(_first(failed)) from failures


def _first(failures: BaseExceptionGroup[OSError]) -> OSError:
    [first, *_] = failures.exceptions
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


@command("demo")
def demo(read_settings: ReadSettings) -> None:
    """Index the sample documents, ask them, and print the configuration of MCP clients."""
    from gdrive_rag_mcp.frontends.demonstration import demonstrate

    demonstrate(read_settings(), show=show, report=note)


@command("doctor")
def doctor(read_settings: ReadSettings) -> None:
    """Check settings, credentials, weights and index; say what to do about each."""
    from gdrive_rag_mcp.frontends.doctor import examine

    findings = examine(read_settings)
    for finding in findings:
        show(finding.line)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def main() -> None:
    """Run the command line; the outermost handler of everything that can go wrong."""
    mend_standard_streams()
    try:
        with broken_off():
            app()
    except GdriveRagError as error:  # such as a `--help` that cannot be written
        tell(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception:  # noqa: BLE001 - the outermost handler
        traceback.print_exc()
        note("error: this is a bug in gdrive-rag-mcp; please report it with the lines above")
        sys.exit(1)
