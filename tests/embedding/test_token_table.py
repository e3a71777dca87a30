"""The vectors of tokens come from the file as the weights have them, to the bit."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.packed_model import BLOCK, PackedModel, read_packed_model
from gdrive_rag_mcp.embedding.token_table import TokenTable
from gdrive_rag_mcp.protocols import Vectors

IDS = [0, 2, 250_001, 9, 9, 103_428, 2]


@pytest.fixture(scope="module")
def packed(packed_file: Path) -> PackedModel:
    return read_packed_model(packed_file.read_bytes())


def _expected(packed: PackedModel, ids: list[int]) -> Vectors:
    values, scales = packed.blocks("emb.word", packed.shape.hidden)
    signed = values[ids].astype(np.float32) - 8
    rows: Vectors = signed * np.repeat(scales[ids], BLOCK, axis=1)
    return rows


@pytest.mark.parametrize("mapped", [False, True])
def test_rows_are_those_of_the_weights_in_the_order_of_the_tokens(
    model_folder: Path, packed: PackedModel, *, mapped: bool
) -> None:
    rows = TokenTable(model_folder, mapped=mapped).vectors(IDS)

    assert rows.dtype == np.float32
    assert np.array_equal(rows, _expected(packed, IDS))


def test_several_threads_may_read_at_once(model_folder: Path, packed: PackedModel) -> None:
    table = TokenTable(model_folder)
    parts = [list(range(first, first + 50)) for first in range(0, 250_000, 2_500)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(table.vectors, parts))

    assert np.array_equal(np.concatenate(found), _expected(packed, [i for p in parts for i in p]))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system has no /proc")
def test_a_table_that_is_no_longer_used_closes_its_file(model_folder: Path) -> None:
    def opened() -> int:
        targets = (link for link in Path("/proc/self/fd").iterdir() if link.is_symlink())
        return sum("tokens.npy" in str(link.readlink()) for link in targets)

    before = opened()
    table = TokenTable(model_folder)
    assert opened() == before + 1
    del table
    assert opened() == before
