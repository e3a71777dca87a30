"""Writes OpenDocument files from the elements of their content, for tests to read."""

import io
import zipfile
from collections.abc import Mapping

NAMESPACES = (
    " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in {
            "office": "office",
            "table": "table",
            "text": "text",
            "style": "style",
            "draw": "drawing",
            "svg": "svg-compatible",
            "meta": "meta",
            "manifest": "manifest",
        }.items()
    )
    + ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def open_file(
    kind: str, body: str, *, styles: str = "", parts: Mapping[str, str] | None = None
) -> bytes:
    """A document of a kind such as `text`; `styles` are automatic ones, `parts` further members."""
    content = (
        f"<office:document-content {NAMESPACES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>"
    )
    members = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": content,
        **(parts or {}),
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def encrypted_manifest(kind: str) -> str:
    return (
        f'<manifest:manifest {NAMESPACES}><manifest:file-entry manifest:full-path="/" '
        f'manifest:media-type="application/vnd.oasis.opendocument.{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/>'
        "</manifest:file-entry></manifest:manifest>"
    )


def properties(title: str) -> str:
    return (
        f"<office:document-meta {NAMESPACES}><office:meta><dc:title>{title}</dc:title>"
        "</office:meta></office:document-meta>"
    )
