"""Made-up embeddings in the shape that real ones have: nested clusters around a common mean.

Topics hold documents, documents hold chunks. The variance follows a power law, as in what sentence
models give, and a random rotation hides its axes. The participation ratio, how many of the 384
dimensions do the work, is about 30.
"""

import numpy as np
import numpy.typing as npt

DIMENSIONS = 384
Floats = npt.NDArray[np.float32]

_DECAY = 0.97  # of the spectrum: the variance along axis i is i to the power of minus this
_MEAN = 0.35  # of the squared length: what all vectors have in common
_TOPIC, _DOCUMENT, _CHUNK = 0.40, 0.35, 0.25  # of the variance
_ASKED = 0.5  # of a question's variance is its passage's; the rest is its own


class MadeVectors:
    """Unit vectors by topic, document and chunk; always the same for a seed."""

    def __init__(self, topics: int, seed: int) -> None:
        random = np.random.default_rng([seed, 1])
        spectrum = np.arange(1, DIMENSIONS + 1) ** -_DECAY
        scales = np.sqrt((1 - _MEAN) * spectrum / spectrum.sum())
        rotation, _ = np.linalg.qr(random.normal(size=(DIMENSIONS, DIMENSIONS)))
        common = random.normal(size=DIMENSIONS)
        self._axes = (scales[:, None] * rotation).astype(np.float32)
        self._mean = (np.sqrt(_MEAN) * common / np.linalg.norm(common)).astype(np.float32)
        self._topics = np.sqrt(_TOPIC) * _normal((topics, DIMENSIONS), random)

    def document(self, topic: int, chunks: int, random: np.random.Generator) -> Floats:
        """The vectors of a document's chunks, shape (chunks, 384)."""
        return self._placed(self._places(topic, chunks, random))

    def question(self, topic: int, chunks: int, asked: int, random: np.random.Generator) -> Floats:
        """A vector near chunk `asked` of the document that `random` would make; none is equal."""
        place = self._places(topic, chunks, random)[asked : asked + 1]
        own = _normal(place.shape, random)
        vector: Floats = self._placed(
            np.sqrt(np.float32(_ASKED)) * place + np.sqrt(np.float32(1 - _ASKED)) * own
        )[0]
        return vector

    def _places(self, topic: int, chunks: int, random: np.random.Generator) -> Floats:
        within = np.float32(np.sqrt(_CHUNK)) * _normal((chunks, DIMENSIONS), random)
        document = np.float32(np.sqrt(_DOCUMENT)) * _normal((1, DIMENSIONS), random)
        places: Floats = within + document + self._topics[topic].astype(np.float32)
        return places

    def _placed(self, places: Floats) -> Floats:
        vectors: Floats = places @ self._axes + self._mean
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def _normal(shape: tuple[int, int], random: np.random.Generator) -> Floats:
    return random.standard_normal(shape, np.float32)


def participation_ratio(vectors: Floats) -> float:
    """How many dimensions the variance is spread over: (sum of eigenvalues)² / sum of squares."""
    variances = np.linalg.eigvalsh(np.cov(vectors.astype(np.float64), rowvar=False))
    return float(variances.sum() ** 2 / (variances**2).sum())
