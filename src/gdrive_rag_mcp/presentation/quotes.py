"""What became of a quote, as a JSON object and as plain text, with what to make of it."""

from collections.abc import Iterator
from itertools import pairwise

from gdrive_rag_mcp.domain import (
    Difference,
    DifferenceKind,
    FileState,
    QuoteCheck,
    QuotedPlace,
    QuoteMatch,
    QuoteVerdict,
)
from gdrive_rag_mcp.presentation.answer_shapes import (
    ChunkPlaceObject,
    DifferenceObject,
    PlaceObject,
    QuoteObject,
)
from gdrive_rag_mcp.presentation.counting import counted
from gdrive_rag_mcp.presentation.links import deep_link
from gdrive_rag_mcp.presentation.messages import Audience
from gdrive_rag_mcp.presentation.objects import iso, locator_object, shortened
from gdrive_rag_mcp.presentation.plain import OUTDATED, place
from gdrive_rag_mcp.presentation.shapes import CitationObject
from gdrive_rag_mcp.presentation.snippets import one_line

_TOLERANCES = {
    "invisible_signs": "invisible signs",
    "letter_forms": "ligatures and letter forms",
    "quotation_marks": "quotation marks",
    "ellipsis": "dots",
    "dashes": "dashes",
    "markup": "table and list marks",
    "digits": "the script or grouping of digits",
    "case": "capitals",
    "diacritics": "accents and vowel marks",
    "hyphenation": "hyphens at line ends",
    "whitespace": "blanks and line breaks",
    "cut_word": "an end that lies inside a word",
    "elision": "marked omissions",
}
_ALTERED = {
    DifferenceKind.NUMBER: "a number",
    DifferenceKind.DATE: "a date",
    DifferenceKind.NEGATION: "a negation",
    DifferenceKind.NAME: "a name",
}
_DIFFERENCES_TOLD = 12
_TEXT_CHARS = 1_000


# ── as an object ─────────────────────────────────────────────────────────────


def quote_object(check: QuoteCheck) -> QuoteObject:
    """The verdict with offsets into the text that get_document serves, and the citation."""
    match, found = check.match, check.found
    shown: QuoteObject = {
        "verdict": match.verdict.value,
        "tolerated": list(match.tolerated),
        "altered": [kind.value for kind in match.altered],
        "similarity": round(match.similarity, 4),
        "occurrences": match.occurrences,
        "start": found.span.start if found else None,
        "end": found.span.end if found else None,
        "message": quote_message(check),
        "document_id": check.record.id,
        "title": check.title,
        "found_text": found.text if found else None,
        "differences": [
            DifferenceObject(kind=each.kind.value, quote=each.quote, document=each.document)
            for each in match.differences
        ],
        "citation": _citation(check, found) if found else None,
        "in_chunks": _chunks(found) if found else [],
        "other_places": [_place(match.verdict, each) for each in check.others],
    }
    if check.outdated is not None:
        shown["state"] = check.outdated.value
    if match.parts:
        parts = zip(match.parts, check.parts, strict=True)
        shown["parts"] = [_place(part.verdict, stands) for part, stands in parts]
    return shown


def _citation(check: QuoteCheck, found: QuotedPlace) -> CitationObject:
    record = check.record
    return CitationObject(
        url=_link(check, found),
        path=shortened(record.path),
        locator=locator_object(found.locator),
        modified_time=iso(record.modified_time),
        indexed_at=iso(record.indexed_at),
        revision=record.revision,
    )


def _link(check: QuoteCheck, found: QuotedPlace) -> str | None:
    anchor = found.passages[0].anchor if found.passages else None
    return deep_link(check.record.url, check.record.mime_type, found.locator, anchor)


def _chunks(found: QuotedPlace) -> list[ChunkPlaceObject]:
    return [
        ChunkPlaceObject(chunk_id=each.chunk_id, locator=locator_object(each.locator))
        for each in found.passages
    ]


def _place(verdict: QuoteVerdict, found: QuotedPlace | None) -> PlaceObject:
    return PlaceObject(
        verdict=verdict.value,
        start=found.span.start if found else None,
        end=found.span.end if found else None,
        found_text=found.text if found else None,
        locator=locator_object(found.locator) if found else None,
    )


# ── in words ─────────────────────────────────────────────────────────────────


