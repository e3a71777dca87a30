"""The read calls of the Docs, Sheets and Slides APIs, which answer what a test has described."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.access import Reach
from gdrive_rag_mcp.testing.fake_drive.answers import (
    ApiError,
    disabled_answer,
    status_answer,
)
from gdrive_rag_mcp.testing.fake_drive.behaviour import SERVICES, Behaviour
from gdrive_rag_mcp.testing.fake_drive.calls import Call
from gdrive_rag_mcp.testing.fake_drive.discovery import check_body, checked_parameters, document
from gdrive_rag_mcp.testing.fake_drive.items import Item
from gdrive_rag_mcp.testing.fake_drive.kinds import DOCUMENT, PRESENTATION, SPREADSHEET
from gdrive_rag_mcp.testing.fake_drive.lookup import Lookup
from gdrive_rag_mcp.testing.fake_drive.masks import apply_mask, parse_mask
from gdrive_rag_mcp.testing.fake_drive.world import World

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Service:
    """One of the three APIs; its method is `get` of `resource`, of items of one type."""

    name: str
    api: str
    resource: str
    schema: str
    id_field: str
    mime_type: str


DOCS = Service("docs", "docs.v1", "documents", "Document", "documentId", DOCUMENT)
SHEETS = Service("sheets", "sheets.v4", "spreadsheets", "Spreadsheet", "spreadsheetId", SPREADSHEET)
SLIDES = Service(
    "slides", "slides.v1", "presentations", "Presentation", "presentationId", PRESENTATION
)
_OF_TYPE = {service.mime_type: service for service in (DOCS, SHEETS, SLIDES)}


def hold_to_schema(mime_type: str, body: Mapping[str, Any]) -> None:
    """Hold what a test describes to the resource of its API.

    Raises:
        ValueError: there is no such API, or it has no such field.
    """
    if mime_type not in _OF_TYPE:
        raise ValueError(f"There is no API that describes {mime_type}.")
    service = _OF_TYPE[mime_type]
    check_body(service.schema, body, service.api)


class Workspace:
    """Answers `documents.get`, `spreadsheets.get` and `presentations.get`."""

    def __init__(self, world: World, lookup: Lookup, behaviour: Behaviour) -> None:
        self._world = world
        self._lookup = lookup
        self._behaviour = behaviour

    def get(self, service: Service, call: Call, file_id: str) -> Json:
        """The description of an item; 404 for one that nobody has described."""
        if service.name in self._behaviour.disabled:
            raise ApiError(disabled_answer(service.name, SERVICES[service.name]))
        try:
            parameters = checked_parameters(service.resource, "get", call.query, service.api)
            mask = parse_mask(parameters.get("fields", "*"), service.schema, service.api)
        except ApiError as error:
            raise _in_newer_form(error) from None
        item = self._item(service, call, file_id)
        body = {service.id_field: item.id, "title": item.name, **(item.body or {})}
        if service is SHEETS:
            body = {name: value for name, value in body.items() if name != "title"}
        if service is DOCS:
            body = _tabs(body) if parameters.get("includeTabsContent") else _first_tab(body)
        masked: Json = apply_mask(mask, body)
        return masked

    def _item(self, service: Service, call: Call, file_id: str) -> Item:
        item = self._world.items.get(file_id)
        if item is None or self._lookup.reach(call, item) is Reach.NONE:
            raise ApiError(status_answer(404, "Requested entity was not found."))
        if item.mime_type != service.mime_type:
            raise ApiError(status_answer(400, "This operation is not supported for this document"))
        if item.body is None:
            raise ApiError(status_answer(404, "Requested entity was not found."))
        return item


def _in_newer_form(error: ApiError) -> ApiError:
    message = json.loads(error.answer.body)["error"]["message"]
    return ApiError(status_answer(error.answer.status, message))


def _tab_fields() -> set[str]:
    """The fields of a document that are, with tabs, those of each tab."""
    schemas = document(DOCS.api)["schemas"]
    return set(schemas["DocumentTab"]["properties"]) & set(schemas["Document"]["properties"])


def _first_tab(body: Json) -> Json:
    """Without `includeTabsContent` the first tab stands for the document, and `tabs` is empty."""
    tabs = body.get("tabs")
    if not tabs:
        return body
    rest = {name: value for name, value in body.items() if name != "tabs"}
    first: Json = tabs[0].get("documentTab", {})
    return rest | first


def _tabs(body: Json) -> Json:
    """With `includeTabsContent` all content is in tabs."""
    if "tabs" in body:
        return {name: value for name, value in body.items() if name not in _tab_fields()}
    content = {name: value for name, value in body.items() if name in _tab_fields()}
    only = {"tabProperties": {"tabId": "t.0", "title": "Tab 1", "index": 0}, "documentTab": content}
    return {name: value for name, value in body.items() if name not in content} | {"tabs": [only]}
