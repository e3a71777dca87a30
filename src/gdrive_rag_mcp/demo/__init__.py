"""The sample documents of a company that does not exist, and questions to show the verdict with.

The documents are in four languages and leave gaps on purpose; two of them contradict each other,
one is a scan without text and one cannot be opened.
"""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question with what a right verdict on it is.

    An answerable one names the document and words of it that a cited passage must hold; one to be
    refused names the words that no document has.
    """

    text: str
    shows: str
    document: str | None = None
    quote: str = ""
    missing_terms: tuple[str, ...] = ()

    @property
    def answerable(self) -> bool:
        return self.document is not None


QUESTIONS = (
    DemoQuestion(
        "How many pump membranes are in stock in Bremen?",
        shows="a cell of a sheet, cited by its rows",
        document="Product/Spare-Parts.xlsx",
        quote="Pump membrane",
    ),
    DemoQuestion(
        "Wie hoch ist die Kaution für die Werkstatt in Bremen?",
        shows="German, in a PDF: cited by its page and the printed page number",
        document="Legal/Mietvertrag-Werkstatt.pdf",
        quote="Kaution in Höhe von 7.400 Euro",
    ),
    DemoQuestion(
        "無給休暇は何週間前までに申請しなければなりませんか。",
        shows="asked in Japanese, answered by an English document: no word in common",
        document="HR/Employee-Handbook.md",
        quote="at least eight weeks before the first day",
    ),
    DemoQuestion(
        "Who may take a sabbatical?",
        shows="a topic that no document has: refused",
        missing_terms=("sabbatical",),
    ),
    DemoQuestion(
        "When does the warranty of the Aurora S2 expire?",
        shows="a device that the documents describe, and a fact they leave out: refused",
        missing_terms=("warranty",),
    ),
)


def documents_folder() -> Path:
    """The folder with the sample documents; it is there as long as the package is installed."""
    return Path(str(files(__name__) / "documents"))


def cases_file() -> Path:
    """The cases for `eval` over the sample documents, to answer and to refuse."""
    return Path(str(files(__name__) / "cases.jsonl"))
