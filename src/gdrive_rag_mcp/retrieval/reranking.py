"""Puts the first hits in order by what their passages say of the question, token by token.

A fused score compares words and one vector a passage; late interaction sees whether each token of
the question is met. It costs a comparison a passage, so that only the first ones are looked at.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from gdrive_rag_mcp.domain import Hit, TokenVectors
from gdrive_rag_mcp.evidence.interaction import Meeting, Rarity, meet

RERANKED = 10
"""Hits that are looked at: as many as a search ranks, however few are asked for."""


def by_tokens(
    hits: Sequence[Hit],
    question: TokenVectors | None,
    tokens: Sequence[TokenVectors | None],
    rarity: Rarity | None,
    pull: float,
) -> list[Hit]:
    """The hits in the order of score x exp(-pull x lag), which becomes their score.

    The lag is by how much a passage (`tokens`, of the first hits) meets the question's tokens less
    than the one that meets them most. Hits whose tokens are not looked at lag as far as the last of
    those, so that none overtakes by a score that was never lowered. Where it is not known of every
    passage given, or no piece's rarity is, the order stays. Ties keep theirs.
    """
    meetings = meet(question, tokens, rarity)
    if meetings is None:
        return list(hits)
    met = [_met(meeting) for meeting in meetings.of_hits]
    met += [min(met)] * (len(hits) - len(met))
    scored = [
        replace(hit, score=round(hit.score * math.exp(-pull * (max(met) - one)), 12))
        for hit, one in zip(hits, met, strict=True)
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def _met(meeting: Meeting) -> float:
    """How much of the question a passage meets, as a whole and within its best window."""
    return (meeting.whole + meeting.together) / 2
