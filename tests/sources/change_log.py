"""Reads the change logs of the fake Drive through Google's own client."""

from typing import Any

from tests.sources.asking import Service

ALL = {"supportsAllDrives": True, "includeItemsFromAllDrives": True}
FIELDS = (
    "nextPageToken,newStartPageToken,"
    "changes(changeType,fileId,driveId,removed,file(id,name,trashed,parents),drive(name))"
)
Json = Any


class Log:
    """Reads a change log from where it was opened, page by page."""

    def __init__(self, service: Service, drive_id: str | None = None) -> None:
        self.changes = service.changes()
        self.drive = {} if drive_id is None else {"driveId": drive_id}
        self.token = self.changes.getStartPageToken(supportsAllDrives=True, **self.drive).execute()[
            "startPageToken"
        ]

    def page(self, **parameters: Json) -> Json:
        return self.changes.list(
            **{"pageToken": self.token, "fields": FIELDS, **ALL, **self.drive, **parameters}
        ).execute()

    def new(self, **parameters: Json) -> list[Json]:
        found: list[Json] = []
        while True:
            answer = self.page(**parameters)
            found += answer["changes"]
            self.token = answer.get("nextPageToken") or answer["newStartPageToken"]
            if "newStartPageToken" in answer:
                return found


def told(changes: list[Json]) -> list[tuple[str, bool]]:
    return [(change["fileId"], change["removed"]) for change in changes]
