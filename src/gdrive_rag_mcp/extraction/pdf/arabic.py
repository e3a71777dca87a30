"""Puts right how pdfium reads the ligatures of lam and alef: as two letters in the wrong order.

Arabic is drawn from right to left and read by turning what is drawn around. The two letters of a
ligature are one glyph, which is turned around with the rest, though they were in order.
"""

import re
from collections.abc import Callable

Box = tuple[float, float, float, float]
_ALEF_BEFORE_LAM = re.compile("([\u0622\u0623\u0625\u0627])(\u0644)")


def with_ligatures_in_order(text: str, box_of: Callable[[int], Box | None]) -> str:
    """Text in which lam precedes alef wherever both are one glyph, that is, share one box.

    `box_of` gives the box on the page of the character at an index of the text.
    """

    def put_right(match: re.Match[str]) -> str:
        alef = box_of(match.start())
        is_one_glyph = alef is not None and alef == box_of(match.start() + 1)
        return match[2] + match[1] if is_one_glyph else match[0]

    return _ALEF_BEFORE_LAM.sub(put_right, text)
