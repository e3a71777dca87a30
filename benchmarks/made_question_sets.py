"""Makes a question set out of files of questions with answers, as SQuAD publishes them.

    python -m benchmarks.made_question_sets FILE... --name tquad-tr --language tr --into FOLDER

A fifth of the articles is left out of the corpus, and their questions become `absent_topic`; of
articles of three paragraphs and more a quarter of the paragraphs, whose questions become
`adjacent_topic`; questions that nothing answers become `absent_fact`. What is left out is told by
names and texts alone, so that the same files make the same set.
"""

import argparse
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.evaluation.question_sets import (
    ABSENT_FACT,
    ABSENT_TOPIC,
    ADJACENT_TOPIC,
    ANSWERABLE,
)

MOST: Mapping[str, int] = {
    ANSWERABLE: 600,
    ADJACENT_TOPIC: 350,
    ABSENT_TOPIC: 200,
    ABSENT_FACT: 200,
}
"""Questions of each kind in a set, of answerable ones unless more are asked for."""
_ARTICLES_LEFT_OUT, _PARAGRAPHS_LEFT_OUT = 5, 4
_FEWEST_PARAGRAPHS = 3
_SHORTEST = 60
"""Characters of a paragraph; what is shorter is a heading."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a paragraph, and whether the paragraph answers it."""

    id: str
    text: str
    answered: bool


Article = dict[str, list[Asked]]
"""Questions by the paragraph they are about, in the order of the paragraphs."""


@dataclass(slots=True)
class MadeSet:
    """The lines of the two files of a set, as `evaluation.question_sets` reads them."""

    corpus: list[dict[str, Any]] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """Write both files into the set's folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, lines in (("corpus", self.corpus), ("questions", self.questions)):
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def read_articles(paths: Iterable[Path]) -> dict[str, Article]:
    """The articles of files, by title: nested as in SQuAD's, or JSON lines, a question each."""
    articles: dict[str, Article] = {}
    for path in paths:
        lines = path.suffix == ".jsonl"
        for title, paragraph, asked in (_lines if lines else _nested)(path):
            questions = articles.setdefault(title, {}).setdefault(paragraph, [])
            questions += [asked] if asked else []
    return articles


def _nested(path: Path) -> Iterator[tuple[str, str, Asked | None]]:
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        title = article.get("title") or "untitled"
        for paragraph in article["paragraphs"]:
            text = paragraph["context"].strip()
            yield title, text, None
            for one in paragraph["qas"]:
                answered = not one.get("is_impossible", False)
                yield title, text, Asked(str(one["id"]), one["question"].strip(), answered)


