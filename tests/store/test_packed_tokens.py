"""Token vectors in the index: four bits a number say the same, and damage says nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.domain import TokenVectors
from gdrive_rag_mcp.store.packed_tokens import pack, unpack


def drawn(seed: int, count: int, width: int = 32) -> TokenVectors:
    draw = np.random.default_rng(seed)
    raw = draw.standard_normal((count, width)).astype(np.float32)
    rows = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    return TokenVectors(rows, draw.random(count).astype(np.float32), 7)


@given(st.integers(0, 10_000), st.integers(0, 40), st.sampled_from([8, 16, 31, 32, 48]))
def test_what_is_unpacked_points_where_it_pointed(seed: int, count: int, width: int) -> None:
    tokens = drawn(seed, count, width)

    found = unpack(pack(tokens), 7)

    assert found
    assert (found.rows.shape, found.projection) == ((count, width), 7)
    assert found.rows.dtype == found.weights.dtype == np.float32
    assert np.allclose(np.linalg.norm(found.rows, axis=1), 1, atol=1e-6)
    assert ((found.rows * tokens.rows).sum(axis=1) > 0.98).all()
    assert found.weights.tolist() == [1] * count


@given(st.one_of(st.none(), st.integers(), st.text(), st.binary(max_size=200)))
def test_whatever_is_found_in_its_place_is_unpacked_or_refused_without_a_word(
    damaged: object,
) -> None:
    found = unpack(damaged, 7)

    assert found is None or np.isfinite(found.rows).all()


@given(st.integers(0, 100), st.data())
def test_what_is_cut_off_is_refused_and_what_is_changed_does_no_harm(
    seed: int, data: st.DataObject
) -> None:
    packed = bytearray(pack(drawn(seed, 5)))
    assert unpack(bytes(packed[: data.draw(st.integers(0, len(packed) - 1))]), 7) is None

    packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    found = unpack(bytes(packed), 7)

    assert found is None or np.isfinite(found.rows).all()


@pytest.mark.parametrize(("share", "kept"), [(1.0, 9), (0.5, 5), (0.1, 1), (0.0, 0)])
def test_the_share_that_matters_most_is_kept_in_order(share: float, kept: int) -> None:
    tokens = drawn(3, 9)
    heaviest = sorted(np.argsort(-tokens.weights)[:kept])

    found = unpack(pack(tokens, keep=share), 7)

    assert found
    assert len(found.rows) == kept
    assert ((found.rows * tokens.rows[heaviest]).sum(axis=1) > 0.98).all()


def test_a_token_without_a_direction_has_none_when_it_is_unpacked() -> None:
    found = unpack(pack(TokenVectors(np.zeros((2, 32), np.float32), np.ones(2, np.float32))), 0)

    assert found
    assert not found.rows.any()
