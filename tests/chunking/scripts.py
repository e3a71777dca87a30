"""A few sentences in each of ten scripts, and documents made up of them."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

from gdrive_rag_mcp.domain import Document
from tests.chunking.made import Made

SENTENCES = {
    "latin": [
        "The deposit is due within three weeks after the end of the lease.",
        "Die Kündigung erfolgt schriftlich, z. B. per Brief an Dr. Weber.",
        "Hợp đồng chấm dứt vào ngày 3 tháng 5.",
    ],
    "cyrillic": ["Договор заключён на два года.", "Залог возвращается в течение трёх недель."],
    "greek": ["Η σύμβαση λήγει τον Μάιο.", "Η εγγύηση επιστρέφεται σε τρεις εβδομάδες."],
    "arabic": ["ينتهي العقد في شهر مايو.", "يجب رد التأمين خلال ثلاثة أسابيع."],
    "hebrew": ["החוזה מסתיים בחודש מאי.", "הפיקדון יוחזר בתוך שלושה שבועות."],
    "devanagari": ["अनुबंध मई में समाप्त होता है।", "जमा राशि तीन सप्ताह में लौटाई जाती है।"],
    "thai": ["สัญญาเช่าสิ้นสุดในเดือนพฤษภาคม ", "ผู้ให้เช่าต้องคืนเงินประกันภายในสามสัปดาห์ "],
    "chinese": ["合同于五月终止。", "出租人应当在三周内退还押金，并说明扣除的理由。"],
    "japanese": ["契約は五月に終了する。", "貸主は三週間以内に敷金を返還しなければならない。"],
    "korean": ["계약은 오월에 종료된다.", "임대인은 삼 주 안에 보증금을 돌려주어야 한다."],
}
_SPACELESS = {"thai", "chinese", "japanese"}
_HEADER = "Item | Owner | Cost"


@dataclass
class Parts:
    """What a document is made up of, as character ranges in its text."""

    document: Document = field(default_factory=lambda: Document("", "", ()))
    tables: list[tuple[int, int]] = field(default_factory=list)
    items: list[tuple[int, int]] = field(default_factory=list)
    openings: list[tuple[int, int]] = field(default_factory=list)
    """From the line above a list to the end of its first item."""


@st.composite
def _paragraph(draw: st.DrawFn) -> str:
    """Sentences of one script, as one line or over several."""
    script = draw(st.sampled_from(sorted(SENTENCES)))
    count = draw(st.integers(1, 25))
    chosen = [draw(st.sampled_from(SENTENCES[script])) for _ in range(min(count, 4))]
    sentences = (chosen * count)[:count]
    if script in _SPACELESS:
        text = "".join(sentences).strip()
        width = draw(st.sampled_from([30, 10_000]))
        return "\n".join(text[at : at + width] for at in range(0, len(text), width))
    return _wrapped(" ".join(sentences), draw(st.sampled_from([60, 10_000])))


def _wrapped(text: str, width: int) -> str:
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


@st.composite
def structured(draw: st.DrawFn) -> Parts:
    """A sound document: headings, paragraphs, lists with a line above them, tables."""
    made, parts = Made(draw(st.sampled_from(["", "The handbook"]))), Parts()
    path: tuple[str, ...] = ()
    for number in range(draw(st.integers(1, 7))):
        kind = draw(st.sampled_from(["heading", "paragraph", "paragraph", "list", "table"]))
        if kind == "heading":
            path = (*path[: draw(st.integers(0, 2))], f"Section {number}")
            made.heading(*path)
        elif kind == "paragraph":
            made.text(draw(_paragraph()), *path)
        elif kind == "list":
            _add_list(draw, made, parts, path)
        else:
            _add_table(draw, made, parts, path)
    parts.document = made.document
    return parts


def _add_list(draw: st.DrawFn, made: Made, parts: Parts, path: tuple[str, ...]) -> None:
    sentence = draw(st.sampled_from(SENTENCES[draw(st.sampled_from(sorted(SENTENCES)))])).strip()
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=30))
    items = [
        f"- {number}) {' '.join([sentence] * length)}" for number, length in enumerate(lengths)
    ]
    lead_in = "You must bring:"
    made.text("\n".join([lead_in, *items]), *path)
    start = made.document.segments[-1].start
    at = start + len(lead_in) + 1
    parts.openings.append((start, at + len(items[0])))
    for item in items:
        parts.items.append((at, at + len(item)))
        at += len(item) + 1


def _add_table(draw: st.DrawFn, made: Made, parts: Parts, path: tuple[str, ...]) -> None:
    count = len(made.document.segments)
    made.table_row(_HEADER, *path)
    for number in range(draw(st.integers(1, 40))):
        made.table_row(f"Item {number} | Owner {number} | {number * 12}", *path, header=_HEADER)
    rows = made.document.segments[count:]
    parts.tables.append((rows[0].start, rows[-1].end))
