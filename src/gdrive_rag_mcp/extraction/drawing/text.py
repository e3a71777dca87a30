"""The text of DrawingML, which slides, their charts and their diagrams are written in."""

from collections.abc import Callable, Iterator

from gdrive_rag_mcp.extraction.ooxml import Element, attribute, local_name

_PROPERTIES = frozenset({"pPr", "rPr", "endParaRPr", ""})


def children(element: Element) -> Iterator[Element]:
    """The children that count: of alternatives only the first, which newer programs show."""
    for each in element:
        if local_name(each) != "AlternateContent":
            yield each
            continue
        choice = next((one for one in each if local_name(one) in ("Choice", "Fallback")), ())
        yield from children(choice)


def walk(element: Element, enter: Callable[[Element], bool]) -> Iterator[Element]:
    """Everything below an element in document order; what `enter` declines is not looked into."""
    waiting = [children(element)]
    while waiting:
        each = next(waiting[-1], None)
        if each is None:
            waiting.pop()
            continue
        yield each
        if enter(each):
            waiting.append(children(each))


def descendants(element: Element | None) -> Iterator[Element]:
    """Everything below an element in document order."""
    return iter(()) if element is None else walk(element, lambda _: True)


def find(element: Element | None, name: str) -> Element | None:
    """The first element of a name anywhere below."""
    return next((each for each in descendants(element) if local_name(each) == name), None)


def paragraphs(body: Element | None) -> list[str]:
    """The paragraphs of a text body that say something."""
    if body is None:
        return []
    texts = (_paragraph(each) for each in children(body) if local_name(each) == "p")
    return [text for text in map(str.strip, texts) if text]


def flat_text(body: Element | None) -> str:
    """The paragraphs of a text body in one line."""
    return " ".join(" ".join(text.split()) for text in paragraphs(body))


def _paragraph(paragraph: Element) -> str:
    pieces: list[str] = []
    for each in walk(paragraph, _holds_text):
        name = local_name(each)
        if name == "t":
            # The tails belong to entities that were left unexpanded.
            pieces += (each.text or "", *(inner.tail or "" for inner in each))
        elif name == "br":
            pieces.append("\n")
    return "".join(pieces)


def _holds_text(element: Element) -> bool:
    """A slide's own number is not part of what it says."""
    name = local_name(element)
    is_number = name == "fld" and (attribute(element, "type") or "").startswith("slidenum")
    return name not in _PROPERTIES and not is_number
