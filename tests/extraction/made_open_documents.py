"""OpenDocument files from the XML inside their bodies, also such as no program would write."""

import io
import zipfile
from collections.abc import Mapping

SLIDES = "application/vnd.oasis.opendocument.presentation"
TEXT = "application/vnd.oasis.opendocument.text"

_OASIS = "urn:oasis:names:tc:opendocument:xmlns"
_NAMES = " ".join(
    [
        f'xmlns:{prefix}="{_OASIS}:{name}:1.0"'
        for prefix, name in {
            "office": "office",
            "style": "style",
            "text": "text",
            "table": "table",
            "draw": "drawing",
            "presentation": "presentation",
            "meta": "meta",
            "chart": "chart",
            "manifest": "manifest",
            "fo": "xsl-fo-compatible",
            "svg": "svg-compatible",
        }.items()
    ]
    + [
        'xmlns:dc="http://purl.org/dc/elements/1.1/"',
        'xmlns:xlink="http://www.w3.org/1999/xlink"',
    ]
)


def part(root: str, inner: str, before: str = "") -> str:
    """A part with all prefixes bound at its root."""
    return f"{before}<{root} {_NAMES}>{inner}</{root}>"


def content(kind: str, body: str, styles: str = "", before: str = "") -> str:
    inner = (
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    )
    return part("office:document-content", inner, before)


def saved(parts: Mapping[str, str], mime_type: str) -> bytes:
    """The file of these parts; a manifest is added where there is none."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", mime_type, zipfile.ZIP_STORED)
        for name, text in parts.items():
            archive.writestr(name, text)
        if "META-INF/manifest.xml" not in parts:
            archive.writestr("META-INF/manifest.xml", part("manifest:manifest", ""))
    return file.getvalue()


def deck(
    *pages: str,
    styles: str = "",
    parts: Mapping[str, str] | None = None,
    declared: str = "",
    before: str = "",
) -> bytes:
    """A deck of these pages; further parts by their names."""
    made = content("presentation", declared + "".join(pages), styles, before)
    return saved({"content.xml": made, **(parts or {})}, SLIDES)


def page(*shapes: str, attributes: str = "") -> str:
    return f'<draw:page draw:master-page-name="M" {attributes}>{"".join(shapes)}</draw:page>'


def p(*texts: str) -> str:
    return "".join(f"<text:p>{text}</text:p>" for text in texts)


def frame(inner: str, attributes: str = "", said: str = "") -> str:
    return f"<draw:frame {attributes}>{inner}<svg:desc>{said}</svg:desc></draw:frame>"


def box(*texts: str, role: str = "") -> str:
    attributes = f'presentation:class="{role}"' if role else ""
    return frame(f"<draw:text-box>{p(*texts)}</draw:text-box>", attributes)


def picture(said: str = "", width: str = "28cm", height: str = "21cm") -> str:
    size = f'svg:width="{width}" svg:height="{height}"'
    return frame('<draw:image xlink:href="Pictures/1.png"/>', size, said)
