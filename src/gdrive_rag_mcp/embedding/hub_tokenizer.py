"""The tokenizer of a model folder from a hub: whatever its `tokenizer.json` describes."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from gdrive_rag_mcp.embedding.unigram import PENALTY
from gdrive_rag_mcp.errors import EmbedderUnavailableError


class HubTokenizer:
    """Text to ids; safe to use from several threads.

    Raises:
        EmbedderUnavailableError: the file is no tokenizer.
    """

    def __init__(self, file: Path) -> None:
        try:
            self._tokenizer = Tokenizer.from_buffer(file.read_bytes())
        except ValueError as error:
            raise EmbedderUnavailableError(
                f"{file} is no tokenizer: {error}", hint="put the model's own tokenizer.json there"
            ) from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        first, *_, last = self._tokenizer.encode("").ids
        self.ends = first, last

    def ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def scores(self, ids: Sequence[int]) -> npt.NDArray[np.float32]:
        known = self._scores
        if not len(known):
            return np.zeros(len(ids), np.float32)
        return known[np.minimum(ids, len(known) - 1)]  # a word that was added is a special one

    @cached_property
    def _scores(self) -> npt.NDArray[np.float32]:
        """Of each piece of a Unigram vocabulary; empty for any other."""
        model = json.loads(self._tokenizer.to_str())["model"]
        if model["type"] != "Unigram":
            return np.zeros(0, np.float32)
        scores = np.array([score for _, score in model["vocab"]], np.float32)
        if model["unk_id"] is not None:
            scores[model["unk_id"]] = scores.min() - PENALTY
        return scores
