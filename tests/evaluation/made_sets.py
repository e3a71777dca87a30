"""Made-up question sets in the handed format: articles about towns, asked with and without them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

_CONSONANTS, _VOWELS = list("bdfgklmnprstvz"), list("aeiou")
_ABOUT = ("founded", "harbour", "bridge", "market", "tower", "river")

Lines = Sequence[Mapping[str, Any]]


def made_set(seed: int, towns: int = 12, language: str = "en") -> tuple[Lines, Lines]:
    """Two paragraphs on each town; a third of the towns, and some second paragraphs, are absent."""
    draw = np.random.default_rng(seed)
    corpus: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    for number in range(towns):
        town = _word(draw, 4).capitalize()
        facts = [(about, _word(draw, 3)) for about in _ABOUT[:2]]
        for place, (about, fact) in enumerate(facts):
            name = f"{town}#{place}"
            present = number % 3 != 0 and (place == 0 or number % 3 == 1)
            kind = "answerable" if present else ("absent_topic", "x", "adjacent_topic")[number % 3]
            if present:
                text = f"The {about} of {town} is known as {fact}. {_filler(draw)}"
                corpus.append({"doc_id": name, "title": town, "text": text, "lang": language})
            questions.append(
                {
                    "id": f"{seed}-{number}-{place}",
                    "lang": language,
                    "question": f"What is known as {fact}, the {about} of {town}?",
                    "answers": [fact],
                    "kind": kind,
                    "group": town,
                    "gold_doc_id": name if present else None,
                    "gold_doc_ids": [name] if present else [],
                    "note": "",
                }
            )
    return corpus, questions


def _word(draw: np.random.Generator, syllables: int) -> str:
    return "".join(
        str(draw.choice(_CONSONANTS)) + str(draw.choice(_VOWELS)) for _ in range(syllables)
    )


def _filler(draw: np.random.Generator) -> str:
    return " ".join(_word(draw, int(draw.integers(2, 5))) for _ in range(30)).capitalize() + "."


def write_set(folder: Path, corpus: Lines, questions: Lines) -> Path:
    """A set on disk."""
    folder.mkdir(parents=True)
    for name, lines in (("corpus", corpus), ("questions", questions)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder
