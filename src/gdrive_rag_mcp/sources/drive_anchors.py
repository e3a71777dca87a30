"""Where in a Google file a place is linked to: headings, sheets and slides have ids of their own.

One metadata call a file, to the API of its editor. Not getting an answer is no failure: the link
then leads to the file, and the ledger says so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from gdrive_rag_mcp.domain import SourceFile
from gdrive_rag_mcp.sources.drive_exports import keys_of
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, RunStoppedError
from gdrive_rag_mcp.sources.drive_fields import flag, number, objects, part, text
from gdrive_rag_mcp.sources.drive_headings import FIELDS as HEADING_FIELDS
from gdrive_rag_mcp.sources.drive_headings import headings
from gdrive_rag_mcp.sources.drive_meanings import API_IS_OFF, NO_SCOPE
from gdrive_rag_mcp.sources.drive_pacing import QUICK
from gdrive_rag_mcp.sources.drive_services import Api
from gdrive_rag_mcp.sources.drive_transport import Transport
from gdrive_rag_mcp.sources.drive_words import is_fragment, one_line, unambiguous
from gdrive_rag_mcp.sources.media_types import (
    GOOGLE_DOCUMENT,
    GOOGLE_PRESENTATION,
    GOOGLE_SPREADSHEET,
)

Anchors = Mapping[str, str]
_LONGEST_SHEET_NAME = 31  # in the format that spreadsheets are exported to


class DriveAnchors:
    """Asks each editor's API until it refuses for good; one object a run, thread-safe."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._caller = transport.caller.with_patience(QUICK)
        self._lock = Lock()
        self._refused: dict[Api, str] = {}

    def of(self, file: SourceFile) -> tuple[Anchors, str]:
        """The anchors in a file, as `Fetched.anchors` describes them, and a note for the ledger.

        Raises:
            RunStoppedError: the run was stopped.
        """
        editor = _EDITORS.get(file.mime_type)
        if editor is None:
            return {}, ""
        with self._lock:
            refused = self._refused.get(editor.api)
        if refused is not None:
            return {}, refused
        try:
            answer = self._transport.metadata(
                editor.request(self._transport.service(editor.api), file.id),
                keys=keys_of(file),
                caller=self._caller,
            )
        except RunStoppedError:
            raise
        except DriveCallError as error:
            return {}, self._note(editor, error)
        return editor.anchors(answer), ""

    def _note(self, editor: "_Editor", error: DriveCallError) -> str:
        """Why there are no anchors; what holds for every file is not asked again."""
        if error.meaning is API_IS_OFF:
            why = f"the {editor.name} API is not enabled for this project"
        elif error.meaning is NO_SCOPE:
            why = f"the credentials lack a scope for the {editor.name} API"
        else:
            why = f"the {editor.name} API did not tell its places ({error.message})"
        note = f"links lead to the file: {why}"
        if not error.stays_here:
            with self._lock:
                self._refused[editor.api] = note
        return note


@dataclass(frozen=True, slots=True)
class _Editor:
    """An editor's API: its name to people, what it is asked, and how its answer is read."""

    api: Api
    name: str
    request: Callable[[Any, str], Any]
    anchors: Callable[[Mapping[str, Any]], Anchors]


def _document(service: Any, file_id: str) -> Any:  # noqa: ANN401 -- built at run time
    return service.documents().get(
        documentId=file_id, includeTabsContent=True, fields=HEADING_FIELDS
    )


def _spreadsheet(service: Any, file_id: str) -> Any:  # noqa: ANN401 -- built at run time
    fields = "sheets(properties(sheetId,title,sheetType,hidden))"
    return service.spreadsheets().get(spreadsheetId=file_id, fields=fields)


def _presentation(service: Any, file_id: str) -> Any:  # noqa: ANN401 -- built at run time
    return service.presentations().get(presentationId=file_id, fields="slides(objectId)")


def _of_document(answer: Mapping[str, Any]) -> Anchors:
    return unambiguous(
        (f"heading:{' > '.join(heading.path)}", heading.anchor) for heading in headings(answer)
    )


def _of_spreadsheet(answer: Mapping[str, Any]) -> Anchors:
    """Hidden sheets and charts cannot be opened at; long names are cut by the export."""
    named: list[tuple[str, str]] = []
    for sheet in objects(answer, "sheets"):
        properties = part(sheet, "properties")
        title, sheet_id = text(properties, "title"), number(properties, "sheetId")
        if title is None:
            continue
        shown = text(properties, "sheetType") in (None, "GRID") and not flag(properties, "hidden")
        anchor = f"gid={sheet_id}" if shown and sheet_id is not None else ""
        names = dict.fromkeys((one_line(title), one_line(title[:_LONGEST_SHEET_NAME])))
        named += [(f"sheet:{name}", anchor) for name in names]
    return unambiguous(named)


def _of_presentation(answer: Mapping[str, Any]) -> Anchors:
    slides = enumerate(objects(answer, "slides"), 1)
    ids = ((place, text(slide, "objectId")) for place, slide in slides)
    return {f"slide:{place}": f"slide=id.{id_}" for place, id_ in ids if id_ and is_fragment(id_)}


_EDITORS: Mapping[str, _Editor] = {
    GOOGLE_DOCUMENT: _Editor("docs", "Google Docs", _document, _of_document),
    GOOGLE_SPREADSHEET: _Editor("sheets", "Google Sheets", _spreadsheet, _of_spreadsheet),
    GOOGLE_PRESENTATION: _Editor("slides", "Google Slides", _presentation, _of_presentation),
}
