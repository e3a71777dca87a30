"""Reading and embedding side by side: what is written when, by whom, and in whose thread."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.domain import (
    EVERYTHING,
    Chunk,
    Document,
    EmbeddingOutlook,
    Fetched,
    SourceFile,
    TokenVectors,
)
from gdrive_rag_mcp.errors import DiskFullError, SourceAuthError
from gdrive_rag_mcp.indexing.batches import batch_size, batches
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.indexing.vectorising import REFUSALS_IN_A_ROW, WINDOW, Vectoriser
from gdrive_rag_mcp.protocols import Vectors
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import cut, found_by_vector
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import Desk, Paragraphs, fill
from tests.indexing.embedders import PATIENCE, Hanging, Refusing, Watching, embedding_threads


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    assert embedding_threads() == []


class Waiting:
    """Chunks that wait, in memory; what is attached is remembered with the thread it came from."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.chunks = dict(enumerate(cut(list(texts)), 1))
        self.vectors: dict[int, np.ndarray] = {}
        self.threads: set[int] = set()
        self.error: Exception | None = None

    def waiting(self) -> int:
        return len(self.chunks) - len(self.vectors)

    def outlook(self) -> EmbeddingOutlook:
        left = {one.hash: one for n, one in self.chunks.items() if n not in self.vectors}
        return EmbeddingOutlook(len(left), sum(len(one.embedded_text) for one in left.values()))

    def without_vector(self, after: int, limit: int) -> list[tuple[int, Chunk]]:
        left = [one for one in self.chunks.items() if one[0] > after and one[0] not in self.vectors]
        return left[:limit]

    def attach_known(self, numbers: Sequence[int]) -> set[int]:
        return set()

    def attach_vectors(
        self,
        numbers: Sequence[int],
        hashes: Sequence[str],
        rows: Vectors,
        tokens: Sequence[TokenVectors] | None = None,
    ) -> None:
        self.threads.add(threading.get_ident())
        if self.error is not None:
            raise self.error
        assert [self.chunks[number].hash for number in numbers] == list(hashes)
        self.vectors |= dict(zip(numbers, rows, strict=True))


def embed_all(vectoriser: Vectoriser) -> None:
    with vectoriser:
        while vectoriser.turn():
            pass


def texts_of_all_lengths(count: int) -> list[str]:
    draw = np.random.default_rng(5)
    return [f"text {n} " + "long " * int(draw.integers(0, 60)) for n in range(count)]


def test_files_are_read_while_a_batch_is_embedded(desk: Desk) -> None:
    class Last(Paragraphs):
        all_read = threading.Event()

        def extract(self, content: Path, mime_type: str) -> Document:
            document = super().extract(content, mime_type)
            if self.extracted == 100:
                self.all_read.set()
            return document

    desk.extractor = last = Last()
    desk.embedder = watching = Watching()
    in_time: list[bool] = []
    watching.before = lambda _: in_time.append(last.all_read.wait(PATIENCE))
    fill(desk, 100)

    report = desk.sync()

    assert all(in_time), "the first batch came back only when the last file had been read"
    assert (report.added, report.embedded_chunks, report.pending_vectors) == (100, 100, 0)


def test_a_text_is_found_by_its_words_before_it_is_embedded(desk: Desk) -> None:
    desk.embedder = watching = Watching()
    found: list[bool] = []
    vectors: list[int] = []

    def look(texts: Sequence[str]) -> None:
        with desk.reading() as store:
            vectors.append(store.catalog.status(EVERYTHING).vectors)
        found.extend(bool(desk.find(text.split()[1])) for text in texts)

    watching.before = look
    fill(desk, 80)
    desk.sync()

    assert len(found) == 80
    assert all(found)
    assert vectors[0] == 0