def quote_message(check: QuoteCheck, audience: Audience = Audience.MODEL) -> str:
    """What the verdict means and what to do; holds no word of the document."""
    return " ".join([_said(check.match, audience), *_to_beware_of(check, audience)])


def _said(match: QuoteMatch, audience: Audience) -> str:
    if match.verdict is QuoteVerdict.EXACT:
        return _exact(match)
    to_a_model = audience is Audience.MODEL
    if match.verdict is QuoteVerdict.ABSENT:
        duty = " Do not attribute it to this document." if to_a_model else ""
        return f"The document does not say this{_missing_parts(match)}.{duty}"
    if match.altered:
        changed = ", ".join(_ALTERED[kind] for kind in match.altered)
        duty = (
            " Do not quote it: quote found_text, and correct what rests on it."
            if to_a_model
            else ""
        )
        return f"The document says something else: {changed} differs.{duty}"
    if any(each.kind is DifferenceKind.ORDER for each in match.differences):
        return "The document holds the parts of the quote in another order."
    duty = " Quote found_text, or paraphrase without quotation marks." if to_a_model else ""
    return f"The document says nearly this, in other words.{duty}"


def _exact(match: QuoteMatch) -> str:
    times = "once" if match.occurrences == 1 else counted(match.occurrences, "time")
    if not match.tolerated:
        return f"The quote stands in the document, character for character, {times}."
    apart = ", ".join(_TOLERANCES[name] for name in match.tolerated)
    said = f"The quote stands in the document {times}, apart from {apart}."
    if len(match.parts) > 1:
        left_out = counted(_left_out(match), "character")
        said += f" Between its parts {left_out} are left out: read them before you rely on it."
    return said


def _left_out(match: QuoteMatch) -> int:
    places = [part.places[0] for part in match.parts]
    return sum(right.start - left.end for left, right in pairwise(places))


def _missing_parts(match: QuoteMatch) -> str:
    absent = sum(part.verdict is QuoteVerdict.ABSENT for part in match.parts)
    return f": {absent} of the {len(match.parts)} parts are not in it" if match.parts else ""


def _to_beware_of(check: QuoteCheck, audience: Audience) -> Iterator[str]:
    if check.record.state is FileState.PARTIAL and check.match.verdict is not QuoteVerdict.EXACT:
        yield "Parts of the document could not be read, and the quote may stand in one of them."
    if check.found and check.found.locator.ocr is not None:
        yield "The text was recognised in a picture and may be misread there: look at the page."
    if check.outdated is not None:
        duty = " Say so where you cite it." if audience is Audience.MODEL else ""
        yield f"The document is shown as it was last read (state {check.outdated.value}).{duty}"


def quote_text(check: QuoteCheck) -> str:
    """The verdict, the place with its citation, and the differing words."""
    match, found = check.match, check.found
    lines = [f"{match.verdict.value.capitalize()}: {quote_message(check, Audience.PERSON)}"]
    if found:
        lines += ["", *_place_lines(check, found)]
    if match.differences:
        told = match.differences[:_DIFFERENCES_TOLD]
        lines += ["", "Differences:", *map(_difference_line, told)]
        more = len(match.differences) - len(told)
        lines += [f"   and {more} more"] if more else []
    if check.others:
        lines += ["", "Other places:"]
        lines += [
            f"   {place(each.locator)}, characters {each.span.start}-{each.span.end}"
            for each in check.others
        ]
    return "\n".join(lines)


def _place_lines(check: QuoteCheck, found: QuotedPlace) -> Iterator[str]:
    mark = f"  ({OUTDATED.get(check.outdated, check.outdated.value)})" if check.outdated else ""
    yield one_line(check.title or check.record.name)
    where = f"{one_line(check.record.path)}, {place(found.locator)}"
    yield f"   {where}, characters {found.span.start}-{found.span.end}{mark}"
    if url := _link(check, found):
        yield f"   {one_line(url)}"
    yield f"   {_beginning(found.text)}"


def _beginning(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _TEXT_CHARS else f"{line[:_TEXT_CHARS]} …"


def _difference_line(each: Difference) -> str:
    quote, document = one_line(each.quote), one_line(each.document)
    if each.kind is DifferenceKind.ORDER:
        return "   order: the parts stand in another order"
    if not document:
        return f"   {each.kind.value}: “{quote}” is not there"
    if not quote:
        return f"   {each.kind.value}: “{document}” is left out"
    return f"   {each.kind.value}: the quote says “{quote}”, the document “{document}”"
