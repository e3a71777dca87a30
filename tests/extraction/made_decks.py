"""PowerPoint decks from the XML inside their slides, also such as no program would write."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
TRANSITIONAL = "http://schemas.openxmlformats.org"
STRICT = "http://purl.oclc.org/ooxml"
MODERN = "http://schemas.microsoft.com/office/2018/10/relationships"

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types"><Override PartName="/ppt/presentation.xml" '
    f'ContentType="{SLIDES}.main+xml"/></Types>'
)


@dataclass(frozen=True)
class Slide:
    """What stands in a slide's shape tree, and the parts it links to: id, kind and part."""

    shapes: str = ""
    links: Sequence[tuple[str, str, str]] = ()
    attributes: str = ""
    background: str = ""
    before: str = ""
    missing: bool = False


@dataclass(frozen=True)
class Deck:
    """Slides in the order in which they are shown; their files are numbered the other way."""

    slides: Sequence[Slide]
    parts: Mapping[str, str] = field(default_factory=dict)
    links: Sequence[tuple[str, str, str]] = ()
    order: Sequence[int] | None = None
    base: str = TRANSITIONAL
    title: str = ""

    def saved(self) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self._members().items():
                archive.writestr(name, content)
        return file.getvalue()

    def _members(self) -> dict[str, str]:
        main = ("m", "officeDocument", "ppt/presentation.xml")
        members = {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": self._relationships([main]),
            "docProps/core.xml": f"<coreProperties><title>{self.title}</title></coreProperties>",
            "ppt/presentation.xml": self._presentation(),
        }
        targets = []
        for place, slide in enumerate(self.slides, 1):
            name = f"slide{len(self.slides) + 1 - place}.xml"
            targets.append((f"s{place}", "slide", f"slides/{name}"))
            if not slide.missing:
                members[f"ppt/slides/{name}"] = self._slide(slide)
            if slide.links:
                members[f"ppt/slides/_rels/{name}.rels"] = self._relationships(slide.links)
        members["ppt/_rels/presentation.xml.rels"] = self._relationships([*targets, *self.links])
        return members | {name: self.part(inner) for name, inner in self.parts.items()}

    def _presentation(self) -> str:
        order = range(1, len(self.slides) + 1) if self.order is None else self.order
        listed = "".join(f'<p:sldId id="{255 + each}" r:id="s{each}"/>' for each in order)
        return self.part(
            f"<p:presentation><p:sldIdLst>{listed}</p:sldIdLst>"
            '<p:sldSz cx="9000" cy="6000"/></p:presentation>'
        )

    def _slide(self, slide: Slide) -> str:
        tree = f"<p:spTree>{slide.shapes}</p:spTree>"
        inner = f"<p:sld {slide.attributes}><p:cSld>{slide.background}{tree}</p:cSld></p:sld>"
        return slide.before + self.part(inner)

    def part(self, inner: str) -> str:
        """XML with the usual prefixes bound at its root."""
        names = (
            f'xmlns:a="{self.base}/drawingml/main" xmlns:p="{self.base}/presentationml/main" '
            f'xmlns:r="{self.base}/officeDocument/relationships" xmlns:c="{self.base}/chart" '
            f'xmlns:dgm="{self.base}/diagram" xmlns:p188="urn:modern" '
            'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        )
        root, rest = inner.split(">", 1)
        if root.endswith("/"):
            return f"{root[:-1]} {names}/>"
        return f"{root} {names}>{rest}"

    def _relationships(self, links: Sequence[tuple[str, str, str]]) -> str:
        listed = "".join(
            f'<Relationship Id="{id_}" Target="{target}" '
            f'Type="{kind if "://" in kind else f"{self.base}/relationships/{kind}"}"/>'
            for id_, kind, target in links
        )
        return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def body(*texts: str) -> str:
    """Paragraphs of DrawingML."""
    return "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)


def shape(*texts: str, role: str = "", properties: str = "") -> str:
    """A text box, or the placeholder of a role."""
    placeholder = f'<p:ph type="{role}"/>' if role else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{properties}</p:spPr><p:txBody>{body(*texts)}</p:txBody></p:sp>"
    )


def titled(text: str) -> str:
    return shape(text, role="title")


def group(inner: str) -> str:
    return f"<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>{inner}</p:grpSp>"


def picture(description: str = "", size: tuple[int, int] | None = (9000, 6000)) -> str:
    extent = "" if size is None else f'<a:xfrm><a:ext cx="{size[0]}" cy="{size[1]}"/></a:xfrm>'
    return (
        f'<p:pic><p:nvPicPr><p:cNvPr id="3" name="Picture 3" descr="{description}"/></p:nvPicPr>'
        f'<p:blipFill><a:blip r:embed="i"/></p:blipFill><p:spPr>{extent}</p:spPr></p:pic>'
    )


def frame(inner: str) -> str:
    """A graphic frame around a table, or what points to a chart or a diagram."""
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="x"/></p:nvGraphicFramePr>'
        f"<a:graphic><a:graphicData>{inner}</a:graphicData></a:graphic></p:graphicFrame>"
    )


def table(*rows: Sequence[str | tuple[str, str]]) -> str:
    """Rows of cells; a cell with attributes is a pair of its text and these."""
    made = ""
    for row in rows:
        pairs = [(cell, "") if isinstance(cell, str) else cell for cell in row]
        cells = "".join(
            f"<a:tc {attributes}><a:txBody>{body(text)}</a:txBody></a:tc>"
            for text, attributes in pairs
        )
        made += f"<a:tr>{cells}</a:tr>"
    return frame(f"<a:tbl><a:tblPr/>{made}</a:tbl>")
