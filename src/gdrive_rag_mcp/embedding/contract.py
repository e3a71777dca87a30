"""What every provider's answer is held to before anyone sees it: the one place that checks it."""

import hashlib
import json

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.protocols import Vectors

# Counts up whenever the text that a model is given, or what is made of its output, changes.
PREPROCESSING = 1


def unit_rows(
    raw: npt.NDArray[np.floating], *, count: int, dimensions: int, provider: str, hint: str = ""
) -> Vectors:
    """Check a provider's vectors and bring them to length 1: float32, (count, dimensions).

    Raises:
        EmbedderUnavailableError: the length is wrong, which other texts would not change.
        EmbeddingError: the count is wrong, a value is not finite, or a vector is zero.
    """
    if raw.ndim != 2 or len(raw) != count:  # noqa: PLR2004 - rows and columns
        raise EmbeddingError(f"{provider} returned {len(raw)} vectors for {count} texts")
    if raw.shape[1] != dimensions:
        raise EmbedderUnavailableError(
            f"{provider} returned vectors of {raw.shape[1]} dimensions instead of {dimensions}",
            hint=hint,
        )
    wide = raw.astype(np.float64)
    largest = np.abs(wide).max(axis=1, keepdims=True, initial=0.0)
    if not np.isfinite(largest).all():
        raise EmbeddingError(f"{provider} returned a vector with values that are not finite")
    if not largest.all():
        raise EmbeddingError(f"{provider} returned a vector of zeros, which has no direction")
    # The squares of 1e300 overflow. A power of two brings it near 1 without changing a digit.
    near_one = np.ldexp(wide, -np.frexp(largest)[1])
    rows: Vectors = (near_one / np.linalg.norm(near_one, axis=1, keepdims=True)).astype(np.float32)
    return rows


def identify(
    provider: str, model: str, dimensions: int, *, weights: str = "", endpoint: str = ""
) -> EmbeddingIdentity:
    """The identity whose fingerprint covers all that two comparable vectors must share.

    `weights` and `endpoint` go into the fingerprint only; never give it a key or a path.
    """
    parts = {
        "provider": provider,
        "model": model,
        "dimensions": dimensions,
        "weights": weights,
        "endpoint": endpoint,
        "preprocessing": PREPROCESSING,
    }
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return EmbeddingIdentity(provider, model, dimensions, digest)
