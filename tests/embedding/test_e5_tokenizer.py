"""The model's tokenizer gives the ids of the library `tokenizers`, for any text, in less memory."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.embedding.e5_tokenizer import E5Tokenizer
from gdrive_rag_mcp.embedding.packed_model import PackedModel, read_packed_model
from tests.embedding.reference_tokenizer import reference_tokenizer

# Made once by the library alone, with the vocabulary in it: texts of many scripts, and odd ones.
PINNED: list[tuple[str, list[int]]] = json.loads(
    (Path(__file__).parent / "e5_ids.json").read_text(encoding="utf-8")
)
EVERY_CHARACTER = range(0x110000)
SURROGATES = range(0xD800, 0xE000)
ODD = (
    *"<>/smakpdun-_.=", "\u0301", "\u0323", "\u200d", "\ufe0f", "\u2581", "\u0085", "\ufffd",
    "\x00", "＜s＞", "<unk>", "<mask>",
    "ﬁ", "한", "\u1112\u1161\u11ab", "कि", "👩", "\U0001f3fd", "\ue000",
)  # fmt: skip


@pytest.fixture(scope="module")
def packed(packed_file: Path) -> PackedModel:
    return read_packed_model(packed_file.read_bytes())


@pytest.fixture(scope="module")
def reference(packed: PackedModel) -> Tokenizer:
    return reference_tokenizer(packed)


@pytest.fixture(scope="module")
def tokenizer(model_folder: Path) -> E5Tokenizer:
    return E5Tokenizer(model_folder)


@pytest.mark.parametrize(("text", "ids"), PINNED)
def test_a_text_has_the_ids_it_always_had(
    tokenizer: E5Tokenizer, text: str, ids: list[int]
) -> None:
    assert tokenizer.ids(text) == ids


@given(text=st.text() | st.lists(st.sampled_from(ODD) | st.characters(), max_size=40).map("".join))
@settings(max_examples=500, deadline=None)
def test_any_text_has_the_ids_of_the_library(
    tokenizer: E5Tokenizer, reference: Tokenizer, text: str
) -> None:
    text = "".join(character for character in text if ord(character) not in SURROGATES)

    assert tokenizer.ids(text) == reference.encode(text).ids


def test_every_piece_and_any_few_side_by_side_have_the_ids_of_the_library(
    tokenizer: E5Tokenizer, reference: Tokenizer, packed: PackedModel
) -> None:
    alone = " ".join(packed.pieces)
    chosen = np.random.default_rng(34).choice(packed.pieces, (10_000, 4))
    together = " ".join("".join(some) for some in chosen)

    for text in (alone, together):
        assert tokenizer.ids(text) == reference.encode(text).ids


def test_every_character_alone_and_between_others_has_the_ids_of_the_library(
    tokenizer: E5Tokenizer, reference: Tokenizer
) -> None:
    characters = [chr(point) for point in EVERY_CHARACTER if point not in SURROGATES]
    for first in range(0, 0x40000, 0x8000):
        some = characters[first : first + 0x8000]
        text = "".join(f" {character} ab{character}글" for character in some)

        assert tokenizer.ids(text) == reference.encode(text).ids, hex(first)


def test_rows_of_one_character_are_cut_at_the_same_places(
    tokenizer: E5Tokenizer, reference: Tokenizer
) -> None:
    """There are several ways to cut them with the same score."""
    for character in "-_.=*#~a0한中":
        text = " ".join(character * times for times in range(1, 200))

        assert tokenizer.ids(text) == reference.encode(text).ids, character


@pytest.mark.parametrize("word", ["ab01-", "보증금은", "公司应当在合同终止后", "💩", "e\u0301"])
def test_a_word_of_any_length_has_the_ids_of_the_library(
    tokenizer: E5Tokenizer, reference: Tokenizer, word: str
) -> None:
    text = word * 20_000

    assert tokenizer.ids(text) == reference.encode(text).ids


def test_no_text_changes_the_ids_of_another(model_folder: Path) -> None:
    fresh, used = E5Tokenizer(model_folder), E5Tokenizer(model_folder)
    for first in range(0, 24_000, 6_000):
        used.ids(" ".join(f"word{number}" for number in range(first, first + 6_000)))
    used.ids(" ".join(f"word{number}" for number in range(12_000)))

    for text, ids in PINNED:
        assert (fresh.ids(text), used.ids(text), used.ids(text)) == (ids, ids, ids)


def test_several_threads_get_the_ids_that_one_gets(tokenizer: E5Tokenizer) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(tokenizer.ids, [text for text, _ in PINNED] * 5))

    assert found == [ids for _, ids in PINNED] * 5


@pytest.mark.acceptance
def test_the_handed_texts_have_the_ids_of_the_library(
    tokenizer: E5Tokenizer, reference: Tokenizer, shared_data: Path
) -> None:
    for file in sorted((shared_data / "evidence").glob("*/*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines()[:300]:
            for text in (line, clean("\n".join(map(str, json.loads(line).values())))):
                assert tokenizer.ids(text) == reference.encode(text).ids, text


_MEMORY = """
import sys
from pathlib import Path
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder

def megabytes():
    line = next(l for l in open("/proc/self/status", encoding="utf-8") if l.startswith("VmHWM"))
    return int(line.split()[1]) / 1024

embedder = OnnxEmbedder(Path(sys.argv[1]), threads=1)
embedder.identity
before = megabytes()
for at in range(50):
    embedder.embed([f"question {at}: how many weeks of leave, wie viele Wochen?"], role="query")
print(megabytes() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no /proc")
def test_a_process_grows_by_less_than_130_megabytes_when_it_embeds_questions(
    model_folder: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY, str(model_folder)],
        capture_output=True, check=True, encoding="utf-8",
    )  # fmt: skip

    assert 0 < float(done.stdout) < 130
