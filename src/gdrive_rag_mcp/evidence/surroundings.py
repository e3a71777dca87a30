"""A stretch of a text by its tokens, as it was written: capitals and signs are gone from tokens."""

from gdrive_rag_mcp.terms import token_spans


def text_between(text: str, first: int, last: int) -> str:
    """The part of a text from one token to another, both included; beyond its ends is no error."""
    start, end, number = None, len(text), 0
    for begin, finish, count in token_spans(text):
        if start is None and number + count > first:
            start = begin + max(0, first - number) * (count > 1)
        if number + count > last:
            end = finish if count == 1 else begin + last - number + 1
            break
        number += count
    return "" if start is None else text[start:end]
