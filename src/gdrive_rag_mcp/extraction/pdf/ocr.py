"""Recognises the pages of a PDF that have no text: in which language, how many, and for how long.

Where several languages are set, the first pages are tried in each, and the one that tesseract is
surest of is kept for as long as it stays sure.
"""

import time
from dataclasses import replace

from gdrive_rag_mcp.extraction.options import Ocr
from gdrive_rag_mcp.extraction.pdf.page import (
    MAX_OCR_PAGES,
    MAX_OCR_SECONDS,
    Page,
    PageProblem,
    Render,
)
from gdrive_rag_mcp.extraction.pdf.tesseract import Picture, Recognised, Tesseract

LEAST_CONFIDENCE = 60.0
"""Below it, what was recognised is not text: scripts of another language came out at up to 59, the
right language at 80 and more."""

_SURE = 90.0
_PAGES_TRIED = 2


class PageRecogniser:
    """Recognises pages of one document, one after the other."""

    def __init__(self, ocr: Ocr, render: Render) -> None:
        self._tesseract = Tesseract(ocr)
        self._languages = list(ocr.languages)
        self._render = render
        self._left = MAX_OCR_PAGES
        self._deadline = time.monotonic() + MAX_OCR_SECONDS
        self._tried = 0

    def recognised(self, page: Page) -> Page:
        """The page with what was recognised on it, or with why it was not."""
        if page.problem is not PageProblem.NO_TEXT_LAYER:
            return page
        if not self._left or time.monotonic() > self._deadline:
            return replace(page, problem=PageProblem.BEYOND_OCR)
        self._left -= 1
        best = self._recognise(page)
        if best.confidence < LEAST_CONFIDENCE or not best.text.strip():
            return replace(page, problem=PageProblem.UNRECOGNISED)
        return replace(page, problem=None, recognised=best)

    def _recognise(self, page: Page) -> Recognised:
        upright = self._render(page, 0)
        if upright is None:
            return Recognised()
        best = self._in_best_language(upright)
        if best.confidence >= LEAST_CONFIDENCE:
            return best
        turn = self._tesseract.turn(upright)
        turned = self._render(page, turn) if turn else None
        if turned is None:
            return best
        return max(best, self._in_best_language(turned), key=_sureness)

    def _in_best_language(self, picture: Picture) -> Recognised:
        """In the language of the page before, if that is surely right; else in the best of all."""
        found: dict[str, Recognised] = {}
        for language in self._languages:
            found[language] = self._tesseract.recognise(picture, language)
            if self._tried >= _PAGES_TRIED and found[language].confidence >= _SURE:
                break
        best = max(found, key=lambda language: _sureness(found[language]))
        if found[best].confidence >= LEAST_CONFIDENCE:
            self._tried += 1
            self._languages.sort(key=lambda language: language != best)
        return found[best]


def _sureness(recognised: Recognised) -> float:
    return recognised.confidence
