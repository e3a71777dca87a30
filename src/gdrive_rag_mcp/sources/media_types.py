"""What the bytes of a file are: by extension for a local folder, by export for a Drive folder.

An own table, because `mimetypes` answers differently on every machine.
"""

from collections.abc import Mapping

UNKNOWN = "application/octet-stream"
DRIVE_FOLDER = "application/vnd.google-apps.folder"
DRIVE_SHORTCUT = "application/vnd.google-apps.shortcut"
DRIVE_NATIVE_PREFIX = "application/vnd.google-apps."

_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

GOOGLE_DOCUMENT = f"{DRIVE_NATIVE_PREFIX}document"
GOOGLE_SPREADSHEET = f"{DRIVE_NATIVE_PREFIX}spreadsheet"
GOOGLE_PRESENTATION = f"{DRIVE_NATIVE_PREFIX}presentation"

EXPORTED_AS: Mapping[str, str] = {
    GOOGLE_DOCUMENT: _DOCX,
    GOOGLE_SPREADSHEET: _XLSX,  # CSV would be the first sheet alone
    GOOGLE_PRESENTATION: _PPTX,
}
"""Google's own formats that are read, and the format they are exported to."""

EXPORT_FALLBACKS: Mapping[str, tuple[str, ...]] = {
    GOOGLE_DOCUMENT: ("text/markdown", "text/plain"),
}
"""What is asked for in turn where Google does not convert to the first."""

_BY_EXTENSION: Mapping[str, str] = {
    # text
    "md": "text/markdown",
    "markdown": "text/markdown",
    "mdown": "text/markdown",
    "mkd": "text/markdown",
    "txt": "text/plain",
    "text": "text/plain",
    "log": "text/plain",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "htm": "text/html",
    "html": "text/html",
    "xhtml": "application/xhtml+xml",
    "mht": "application/x-mimearchive",
    "mhtml": "application/x-mimearchive",
    "rst": "text/x-rst",
    "tex": "text/x-tex",
    "rtf": "application/rtf",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "css": "text/css",
    "js": "text/javascript",
    "py": "text/x-python",
    "sh": "application/x-sh",
    "sql": "application/sql",
    # documents
    "pdf": "application/pdf",
    "docx": _DOCX,
    "docm": "application/vnd.ms-word.document.macroenabled.12",
    "dotx": "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    "dotm": "application/vnd.ms-word.template.macroenabled.12",
    "xlsx": _XLSX,
    "xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
    "xltx": "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
    "xltm": "application/vnd.ms-excel.template.macroenabled.12",
    "xlsb": "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    "pptx": _PPTX,
    "pptm": "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    "ppsx": "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
    "ppsm": "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
    "potx": "application/vnd.openxmlformats-officedocument.presentationml.template",
    "doc": "application/msword",
    "dot": "application/msword",
    "xls": "application/vnd.ms-excel",
    "xlt": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "pps": "application/vnd.ms-powerpoint",
    "odt": "application/vnd.oasis.opendocument.text",
    "ott": "application/vnd.oasis.opendocument.text-template",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "ots": "application/vnd.oasis.opendocument.spreadsheet-template",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "otp": "application/vnd.oasis.opendocument.presentation-template",
    "epub": "application/epub+zip",
    "ipynb": "application/x-ipynb+json",
    "eml": "message/rfc822",
    "mbox": "application/mbox",
    "msg": "application/vnd.ms-outlook",
    "ps": "application/postscript",
    # pictures, sound, film
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "bmp": "image/bmp",
    "heic": "image/heic",
    "svg": "image/svg+xml",
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4",
    "wav": "audio/wav",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "mp4": "video/mp4",
    "mov": "video/quicktime",
    "mkv": "video/x-matroska",
    "webm": "video/webm",
    "avi": "video/x-msvideo",
    # archives
    "zip": "application/zip",
    "gz": "application/gzip",
    "tar": "application/x-tar",
    "7z": "application/x-7z-compressed",
    "rar": "application/vnd.rar",
}
# What Drive for Desktop leaves in place of a document that exists on line only: a pointer in JSON,
# whose text says nothing, so it is listed as the shortcut that it is.
_POINTERS = frozenset(
    (
        *("gdoc", "gsheet", "gslides", "gform", "gdraw", "gdrawing", "gmap", "gsite"),
        *("gscript", "gjam", "gtable", "glink", "gnote", "gvid"),
    )
)


def media_type_of(name: str) -> str:
    """The type of a local file, by the extension of its name."""
    stem, dot, extension = name.rpartition(".")
    if not stem or not dot:
        return UNKNOWN
    if extension.lower() in _POINTERS:
        return DRIVE_SHORTCUT
    return _BY_EXTENSION.get(extension.lower(), UNKNOWN)
