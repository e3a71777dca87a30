"""How files are to be read, beyond what their format says."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ocr:
    """How pages without text are recognised: tesseract, its data, and languages such as kor."""

    program: str
    data: str
    languages: tuple[str, ...]
    upright: bool = False
    """Whether there is data to tell how a page is turned."""


@dataclass(frozen=True, slots=True)
class Options:
    """What whoever runs the extraction has chosen; without `ocr`, no page is recognised."""

    ocr: Ocr | None = None