def test_only_the_thread_that_runs_the_sync_writes(desk: Desk) -> None:
    waiting, watching = Waiting(texts_of_all_lengths(200)), Watching(parallel_calls=3)

    embed_all(Vectoriser(waiting, watching))

    assert waiting.threads == {threading.get_ident()}
    assert threading.get_ident() not in watching.threads


def test_every_vector_lands_on_its_own_text_whatever_the_order(desk: Desk) -> None:
    waiting = Waiting(texts_of_all_lengths(WINDOW + 300))
    watching = Watching(parallel_calls=2)

    embed_all(Vectoriser(waiting, watching))

    plain = HashingEmbedder(64)
    for number, chunk in waiting.chunks.items():
        [expected] = plain.embed([chunk.embedded_text], role="document")
        np.testing.assert_array_equal(waiting.vectors[number], expected)


def test_the_texts_of_a_batch_are_alike_in_length(desk: Desk) -> None:
    waiting, watching = Waiting(texts_of_all_lengths(WINDOW)), Watching()

    embed_all(Vectoriser(waiting, watching))

    lengths = [[len(text) for text in batch] for batch in watching.batches]
    flat = [length for batch in lengths for length in batch]
    assert flat == sorted(flat)
    assert sum(max(batch) - min(batch) for batch in lengths) <= max(flat)


def test_batches_hold_every_text_once() -> None:
    texts = {f"hash {n}": text for n, text in enumerate(texts_of_all_lengths(100))}

    cut_up = list(batches(texts, 16))

    assert {h: t for one in cut_up for h, t in zip(one.hashes, one.texts, strict=True)} == texts
    assert [len(one.texts) for one in cut_up] == [16] * 6 + [4]