def _lines(path: Path) -> Iterator[tuple[str, str, Asked | None]]:
    """Of lines with the whole article in `context`: the paragraph that holds the answer's start."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        one = json.loads(line)
        begin = one["answers"]["answer_start"][0]
        end = 0
        for part in one["context"].split("\n\n"):
            start, end = end, end + len(part) + 2
            if len(text := part.strip()) < _SHORTEST:
                continue
            yield one["title"], text, None
            if start <= begin < end:
                name = str(one.get("question_id", number))
                yield one["title"], text, Asked(name, one["question"].strip(), answered=True)


def make_set(
    name: str,
    language: str,
    articles: Mapping[str, Article],
    most_documents: int,
    part: tuple[int, int] = (1, 1),
    answerable: int = MOST[ANSWERABLE],
) -> MadeSet:
    """Draw articles until the corpus has so many documents, and questions of each kind.

    `part` is which of how many parts the articles are drawn from; no two parts share an article.
    """
    made = MadeSet()
    drawn: dict[str, list[dict[str, Any]]] = {kind: [] for kind in MOST}
    seen: set[str] = set()
    for title, article in _drawn(articles, part):
        if len(made.corpus) >= most_documents:
            break
        absent = _hash("a" + title) % _ARTICLES_LEFT_OUT == 0
        aside = _left_out(list(articles[title]))
        for place, (text, asked) in enumerate(articles[title].items()):
            document = f"{article}#{place}"
            present = not absent and place not in aside
            if present:
                line = {"doc_id": document, "title": title, "text": text, "lang": language}
                made.corpus.append(line)
            for one in asked:
                if one.text and one.text not in seen:
                    seen.add(one.text)
                    kind = _kind(one, absent=absent, present=present)
                    gold = [document] if kind == ANSWERABLE else []
                    drawn[kind].append(
                        {
                            "id": f"{name}:{one.id}",
                            "lang": language,
                            "question": one.text,
                            "kind": kind,
                            "group": article,
                            "gold_doc_ids": gold,
                        }
                    )
    made.questions = _first_of_each(drawn, {**MOST, ANSWERABLE: answerable})
    return made


def _drawn(articles: Iterable[str], part: tuple[int, int]) -> Iterator[tuple[str, str]]:
    """The titles of a part in the order of a draw, and what each is called in ids."""
    number, parts = part
    called: set[str] = set()
    for title in sorted(articles, key=lambda title: (_hash(title), title)):
        name = title.replace(" ", "_").replace("#", "-")
        while name in called:
            name += "_"
        called.add(name)
        if _hash("p" + title) % parts == number - 1:
            yield title, name


def _kind(asked: Asked, *, absent: bool, present: bool) -> str:
    if absent:
        return ABSENT_TOPIC
    if not present:
        return ADJACENT_TOPIC
    return ANSWERABLE if asked.answered else ABSENT_FACT


def _left_out(paragraphs: Sequence[str]) -> set[int]:
    """The places of the paragraphs that the corpus does without; two of an article stay."""
    if len(paragraphs) < _FEWEST_PARAGRAPHS:
        return set()
    aside = {
        place
        for place, text in enumerate(paragraphs)
        if _hash(text[:200] + str(place)) % _PARAGRAPHS_LEFT_OUT == 0
    }
    kept = len(paragraphs) - len(aside)
    return aside if kept >= 2 else set(sorted(aside)[: len(paragraphs) // _PARAGRAPHS_LEFT_OUT])


def _first_of_each(
    drawn: Mapping[str, list[dict[str, Any]]], limits: Mapping[str, int]
) -> list[dict[str, Any]]:
    chosen: dict[str, dict[str, Any]] = {}
    for kind, most in limits.items():
        order = sorted(drawn[kind], key=lambda line: (_hash(line["id"]), line["id"]))
        for line in order[:most]:
            chosen.setdefault(line["id"], line)
    return list(chosen.values())


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def part_of(text: str) -> tuple[int, int]:
    """Read `2/3` as the second of three parts.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    number, _, parts = text.partition("/")
    if number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts):
        return int(number), int(parts)
    raise argparse.ArgumentTypeError(f"{text!r} is no part: write 2/3 for the second of three")


def main() -> None:
    """Read the files, make the set, and say what is in it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--name", required=True, help="of the set, such as tquad-tr")
    parser.add_argument("--language", required=True, help="such as tr")
    parser.add_argument("--into", required=True, type=Path, help="a folder of sets")
    parser.add_argument("--documents", type=int, default=300, help="about so many (300)")
    parser.add_argument(
        "--part", type=part_of, default=(1, 1), help="such as 2/3: other articles than 1/3 and 3/3"
    )
    parser.add_argument(
        "--answerable", type=int, default=MOST[ANSWERABLE], help="questions, at most (600)"
    )
    arguments = parser.parse_args()
    articles = read_articles(arguments.files)
    made = make_set(
        arguments.name,
        arguments.language,
        articles,
        arguments.documents,
        arguments.part,
        arguments.answerable,
    )
    made.write(arguments.into / arguments.name)
    kinds = [line["kind"] for line in made.questions]
    told = ", ".join(f"{kinds.count(kind)} {kind}" for kind in MOST if kind in kinds)
    print(f"{arguments.name}: {len(made.corpus)} documents; questions: {told}")


if __name__ == "__main__":
    main()
