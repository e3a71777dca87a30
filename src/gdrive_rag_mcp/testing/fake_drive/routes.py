"""Which path is answered by whom: the API behind its tokens, and Google's sign-in beside it."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote

from gdrive_rag_mcp.testing.fake_drive.answers import (
    Answer,
    error_answer,
    forbidden,
    unauthorized,
)
from gdrive_rag_mcp.testing.fake_drive.behaviour import Behaviour
from gdrive_rag_mcp.testing.fake_drive.calls import Call
from gdrive_rag_mcp.testing.fake_drive.changes import Changes
from gdrive_rag_mcp.testing.fake_drive.content import Content
from gdrive_rag_mcp.testing.fake_drive.drives import Drives
from gdrive_rag_mcp.testing.fake_drive.files import FakeFiles
from gdrive_rag_mcp.testing.fake_drive.listing import Listing
from gdrive_rag_mcp.testing.fake_drive.lookup import Lookup
from gdrive_rag_mcp.testing.fake_drive.resources import Resources
from gdrive_rag_mcp.testing.fake_drive.tokens import TokenEndpoint
from gdrive_rag_mcp.testing.fake_drive.workspace import DOCS, SHEETS, SLIDES, Workspace

Reply = Answer | dict[str, Any]
Respond = Callable[[], Reply]
Handler = Callable[..., Reply]
Routed = tuple[str, Respond]
SIGN_IN = {
    ("GET", "/o/oauth2/auth"): ("authorize", "authorize"),
    ("POST", "/token"): ("token", "grant"),
    ("POST", "/revoke"): ("revoke", "revoke_token"),
}


class Routes:
    """Finds what answers a request, and names it for the log."""

    def __init__(
        self, files: FakeFiles, tokens: TokenEndpoint, behaviour: Behaviour, base_url: str
    ) -> None:
        self._tokens = tokens
        world, access, feeds = files.world, files.access, files.feeds
        lookup = Lookup(world, access)
        resources = Resources(world, lookup, base_url)
        listing = Listing(world, access, lookup, resources, behaviour)
        changes = Changes(world, files.journal, feeds, lookup, resources, behaviour)
        drives = Drives(world, feeds, lookup, resources)
        workspace = Workspace(world, lookup, behaviour)
        self._content = Content(world, lookup, resources, behaviour)
        self._paths: list[tuple[re.Pattern[str], str, Handler]] = [
            (re.compile(pattern), kind, handler)
            for pattern, kind, handler in (
                (r"/drive/v3/files", "list", listing.list_files),
                (r"/drive/v3/files/([^/]+)", "get", self._content.get),
                (r"/drive/v3/files/([^/]+)/export", "export", self._content.export),
                (r"/drive/v3/changes", "changes", changes.list_changes),
                (r"/drive/v3/changes/startPageToken", "start_token", changes.start_page_token),
                (r"/drive/v3/drives", "drives", drives.list_drives),
                (r"/drive/v3/drives/([^/]+)", "drive", drives.get_drive),
                (r"/drive/v3/about", "about", drives.about),
                (r"/export-link/([^/]+)", "export_link", self._content.export_link),
                (r"/v1/documents/([^/]+)", "docs", partial(workspace.get, DOCS)),
                (r"/v4/spreadsheets/([^/]+)", "sheets", partial(workspace.get, SHEETS)),
                (r"/v1/presentations/([^/]+)", "slides", partial(workspace.get, SLIDES)),
            )
        ]

    def route(
        self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> Routed:
        """The kind of a request, and what answers it."""
        sign_in = SIGN_IN.get((method, path))
        if sign_in is not None:
            kind, name = sign_in
            return kind, partial(getattr(self._tokens, name, _absent), dict(query))
        if method != "GET" and headers.get("x-http-method-override") != "GET":
            return "other", lambda: error_answer(405, "httpMethodNotAllowed", "Read only")
        if path.startswith("/elsewhere/"):
            call = Call("", query, headers)
            return "elsewhere", partial(self._content.elsewhere, call, unquote(path[11:]))
        return self._behind_token(path, query, headers)

    def _behind_token(
        self, path: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> Routed:
        authorization = headers.get("authorization", "")
        caller = self._tokens.principal(authorization)
        if caller is None:
            return "unauthorized", _refuse
        if not self._tokens.may_read(authorization):
            return "forbidden", _refuse_scope
        call = Call(caller, query, headers)
        for pattern, kind, handler in self._paths:
            match = pattern.fullmatch(path)
            if match:
                media = kind == "get" and query.get("alt") == "media"
                named = [unquote(group) for group in match.groups()]
                return "media" if media else kind, partial(handler, call, *named)
        return "other", lambda: error_answer(404, "notFound", "Not Found")


def _absent(_: Mapping[str, str]) -> Answer:
    return error_answer(404, "notFound", "Not Found")


def _refuse() -> Answer:
    raise unauthorized()


def _refuse_scope() -> Answer:
    raise forbidden(
        "insufficientPermissions",
        "Insufficient Permission: Request had insufficient authentication scopes.",
    )
