"""The commands of whoever works on the verdict itself."""

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gdrive_rag_mcp.frontends.cli.running import ReadSettings, app, command, note, show

if TYPE_CHECKING:
    from gdrive_rag_mcp.wiring.fitting import Fitted

evidence = typer.Typer(help="The verdict itself: fit what it is made of.", no_args_is_help=True)
app.add_typer(evidence, name="evidence")
Data = Annotated[
    Path, typer.Argument(help="A folder of question sets, each a folder in it.", metavar="DATA")
]
Beside = Annotated[
    Path | None,
    typer.Option(
        "--beside",
        metavar="FOLDER",
        help="Let corpora grow by the texts of the sets in this folder instead.",
    ),
]


@command("fit", of=evidence, of_an_index=False)
def fit(
    read_settings: ReadSettings,
    data: Data,
    *,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="Write the weights to this file.")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="FOLDER", help="Keep vectors, indexes and signals here."),
    ] = None,
    projections_from: Annotated[
        Path | None,
        typer.Option(
            "--projections-from",
            metavar="FOLDER",
            help="Learn what tokens are compared by from the sets in this folder instead.",
        ),
    ] = None,
    beside: Beside = None,
) -> None:
    """Fit the weights of the verdict on public questions with and without an answer."""
    from gdrive_rag_mcp.evaluation.fit_report import table
    from gdrive_rag_mcp.wiring.fitting import fit_evidence

    _check(write, data)
    settings = read_settings()
    with ExitStack() as opened:
        folder = (cache or Path(opened.enter_context(tempfile.TemporaryDirectory()))).absolute()
        fitted = fit_evidence(
            settings, data, folder, projections_from=projections_from, beside=beside, report=note
        )
    show("each set judged by a model that was fitted without its family:\n")
    show(table(fitted.held_out))
    _show_models(fitted)
    if write is not None:
        _write(write, fitted.weights.encode())
        note(f"weights written to {write.absolute()}")


def _show_models(fitted: "Fitted") -> None:
    for name, model in fitted.models.items():
        show(f"\n{name}: intercept {model.intercept:.2f}")
        for signal, weight in model.weights.items():
            show(f"  {signal:22} {weight.weight:+.2f}  centre {weight.centre:.2f}")
    for name in fitted.lacking:
        note(f"warning: {name} was not fitted, as no set could be searched or asked that way")


@command("fit-projection", of=evidence, of_an_index=False)
def fit_projection(
    read_settings: ReadSettings,
    data: Data,
    *,
    sets: Annotated[
        str, typer.Option("--sets", metavar="NAMES", help="Only these sets, with commas between.")
    ] = "",
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Judge it on articles that were left out, too.")
    ] = False,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="Write it to this .npz file.")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache", metavar="FOLDER", help="Keep token states and indexes here for next time."
        ),
    ] = None,
) -> None:
    """Learn the projection of the embedded model's tokens from public questions."""
    from gdrive_rag_mcp.evaluation.projection_report import table
    from gdrive_rag_mcp.wiring.projection import fit_token_projection

    _check(write, data)
    with ExitStack() as opened:
        folder = cache or Path(opened.enter_context(tempfile.TemporaryDirectory()))
        fitted = fit_token_projection(
            read_settings(),
            data,
            folder.absolute(),
            only=[name.strip() for name in sets.split(",") if name.strip()],
            held_out=held_out,
            report=note,
        )
    if fitted.held_out:
        show("AUROC of answerable questions against adjacent topics, by articles left out:\n")
        show(table(fitted.held_out))
    if write is not None:
        _write(write, fitted.file)
        note(f"projection written to {write.absolute()}")


def _check(write: Path | None, data: Path) -> None:
    """See that the result can be written, before hours go by, and that it replaces no data."""
    if write is None:
        return
    from gdrive_rag_mcp.frontends.whole_files import check_writable

    check_writable(write, "--write", read=data.glob("*/*"))


def _write(path: Path, content: bytes) -> None:
    from gdrive_rag_mcp.frontends.whole_files import write_whole

    write_whole(path, content)
