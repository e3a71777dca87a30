"""What reads files, from settings, and what holds it back on this system."""

from typing import TYPE_CHECKING

from gdrive_rag_mcp.settings import Settings

if TYPE_CHECKING:
    from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
    from gdrive_rag_mcp.extraction.options import Ocr


def make_extractor(settings: Settings) -> "Sandbox":
    """What reads files, and recognises pages without text if that is set; not started yet.

    Raises:
        SettingsError: what it takes to recognise text is not installed.
    """
    from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
    from gdrive_rag_mcp.extraction.options import Options

    return Sandbox(options=Options(_ocr(settings)))


def describe_ocr(settings: Settings) -> str:
    """How pages without text are read, in a sentence.

    Raises:
        SettingsError: what it takes to recognise text is not installed.
    """
    ocr = _ocr(settings)
    if ocr is None:
        return "off: pages without text are named in the ledger (needs_ocr), and stay unread"
    turned = "" if ocr.upright else "; turned pages stay unread without tesseract-ocr-osd"
    return f"{ocr.program}, {', '.join(ocr.languages)}{turned}"


def describe_isolation() -> str:
    """What a file that takes over whoever reads it could not do, in a sentence; tried out."""
    from gdrive_rag_mcp.extraction.isolation.confinement_probe import probe

    confined = probe()
    if confined.network and confined.files:
        return "files are read without network, and whoever reads one sees no other"
    if confined.network:
        return "files are read without network; to hide other files, too, takes Landlock"
    return "files are read in a process of their own, within limits; Linux could do more"


def _ocr(settings: Settings) -> "Ocr | None":
    if not settings.ocr_languages:
        return None
    from gdrive_rag_mcp.extraction.pdf.tesseract_setup import find_ocr

    return find_ocr(settings.ocr_languages.split("+"))
