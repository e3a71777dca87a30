"""How surely true, changed and foreign quotes are told apart, over the handed evidence sets.

    python -m benchmarks.verify_quotes [--each 100] [--seed 0] [--sets xquad-de,pquad-fa]

Every sentence is looked for in all paragraphs of its set and language together, as one document:
as it stands and as it may be written otherwise (exact); with one number, one word or a fifth of
its words changed (near); and in the same document without its own paragraph (absent), where the
sentences around it, and others on the same subject, still stand.
"""

from __future__ import annotations

import argparse
import random
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.evidence import DATA
from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import DifferenceKind, QuoteMatch, QuoteVerdict
from gdrive_rag_mcp.evaluation.question_sets import read_set
from gdrive_rag_mcp.evidence.quote_words import tokens_of
from gdrive_rag_mcp.evidence.quotes import checked_quote, verify

LANGUAGES = ("ar", "de", "el", "en", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh")
WHOLE_SETS = ("squad2-en", "korquad1-ko", "jaquad-ja", "pquad-fa", "viquad2-vi", "rgb-zh")
SETS = (
    *(("xquad", language) for language in LANGUAGES),
    *((folder, None) for folder in (*WHOLE_SETS, "financebench-en")),
)
COLUMNS = ("verbatim", "rewritten", "number", "named", "word", "fifth", "foreign")
_SENTENCE = re.compile(r"(?:[^.!?。！？।\n]|(?<=\d)\.(?=\d))+[.!?。！？।]?")
_SHORTEST, _LONGEST = 25, 300
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, the document it stands in, and the same without its paragraph."""

    text: str
    document: str
    without: str


def sentences(folder: str, language: str | None, each: int, rng: random.Random) -> list[Sentence]:
    """So many sentences of a set, drawn evenly from its paragraphs."""
    handed = read_set(DATA / folder)
    corpus = handed.asked(language).corpus if language else handed.corpus
    texts = [clean(text.text) for text in corpus]
    document = "\n\n".join(texts)
    found = []
    for at in rng.sample(range(len(texts)), len(texts)):
        there = [part.strip() for part in _SENTENCE.findall(texts[at])]
        fitting = [part for part in there if _SHORTEST <= len(part) <= _LONGEST]
        if fitting:
            without = "\n\n".join(texts[:at] + texts[at + 1 :])
            found.append(Sentence(rng.choice(fitting), document, without))
        if len(found) == each:
            break
    return found


def rewritten(quote: str, rng: random.Random) -> str:
    """The same quote as a person or a model may write it down."""
    broken = re.sub(r" ", lambda _: rng.choice((" ", " ", "\n")), quote)
    ways: tuple[Callable[[str], str], ...] = (
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: text.upper() if text.upper().lower() == text.lower() else text,
        lambda text: f"“{text}”",
        lambda text: text.replace('"', "”").replace("'", "’").replace("-", "–"),
    )
    return rng.choice(ways)(broken)


def with_number_changed(quote: str, rng: random.Random) -> str | None:
    """One number of a quote made another; None where it has none."""
    numbers = [token for token in tokens_of(quote) if token.numeric]
    if not numbers:
        return None
    token = rng.choice(numbers)
    digits = [at for at, sign in enumerate(token.text) if sign.isdecimal()]
    at = token.start + rng.choice(digits)
    zero = ord(quote[at]) - int(quote[at])
    digit = (int(quote[at]) + rng.randint(1, 8)) % 10
    return quote[:at] + chr(zero + digit) + quote[at + 1 :]


def with_words_changed(
    quote: str, share: float, others: Sequence[str], rng: random.Random
) -> str | None:
    """A share of a quote's words, one at least, made others of the same document.

    In scripts without blanks a word is taken to be two signs.
    """
    words = [token for token in tokens_of(quote) if token.weight]
    if len(words) <= _PAIR:
        return None
    unspaced = words[0].unspaced
    size = _PAIR if unspaced else 1
    number = max(1, round(len(words) / size * share))
    for at in sorted(rng.sample(range(len(words) - size + 1), number), reverse=True):
        start = rng.randrange(len(others) - size)
        new = "".join(others[start : start + size])
        quote = quote[: words[at].start] + new + quote[words[at + size - 1].end :]
    return quote


def verdict_over(document: str, quote: str) -> QuoteMatch:
    return verify(document, checked_quote(quote))


def measured(folder: str, language: str | None, each: int, seed: int) -> tuple[Counter[str], float]:
    """Right verdicts and tries by column, and the CPU seconds a quote."""
    rng = random.Random(seed)
    found = sentences(folder, language, each, rng)
    others = [token.text for token in tokens_of(found[0].document[:50_000]) if token.bones]
    counts: Counter[str] = Counter()

    def count(column: str, *, right: bool) -> None:
        counts[f"{column} tried"] += 1
        counts[column] += right

    began = time.process_time()
    for one in found:
        quote = one.text
        count("verbatim", right=verdict_over(one.document, quote).verdict is QuoteVerdict.EXACT)
        said = verdict_over(one.document, rewritten(quote, rng))
        count("rewritten", right=said.verdict is QuoteVerdict.EXACT)
        for column, changed in (
            ("number", with_number_changed(quote, rng)),
            ("word", with_words_changed(quote, 0, others, rng)),
            ("fifth", with_words_changed(quote, 0.2, others, rng)),
        ):
            if changed is None or changed in one.document:
                continue
            said = verdict_over(one.document, changed)
            count(column, right=said.verdict is QuoteVerdict.NEAR)
            if column == "number":
                told = {DifferenceKind.NUMBER, DifferenceKind.DATE} & set(said.altered)
                count("named", right=bool(told))
        if quote not in one.without:
            said = verdict_over(one.without, quote)
            count("foreign", right=said.verdict is QuoteVerdict.ABSENT)
    tries = sum(number for column, number in counts.items() if column.endswith("tried"))
    return counts, (time.process_time() - began) / max(1, tries)


def rate(counts: Counter[str], column: str) -> str:
    tried = counts[f"{column} tried"]
    return f"{100 * counts[column] / tried:.1f}" if tried else "-"


def main() -> None:
    """Print a line a set: percent of right verdicts by column."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--each", type=int, default=100, help="sentences a set")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--sets", type=lambda text: text.split(","), default=[], help="of these")
    given = options.parse_args()
    whole: Counter[str] = Counter()
    print(f"{'set':<18}" + "".join(f"{column:>10}" for column in COLUMNS) + "  CPU ms a quote")
    for folder, language in SETS:
        if given.sets and folder not in given.sets and f"{folder}-{language}" not in given.sets:
            continue
        counts, seconds = measured(folder, language, given.each, given.seed)
        whole += counts
        name = f"{folder} {language or ''}"
        figures = "".join(f"{rate(counts, column):>10}" for column in COLUMNS)
        print(f"{name:<18}{figures}{1000 * seconds:>12.1f}", flush=True)
    print(f"{'all':<18}" + "".join(f"{rate(whole, column):>10}" for column in COLUMNS))


if __name__ == "__main__":
    main()
