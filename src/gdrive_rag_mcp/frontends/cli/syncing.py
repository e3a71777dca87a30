"""The commands that write an index, and the one that tells what became of every file."""

from typing import TYPE_CHECKING, Annotated

import typer

from gdrive_rag_mcp.domain import FileState, LedgerPage, ReindexReport, SyncReport
from gdrive_rag_mcp.errors import GdriveRagError, SettingsError
from gdrive_rag_mcp.frontends.cli.progress import progress_bars
from gdrive_rag_mcp.frontends.cli.running import Json, ReadSettings, command, note, show
from gdrive_rag_mcp.frontends.cli.watching import watch_index
from gdrive_rag_mcp.settings import Settings

if TYPE_CHECKING:  # what syncs loads SQLite and more, which `--help` need not wait for
    from gdrive_rag_mcp.app import Reader
    from gdrive_rag_mcp.indexing.sync import SyncOptions

UNFINISHED = 3
_PAGE = 500
_A_WEEK = 7 * 24 * 3600
_MOST_EMBEDDINGS = 1_000_000_000
MaxEmbeddings = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=_MOST_EMBEDDINGS,
        metavar="N",
        help="Embed at most so many texts in this run; the rest is found by words until later.",
    ),
]
ForgetFormer = Annotated[
    bool,
    typer.Option(
        "--forget-former",
        help="Give the room of the former vectors back at once, not after 30 days.",
    ),
]
_TO_COME_BACK_TO = (FileState.FAILED, FileState.HELD, FileState.PENDING)


@command("init-db")
def init_db(read_settings: ReadSettings) -> None:
    """Make an empty index, or bring an older one up to date."""
    from gdrive_rag_mcp.app.syncing import create_index

    path = read_settings().index_path
    create_index(path)
    show(f"index ready at {path}")


@command("sync", goes_on=True)
def sync(
    read_settings: ReadSettings,
    *,
    full: Annotated[
        bool,
        typer.Option("--full", help="List everything anew, and try again what was not indexed."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would change, and write nothing.")
    ] = False,
    watch: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=_A_WEEK,
            metavar="SECONDS",
            help="Go on and on, with a pause between the rounds; one line a round.",
        ),
    ] = None,
    allow_mass_delete: Annotated[
        bool,
        typer.Option(
            "--allow-mass-delete", help="Take out many files at once that are not there any more."
        ),
    ] = False,
    max_embeddings: MaxEmbeddings = None,
    as_json: Json = False,
) -> None:
    """Bring the index up to date with the folder."""
    from gdrive_rag_mcp.indexing.sync import SyncOptions

    options = SyncOptions(
        full=full, allow_mass_delete=allow_mass_delete, max_embeddings=max_embeddings
    )
    if watch is not None:
        _refuse_beside_watch(dry_run=dry_run, allow_mass_delete=allow_mass_delete)
        watch_index(read_settings(), options, every=watch, as_json=as_json)
    elif dry_run:
        _plan(read_settings(), options, as_json=as_json)
    else:
        _sync_once(read_settings(), options, as_json=as_json)


def _refuse_beside_watch(*, dry_run: bool, allow_mass_delete: bool) -> None:
    if dry_run:
        raise SettingsError(
            "--watch and --dry-run do not go together", hint="leave out one of the two"
        )
    if allow_mass_delete:
        raise SettingsError(
            "--watch and --allow-mass-delete do not go together: that many files are gone is "
            "confirmed for the one run that says so, not for every run to come",
            hint="run `gdrive-rag-mcp sync --allow-mass-delete` once; a watch may go on beside it",
        )


def _plan(settings: Settings, options: "SyncOptions", *, as_json: bool) -> None:
    from gdrive_rag_mcp import presentation, wiring

    with progress_bars() as progress:
        plan = wiring.plan(settings, options, progress=progress, report=note)
    if as_json:
        show(presentation.as_json(presentation.plan_object(plan)))
    else:
        show(presentation.plan_text(plan))
    if plan.to_hold or not plan.complete:
        raise typer.Exit(UNFINISHED)


def _sync_once(settings: Settings, options: "SyncOptions", *, as_json: bool) -> None:
    from gdrive_rag_mcp import presentation, wiring

    with progress_bars() as progress:
        report = wiring.sync(settings, options, progress=progress, report=note)
    if as_json:
        show(presentation.as_json(presentation.sync_object(report)))
    else:
        show(presentation.sync_text(report))
    if trouble := presentation.nothing_searchable(report.coverage):
        problem, remedy = trouble
        raise GdriveRagError(problem, hint=remedy)
    if not is_finished(report):
        raise typer.Exit(UNFINISHED)


def is_finished(report: SyncReport) -> bool:
    """Whether a sync left nothing to come back to."""
    waits = any(report.coverage.by_state.get(state) for state in _TO_COME_BACK_TO)
    done = report.complete and not report.embedding_incomplete
    return done and not waits and report.coverage.in_scope > 0


@command("reindex", goes_on=True)
def reindex(
    read_settings: ReadSettings,
    *,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do it; without, say what it takes and change nothing.")
    ] = False,
    max_embeddings: MaxEmbeddings = None,
    without_refused: Annotated[
        bool,
        typer.Option(
            "--without-refused",
            help="Change even if it refuses many texts; they are then found by their words alone.",
        ),
    ] = False,
    forget_former: ForgetFormer = False,
    as_json: Json = False,
) -> None:
    """Embed everything anew with the embedder that is set; search goes on meanwhile."""
    from gdrive_rag_mcp import wiring

    settings = read_settings()
    if not yes:
        _plan_reindex(settings, as_json=as_json)
        return
    with progress_bars() as progress:
        report = wiring.reindex(
            settings,
            progress=progress,
            report=note,
            max_embeddings=max_embeddings,
            without_refused=without_refused,
            forget_former=forget_former,
        )
    _show_reindex(report, as_json=as_json)
    if report.waiting:
        raise typer.Exit(UNFINISHED)


def _plan_reindex(settings: Settings, *, as_json: bool) -> None:
    """Say what a change of the embedder takes; there is something to agree to unless it is none."""
    from gdrive_rag_mcp import wiring

    report = wiring.plan_reindex(settings, report=note)
    _show_reindex(report, as_json=as_json)
    if not report.flipped:
        raise SettingsError(
            "nothing was changed: --yes is missing",
            hint="run it again with --yes; search goes on with the former vectors meanwhile",
        )


def _show_reindex(report: ReindexReport, *, as_json: bool) -> None:
    from gdrive_rag_mcp import presentation

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
    ledger = _whole_ledger(reader, state)
    if as_json:
        show(presentation.as_json(presentation.ledger_object(ledger)))
        return
    if state and not ledger.records:
        show(f"no file is {state.value}")
    show(presentation.ledger_text(ledger))


def _whole_ledger(reader: "Reader", state: FileState | None) -> LedgerPage:
    page = reader.list_documents(state=state, limit=_PAGE)
    records = list(page.records)
    while page.next_cursor is not None:
        page = reader.list_documents(state=state, cursor=page.next_cursor, limit=_PAGE)
        records += page.records
    return LedgerPage(tuple(records), page.coverage)
