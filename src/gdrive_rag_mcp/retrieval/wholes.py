"""What a question asks for whole: quotations, codes, addresses, dates.

Its parts are searched for as words like all others; found side by side they are the thing itself.
"""

import re
import unicodedata
from collections.abc import Iterator

from gdrive_rag_mcp.domain import PhraseKind, QueryPhrase
from gdrive_rag_mcp.retrieval.dates import dates_in
from gdrive_rag_mcp.terms import fold, phrase_of, query_terms, tokens

_MOST = 8
"""Phrases of a question that are looked for; a pasted list of codes is searched by its words."""
_QUOTED = re.compile(
    '"([^"\n]{1,200})"|[\u201c\u201e\u201d]([^\u201c\u201d\u201e\n]{1,200})[\u201c\u201d]'
    "|\u00ab([^\u00ab\u00bb\n]{1,200})\u00bb|\u00bb([^\u00ab\u00bb\n]{1,200})\u00ab"
    "|\u300c([^\u300c\u300d\n]{1,200})\u300d|\u300e([^\u300e\u300f\n]{1,200})\u300f"
    "|\u201a([^\u201a\u2018\n]{1,200})\u2018|\u2039([^\u2039\u203a\n]{1,200})\u203a"
    "|\u300a([^\u300a\u300b\n]{1,200})\u300b"
)
# A number to call: digits in groups, seven of them at least.
_PHONE = re.compile(r"(?<![\w.,/-])\+?\(?\d(?:[\s()./-]{0,2}\d){6,17}(?![\w/-]|[.,]\d)")
_SECTION = re.compile(r"(?<!\w)(?:\u00a7{1,2}|\u00b6|#|\u2116)\s?\d\w*(?:[.-]\w+)*")
# What stands between blanks, brackets, quotation marks and scripts that are written without blanks.
_PIECE = re.compile(
    r"[^\s,;!?()\[\]{}<>|\"\u2018-\u201f\u00ab\u00bb\u2039\u203a"
    r"\u0e00-\u0eff\u1100-\u11ff\u3000-\u9fff\uac00-\ud7a3]+"
)
_JOINED = re.compile(r"\w[-/._@:+#&\u2010-\u2015]+\w")
# What no ordinary word with a hyphen has: a digit, capitals on both sides, a name's dot or @.
_TELLING = re.compile(r"\d|[A-Z]{2}\W[A-Z]|[@_]|[a-z][A-Z]|\w{2}\.\w{2}")
_SIGNED = re.compile(r"(?:\w+(?:\+\+|#)|\.[A-Z]\w+)")
_ONLY_NUMBER = re.compile(r"[+-]?\d{1,3}(?:[.,]\d{3})*|[\d.,:%-]*%|\d+")
_DECIMAL = re.compile(r"[+-]?\d+[.,]\d+")
_LEADING, _TRAILING = ":-_/'\u2019*", ".:-_/'\u2019*"


def asked_whole(text: str) -> tuple[QueryPhrase, ...]:
    """The quotations, dates, numbers to call, sections and codes of a question, in that order.

    >>> [phrase.forms for phrase in asked_whole("What does KX-4711 cost?")]
    [('kx 4711', 'kx4711')]
    """
    text = unicodedata.normalize("NFKC", text)
    found: dict[tuple[str, ...], QueryPhrase] = {}
    for phrase in _phrases(text):
        found.setdefault(phrase.forms, phrase)
    return tuple(found.values())[:_MOST]


def _phrases(text: str) -> Iterator[QueryPhrase]:
    for match in _QUOTED.finditer(text):
        inside = next(filter(None, match.groups())).strip()
        if tokens(inside):
            yield QueryPhrase(inside, (phrase_of(inside),), PhraseKind.QUOTATION)
    rest = _QUOTED.sub(" ", text)
    for date in dates_in(rest):
        yield QueryPhrase(date.surface, date.forms)
        rest = rest.replace(date.surface, " ", 1)
    for match in _PHONE.finditer(rest):
        yield QueryPhrase(match.group(), _ways_to_dial(match.group()))
    rest = _PHONE.sub(" ", rest)
    for match in _SECTION.finditer(rest):
        yield QueryPhrase(
            match.group(), (phrase_of(match.group()),), signs=_with_signs(match.group())
        )
    for match in _PIECE.finditer(_SECTION.sub(" ", rest)):
        yield from _code(match.group().lstrip(_LEADING).rstrip(_TRAILING))


def _code(piece: str) -> Iterator[QueryPhrase]:
    """A piece between blanks as a code, where it reads like one."""
    if _SIGNED.fullmatch(piece):
        yield QueryPhrase(piece, (phrase_of(piece),), signs=_with_signs(piece))
    elif _JOINED.search(piece) and not _ONLY_NUMBER.fullmatch(piece):
        form = phrase_of(piece)
        if " " in form and any(term.key for term in query_terms(piece)):
            telling = _TELLING.search(piece) and not _DECIMAL.fullmatch(piece)
            kind = PhraseKind.CODE if telling else PhraseKind.WORDS
            closed = form.replace(" ", "")  # KX-4711 is KX4711, but 10-15 is not 1015
            yield QueryPhrase(piece, (form,) if closed.isdecimal() else (form, closed), kind)


def _ways_to_dial(number: str) -> tuple[str, ...]:
    groups = re.findall(r"\d+", number)
    return tuple(dict.fromkeys((" ".join(groups), "".join(groups))))


def _with_signs(text: str) -> str:
    """A pattern of what the index leaves out of a code, for the folded text of a passage."""
    pieces = [re.escape(piece) for piece in fold(text).split()]
    signs = r"\s?".join(pieces)
    signs = re.sub(r"(?<=\u00a7|\u00b6|#|\u2116)(?=\w)", r"\\s?", signs)
    before = r"(?<!\w)" if text[0].isalnum() else ""
    return before + signs + (r"(?!\w)" if text[-1].isalnum() else "")


def holds_signs(phrase: QueryPhrase, text: str) -> bool:
    """Whether a text that holds a phrase's tokens also has what the index leaves out."""
    return phrase.signs is None or re.search(phrase.signs, fold(text)) is not None
