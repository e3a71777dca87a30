"""Cuts texts that no single vector can stand for, where the model's tokenizer is out of reach."""

import re
from bisect import bisect_right
from itertools import accumulate

# Rough on purpose: a chunk is sized by a better estimate before it comes here. This one is for what
# nobody sized, such as a page pasted as a question: about a token a Han, Kana or Hangul character,
# and one of three characters in other scripts.
_CHARACTERS_A_TOKEN = 3
_DENSE = re.compile("[\u2e80-\ufaff\U00020000-\U0003ffff]")


def estimated_tokens(text: str) -> float:
    """About as many tokens as a multilingual tokenizer makes of the text."""
    dense = len(_DENSE.findall(text))
    return dense + (len(text) - dense) / _CHARACTERS_A_TOKEN


def cut(text: str, max_tokens: int) -> list[str]:
    """The text in parts that fit, cut at white space where there is some."""
    parts = []
    while estimated_tokens(text) > max_tokens:
        end = _fitting(text, max_tokens)
        blank = max(text.rfind(" ", end // 2, end), text.rfind("\n", end // 2, end))
        end = blank if blank > 0 else end
        parts.append(text[:end])
        text = text[end:].lstrip()
    return [*parts, text] if text or not parts else parts


def _fitting(text: str, max_tokens: int) -> int:
    """How many of the first characters fit; at least one."""
    head = text[: max_tokens * _CHARACTERS_A_TOKEN]
    sizes = (1 if _DENSE.match(character) else 1 / _CHARACTERS_A_TOKEN for character in head)
    return max(1, bisect_right([*accumulate(sizes)], max_tokens))
