"""Whether the best passages have what the question asks for: its answer's type, figures, names.

Each is NaN where the question asks for nothing of the kind. A passage's surroundings are those of
its fullest window of key terms, see `Reading`. What numbers, names and negations tell is after the
kinds of unanswerable questions in Rajpurkar, Jia & Liang, "Know what you don't know", ACL 2018:
among them are questions with another number or name, and with a negation more or less.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TypeVar

from gdrive_rag_mcp.evidence.dates import days, is_year, tells_time, years
from gdrive_rag_mcp.evidence.lexicon_numbers import NUMBER_WORDS, NUMBERS_IN_RUNS
from gdrive_rag_mcp.evidence.names import has_other_name
from gdrive_rag_mcp.evidence.negation import denies
from gdrive_rag_mcp.evidence.opposites import says_opposite
from gdrive_rag_mcp.evidence.quantities import LENGTH, TIME, Quantity, quantities, units_named
from gdrive_rag_mcp.evidence.question_types import AnswerType
from gdrive_rag_mcp.evidence.reading import Reading
from gdrive_rag_mcp.evidence.signal import UNKNOWN, Signal
from gdrive_rag_mcp.evidence.written import plain
from gdrive_rag_mcp.terms import fold

# Not German, where each noun has one.
_WITH_CAPITALS = frozenset(("en", "fr", "es", "pt", "it", "nl", "ro", "vi", "tr", "el", "ru", "id"))
_Fact = TypeVar("_Fact")
_NUMBERS_IN_RUNS = re.compile(plain(NUMBERS_IN_RUNS))
_DURATIONS = {TIME, LENGTH}
_NAMED = {AnswerType.WHO, AnswerType.WHERE}


def answer_type_near(reading: Reading) -> float:
    """Whether something of the type asked for stands near the terms: the best hit's coverage of it.

    Max over hits of (idf share of the terms in its window) x (1 if something of that type, which
    is not itself in the question, stands in the surroundings). After answer-type filters in
    passage retrieval: Prager et al., "Question-answering by predictive annotation", SIGIR 2000.
    """
    if not _can_be_seen(reading):
        return UNKNOWN
    return _best(reading, lambda text: float(_has_answer(reading, text)))


def answer_figure_present(reading: Reading) -> float:
    """1 where a figure of the type asked for stands in the fullest window's surroundings, else 0.

    For questions of time, count and measure. Of names it would tell nothing: nearly every window
    has some. Unlike `answer_type_near` it says nothing of how much of the question is covered; the
    source is the same.
    """
    if not _can_be_seen(reading) or reading.asked.answer in _NAMED or not reading.together:
        return UNKNOWN
    return float(_has_answer(reading, _fullest(reading)))


def numbers_held(reading: Reading) -> float:
    """Share of the question's numbers, however written, held near the terms of one hit.

    Max over hits of (numbers asked and near) / (numbers asked). Dates are not counted; see
    `dates_held`. After Rajpurkar, Jia & Liang 2018, see above.
    """
    asked = reading.asked.numbers
    return _share_near(reading, asked, _values)


def dates_held(reading: Reading) -> float:
    """Share of the question's years, months and days, however written, near the terms of a hit.

    Max over hits of (dates asked and near) / (dates asked). After Rajpurkar, Jia & Liang 2018.
    """
    return _share_near(reading, reading.asked.dates, _dates)


def units_held(reading: Reading) -> float:
    """Share of the units and currencies that the question names, in any language, near the terms.

    Max over hits of (units asked and near) / (units asked). In a question with a date or for one,
    units of time are not counted: "what year" is answered without one. Our own; no model has it so
    far, it is kept with the signals for those who look at them.
    """
    asked = frozenset(unit.name for unit in reading.asked.units)
    return _share_near(reading, asked, _units)


def entities_held(reading: Reading) -> float:
    """Idf-weighted share of the terms of the question's names that one hit holds.

    Max over hits of sum of idf of held / sum of idf of all of names. After Rajpurkar, Jia & Liang
    2018.
    """
    return _names_share(reading, reading.held)


def entities_together(reading: Reading) -> float:
    """Idf-weighted share of the terms of the question's names within one hit's best window.

    As `entities_held`, within the window. After Rajpurkar, Jia & Liang 2018.
    """
    return _names_share(reading, reading.together)


def negation_agrees(reading: Reading) -> float:
    """Whether the fullest window denies something, where the question does: 1 or 0.

    NaN where the question denies nothing. After Rajpurkar, Jia & Liang 2018.
    """
    if not reading.asked.denied or not reading.together:
        return UNKNOWN
    return float(denies(_fullest(reading), reading.asked.language))


def opposites_agree(reading: Reading) -> float:
    """0 where the fullest window has the opposite of a word asked and not the word, else 1.

    NaN where no word of the question has a listed opposite, or in the window one by a prefix.
    Changed to its opposite, a word leaves all others of the question covered: after the antonyms
    among the kinds of unanswerable questions in Rajpurkar, Jia & Liang 2018.
    """
    if not reading.together:
        return UNKNOWN
    asked = reading.asked
    opposite = says_opposite(asked.question, _fullest(reading), asked.language)
    return UNKNOWN if opposite is None else float(not opposite)


def _fullest(reading: Reading) -> str:
    weights = [reading.weight(held) for held in reading.together]
    return reading.surroundings[weights.index(max(weights))]


def _can_be_seen(reading: Reading) -> bool:
    asked = reading.asked
    if asked.answer in _NAMED:
        return asked.language in _WITH_CAPITALS
    return asked.answer is not AnswerType.OTHER


def _best(reading: Reading, found_in: Callable[[str], float]) -> float:
    pairs = zip(reading.together, reading.surroundings, strict=True)
    return max((reading.weight(held) * found_in(text) for held, text in pairs if held), default=0.0)


def _share_near(
    reading: Reading, asked: frozenset[_Fact], held_in: Callable[[str], frozenset[_Fact]]
) -> float:
    if not asked:
        return UNKNOWN
    near = (held_in(plain(text)) for text in reading.surroundings)
    return max((len(asked & held) for held in near), default=0) / len(asked)


def _values(written: str) -> frozenset[float]:
    return frozenset(figure.value for figure in _figures(written))


def _dates(written: str) -> frozenset[str]:
    on_days = days(written)
    return frozenset((*on_days, *years(_figures(written)), *(day[:2] for day in on_days)))


def _units(written: str) -> frozenset[str]:
    measured = {figure.unit for figure in _figures(written) if figure.unit}
    return frozenset(unit.name for unit in measured | units_named(written))


@lru_cache(maxsize=64)
def _figures(written: str) -> tuple[Quantity, ...]:
    return tuple(quantities(written))


def _has_answer(reading: Reading, text: str) -> bool:
    asked = reading.asked
    if asked.answer in _NAMED:
        return has_other_name(text, asked.tokens)
    written = plain(text)
    new = [each for each in _figures(written) if not _is_asked(each, reading)]
    match asked.answer:
        case AnswerType.WHEN:
            return bool(_dates(written) - asked.dates) or tells_time(written, new)
        case AnswerType.HOW_MANY:
            return not all(map(is_year, new)) or _has_number_in_words(written)
        case AnswerType.HOW_LONG:
            return _measures(written, new, _DURATIONS)
        case _:
            return _measures(written, new, None)


def _measures(written: str, new: Sequence[Quantity], kinds: set[str] | None) -> bool:
    """Whether a text has a figure of these kinds, or such a unit and a number in words."""
    units = [each.unit for each in new if each.unit]
    if _has_number_in_words(written):
        units.extend(units_named(written))
    return any(kinds is None or unit.measures in kinds for unit in units)


def _is_asked(figure: Quantity, reading: Reading) -> bool:
    year = is_year(figure) and f"{figure.value:.0f}" in reading.asked.dates
    return year or figure.value in reading.asked.numbers


def _has_number_in_words(written: str) -> bool:
    in_run = _NUMBERS_IN_RUNS.search(written) is not None
    return in_run or not _number_words().isdisjoint(written.split())


@cache
def _number_words() -> frozenset[str]:
    return frozenset(map(plain, NUMBER_WORDS.split()))


def _names_share(reading: Reading, held: tuple[frozenset[int], ...]) -> float:
    terms, names = reading.terms, reading.asked.names
    places = {place for place, term in enumerate(terms) if fold(term.surface) in names}
    whole = sum(terms[place].idf for place in places)
    if not whole:
        return UNKNOWN
    return max((sum(terms[place].idf for place in places & one) for one in held), default=0) / whole


ASKED_SIGNALS: Mapping[str, Signal] = {
    signal.__name__: signal
    for signal in (
        answer_type_near,
        answer_figure_present,
        numbers_held,
        dates_held,
        units_held,
        entities_held,
        entities_together,
        negation_agrees,
        opposites_agree,
    )
}
