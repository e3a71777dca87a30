"""An index learns of itself: from a few probes, again only where something changed, and cheaply."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.calibrating.choosing import PAID_PROBES, PROBES
from gdrive_rag_mcp.calibrating.run import (
    EMBEDDER_UNAVAILABLE,
    HANDFUL,
    STOPPED_BY_BUDGET,
    STOPPED_BY_TIME,
    TOO_FEW_PROBES,
    VECTORS_WAITING,
    Calibrating,
)
from gdrive_rag_mcp.domain import Calibration
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.protocols import EmbedRole, Vectors
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.token_embedder import HashingTokenEmbedder
from tests.calibrating.shelf import calibrate, fill, made


class Unreachable(HashingEmbedder):
    """Takes so many texts, and is gone then."""

    def __init__(self, after: int) -> None:
        super().__init__(64)
        self._left = after

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        if role == "query":
            self._left -= len(texts)
            if self._left < 0:
                raise EmbedderUnavailableError("the provider is out of reach")
        return super().embed(texts, role=role)


class Picky(HashingEmbedder):
    """Refuses every question with a certain letter in it."""

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        if role == "query" and "z" in texts[0]:
            raise EmbeddingError("no z")
        return super().embed(texts, role=role)


class Paid(HashingEmbedder):
    """Bills every call."""

    def calls(self, texts: int, characters: int) -> int:
        return texts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.db"


def learnt(path: Path) -> Calibration:
    with Store.open_for_reading(path) as store:
        found = store.calibration.get()
    assert found is not None
    return found


def seconds(step: float) -> Iterator[float]:
    return (step * number for number in count())


def test_an_index_knows_where_its_cosines_lie_and_how_rare_its_pieces_are(path: Path) -> None:
    embedder = HashingTokenEmbedder(64)
    fill(path, range(24), embedder)
    done = calibrate(path, embedder)
    found = learnt(path)
    assert (done.asked, done.lacking) == (24, "")
    assert found.probes == 24
    assert found.basis.embedding == embedder.identity.fingerprint
    assert found.basis.projection == embedder.token_projection()
    height = found.scales["cosine_height"]
    assert height.present > height.absent
    assert height.separation > 0.9
    pieces = found.piece_frequencies
    assert pieces is not None
    assert pieces.chunks == 24
    [the, unknown] = [*embedder.pieces(["the"])[0], 7]
    common, rare = pieces.idf_of(np.array([the, unknown]))
    assert common == pytest.approx(np.log1p(24 / 25))
    assert rare == pytest.approx(np.log1p(24))


def test_where_nothing_has_changed_nothing_is_done(path: Path) -> None:
    embedder = HashingTokenEmbedder(64)
    fill(path, range(24), embedder)
    calibrate(path, embedder)
    before = learnt(path), embedder.embedded_texts
    done = calibrate(path, embedder)
    assert (done.asked, done.embedded, done.seconds) == (0, 0, 0.0)
    assert embedder.embedded_texts == before[1]
    assert learnt(path).basis == before[0].basis


def test_a_document_more_asks_few_again(path: Path) -> None:
    embedder = HashingEmbedder(64)
    fill(path, range(120), embedder)
    assert calibrate(path, embedder).asked == PROBES
    fill(path, [120, 121], embedder)
    done = calibrate(path, embedder)
    assert 0 <= done.asked <= 12
    assert learnt(path).basis.chunks == 122


def test_a_document_that_a_probe_was_made_from_takes_it_along(path: Path) -> None:
    embedder = HashingEmbedder(64)
    fill(path, range(30), embedder)
    calibrate(path, embedder)
    with Store.open_for_writing(path) as store, store.transaction():
        store.index.remove("d3")
    done = calibrate(path, embedder)
    assert learnt(path).probes == 29
    assert done.asked < 29, "probes that never saw it stay as they are"


def test_a_chunk_that_answers_a_probe_as_well_has_it_asked_again(path: Path) -> None:
    embedder = HashingEmbedder(64)
    fill(path, range(60), embedder)
    calibrate(path, embedder)
    with Store.open_for_reading(path) as store:
        before = store.calibration.probes()
    from gdrive_rag_mcp.chunking.structural import StructuralChunker
    from gdrive_rag_mcp.testing.small_index import fill_index, plain_document

    copied = plain_document(f"{made(7).text} And more of it.")
    fill_index(path, [("copy", copied)], StructuralChunker(300, 40), embedder)
    calibrate(path, embedder)
    with Store.open_for_reading(path) as store:
        after = store.calibration.probes()
    topic = made(7).title
    [of_seven] = [key for key, probe in before.items() if topic in probe.question.split()]
    height = "cosine_height"
    assert after[of_seven].absent.signals[height] > before[of_seven].absent.signals[height]


def test_the_same_documents_make_the_same_probes_whatever_order_they_came_in(
    path: Path, tmp_path: Path
) -> None:
    embedder, other = HashingEmbedder(64), tmp_path / "other.db"
    fill(path, range(80), embedder)
    fill(other, reversed(range(80)), embedder)
    for one in (path, other):
        calibrate(one, embedder)
    with Store.open_for_reading(path) as store, Store.open_for_reading(other) as twin:
        assert store.calibration.probes().keys() == twin.calibration.probes().keys()
    height, same = (learnt(one).scales["cosine_height"] for one in (path, other))
    assert (height.present, height.absent) == pytest.approx((same.present, same.absent), abs=1e-5)


def test_words_alone_are_calibrated_without_an_embedder(path: Path) -> None:
    fill(path, range(30), None)
    done = calibrate(path, None)
    found = learnt(path)
    assert (HANDFUL <= done.asked <= 30, done.embedded) == (True, 0)
    assert (found.scales, found.piece_frequencies, found.basis.embedding) == ({}, None, "")
    assert list(found.odds) == ["keyword"]


def test_a_run_that_is_killed_is_gone_on_with(path: Path) -> None:
    class Killed(BaseException):
        pass

    def kill(_: str, done: int, total: int | None) -> None:
        if done == 20:
            raise Killed

    embedder = HashingEmbedder(64)
    fill(path, range(24), embedder)
    with Store.open_for_writing(path) as store, pytest.raises(Killed):
        Calibrating(store, embedder, progress=kill).run()
    with Store.open_for_reading(path) as store:
        assert store.calibration.get() is None
        assert len(store.calibration.probes()) == 20
    assert calibrate(path, embedder).asked == 4
    assert learnt(path).probes == 24


def test_after_a_twentieth_of_a_sync_it_makes_do_with_what_it_has(path: Path) -> None:
    embedder = HashingEmbedder(64)
    fill(path, range(80), embedder)
    with Store.open_for_writing(path) as store:
        with store.transaction():
            characters = store.chunk_sample.characters()
            # A whole sync takes 800 s, so that there are 40 s, and each look at the clock one.
            store.catalog.note_embedding_pace(embedder.identity.fingerprint, characters / 800)
        ticking = seconds(1.0)
        done = Calibrating(store, embedder, clock=lambda: next(ticking)).run()
    assert done.lacking == STOPPED_BY_TIME
    assert HANDFUL <= done.asked <= 40
    assert calibrate(path, embedder).asked == 0, "what it has is what it may have"


def test_a_handful_is_asked_however_long_it_takes(path: Path) -> None:
    embedder = HashingEmbedder(64)
    fill(path, range(80), embedder)
    hours = seconds(3600.0)
    with Store.open_for_writing(path) as store:
        done = Calibrating(store, embedder, clock=lambda: next(hours)).run()
    assert (done.asked, done.lacking) == (HANDFUL, STOPPED_BY_TIME)


def test_a_budget_is_kept_and_the_next_run_goes_on(path: Path) -> None:
    embedder = HashingEmbedder(64)
    fill(path, range(24), embedder)
    before = embedder.embedded_texts
    done = calibrate(path, embedder, budget=10)
    assert (done.asked, done.embedded, done.lacking) == (10, 10, STOPPED_BY_BUDGET)
    assert embedder.embedded_texts - before == 10
    assert learnt(path).lacking == STOPPED_BY_BUDGET
    assert calibrate(path, embedder, budget=0).embedded == 0
    done = calibrate(path, embedder)
    assert (done.asked, done.lacking) == (14, "")


def test_a_provider_that_bills_is_asked_less(path: Path) -> None:
    embedder = Paid(64)
    fill(path, range(80), embedder)
    before = embedder.embedded_texts
    assert calibrate(path, embedder).asked == PAID_PROBES <= 40
    assert embedder.embedded_texts - before <= 40


def test_an_embedder_that_goes_away_leaves_what_is_known_in_force(path: Path) -> None:
    there = HashingEmbedder(64)
    fill(path, range(24), there)
    done = calibrate(path, Unreachable(5))
    assert (done.asked, done.lacking) == (5, EMBEDDER_UNAVAILABLE)
    assert calibrate(path, there).asked == 19
    found = learnt(path)
    assert calibrate(path, None).lacking == EMBEDDER_UNAVAILABLE
    assert learnt(path).basis == found.basis
    assert learnt(path).scales == found.scales


def test_a_question_that_is_refused_costs_no_other(path: Path) -> None:
    fill(path, range(60), HashingEmbedder(64))
    done = calibrate(path, Picky(64))
    assert 0 < done.asked < 60
    assert done.lacking == ""


def test_another_embedder_asks_everything_anew(path: Path, tmp_path: Path) -> None:
    one, other = HashingEmbedder(64), HashingTokenEmbedder(64)
    fill(path, range(24), one)
    calibrate(path, one)
    assert calibrate(path, other).asked == 24, "it makes token vectors, too"
    assert learnt(path).basis.projection == other.token_projection()


def test_few_or_large_documents_are_said_to_be_too_few(path: Path, tmp_path: Path) -> None:
    embedder = HashingEmbedder(64)
    fill(path, range(3), embedder)
    done = calibrate(path, embedder)
    assert (done.asked, done.lacking) == (0, TOO_FEW_PROBES)
    assert learnt(path).scales == {}
    empty = tmp_path / "empty.db"
    fill(empty, [], embedder)
    assert calibrate(empty, embedder).lacking == TOO_FEW_PROBES


def test_an_index_that_waits_for_its_vectors_is_left_alone(path: Path) -> None:
    embedder = HashingEmbedder(64)
    fill(path, range(24), None)
    with Store.open_for_writing(path) as store, store.transaction():
        store.catalog.accept_embedding(embedder.identity)
    done = calibrate(path, embedder)
    assert (done.asked, done.lacking) == (0, VECTORS_WAITING)


def test_other_weights_need_no_probe_to_be_asked_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = HashingEmbedder(64)
    fill(path, range(24), embedder)
    calibrate(path, embedder)
    with Store.open_for_writing(path) as store, store.transaction():
        former = learnt(path)
        basis = replace(former.basis, weights="others")
        store.calibration.keep(replace(former, basis=basis))
    done = calibrate(path, embedder)
    assert (done.asked, learnt(path).basis.weights) == (0, former.basis.weights)


def test_every_question_is_a_step_before_which_others_may_be_let_go_first(path: Path) -> None:
    steps = 0

    @contextmanager
    def step() -> Iterator[None]:
        nonlocal steps
        steps += 1
        yield

    embedder = HashingEmbedder(64)
    fill(path, range(HANDFUL), embedder)
    with Store.open_for_writing(path) as store:
        done = Calibrating(store, embedder, step=step).run()
    assert steps == done.asked == HANDFUL
