"""Drive v3 without the wire: a request in, an answer out."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.answers import (
    Answer,
    ApiError,
    answer_json,
    error_answer,
    forbidden,
    invalid,
)
from gdrive_rag_mcp.testing.fake_drive.discovery import checked_parameters
from gdrive_rag_mcp.testing.fake_drive.files import NATIVE_PREFIX, FakeFiles, Item
from gdrive_rag_mcp.testing.fake_drive.masks import apply_mask, parse_mask
from gdrive_rag_mcp.testing.fake_drive.queries import parse_query

EXPORT_LIMIT = 10 * 1024 * 1024
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")
_DEFAULT_LIST = "kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)"
_DEFAULT_GET = "kind,id,name,mimeType"


class DriveV3:
    """`files.list`, `files.get`, its media, and `files.export`."""

    def __init__(self, files: FakeFiles) -> None:
        self._files = files
        self.largest_page = 1000
        self.incomplete_folders: set[str] = set()

    def list_files(self, query: Mapping[str, str]) -> Answer:
        parameters = checked_parameters("files", "list", query)
        mask = parse_mask(parameters.get("fields", _DEFAULT_LIST), "FileList")
        text = parameters.get("q", "")
        matches = parse_query(text, self._files)
        start = _start(parameters.get("pageToken"), text)
        size = min(parameters["pageSize"] or 1, self.largest_page)
        found = [
            item for item in self._files.all_visible() if item.sequence > start and matches(item)
        ]
        page = found[:size]
        answer: dict[str, Any] = {
            "kind": "drive#fileList",
            "incompleteSearch": any(folder in text for folder in self.incomplete_folders),
            "files": [self._files.resource(item) for item in page],
        }
        if len(found) > size:
            answer["nextPageToken"] = _token(text, page[-1].sequence)
        return answer_json(apply_mask(mask, answer))

    def get(self, file_id: str, query: Mapping[str, str], headers: Mapping[str, str]) -> Answer:
        parameters = checked_parameters("files", "get", query)
        item = self._files.visible(file_id)
        if parameters.get("alt") == "media":
            return self._media(item, headers)
        mask = parse_mask(parameters.get("fields", _DEFAULT_GET), "File")
        return answer_json(apply_mask(mask, self._files.resource(item)))

    def export(self, file_id: str, query: Mapping[str, str]) -> Answer:
        parameters = checked_parameters("files", "export", query)
        mime_type = parameters.get("mimeType")
        if mime_type is None:
            raise ApiError(error_answer(400, "required", "Required parameter: mimeType"))
        item = self._files.visible(file_id)
        self._refuse_download(item)
        if not item.mime_type.startswith(NATIVE_PREFIX):
            raise forbidden("fileNotExportable", "Export only supports Docs Editors files.")
        if mime_type not in item.exports:
            raise ApiError(
                error_answer(400, "badRequest", "The requested conversion is not supported.")
            )
        content = item.exports[mime_type]
        if len(content) > EXPORT_LIMIT:
            raise forbidden("exportSizeLimitExceeded", "This file is too large to be exported.")
        return Answer(body=content, content_type=mime_type)

    def _media(self, item: Item, headers: Mapping[str, str]) -> Answer:
        if item.content is None:
            raise forbidden(
                "fileNotDownloadable",
                "Only files with binary content can be downloaded. Use Export with Docs Editors "
                "files.",
            )
        self._refuse_download(item)
        wanted = _RANGE.fullmatch(headers.get("range", ""))
        if wanted is None:
            return Answer(body=item.content, content_type=item.mime_type)
        return _range_of(item, int(wanted[1]), wanted[2])

    def _refuse_download(self, item: Item) -> None:
        if not self._files.resource(item)["capabilities"]["canDownload"]:
            raise forbidden("cannotDownloadFile", "This file cannot be downloaded by the user.")


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


def _token(query: str, sequence: int) -> str:
    """A page token holds for its own query alone."""
    return base64.urlsafe_b64encode(json.dumps([_hash(query), sequence]).encode()).decode()


def _start(token: str | None, query: str) -> int:
    if token is None:
        return 0
    try:
        owner, sequence = json.loads(base64.urlsafe_b64decode(token))
    except ValueError:
        raise invalid("pageToken") from None
    if owner != _hash(query):
        raise invalid("pageToken")
    return int(sequence)


def _hash(query: str) -> str:
    return hashlib.sha256(query.encode()).hexdigest()[:16]
