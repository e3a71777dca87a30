"""Which probes have to be asked again: those that what came or went since may have changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gdrive_rag_mcp.domain import Probe
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.terms import query_terms, tokens

_MUCH = 0.1
"""Of an index: where as much has come or gone, all counts of its words are others."""
_FAR_TOO_MANY = 1_000
"""New chunks, of which looking at each costs more than asking again."""
_SHARED = 0.5
"""Of a question's telling words, from which a new chunk is one that it may find."""


@dataclass(frozen=True)
class Change:
    """What an index has become since chunk number `last` was its newest."""

    store: Store
    chunks: int
    last: int

    def stale(self, probes: Mapping[str, Probe]) -> frozenset[str]:
        """The keys of probes whose result need not be what it was."""
        new = self.store.chunk_sample.after(self.last, _FAR_TOO_MANY + 1)
        if len(new) > min(_FAR_TOO_MANY, _MUCH * self.chunks):
            return frozenset(probes)
        seen = {number for probe in probes.values() for number in probe.near}
        there = self.store.chunk_sample.present(sorted(seen))
        changed = {
            key
            for key, probe in probes.items()
            if not there.issuperset(probe.near)
            or abs(self.chunks - probe.chunks) > _MUCH * max(1, probe.chunks)
        }
        if new:
            rest = {key: probe for key, probe in probes.items() if key not in changed}
            changed |= self._near_by_words(rest, new)
            changed |= self._near_by_meaning(rest, new)
        return frozenset(changed)

    def _near_by_words(self, probes: Mapping[str, Probe], new: Sequence[int]) -> set[str]:
        chunks = self.store.chunk_sample.texts(new)
        texts = [frozenset(tokens(chunk.embedded_text)) for _, chunk in chunks]
        asked = {
            key: frozenset(term.token for term in query_terms(probe.question) if term.key)
            for key, probe in probes.items()
        }
        return {
            key
            for key, telling in asked.items()
            if any(len(telling & text) >= _SHARED * len(telling) for text in texts)
        }

    def _near_by_meaning(self, probes: Mapping[str, Probe], new: Sequence[int]) -> set[str]:
        known = [(key, probe) for key, probe in probes.items() if probe.vector]
        vectors = self.store.chunk_sample.vectors(new)
        if not known or not len(vectors):
            return set()
        asked = np.stack([np.frombuffer(probe.vector, np.float16) for _, probe in known])
        nearest = (asked.astype(np.float32) @ vectors.T).max(axis=1)
        return {
            key
            for (key, probe), cosine in zip(known, nearest.tolist(), strict=True)
            if cosine >= probe.reach
        }
