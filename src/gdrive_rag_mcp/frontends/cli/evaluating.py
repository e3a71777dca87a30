"""The command that asks a file of cases, and says how many were judged rightly."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gdrive_rag_mcp.domain import Case, CaseResult, Evaluation
from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.frontends.cli.progress import progress_bars
from gdrive_rag_mcp.frontends.cli.running import ReadSettings, command, note, show
from gdrive_rag_mcp.settings import Settings

_MOST_PASSAGES = 50
_STDOUT = Path("-")


CasesFile = Annotated[
    Path | None, typer.Argument(metavar="CASES", help="A file of cases, one JSON object a line.")
]
Demo = Annotated[
    bool,
    typer.Option("--demo", help="Index the sample documents, and ask the cases they ship with."),
]
JsonFile = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Write every case and the summary to this file too; `-` is stdout, instead of the "
        "table.",
    ),
]
Floors = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND=RATE",
        help="Let cases of this kind fail, as long as this share of them (0 to 1) is judged "
        "rightly: accepted where an answer is expected, refused where none is. Cases of every "
        "other kind must all pass. May be given again for other kinds.",
    ),
]
Limit = Annotated[
    int, typer.Option(help="Passages at most for a question.", min=1, max=_MOST_PASSAGES)
]
Url = Annotated[
    str | None,
    typer.Option(
        help="Ask the server at this URL, such as http://127.0.0.1:8000/mcp, instead of an index; "
        "its token is read from GDRIVE_RAG_BEARER_TOKEN, or from the file that "
        "GDRIVE_RAG_BEARER_TOKEN_FILE names. Whether it has the gold documents shows in what it "
        "returns alone."
    ),
]


@command("eval")
def evaluate(
    read_settings: ReadSettings,
    cases: CasesFile = None,
    *,
    demo: Demo = False,
    json_file: JsonFile = None,
    floor: Floors = None,
    limit: Limit = 5,
    scope: Annotated[str | None, typer.Option(help="Only below this folder or file id.")] = None,
    url: Url = None,
) -> None:
    """Ask a file of cases; ends with 1 if a case fails or a floor is missed."""
    from gdrive_rag_mcp import evaluation as evaluating

    settings = read_settings()
    file = _cases_file(cases, demo=demo, url=url)
    chosen = evaluating.read_cases(file)
    floors = evaluating.read_floors(floor or (), chosen)
    if json_file is not None and json_file != _STDOUT:
        from gdrive_rag_mcp.frontends.whole_files import check_writable

        check_writable(json_file, "--json", read=[file])
    if url is not None:
        results = _ask_server(url, chosen, limit=limit, scope=scope)
    else:
        settings = _sample_index(settings) if demo else settings
        results = _ask_index(settings, chosen, limit=limit, scope=scope)
    rows, told = evaluating.summarise(results, limit), evaluating.reached(floors, results)
    done = Evaluation(results, rows, told, limit, scope)
    _tell(done, json_file)
    if not done.succeeded:
        raise typer.Exit(1)


def _cases_file(cases: Path | None, *, demo: bool, url: str | None) -> Path:
    from gdrive_rag_mcp.demo import cases_file

    if demo and (cases is not None or url is not None):
        other = "CASES" if cases is not None else "--url"
        raise SettingsError(
            f"--demo and {other} do not go together",
            hint=f"leave out one of the two; the cases of --demo are in {cases_file()}",
        )
    if demo:
        return cases_file()
    if cases is None:
        raise SettingsError(
            "there are no cases to ask", hint="name a file of cases, or use --demo for the samples"
        )
    return cases


def _sample_index(settings: Settings) -> Settings:
    """The samples, indexed as `demo` does it."""
    from gdrive_rag_mcp import wiring
    from gdrive_rag_mcp.frontends.demonstration import for_the_samples
    from gdrive_rag_mcp.indexing.sync import SyncOptions

    settings = for_the_samples(settings)
    with progress_bars() as progress:
        wiring.sync(settings, SyncOptions(), progress=progress, report=note)
    return settings


def _ask_index(
    settings: Settings, cases: Sequence[Case], *, limit: int, scope: str | None
) -> tuple[CaseResult, ...]:
    from gdrive_rag_mcp import wiring
    from gdrive_rag_mcp.wiring.evaluating import evaluate_index

    reader = wiring.make_reader(settings, resident=True)
    with progress_bars() as progress:
        return evaluate_index(reader, cases, limit=limit, scope_id=scope, progress=progress)


def _ask_server(
    url: str, cases: Sequence[Case], *, limit: int, scope: str | None
) -> tuple[CaseResult, ...]:
    from gdrive_rag_mcp.evaluation import run_cases
    from gdrive_rag_mcp.frontends import remote_evaluation as remote

    if remote.sends_token_openly(remote.checked_url(url), os.environ):
        note("warning: http carries the token to another machine for all to read; https does not")
    with (
        remote.asking_server(url, limit=limit, scope_id=scope) as ask,
        progress_bars() as progress,
    ):
        return run_cases(cases, ask, progress=progress)


def _tell(done: Evaluation, json_file: Path | None) -> None:
    from gdrive_rag_mcp import presentation

    if json_file is None:
        show(presentation.evaluation_text(done))
        return
    from gdrive_rag_mcp.frontends.whole_files import write_whole

    written = presentation.as_json(presentation.evaluation_object(done))
    if json_file == _STDOUT:
        show(written)
        note(presentation.verdict_text(done))
    else:
        write_whole(json_file, f"{written}\n")
        show(presentation.evaluation_text(done))
