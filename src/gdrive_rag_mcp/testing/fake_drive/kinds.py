"""The types of item that Drive knows, and what each of Google's own types can be exported as.

Source of the table: https://developers.google.com/workspace/drive/api/guides/ref-export-formats
"""

NATIVE_PREFIX = "application/vnd.google-apps."
FOLDER = f"{NATIVE_PREFIX}folder"
SHORTCUT = f"{NATIVE_PREFIX}shortcut"
DOCUMENT = f"{NATIVE_PREFIX}document"
SPREADSHEET = f"{NATIVE_PREFIX}spreadsheet"
PRESENTATION = f"{NATIVE_PREFIX}presentation"
DRAWING = f"{NATIVE_PREFIX}drawing"
SCRIPT = f"{NATIVE_PREFIX}script"

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."
_IMAGES = ("image/jpeg", "image/png", "image/svg+xml")

EXPORT_FORMATS: dict[str, tuple[str, ...]] = {
    DOCUMENT: (
        f"{_OFFICE}wordprocessingml.document",
        f"{_OPEN}text",
        "application/rtf",
        "application/pdf",
        "text/plain",
        "text/html",
        "application/zip",
        "application/epub+zip",
        "text/markdown",
        "text/x-markdown",
    ),
    SPREADSHEET: (
        f"{_OFFICE}spreadsheetml.sheet",
        f"{_OPEN}spreadsheet",
        "application/x-vnd.oasis.opendocument.spreadsheet",
        "application/pdf",
        "application/zip",
        "text/csv",
        "text/tab-separated-values",
    ),
    PRESENTATION: (
        f"{_OFFICE}presentationml.presentation",
        f"{_OPEN}presentation",
        "application/pdf",
        "text/plain",
        *_IMAGES,
    ),
    DRAWING: ("application/pdf", *_IMAGES),
    SCRIPT: (f"{NATIVE_PREFIX}script+json",),
}

_EDITORS = {DOCUMENT: "document", SPREADSHEET: "spreadsheets", PRESENTATION: "presentation"}


def is_native(mime_type: str) -> bool:
    """Whether the item is in one of Google's own formats, and so has no bytes of its own."""
    return mime_type.startswith(NATIVE_PREFIX)


def view_link(mime_type: str, file_id: str) -> str:
    """The address at which a browser opens the item."""
    if mime_type == FOLDER:
        return f"https://drive.google.com/drive/folders/{file_id}"
    if mime_type in _EDITORS:
        return f"https://docs.google.com/{_EDITORS[mime_type]}/d/{file_id}/edit?usp=drivesdk"
    return f"https://drive.google.com/file/d/{file_id}/view?usp=drivesdk"
