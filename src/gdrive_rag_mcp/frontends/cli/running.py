"""What every command shares: its options, how it ends on an error, and how it prints."""

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from gdrive_rag_mcp.errors import GdriveRagError
from gdrive_rag_mcp.frontends.cli.numbers import refusing_numbers
from gdrive_rag_mcp.frontends.interrupts import INTERRUPTED, broken_off
from gdrive_rag_mcp.frontends.options import command_settings
from gdrive_rag_mcp.settings import Settings

app = typer.Typer(
    help="Search over one Google Drive folder that cites where, and says when it has no answer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # its frames would show settings and keys
)
ReadSettings = Callable[[], Settings]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]

_COMMON: dict[str, Any] = {
    "config": Annotated[Path | None, typer.Option("--config", help="The config file to read.")],
    "env_file": Annotated[
        Path | None, typer.Option("--env-file", help="Read variables from this file too.")
    ],
    "db": Annotated[Path | None, typer.Option("--db", help="The index file.")],
    "profile": Annotated[str | None, typer.Option("--profile", help="The index of this name.")],
    "source": Annotated[str | None, typer.Option("--source", help="`drive` or `folder:/path`.")],
}
_CHOOSING_AN_INDEX = {"db", "profile", "source"}


def command(
    name: str, *, goes_on: bool = False, of: typer.Typer = app, of_an_index: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command: adds the common options, and ends well on errors and signals.

    `goes_on`: after a signal, the next run goes on where this one was. `of` is the group that it
    belongs to, and `of_an_index` whether it is about an index that its options choose. Its first
    argument reads the settings that those options, the environment and the file make.
    """
    kept = f"; what was done is kept, and the next {name} goes on from there" if goes_on else ""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(function).parameters.values())[1:]

        @functools.wraps(function)
        def run(**given: Any) -> None:  # noqa: ANN401 - each command has its own options
            common = {option: given.pop(option, None) for option in _COMMON}
            with _ending_well(f"stopped{kept}"):
                function(functools.partial(command_settings, **common), **given)

        added = [
            inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for option, kind in _COMMON.items()
            if of_an_index or option not in _CHOOSING_AN_INDEX
        ]
        keyword_only = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
        signature = inspect.Signature([*keyword_only, *added])
        run.__signature__ = signature  # type: ignore[attr-defined]  # what typer reads options from
        run.__annotations__ = {one.name: one.annotation for one in (*own, *added)}
        of.command(name, cls=refusing_numbers(own))(run)
        return function

    return decorate


@contextmanager
def _ending_well(stopped: str) -> Iterator[None]:
    try:
        with broken_off():
            yield
    except GdriveRagError as error:
        tell(error)
        raise typer.Exit(error.exit_code) from None
    except KeyboardInterrupt:
        note(stopped)
        raise typer.Exit(INTERRUPTED) from None


def tell(error: GdriveRagError) -> None:
    """Say what went wrong, and what to do about it."""
    note(f"error: {error.message}")
    if error.hint:
        note(f"  to fix it: {error.hint}")


def show(text: str) -> None:
    """Write UTF-8 whatever the terminal claims, so that no document's character ends a command.

    Raises:
        OutputError: standard output cannot be written.
    """
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader has had enough, as in `status | head`
        raise typer.Exit from None


def note(line: str) -> None:
    """Say something that is no result."""
    typer.echo(line, err=True)
