"""What the benchmarks are made of is as they say, and their checks fail when they should."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import bench_replace, bench_serving, bench_write
from benchmarks.corpus import (
    BETWEEN,
    INNERMOST,
    MEDIA_TYPES,
    OUTER,
    Corpus,
    MadeDocument,
    write_vectors,
)
from benchmarks.made_vectors import Floats, participation_ratio
from benchmarks.measuring import in_turns, interleaved
from benchmarks.naive_plan import NaivePlan
from benchmarks.our_index import build_index, folders
from benchmarks.our_search import OurSearch
from benchmarks.performance_page import reported
from benchmarks.search_goals import NAIVE, SMALL_SCOPE, misses
from benchmarks.search_run import OUR_NAME, TEXT, VECTOR, WHOLE, exact_nearest
from benchmarks.search_tables import table
from benchmarks.serving_process import Asked, Question, serving

CHUNKS = 2_400


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus(CHUNKS)


@pytest.fixture(scope="module")
def documents(corpus: Corpus) -> list[MadeDocument]:
    return list(corpus)


@pytest.fixture(scope="module")
def vectors(documents: list[MadeDocument]) -> Floats:
    return np.concatenate([made.vectors for made in documents])


def test_a_corpus_is_the_same_for_a_seed_and_another_for_another(corpus: Corpus) -> None:
    again, other = Corpus(CHUNKS).document(70), Corpus(CHUNKS, seed=8).document(70)
    made = corpus.document(70)

    assert (made.texts, made.modified, made.name) == (again.texts, again.modified, again.name)
    assert np.array_equal(made.vectors, again.vectors)
    assert made.texts != other.texts
    assert not np.allclose(made.vectors, other.vectors)


def test_vectors_have_length_one_and_no_more_than_some_dimensions_do_the_work(
    vectors: Floats,
) -> None:
    assert vectors.shape == (CHUNKS, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert 15 < participation_ratio(vectors) < 45
    assert 0.2 < np.linalg.norm(vectors.mean(axis=0)) ** 2 < 0.6


def test_chunks_of_a_document_are_nearer_to_each_other_than_to_the_rest(
    vectors: Floats,
) -> None:
    cosines = vectors @ vectors.T
    same = np.kron(np.eye(CHUNKS // 12, dtype=bool), np.ones((12, 12), dtype=bool))
    np.fill_diagonal(same, val=False)

    assert cosines[same].mean() > cosines[~same].mean() + 0.2


def test_scopes_hold_the_shares_that_they_are_named_for(documents: list[MadeDocument]) -> None:
    parent = {folder.id: folder.parents[0] for folder in folders() if folder.parents}
    inner = Counter(made.folder for made in documents)
    between = Counter[str]()
    for folder, count in inner.items():
        between[parent[folder]] += count
        between[parent[parent[folder]]] += count

    assert len(inner) == INNERMOST
    assert {count / len(documents) for count in inner.values()} == {1 / INNERMOST}
    assert between["between3"] == len(documents) / BETWEEN
    assert between["outer3"] == len(documents) / OUTER


def test_documents_are_of_several_types_times_and_languages(
    documents: list[MadeDocument],
) -> None:
    foreign = sum(not made.texts[0].isascii() for made in documents)

    assert {made.mime_type for made in documents} == {kind for kind, _, _ in MEDIA_TYPES}
    assert len({made.modified.year for made in documents}) > 3
    assert 0 < foreign < len(documents) / 4


def test_chunks_have_the_words_of_real_ones_and_words_follow_zipfs_law(
    documents: list[MadeDocument],
) -> None:
    texts = [text for made in documents for text in made.texts if text.isascii()]
    held = Counter(word for text in texts for word in set(text.lower().split()))
    words = [len(text.split()) for text in texts]

    assert 125 < np.mean(words) < 185
    assert held["the"] > 0.9 * len(texts)
    assert sum(count < 3 for count in held.values()) > len(held) / 2


def test_a_question_asks_for_three_words_that_one_passage_holds(
    corpus: Corpus, documents: list[MadeDocument]
) -> None:
    questions = corpus.questions(12)
    held = [set(_words(text)) for made in documents for text in made.texts]

    assert len(set(questions.texts)) == 12
    for question in questions.texts:
        _, _, _, one, _, two, _, three = question.split()
        assert any({one, two, three} <= words for words in held)


def _words(text: str) -> list[str]:
    return text.lower().replace(".", "").split()


def test_a_questions_vector_is_near_to_passages_and_equal_to_none(
    corpus: Corpus, vectors: Floats
) -> None:
    nearest = (corpus.questions(12).vectors @ vectors.T).max(axis=1)

    assert (nearest > 0.6).all()
    assert (nearest < 0.98).all()


def test_the_exact_nearest_are_those_of_the_whole_product(tmp_path: Path) -> None:
    corpus = Corpus(600)
    mapped = write_vectors(corpus, tmp_path / "vectors.npy")
    asked = corpus.questions(5).vectors
    expected = np.argsort(-(asked @ np.array(mapped).T), axis=1)[:, :10]

    assert exact_nearest(asked, mapped, block=250) == expected.tolist()


def test_both_plans_answer_over_the_same_material_and_ours_finds_the_nearest(
    tmp_path: Path,
) -> None:
    corpus = Corpus(360)
    questions = corpus.questions(3)
    build_index(tmp_path / "index.db", corpus)
    plan = NaivePlan(tmp_path / "naive.db")
    plan.build(corpus)
    search = OurSearch(tmp_path / "index.db", questions)
    search.become_resident()
    exact = exact_nearest(questions.vectors, np.concatenate([made.vectors for made in corpus]))

    for text, vector, nearest in zip(questions.texts, questions.vectors, exact, strict=True):
        assert len(plan.search(text, vector)) == 10
        assert search.hybrid(text) == 10
        assert [row - 1 for row in plan.by_vector(vector)][:10] == nearest
        assert len(set(search.nearest(vector, corpus)) & set(nearest)) >= 9
    plan.close()
    search.close()


def test_every_call_is_timed_in_its_turn_but_for_the_warm_round() -> None:
    seen: list[str] = []
    asks = {name: [lambda own=name: seen.append(own)] * 2 for name in ("a", "b")}

    in_turns(asks, rounds=1)
    assert "".join(seen) == "aabb" * 2
    seen.clear()
    interleaved(asks, rounds=1)
    assert "".join(seen) == "abab" * 2


# ── the checks ───────────────────────────────────────────────────────────────


def figures(**changes: float) -> dict[str, Any]:
    """A run that reaches every goal by little, but for what is changed."""
    cost = {"hybrid": 9.9, "vectors": 24.0, "text": 4.9, "tail": 14.0, "recall": 0.991}
    cost |= {"scope": 9.8, "type": 11.3, "dates": 11.2, "chunks": 100_000} | changes

    def row(group: str, name: str, p50: float, p95: float = 0.0) -> dict[str, Any]:
        return {"group": group, "name": name, "p50": p50, "p95": p95, "recall": cost["recall"]}

    return {
        "chunks": cost["chunks"],
        "rows": [
            row(WHOLE, OUR_NAME, cost["hybrid"]),
            row(WHOLE, NAIVE[WHOLE], 150.0),
            row(VECTOR, OUR_NAME, cost["vectors"]),
            row(VECTOR, NAIVE[VECTOR], 100.0),
            row(TEXT, OUR_NAME, cost["text"], cost["tail"]),
            row(TEXT, NAIVE[TEXT], 100.0),
        ],
        "filters": [
            {"name": name, "p50": p50, "p95": p50}
            for name, p50 in (
                ("none", 9.9),
                (SMALL_SCOPE, cost["scope"]),
                ("type 45 %", cost["type"]),
                ("type and dates", cost["dates"]),
            )
        ],
    }


def test_a_run_that_reaches_every_goal_has_missed_none() -> None:
    assert misses(figures()) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hybrid": 10.1}, "hybrid"),
        ({"vectors": 25.5}, "vectors"),
        ({"text": 5.1}, "text takes"),
        ({"tail": 15.0}, "p95"),
        ({"recall": 0.989}, "recall"),
        ({"scope": 10.0}, SMALL_SCOPE),
        ({"type": 11.5}, "type 45 %"),
        ({"dates": 11.5}, "type and dates"),
    ],
)
def test_each_missed_goal_is_told(changed: dict[str, float], said: str) -> None:
    (missed,) = misses(figures(**changed))

    assert said in missed


def test_every_way_of_narrowing_that_takes_too_long_is_told() -> None:
    assert len(misses(figures(scope=20.0, type=20.0, dates=20.0))) == 3


def test_the_overview_shows_the_slowest_way_of_narrowing() -> None:
    facts = {"documents": 1, "participation_ratio": 1.0, "skipped": {}}
    size = figures(type=29.7) | facts | {"start": {"first_answer_ms": 1.0, "loaded_s": 1.0}}
    shown = table({"made": "", "cpu": "", "system": "", "python": "", "sizes": [size]})

    overview = next(line for line in shown.splitlines() if line.startswith("| 100,000 |"))
    assert overview.endswith("| 0.99 × | 3.00 × |")
    assert "type 45 % takes 3.00 of no filter, goal 1.15" in shown


def test_small_corpora_are_held_to_recall_alone() -> None:
    assert misses(figures(chunks=10_000, hybrid=100.0)) == []
    assert len(misses(figures(chunks=10_000, recall=0.9))) == 1


@pytest.mark.parametrize(("cpu", "clock", "count"), [(1.9, 1.9, 0), (2.1, 1.9, 1), (2.1, 2.1, 2)])
def test_a_replacement_that_grows_with_the_index_is_told(
    cpu: float, clock: float, count: int
) -> None:
    small = {"chunks": 10_000, "p50": 5.0, "wall_p50": 7.0}
    large = {"chunks": 500_000, "p50": 5.0 * cpu, "wall_p50": 7.0 * clock}

    assert len(bench_replace.misses({"sizes": [small, large]})) == count


def test_writing_is_held_to_its_goal_over_mixed_text() -> None:
    kinds = [{"name": "Korean", "chunks_a_cpu_second": 10.0}]

    for seen, count in ((8_001.0, 0), (7_999.0, 1)):
        mixed = {"name": bench_write.MIXED, "chunks_a_cpu_second": seen}
        assert len(bench_write.misses({"kinds": [*kinds, mixed]})) == count


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"memory_after_writer": {"VmRSS": 601.0}}, "memory"),
        ({"log_mb": 257.0}, "log"),
        ({"errors": ["busy"]}, "busy"),
        ({"modes": ["hybrid", "keyword"]}, "keyword"),
    ],
)
def test_a_server_is_held_to_memory_log_errors_and_mode(changed: dict[str, Any], said: str) -> None:
    fine = {
        "embedder": "a model",
        "memory": {"VmRSS": 599.0},
        "memory_after_writer": {},
        "log_mb": 255.0,
        "errors": [],
        "modes": ["hybrid"],
    }

    assert bench_serving.misses({"runs": [fine]}) == []
    (missed,) = bench_serving.misses({"runs": [fine, {**fine, **changed}]})
    assert said in missed


def test_one_question_in_three_is_of_a_folder_alone_and_of_another_each_time() -> None:
    asked = [bench_serving.question(["one", "two"], at) for at in range(600)]
    scopes = [one.scope_id for one in asked if one.scope_id is not None]

    assert [one.scope_id is None for one in asked[:6]] == [True, True, False] * 2
    assert {one.text for one in asked if one.scope_id is not None} == {"one", "two"}
    assert len(set(scopes)) == len(scopes) == INNERMOST
    assert set(scopes) <= {folder.id for folder in folders()}


def test_a_question_that_no_folder_was_searched_for_counts_as_an_error(tmp_path: Path) -> None:
    index, corpus, asked = tmp_path / "index.db", Corpus(24), Asked()
    questions = corpus.questions(1)
    [text] = questions.texts
    with bench_serving.known_vectors(questions) as provider:
        build_index(index, corpus, provider.identity)
        with serving(index, provider.settings) as server:
            server.search([Question(text), Question(text, "outer0")], asked)
            assert asked.errors == []
            server.search([Question(text, "elsewhere")], asked)

    assert asked.errors == ["not searched: scope_unknown"]
    assert len(asked.seconds) == 3


def test_missed_goals_end_with_a_failure_only_where_they_are_checked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert reported(["too slow"], check=True) == 1
    assert reported(["too slow"], check=False) == 0
    assert reported([], check=True) == 0
    assert capsys.readouterr().out == "MISSED too slow\n" * 2
