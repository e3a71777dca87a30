"""What a question asks for and with, besides its words: its answer's type, figures and names."""

from dataclasses import dataclass

from gdrive_rag_mcp.evidence.dates import days, is_year, years
from gdrive_rag_mcp.evidence.names import names_asked
from gdrive_rag_mcp.evidence.negation import denies
from gdrive_rag_mcp.evidence.quantities import TIME, Unit, quantities, units_named
from gdrive_rag_mcp.evidence.question_types import AnswerType, answer_type
from gdrive_rag_mcp.evidence.written import plain
from gdrive_rag_mcp.terms import function_words, language_of, tokens


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's language, the type of its answer, and the figures, units and names it holds.

    `tokens` are all its tokens, `names` those of its names; `dates` are years and days as
    `dates` writes them, `numbers` all others. Beside a date, or
    asking for one, units of time are none of its units. `denied` says that it asks with a negation.
    """

    question: str
    language: str
    answer: AnswerType
    tokens: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[float]
    dates: frozenset[str]
    units: frozenset[Unit]
    denied: bool


def what_is_asked(question: str) -> Asked:
    """Read a question."""
    language, text = language_of(question), plain(question)
    answer = answer_type(question, language)
    figures = tuple(quantities(text))
    on_days = days(text)
    numbers = {figure.value for figure in figures if not is_year(figure)}
    in_days = {float(part) for day in on_days for part in day.split("-")}
    units = units_named(text, function_words(language)) | {
        figure.unit for figure in figures if figure.unit
    }
    dates = on_days | years(figures)
    timeless = answer is AnswerType.WHEN or bool(dates)
    return Asked(
        question=question,
        language=language,
        answer=answer,
        tokens=frozenset(tokens(question)),
        names=names_asked(question, language),
        numbers=frozenset(numbers - in_days),
        dates=dates,
        units=frozenset(unit for unit in units if not (timeless and unit.measures == TIME)),
        denied=denies(question, language),
    )
