"""What decides the order of passages, over files that were synced: seen in the search itself."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.program import Run

RANGERS = ("Abel", "Berta", "Carl", "Dora", "Emil", "Frida")
FILLER = "The harbour office opens at nine. Boats are moored along the northern quay. " * 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with documents that say nothing of what is asked."""
    made = tmp_path / "documents"
    made.mkdir()
    for number in range(6):
        (made / f"other-{number}.md").write_text(
            f"# Notes {number}\n\nShift {number} counts crates and pallets.\n", encoding="utf-8"
        )
    return made


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def found(run: Run, question: str, *options: str) -> list[dict[str, Any]]:
    """The passages of a search, accepted or not, best first."""
    shown = run("search", question, "--json", *options).json
    hits: list[dict[str, Any]] = shown["results"] + shown["candidate_results"]
    return hits


def paths(hits: list[dict[str, Any]]) -> list[str]:
    return [hit["citation"]["path"] for hit in hits]


def sync(run: Run, folder: Path) -> None:
    synced = run("sync", "--source", f"folder:{folder}")
    assert synced.code == 0, synced.err


def test_a_word_in_a_title_or_in_headings_counts_more_than_often_in_the_text(
    run: Run, folder: Path
) -> None:
    """Were all words worth the same, the five in the text would come first."""
    often = " ".join(f"Moorage rule {number}." for number in range(5))
    write(
        folder,
        {
            "text.md": f"# Rules\n\n## Berths\n\n{often} {FILLER}\n",
            "headings.md": f"# Rules\n\n## Moorage\n\n### Moorage of boats\n\nBerths. {FILLER}\n",
            "title.md": f"# Moorage\n\n## Berths\n\nRules. {FILLER}\n",
        },
    )
    sync(run, folder)
    assert paths(found(run, "moorage")) == ["title.md", "headings.md", "text.md"]


def test_one_document_leaves_places_among_the_first_five_to_others_as_good(
    run: Run, folder: Path
) -> None:
    sections = "".join(
        f"## Ranger {name}\n\nThe ranger {name} patrols the marsh with a dog. {FILLER * 4}\n\n"
        for name in RANGERS
    )
    write(
        folder,
        {
            "handbook.md": f"# Handbook\n\n{sections}",
            "rota.md": f"# Rota\n\n## Ranger Gustav\n\nThe ranger Gustav patrols the marsh with a "
            f"cat. {FILLER * 4}\n",
            "diary.md": f"# Diary\n\n## Ranger Hanna\n\nThe ranger Hanna patrols the marsh with a "
            f"boat. {FILLER * 4}\n",
        },
    )
    sync(run, folder)
    first = paths(found(run, "Which ranger patrols the marsh?", "--limit", "8"))
    assert first[:5].count("handbook.md") == 3
    assert {"rota.md", "diary.md"} <= set(first[:5])
    assert first.count("handbook.md") == len(RANGERS), "none of the others is lost"


def test_a_copy_is_listed_with_its_passage_and_takes_no_place(run: Run, folder: Path) -> None:
    text = "# Dogs\n\nDogs on the quay are kept on a lead of two metres at all times of the day.\n"
    nearly = text.replace("two metres at all times", "two metres, at all times,")
    write(folder, {"dogs.md": text, "dogs-copy.md": text, "dogs-again.md": nearly})
    sync(run, folder)
    hits = found(run, "How long is the lead of dogs on the quay?")
    about = [hit for hit in hits if hit["citation"]["path"].startswith("dogs")]
    assert len(about) == 1
    assert len(about[0]["duplicates"]) == 2


def test_neighbours_are_shown_where_they_are_asked_for(run: Run, folder: Path) -> None:
    sections = "".join(
        f"## Ranger {name}\n\nThe ranger {name} patrols the marsh. {FILLER * 4}\n\n"
        for name in RANGERS
    )
    write(folder, {"handbook.md": f"# Handbook\n\n{sections}"})
    sync(run, folder)
    plain = found(run, "Where does ranger Carl patrol?")[0]
    beside = found(run, "Where does ranger Carl patrol?", "--neighbours", "1")[0]
    assert "Carl" in plain["text"]
    assert not plain.get("before")
    assert not plain.get("after")
    assert "Berta" in beside["before"]
    assert "Dora" in beside["after"]
    assert beside["text"] == plain["text"]


def test_synonyms_of_the_config_file_find_what_the_question_calls_otherwise(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    write(folder, {"leave.md": "# Absence\n\nPaid time off is twenty-seven days a year.\n"})
    sync(run, folder)
    config = tmp_path / "config.toml"
    config.write_text('synonyms = [["PTO", "paid time off"]]\n', encoding="utf-8")
    without = run("search", "How much PTO is there?", "--json").json
    told = run("search", "How much PTO is there?", "--json", "--config", config).json
    assert without["evidence"]["missing_terms"] == ["PTO"]
    assert not without["evidence"]["sufficient"]
    assert told["evidence"]["missing_terms"] == []
    assert told["results"][0]["citation"]["path"] == "leave.md"
