"""The command line: reads options, calls one use case, prints what came of it.

Results go to stdout, everything else to stderr. Heavy parts are imported by the command that needs
them, so that `--help`, `--version` and `serve` start at once.
"""

import signal
import sys
import traceback
from typing import Annotated, Any

import typer

from gdrive_rag_mcp import __version__
from gdrive_rag_mcp.domain import FileState, SyncReport
from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.frontends.cli.progress import progress_bars
from gdrive_rag_mcp.frontends.cli.running import Json, ReadSettings, app, command, note, show

INTERRUPTED = 130
UNFINISHED = 3


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,  # noqa: FBT002 - a flag
) -> None:
    if version:
        typer.echo(f"gdrive-rag-mcp {__version__}")
        raise typer.Exit


@command("init-db")
def init_db(read_settings: ReadSettings) -> None:
    """Make an empty index, or bring an older one up to date."""
    from gdrive_rag_mcp.app.syncing import create_index

    path = read_settings().index_path
    create_index(path)
    show(f"index ready at {path}")


@command("sync")
def sync(
    read_settings: ReadSettings,
    *,
    full: Annotated[
        bool, typer.Option("--full", help="Look again at what was refused or failed.")
    ] = False,
    allow_mass_delete: Annotated[
        bool,
        typer.Option(
            "--allow-mass-delete", help="Take out many files at once that are not listed any more."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Bring the index up to date with the folder."""
    from gdrive_rag_mcp import presentation, wiring
    from gdrive_rag_mcp.indexing.sync import SyncOptions

    settings = read_settings()
    options = SyncOptions(full=full, allow_mass_delete=allow_mass_delete)
    with progress_bars() as progress:
        report = wiring.sync(settings, options, progress=progress, report=note)
    if as_json:
        show(presentation.as_json(presentation.sync_object(report)))
    else:
        show(presentation.sync_text(report))
    if code := _exit_code(report):
        raise typer.Exit(code)


def _exit_code(report: SyncReport) -> int:
    states = report.coverage.by_state
    if not report.complete:
        return 1
    unfinished = states.get(FileState.FAILED, 0) or states.get(FileState.HELD, 0)
    return UNFINISHED if unfinished or report.embedding_incomplete else 0


@command("reindex")
def reindex(
    read_settings: ReadSettings,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without, say what it costs.")] = False,
    as_json: Json = False,
) -> None:
    """Embed everything anew with the embedder that is set; search goes on meanwhile."""
    from gdrive_rag_mcp import presentation, wiring

    with progress_bars() as progress:
        report = wiring.reindex(read_settings(), agreed=yes, progress=progress, report=note)
    if as_json:
        show(presentation.as_json(presentation.reindex_object(report)))
    else:
        show(presentation.reindex_text(report))


@command("status")
def status(
    read_settings: ReadSettings,
    *,
    files: Annotated[bool, typer.Option("--files", help="List every file with its state.")] = False,
    state: Annotated[FileState | None, typer.Option(help="List only files in this state.")] = None,
    as_json: Json = False,
) -> None:
    """Tell what the index holds, and what became of every file."""
    from gdrive_rag_mcp import presentation, wiring

    reader = wiring.make_reader(read_settings(), resident=False)
    if not (files or state):
        found = reader.status()
        text = (
            presentation.as_json(presentation.status_object(found))
            if as_json
            else presentation.status_text(found)
        )
        show(text)
        return
    cursor: str | None = None
    while True:
        page = reader.list_documents(state=state, cursor=cursor, limit=500)
        if as_json:
            show(presentation.as_json(presentation.ledger_object(page)))
        else:
            show(presentation.ledger_text(page))
        cursor = page.next_cursor
        if cursor is None:
            return


@command("search")
def search(
    read_settings: ReadSettings,
    query: Annotated[str, typer.Argument(help="The question, in any language.")],
    *,
    limit: Annotated[int, typer.Option(help="Passages at most.")] = 5,
    scope: Annotated[str | None, typer.Option(help="Only below this folder or file id.")] = None,
    mime_type: Annotated[str | None, typer.Option(help="Only files of this type.")] = None,
    modified_after: Annotated[str | None, typer.Option(help="ISO 8601, inclusive.")] = None,
    modified_before: Annotated[str | None, typer.Option(help="ISO 8601, inclusive.")] = None,
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
    outcome = reader.search(query, limit=limit, scope_id=scope, filters=filters)
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

    serve_stdio(make_reader)


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
    # Cron, systemd and containers end a run with SIGTERM: it is to clean up as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # such as `gdrive-rag-mcp export | head`
        sys.stderr.close()
        sys.exit(0)
    except Exception:  # noqa: BLE001 - the outermost handler
        traceback.print_exc()
        note("error: this is a bug in gdrive-rag-mcp; please report it with the lines above")
        sys.exit(1)
