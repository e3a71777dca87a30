"""What items hold: `files.get` with and without media, `files.export`, and export links."""

import re
from typing import Any
from urllib.parse import quote

from gdrive_rag_mcp.testing.fake_drive.answers import (
    Answer,
    ApiError,
    error_answer,
    forbidden,
    invalid,
    not_found,
    required,
)
from gdrive_rag_mcp.testing.fake_drive.behaviour import Behaviour
from gdrive_rag_mcp.testing.fake_drive.calls import Call
from gdrive_rag_mcp.testing.fake_drive.discovery import checked_parameters
from gdrive_rag_mcp.testing.fake_drive.items import Item
from gdrive_rag_mcp.testing.fake_drive.kinds import EXPORT_FORMATS, is_native
from gdrive_rag_mcp.testing.fake_drive.lookup import Lookup
from gdrive_rag_mcp.testing.fake_drive.masks import apply_mask, parse_mask
from gdrive_rag_mcp.testing.fake_drive.resources import Resources
from gdrive_rag_mcp.testing.fake_drive.world import World

EXPORT_LIMIT = 10 * 1024 * 1024
_RANGE = re.compile(r"bytes=(\d+)-(\d*)", re.ASCII)
_DEFAULT_FIELDS = "kind,id,name,mimeType"
Json = dict[str, Any]


class Content:
    """Answers calls about one item."""

    def __init__(
        self, world: World, lookup: Lookup, resources: Resources, behaviour: Behaviour
    ) -> None:
        self._world = world
        self._lookup = lookup
        self._resources = resources
        self._behaviour = behaviour

    def get(self, call: Call, file_id: str) -> Json | Answer:
        """`files.get`."""
        parameters = checked_parameters("files", "get", call.query)
        mask = parse_mask(parameters.get("fields", _DEFAULT_FIELDS), "File")
        item = self._lookup.item(call, file_id, all_drives=parameters["supportsAllDrives"])
        if parameters.get("alt") == "media":
            return self._media(call, item, acknowledged=parameters["acknowledgeAbuse"])
        if parameters["acknowledgeAbuse"]:
            raise invalid("acknowledgeAbuse", "acknowledgeAbuse only applies to alt=media.")
        masked: Json = apply_mask(mask, self._resources.file(call, item))
        return masked

    def export(self, call: Call, file_id: str) -> Answer:
        """`files.export`, which needs no word about shared drives."""
        parameters = checked_parameters("files", "export", call.query)
        item = self._lookup.item(call, file_id, all_drives=True)
        self._refuse_download(call, item)
        content = _exported(item, parameters["mimeType"])
        if len(content) > EXPORT_LIMIT:
            raise forbidden("exportSizeLimitExceeded", "This file is too large to be exported.")
        return Answer(body=content, content_type=parameters["mimeType"])

    def export_link(self, call: Call, file_id: str) -> Answer:
        """An address of `exportLinks`: no limit of size; the token goes along as ever."""
        wanted = call.query.get("exportFormat")
        if wanted is None:
            raise required("exportFormat")
        item = self._lookup.item(_with_key_of_link(call, file_id), file_id, all_drives=True)
        self._refuse_download(call, item)
        content = _exported(item, wanted)
        elsewhere = self._behaviour.export_redirect
        if elsewhere is not None:
            place = (
                f"{elsewhere.rstrip('/')}/{quote(file_id)}?exportFormat={quote(wanted, safe='')}"
            )
            return Answer(302, headers={"Location": place})
        return Answer(body=content, content_type=wanted)

    def elsewhere(self, call: Call, file_id: str) -> Answer:
        """What an export link led on to: an address that is its own permission."""
        item = self._world.items.get(file_id)
        if item is None:
            raise not_found(file_id)
        wanted = call.query.get("exportFormat", "")
        return Answer(body=_exported(item, wanted), content_type=wanted)

    def _media(self, call: Call, item: Item, *, acknowledged: bool) -> Answer:
        if item.content is None or is_native(item.mime_type):
            raise forbidden(
                "fileNotDownloadable",
                "Only files with binary content can be downloaded. Use Export with Docs Editors "
                "files.",
            )
        self._refuse_download(call, item)
        _hold_to_abuse(item, acknowledged=acknowledged, owned=item.owner == call.caller)
        wanted = _RANGE.fullmatch(call.headers.get("range", ""))
        if wanted is None:
            return Answer(body=item.content, content_type=item.mime_type)
        return _range_of(item, int(wanted[1]), wanted[2])

    def _refuse_download(self, call: Call, item: Item) -> None:
        if item.is_folder or self._resources.file(call, item)["capabilities"]["canDownload"]:
            return
        raise forbidden("cannotDownloadFile", "This file cannot be downloaded by the user.")


def _hold_to_abuse(item: Item, *, acknowledged: bool, owned: bool) -> None:
    if item.abusive and not (acknowledged and owned):
        raise forbidden(
            "cannotDownloadAbusiveFile",
            "This file has been identified as malware or spam and cannot be downloaded.",
        )
    if acknowledged and not item.abusive:
        raise forbidden(
            "invalidAbuseAcknowledgment",
            "The file is not abusive; there is nothing to acknowledge.",
        )


def _exported(item: Item, mime_type: str) -> bytes:
    if item.mime_type not in EXPORT_FORMATS:
        raise forbidden("fileNotExportable", "Export only supports Docs Editors files.")
    if mime_type not in EXPORT_FORMATS[item.mime_type] or mime_type not in item.exports:
        raise ApiError(
            error_answer(400, "badRequest", "The requested conversion is not supported.")
        )
    return item.exports[mime_type]


def _with_key_of_link(call: Call, file_id: str) -> Call:
    """The resource key may be in the address of the link."""
    key = call.query.get("resourcekey")
    if key is None:
        return call
    header = {"x-goog-drive-resource-keys": f"{file_id}/{key}"}
    return Call(call.caller, call.query, {**call.headers, **header})


def _range_of(item: Item, start: int, end: str) -> Answer:
    content = item.content or b""
    if start >= len(content):
        refused = error_answer(416, "requestedRangeNotSatisfiable", "Request range not satisfiable")
        return Answer(416, refused.body, {"Content-Range": f"bytes */{len(content)}"})
    last = min(int(end) if end else len(content), len(content) - 1)
    return Answer(
        206,
        content[start : last + 1],
        {"Content-Range": f"bytes {start}-{last}/{len(content)}"},
        item.mime_type,
    )
