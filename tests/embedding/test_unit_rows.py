"""What is made of a provider's numbers, however large or small they are; warnings are errors."""

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.contract import unit_rows
from gdrive_rag_mcp.errors import EmbeddingError
from gdrive_rag_mcp.protocols import Vectors


def _unit(*rows: list[float]) -> Vectors:
    raw = np.array(rows, np.float64)
    return unit_rows(raw, count=len(rows), dimensions=raw.shape[1], provider="it")


@pytest.mark.parametrize("scale", [1e300, 4e307, 1.0, 1e-200, 1e-300])
def test_only_the_direction_of_a_vector_counts(scale: float) -> None:
    [row] = _unit([3 * scale, -4 * scale, 0.0])

    assert np.allclose(row, [0.6, -0.8, 0.0], atol=1e-7)


def test_rows_of_very_different_lengths_do_not_disturb_each_other() -> None:
    rows = _unit([3e300, 4e300], [3.0, 4.0], [3e-320, 4e-320])

    assert np.allclose(rows, [[0.6, 0.8]] * 3, atol=1e-3)


def test_an_ordinary_vector_is_divided_by_its_length_to_the_last_bit() -> None:
    raw = np.random.default_rng(5).normal(size=(500, 384)) * 7
    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    rows = unit_rows(raw, count=500, dimensions=384, provider="it")

    assert np.array_equal(rows, (raw / lengths).astype(np.float32))


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_a_value_that_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(EmbeddingError, match="not finite"):
        _unit([1.0, 2.0], [1e300, value])


@pytest.mark.parametrize("row", [[0.0, -0.0], []])
def test_a_vector_without_direction_is_refused(row: list[float]) -> None:
    with pytest.raises(EmbeddingError, match="zeros"):
        _unit(row)
