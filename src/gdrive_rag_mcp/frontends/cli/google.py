"""`auth-google`: a person agrees, once, that this program may read their Drive."""

import os
import sys
import webbrowser
from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qsl, urlsplit

import typer

from gdrive_rag_mcp.frontends.cli.running import Json, ReadSettings, command, note, show

if TYPE_CHECKING:  # the Google libraries are for the command itself
    from gdrive_rag_mcp.sources.drive_consent import Consent


_UNNAMED = "an account that Drive did not name"


@command("auth-google")
def auth_google(
    read_settings: ReadSettings,
    *,
    no_browser: Annotated[
        bool,
        typer.Option(
            "--no-browser",
            help="Open none here; the address that your browser ends at may be pasted instead.",
        ),
    ] = False,
    port: Annotated[
        int,
        typer.Option(help="Port of 127.0.0.1 to wait at; 0 is any free one.", min=0, max=65535),
    ] = 0,
    timeout: Annotated[
        float, typer.Option(help="Seconds to wait for your answer.", min=1, max=86400)
    ] = 300.0,
    as_json: Json = False,
) -> None:
    """Ask for your consent to read your Drive, and keep it for `sync`."""
    from gdrive_rag_mcp import wiring
    from gdrive_rag_mcp.sources.drive_consent import Asking

    show_address = _only_print if no_browser or not _has_browser() else _open
    asking = Asking(show_address, note, timeout, port, pasted=_standard_input())
    consent = wiring.connect_google(read_settings(), asking)
    if as_json:
        _show_json(consent)
    else:
        _show(consent)


def _show(consent: "Consent") -> None:
    show(f"connected as {consent.account or _UNNAMED}, to read only")
    show(f"consent kept in {consent.token_file}")
    if consent.replaced is not None:
        show(f"replaced the consent of {consent.replaced or _UNNAMED}, which was kept there")
    show("next: `gdrive-rag-mcp doctor`, then `gdrive-rag-mcp sync`")


def _show_json(consent: "Consent") -> None:
    from gdrive_rag_mcp import presentation

    told = {
        "account": consent.account or None,
        "scopes": list(consent.scopes),
        "token_file": str(consent.token_file),
        "replaced": consent.replaced,
    }
    show(presentation.as_json(told))


def _open(url: str) -> bool:
    note(f"open this address in a browser, sign in, and agree:\n\n{url}\n")
    return webbrowser.open(url) or _offer_pasting(url)


def _only_print(url: str) -> bool:
    note(f"open this address in a browser, sign in, and agree:\n\n{url}\n")
    return _offer_pasting(url)


def _offer_pasting(url: str) -> bool:
    """Say what to do without a browser here; that none was opened is the answer."""
    back = dict(parse_qsl(urlsplit(url).query)).get("redirect_uri", "")
    note(
        "then wait, if that browser is on this machine,\n"
        f"or paste the address that it ends at ({back}…), even if it cannot show that page:"
    )
    return False


def _has_browser() -> bool:
    """Whether there is one with a window: one in the terminal would take the terminal over."""
    places = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform == "darwin" or any(os.environ.get(place) for place in places)


def _standard_input() -> int | None:
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # none, or closed
        return None
