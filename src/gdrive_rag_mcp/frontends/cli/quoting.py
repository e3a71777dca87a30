"""The command that looks whether a document says what it is quoted with."""

from typing import Annotated

import typer

from gdrive_rag_mcp.frontends.cli.running import Json, ReadSettings, command, show


@command("verify-quote")
def verify_quote(
    read_settings: ReadSettings,
    document_id: Annotated[str, typer.Argument(help="The id that search or status shows.")],
    quote: Annotated[str, typer.Argument(help="The words; `…` or [...] for what is left out.")],
    *,
    as_json: Json = False,
) -> None:
    """Say whether a document holds a quote: exact, near with what differs, or absent."""
    from gdrive_rag_mcp import presentation, wiring

    reader = wiring.make_reader(read_settings(), resident=False)
    check = reader.verify_quote(document_id, quote)
    if as_json:
        show(presentation.as_json(presentation.quote_object(check)))
    else:
        show(presentation.quote_text(check))
