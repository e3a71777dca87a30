"""How files are to be read, beyond what their format says."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What whoever runs the extraction has chosen.

    `ocr_languages`: codes of tesseract, such as `kor`, for pages without text; none: no OCR.
    """

    ocr_languages: tuple[str, ...] = ()