def test_no_call_is_wasted_on_a_part_of_a_batch_while_files_are_read(desk: Desk) -> None:
    desk.embedder = watching = Watching()
    for number in range(50):
        paragraphs = [f"file {number} says {part}" for part in range(5)]
        desk.source.add_file(f"{number}.md", "\n\n".join(paragraphs))

    desk.sync()

    assert sorted(map(len, watching.batches)) == [250 % 16, *[16] * (250 // 16)]


class Priced(HashingEmbedder):
    """A provider that counts requests of so many texts, or (1) every text."""

    def __init__(self, texts_a_call: int) -> None:
        super().__init__(64)
        self._texts_a_call = texts_a_call

    def calls(self, texts: int, characters: int) -> int:
        return -(-texts // self._texts_a_call)


def test_a_batch_is_what_a_provider_takes_for_the_price_of_one_call() -> None:
    assert batch_size(Priced(32)) == 32
    assert batch_size(Priced(100)) == 100
    assert batch_size(Priced(1)) > 1, "where every text counts, a batch costs what its texts do"
    assert 1 < batch_size(HashingEmbedder(64)) <= 32, "an interrupt waits for a batch"


class SideBySide(Priced):
    """The same, asked four times at once."""

    parallel_calls = 4


@pytest.mark.parametrize("embedder", [Watching(parallel_calls=2), SideBySide(100), SideBySide(1)])
def test_no_more_texts_are_in_memory_than_two_windows(embedder: HashingEmbedder) -> None:
    waiting = Waiting(texts_of_all_lengths(4 * WINDOW))
    held: list[int] = []

    with Vectoriser(waiting, embedder) as vectoriser:
        vectoriser.advance()
        held.append(vectoriser.texts_in_memory)
        for _ in range(50):
            vectoriser.advance()
            held.append(vectoriser.texts_in_memory)
        while vectoriser.turn():
            held.append(vectoriser.texts_in_memory)

    assert WINDOW / 2 <= max(held) <= 2 * WINDOW
    assert waiting.waiting() == 0


# ── never twice ──────────────────────────────────────────────────────────────


def test_a_text_that_is_on_its_way_is_not_embedded_again_for_another_file(desk: Desk) -> None:
    class Last(Paragraphs):
        all_read = threading.Event()

        def extract(self, content: Path, mime_type: str) -> Document:
            document = super().extract(content, mime_type)
            if self.extracted == 120:
                self.all_read.set()
            return document

    desk.extractor = last = Last()
    desk.embedder = watching = Watching(parallel_calls=4)
    watching.before = lambda _: last.all_read.wait(PATIENCE)
    for number in range(120):  # each text three times: in its window, and in later ones
        desk.source.add_file(f"{number:03}.md", f"sabbatical number{number % 40}")

    report = desk.sync()

    assert set(watching.times_asked.values()) == {1}
    assert (report.embedded_chunks, report.reused_chunks, report.pending_vectors) == (40, 80, 0)


def test_a_text_is_embedded_once_whatever_files_and_runs_it_is_met_in(desk: Desk) -> None:
    desk.embedder = watching = Watching()
    file = desk.source.add_file("a.md", "the same\n\nanother")
    desk.source.add_file("b.md", "the same")
    desk.sync()
    desk.source.edit(file, "a third\n\nthe same\n\nanother")
    desk.sync()
    desk.source.remove(file)
    desk.sync(allow_mass_delete=True)
    desk.source.add_file("c.md", "another\n\na third")

    assert desk.sync().embedded_chunks == 0
    assert watching.times_asked == {"the same": 1, "another": 1, "a third": 1}


# ── what ends it ─────────────────────────────────────────────────────────────


def test_a_source_that_refuses_ends_the_threads_and_keeps_what_was_done(desk: Desk) -> None:
    desk.embedder = hanging = Hanging()
    fill(desk, 40)
    original = desk.source.read

    def read(file: SourceFile, into: Path) -> Fetched:
        if file.name == "39.md":
            assert hanging.asked.wait(PATIENCE)
            raise SourceAuthError("revoked")
        return original(file, into)

    desk.source.read = read  # type: ignore[method-assign]  # the credentials end on the way
    with pytest.raises(SourceAuthError):
        desk.sync()

    assert hanging.closed.is_set()
    assert embedding_threads() == []
    assert len(desk.find("sabbatical")) >= 30
    desk.source.read = original  # type: ignore[method-assign]  # and are back
    desk.embedder = HashingEmbedder(64)
    after = desk.sync()
    assert (after.coverage.searchable, after.embedded_chunks, after.pending_vectors) == (40, 40, 0)


def test_an_interrupt_keeps_the_batches_before_it_and_ends_the_threads(desk: Desk) -> None:
    desk.embedder = watching = Watching()
    fill(desk, 200)
    done: list[int] = []

    def interrupt(stage: str, count: int, _total: int | None) -> None:
        done.append(count if stage == "embedding" else 0)
        if stage == "embedding" and count >= 100:
            raise KeyboardInterrupt

    with Store.open_for_writing(desk.path) as store, pytest.raises(KeyboardInterrupt):
        desk.synchroniser(store, interrupt).run(SyncOptions())

    assert embedding_threads() == []
    with desk.reading() as store:
        kept = store.catalog.status(EVERYTHING).vectors
    assert kept == max(done) >= 100
    asked = watching.embedded_texts
    after = desk.sync()
    assert (after.embedded_chunks, after.pending_vectors) == (200 - kept, 0)
    assert watching.embedded_texts - asked == 200 - kept


INTERRUPTED = """
import signal, sys, threading
from pathlib import Path
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.store import Store
from tests.indexing.desk import Desk, fill
from tests.indexing.embedders import Hanging

signal.signal(signal.SIGTERM, signal.default_int_handler)
desk = Desk(Path(sys.argv[1]), embedder=Hanging())
fill(desk, 40)

def tell(stage, done, total):
    if (stage, done) == ("reading", 40):
        desk.embedder.asked.wait()
        print("waiting", flush=True)

try:
    with writer_lock(desk.path), Store.open_for_writing(desk.path) as store:
        desk.synchroniser(store, tell).run(SyncOptions())
except KeyboardInterrupt:
    print("threads:", threading.active_count(), "closed:", desk.embedder.closed.is_set())
"""


@pytest.mark.parametrize("ends_with", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_the_provider_does_not_answer_ends_the_run_and_its_threads(
    tmp_path: Path, ends_with: signal.Signals
) -> None:
    index = tmp_path / "desk" / "index.db"
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(index)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )
    assert child.stdout
    assert child.stdout.readline() == "waiting\n"
    child.send_signal(ends_with)
    out, errors = child.communicate()

    assert child.returncode == 0, errors
    assert out == "threads: 1 closed: True\n"
    with Store.open_for_reading(index) as store:
        assert store.ledger.coverage(EVERYTHING).searchable == 40


def test_a_full_disk_comes_out_of_the_sync_and_ends_the_threads() -> None:
    waiting = Waiting(texts_of_all_lengths(200))
    waiting.error = DiskFullError("no room")

    with pytest.raises(DiskFullError):
        embed_all(Vectoriser(waiting, Watching(parallel_calls=2)))

    assert embedding_threads() == []


def test_a_fault_of_the_embedder_comes_out_where_the_sync_runs() -> None:
    watching = Watching()

    def fail(_texts: Sequence[str]) -> None:
        raise ZeroDivisionError

    watching.before = fail
    with pytest.raises(ZeroDivisionError):
        embed_all(Vectoriser(Waiting(["a", "b"]), watching))


def test_where_every_text_is_refused_the_embedder_is_given_up(desk: Desk) -> None:
    desk.embedder = refusing = Refusing("")
    fill(desk, 600)

    report = desk.sync()

    assert report.added == 600
    assert report.pending_vectors == 600
    assert report.embedding_incomplete
    assert any("cannot take it" in one for one in report.warnings)
    singles = [one for one in refusing.batches if len(one) == 1]
    on_their_way = WINDOW // 16
    assert REFUSALS_IN_A_ROW <= len(singles) <= REFUSALS_IN_A_ROW + on_their_way
    assert len(refusing.batches) < 4 * REFUSALS_IN_A_ROW


def test_texts_that_are_refused_here_and_there_do_not_end_it(desk: Desk) -> None:
    desk.embedder = Refusing("odd")
    for number in range(600):
        odd = "odd" if number % 3 == 0 else "even"
        desk.source.add_file(f"{number}.md", f"sabbatical {odd} number{number}")

    report = desk.sync()

    assert (report.embedded_chunks, report.pending_vectors) == (400, 200)
    assert any("texts refused: 200" in one for one in report.warnings)


def test_a_refused_text_is_asked_for_once_and_every_chunk_of_it_counts() -> None:
    class OneByOne(Refusing):
        parallel_calls = 1

    waiting = Waiting(["odd one out"] + texts_of_all_lengths(WINDOW + 100) + ["odd one out"] * 3)
    refusing = OneByOne("odd")
    vectoriser = Vectoriser(waiting, refusing)

    embed_all(vectoriser)

    assert vectoriser.refused == waiting.waiting() == 4
    assert [batch for batch in refusing.batches if batch == ("odd one out",)] == [("odd one out",)]


def test_a_sync_of_mixed_lengths_is_found_by_meaning_as_well(desk: Desk) -> None:
    for number, text in enumerate(texts_of_all_lengths(120)):
        desk.source.add_file(f"{number}.md", f"{text} number{number}")
    desk.sync()

    plain = HashingEmbedder(64)
    with desk.reading() as store:
        for number in range(0, 120, 7):
            [file] = desk.find(f"number{number}")
            [(_, passage)] = store.catalog.chunks(file, EVERYTHING)
            vector = plain.embed([passage.text], role="query")[0]
            [(chunk_id, cosine)] = found_by_vector(store, vector, limit=1)
            assert cosine == pytest.approx(1, abs=1e-3)
            assert chunk_id == passage.chunk_id
