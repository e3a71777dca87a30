"""Files for the benchmarks of reading: long PDFs and workbooks, the same in every run."""

import random
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

import openpyxl
import reportlab
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.pdfgen.textobject import PDFTextObject

_SENTENCES: Mapping[str, str] = {
    "English": "the contract of a supplier ends with the month in which notice was given unless "
    "both sides agree in writing that deliveries go on and invoices are paid within thirty days of "
    "receipt while any claim for damages remains subject to the limits that section nine sets out "
    "for equipment transport insurance storage and the costs of an expert whom the parties appoint",
    "Korean": "계약은 상대방이 서면으로 통지한 달의 말일에 종료되며 대금은 청구서를 받은",
    "Japanese": "契約は 相手方が 書面で 通知した 月の 末日に 終了し 代金は 請求書を 支払う",
    "Chinese": "合同 自 一方 书面 通知 当月 月末 终止 货款 应当 在 收到 发票 之日 三十日 内 支付",
}
_WORDS = {language: sentence.split() for language, sentence in _SENTENCES.items()}
_ENGLISH = _WORDS["English"]
_LEFT, _TOP, _WIDTH, _LEADING, _SIZE, _LINES = 56, 790, 480, 14, 10, 50
_FONTS: Mapping[str, list[str]] = {
    "Times-Roman": _ENGLISH,
    "Helvetica": _ENGLISH,
    "Vera": _ENGLISH,
    "HYSMyeongJo-Medium": _WORDS["Korean"],
    "HeiseiMin-W3": _WORDS["Japanese"],
    "STSong-Light": _WORDS["Chinese"],
}


def make_pdf(path: Path, pages: int, seed: int = 7) -> None:
    """Justified prose in six fonts and four scripts, with a table on every third page.

    On half of the pages words are placed one by one, as typesetting programs and word processors
    do it; on the others a line is one piece, which is less work for a reader.
    """
    _register_fonts()
    rng = random.Random(seed)
    canvas = Canvas(str(path), pagesize=A4, pageCompression=1)
    canvas.setTitle("Terms of delivery")
    for number in range(pages):
        font = rng.choices(list(_FONTS), weights=(6, 4, 4, 2, 2, 2))[0]
        _draw_page(canvas, number, font, rng)
        canvas.showPage()
    canvas.save()


def _register_fonts() -> None:
    fonts = Path(reportlab.__file__).with_name("fonts")
    pdfmetrics.registerFont(TTFont("Vera", str(fonts / "Vera.ttf")))
    for name in ("HYSMyeongJo-Medium", "HeiseiMin-W3", "STSong-Light"):
        pdfmetrics.registerFont(UnicodeCIDFont(name))


def _draw_page(canvas: Canvas, number: int, font: str, rng: random.Random) -> None:
    canvas.setFont("Helvetica-Bold", 13)
    canvas.drawString(_LEFT, _TOP, f"{number + 1}. {' '.join(rng.choices(_ENGLISH, k=5))}")
    rows = 10 if number % 3 == 0 else 0
    text = canvas.beginText()
    text.setFont(font, _SIZE)
    for line in range(_LINES - rows):
        words = _line_of(_FONTS[font], font, rng)
        pieces = words if number % 2 else [" ".join(words)]
        _place(text, pieces, font, _TOP - (line + 2) * _LEADING)
    for row in range(rows):
        height = _TOP - (_LINES - rows + row + 3) * _LEADING
        for column in range(4):
            text.setTextOrigin(_LEFT + column * _WIDTH / 4, height)
            text.textOut(f"{rng.random() * 900:.2f}" if column > 1 else rng.choice(_ENGLISH))
    canvas.drawText(text)


def _line_of(words: list[str], font: str, rng: random.Random) -> list[str]:
    """As many words as fill a line; most lines end within a sentence."""
    line: list[str] = []
    width = 0.0
    while True:
        word = rng.choice(words) + ("." if rng.random() < 1 / 16 else "")
        width += pdfmetrics.stringWidth(f"{word} ", font, _SIZE)
        if width > _WIDTH:
            return line
        line.append(word)


def _place(text: PDFTextObject, pieces: list[str], font: str, height: float) -> None:
    """Spread the pieces of a line over its full width."""
    widths = [pdfmetrics.stringWidth(piece, font, _SIZE) for piece in pieces]
    gap = (_WIDTH - sum(widths)) / max(len(pieces) - 1, 1)
    place = float(_LEFT)
    for piece, width in zip(pieces, widths, strict=True):
        text.setTextOrigin(place, height)
        text.textOut(piece)
        place += width + gap


def make_workbook(path: Path, rows: int, seed: int = 7) -> None:
    """A sheet of orders: number, customer, date, amount and remark."""
    rng = random.Random(seed)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Orders")
    sheet.append(["Order", "Customer", "Date", "Amount", "Remark"])
    for number in range(1, rows):
        day = date(2020, 1, 1) + timedelta(days=number % 2000)
        customer, remark = (
            f"Customer {rng.randint(1, 2000)} Ltd.",
            f"paid by transfer {number % 977}",
        )
        sheet.append([number, customer, day, round(rng.random() * 1000, 2), remark])
    book.save(path)
