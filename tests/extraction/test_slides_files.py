import hashlib
from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document, Locator, Reason, Segment, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from tests.extraction.made_decks import (
    MODERN,
    SLIDES,
    STRICT,
    TRANSITIONAL,
    Deck,
    Slide,
    body,
    frame,
    group,
    picture,
    shape,
    table,
    titled,
)

Read = Callable[[bytes, str], Document]
DIAGRAM = frame('<dgm:relIds r:dm="d"/>')
CHART = frame('<c:chart r:id="c"/>')


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def places(document: Document) -> dict[str, Segment]:
    return {document.text[each.start : each.end]: each for each in document.segments}


@pytest.mark.parametrize("base", [TRANSITIONAL, STRICT])
def test_slides_come_as_the_deck_lists_them_each_under_its_title(read: Read, base: str) -> None:
    slides = [Slide(titled("Leave") + shape("Thirty days.")), Slide(shape("No title here."))]

    document = read(Deck(slides, base=base).saved(), SLIDES)

    found = places(document)
    assert said(document) == ["Leave", "Thirty days.", "No title here."]
    assert found["Leave"].kind is SegmentKind.HEADING
    assert found["Thirty days."].locator == Locator("slide", "1", 1, 1)
    assert found["Thirty days."].headings == ("Leave",)
    assert found["No title here."].locator == Locator("slide", "2", 2, 2)
    assert found["No title here."].headings == ("Slide 2",)


def test_the_title_comes_first_wherever_it_stands_and_in_one_line(read: Read) -> None:
    broken = shape("", role="ctrTitle").replace(
        "</a:t>", "Staff</a:t></a:r><a:br/><a:r><a:t>handbook</a:t>"
    )

    document = read(Deck([Slide(shape("Below.") + group(broken))]).saved(), SLIDES)

    assert said(document) == ["Staff handbook", "Below."]
    assert document.title == "Staff handbook"


def test_without_a_title_on_its_first_slide_a_deck_has_the_title_of_its_properties(
    read: Read,
) -> None:
    slides = [Slide(shape("One.")), Slide(titled("Two") + shape("Three."))]

    assert read(Deck(slides, title="Budget 2026").saved(), SLIDES).title == "Budget 2026"
    assert read(Deck(slides, title="PowerPoint Presentation").saved(), SLIDES).title == ""


def test_shapes_are_apart_and_lines_of_one_shape_are_lines(read: Read) -> None:
    shapes = shape("BOX", "LINE") + shape("SECOND")

    assert read(Deck([Slide(shapes)]).saved(), SLIDES).text == "BOX\nLINE\n\nSECOND"


def test_groups_within_groups_are_read_in_order(read: Read) -> None:
    shapes = group(shape("one") + group(shape("two") + group(shape("three")))) + shape("four")

    assert said(read(Deck([Slide(shapes)]).saved(), SLIDES)) == ["one", "two", "three", "four"]


def test_a_hidden_slide_is_read_and_told(read: Read) -> None:
    slides = [Slide(titled("Plan") + shape("Secret."), attributes='show="0"')]
    slides.append(Slide(shape("Untitled."), attributes='show="false"'))

    found = places(read(Deck(slides).saved(), SLIDES))

    assert found["Secret."].headings == ("Plan (hidden slide)",)
    assert found["Untitled."].headings == ("Slide 2 (hidden slide)",)


def test_alternatives_are_read_once(read: Read) -> None:
    both = (
        f"<mc:AlternateContent><mc:Choice>{shape('new')}</mc:Choice>"
        f"<mc:Fallback>{shape('old')}</mc:Fallback></mc:AlternateContent>"
    )

    assert said(read(Deck([Slide(both + group(both))]).saved(), SLIDES)) == ["new", "new"]


def test_slide_numbers_are_left_out_and_footers_said_once_for_the_deck(read: Read) -> None:
    field = shape("").replace(
        "<a:r>", '<a:r><a:t>Page </a:t></a:r><a:fld type="slidenum"><a:t>77</a:t></a:fld><a:r>'
    )
    today = shape("", role="dt").replace(
        "<a:r>", '<a:fld type="datetime1"><a:t>1/2/2026</a:t></a:fld><a:r>'
    )
    shapes = shape("For staff", role="ftr") + shape("9", role="sldNum") + field + today

    document = read(Deck([Slide(shapes), Slide(shapes)]).saved(), SLIDES)

    assert said(document) == ["Page", "Page", "For staff"]
    assert document.segments[-1].locator == Locator("part", "footer")


def test_rows_of_a_table_are_said_under_the_names_of_its_columns(read: Read) -> None:
    rows = table(("Grade", "Days"), ("A", "12"), ("B", ""), ("", "9"))

    document = read(Deck([Slide(titled("Leave") + rows)]).saved(), SLIDES)

    row = document.segments[2]
    assert said(document)[1:] == ["Grade | Days", "Grade: A | Days: 12", "Grade: B", "Days: 9"]
    assert (row.kind, row.context, row.headings) == (SegmentKind.ROW, "Grade | Days", ("Leave",))
    assert row.locator == Locator("slide", "1", 1, 1)


def test_merged_cells_are_filled_downwards_and_name_the_columns_they_span(read: Read) -> None:
    rows = table(
        (("City", 'rowSpan="2"'), ("Days", 'gridSpan="2"'), ("", 'hMerge="1"')),
        (("", 'vMerge="1"'), "Paid", "Unpaid"),
        (("Seoul", 'rowSpan="2"'), "12", "3"),
        (("never", 'vMerge="1"'), "9", "1"),
    )

    document = read(Deck([Slide(rows)]).saved(), SLIDES)

    assert said(document)[2:] == [
        "City: Seoul | Days Paid: 12 | Days Unpaid: 3",
        "City: Seoul | Days Paid: 9 | Days Unpaid: 1",
    ]


def test_notes_are_marked_and_the_slide_s_picture_and_number_in_them_are_not_said(
    read: Read,
) -> None:
    notes = (
        shape("9", role="sldNum") + shape("a copy", role="sldImg") + shape("Say hi.", role="body")
    )
    part = f"<p:notes><p:cSld><p:spTree>{notes}</p:spTree></p:cSld></p:notes>"
    slides = [
        Slide(shape("First.")),
        Slide(titled("Welcome"), [("n", "notesSlide", "../notesSlides/notesSlide1.xml")]),
    ]

    document = read(Deck(slides, {"ppt/notesSlides/notesSlide1.xml": part}).saved(), SLIDES)

    assert said(document) == ["First.", "Welcome", "Say hi."]
    assert document.segments[-1].locator == Locator("slide", "2", 2, 2, "notes")
    assert document.segments[-1].headings == ("Welcome",)


def test_comments_of_both_kinds_have_their_authors(read: Read) -> None:
    old = '<p:cmLst><p:cm authorId="0"><p:text>Too long?</p:text></p:cm></p:cmLst>'
    new = (
        '<p188:cmLst><p188:cm authorId="{B}"><p188:replyLst><p188:reply authorId="?">'
        f"<p188:txBody>{body('Yes.')}</p188:txBody></p188:reply></p188:replyLst>"
        f"<p188:txBody>{body('Source?')}</p188:txBody></p188:cm></p188:cmLst>"
    )
    parts = {
        "ppt/comments/comment1.xml": old,
        "ppt/comments/modernComment_1.xml": new,
        "ppt/commentAuthors.xml": '<p:cmAuthorLst><p:cmAuthor id="0" name="Kim"/></p:cmAuthorLst>',
        "ppt/authors.xml": '<p188:authorLst><p188:author id="{B}" name="Nguyễn"/></p188:authorLst>',
    }
    links = [
        ("o", "comments", "../comments/comment1.xml"),
        ("n", f"{MODERN}/comments", "../comments/modernComment_1.xml"),
    ]
    deck = Deck(
        [Slide(shape("Text."), links)],
        parts,
        [("a", "commentAuthors", "commentAuthors.xml"), ("b", f"{MODERN}/authors", "authors.xml")],
    )

    document = read(deck.saved(), SLIDES)

    assert said(document) == [
        "Text.",
        "[Comment by Kim] Too long?",
        "[Comment by Nguyễn] Source?",
        "[Reply] Yes.",
    ]
    assert {each.locator.label for each in document.segments[1:]} == {"comments"}


def test_a_diagram_says_its_points_from_its_root_down_each_in_a_line(read: Read) -> None:
    def point(key: str, text: str, kind: str = "node") -> str:
        return f'<dgm:pt modelId="{key}" type="{kind}"><dgm:t>{body(text)}</dgm:t></dgm:pt>'

    def link(parent: str, key: str, order: int) -> str:
        return f'<dgm:cxn srcId="{parent}" destId="{key}" srcOrd="{order}"/>'

    points = point("3", "Pay") + point("2", "Check") + point("1", "Order") + point("r", "", "doc")
    links = link("r", "3", 1) + link("r", "1", 0) + link("1", "2", 0) + link("2", "1", 0)
    data = (
        f"<dgm:dataModel><dgm:ptLst>{points}{point('p', 'again', 'pres')}{point('x', 'Loose')}"
        f"</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst></dgm:dataModel>"
    )
    slide = Slide(DIAGRAM, [("d", "diagramData", "../diagrams/data1.xml")])

    document = read(Deck([slide], {"ppt/diagrams/data1.xml": data}).saved(), SLIDES)

    assert document.text == "Order\nCheck\nPay\nLoose"


def series(name: str, categories: str, values: str) -> str:
    return (
        f"<c:ser><c:tx><c:strRef><c:strCache>{points(name)}</c:strCache></c:strRef></c:tx>"
        f"<c:cat>{categories}</c:cat><c:val><c:numRef><c:numCache>{values}</c:numCache></c:numRef>"
        "</c:val></c:ser>"
    )


def points(*values: str) -> str:
    return "".join(f'<c:pt idx="{at}"><c:v>{each}</c:v></c:pt>' for at, each in enumerate(values))


def charted(read: Read, plot: str, *, settings: str = "") -> Document:
    chart = (
        f"<c:chartSpace>{settings}<c:chart><c:title><c:tx><c:rich>{body('Revenue')}</c:rich></c:tx>"
        f"</c:title><c:plotArea>{plot}</c:plotArea></c:chart></c:chartSpace>"
    )
    slide = Slide(CHART, [("c", "chart", "../charts/chart1.xml")])
    return read(Deck([slide], {"ppt/charts/chart1.xml": chart}).saved(), SLIDES)


def test_a_chart_says_its_titles_and_its_stored_values_as_rows(read: Read) -> None:
    quarters = f"<c:strRef><c:strCache>{points('Q1', 'Q2')}</c:strCache></c:strRef>"
    bars = series("Sales", quarters, points("12", "0.30000000000000004"))
    line = series(
        "Margin", quarters, f"<c:formatCode>0.0%;[Red]-0.0%</c:formatCode>{points('0.125')}"
    )
    axis = f"<c:valAx><c:title><c:tx><c:rich>{body('USD m')}</c:rich></c:tx></c:title></c:valAx>"

    plot = f"<c:barChart>{bars}</c:barChart><c:lineChart>{line}</c:lineChart>{axis}"
    document = charted(read, plot)

    assert said(document) == [
        "Revenue",
        "USD m",
        "Q1 | Sales: 12 | Margin: 12.5%",
        "Q2 | Sales: 0.3",
    ]
    assert document.segments[-1].context == "Revenue | USD m"
    assert document.segments[-1].kind is SegmentKind.ROW


@pytest.mark.parametrize(
    ("settings", "day"), [("", "2026-01-01"), ('<c:date1904 val="1"/>', "2030-01-02")]
)
def test_categories_in_levels_and_dates_are_said_as_shown(
    read: Read, settings: str, day: str
) -> None:
    levels = (
        f"<c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>{points('Q1', 'Q2', 'Q1')}</c:lvl><c:lvl>"
        '<c:pt idx="0"><c:v>2025</c:v></c:pt><c:pt idx="2"><c:v>2026</c:v></c:pt></c:lvl>'
        "</c:multiLvlStrCache></c:multiLvlStrRef>"
    )
    values = f'<c:formatCode>"day "yyyy\\-mm\\-dd;@</c:formatCode>{points("46023", "46023.75")}'

    plot = f"<c:barChart>{series('Due', levels, values)}</c:barChart>"
    document = charted(read, plot, settings=settings)

    assert said(document)[1:] == [
        f"2025 Q1 | Due: {day}",
        f"2025 Q2 | Due: {day} 18:00:00",
        "2026 Q1",
    ]


def test_a_chart_of_the_newer_kind_says_its_values_too(read: Read) -> None:
    def level(*values: str) -> str:
        return "".join(f'<cx:pt idx="{at}">{each}</cx:pt>' for at, each in enumerate(values))

    chart = (
        '<cx:chartSpace xmlns:cx="urn:newer"><cx:chartData><cx:data id="0"><cx:strDim type="cat">'
        f"<cx:lvl>{level('Start', 'Fees')}</cx:lvl></cx:strDim><cx:numDim>"
        f'<cx:lvl formatCode="0%">{level("1", "-0.25")}</cx:lvl></cx:numDim></cx:data>'
        "</cx:chartData>"
        f"<cx:chart><cx:title><cx:tx><cx:rich>{body('Cash')}</cx:rich></cx:tx></cx:title><cx:plotArea>"
        '<cx:plotAreaRegion><cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Share</cx:v>'
        '</cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea>'
        "</cx:chart></cx:chartSpace>"
    )
    slide = Slide(CHART, [("c", "chartEx", "../charts/chartEx1.xml")])

    document = read(Deck([slide], {"ppt/charts/chartEx1.xml": chart}).saved(), SLIDES)

    assert said(document) == ["Cash", "Start | Share: 100%", "Fees | Share: -25%"]
    assert document.segments[-1].context == "Cash"


def test_a_picture_is_described_unless_nothing_is_said_of_it(read: Read) -> None:
    names = ("image1.png", "Picture 3", "Google Shape;54", "  ", "3")
    nothing = "".join(map(picture, names))

    document = read(
        Deck([Slide(shape("Text.") + picture("A queue at gate 4") + nothing)]).saved(), SLIDES
    )

    assert said(document) == ["Text.", "[Picture: A queue at gate 4]"]


def test_a_deck_of_pictures_needs_ocr_and_one_with_small_ones_has_no_text(read: Read) -> None:
    with pytest.raises(ExtractionError) as pictures:
        read(Deck([Slide(), Slide(picture(size=None))]).saved(), SLIDES)
    with pytest.raises(ExtractionError) as background:
        read(
            Deck([Slide(background="<p:bg><p:bgPr><a:blipFill/></p:bgPr></p:bg>")]).saved(), SLIDES
        )
    with pytest.raises(ExtractionError) as logo:
        read(Deck([Slide(picture(size=(900, 600)))]).saved(), SLIDES)

    assert pictures.value.reason is background.value.reason is Reason.NEEDS_OCR
    assert "slide 2" in pictures.value.message
    assert logo.value.reason is Reason.NO_TEXT


def test_of_a_deck_with_text_the_slides_that_are_pictures_are_told_whatever_their_notes(
    read: Read,
) -> None:
    notes = f"<p:notes><p:cSld><p:spTree>{shape('Say hi.')}</p:spTree></p:cSld></p:notes>"
    scanned = Slide(picture(), [("n", "notesSlide", "../notesSlides/notesSlide1.xml")])
    deck = Deck([Slide(titled("Plan")), scanned], {"ppt/notesSlides/notesSlide1.xml": notes})

    document = read(deck.saved(), SLIDES)

    assert said(document) == ["Plan", "Say hi."]
    assert document.failures == ("slide 2: a picture without text",)


def test_an_embedded_document_is_told_and_settings_in_objects_are_not(read: Read) -> None:
    shapes = "".join(
        frame(f'<p:oleObj progId="{program}"/>')
        for program in ("Excel.Sheet.12", "TCLayout.Active")
    )

    document = read(Deck([Slide(titled("Plan") + shapes)]).saved(), SLIDES)

    assert document.failures == ("slide 1: an embedded document (Excel.Sheet.12) was not read",)


# ── damage and malice ────────────────────────────────────────────────────────


def test_a_missing_slide_costs_itself_and_keeps_its_number(read: Read) -> None:
    slides = [Slide(shape("one")), Slide(missing=True), Slide(shape("three"))]

    document = read(Deck(slides, order=(1, 2, 9, 3)).saved(), SLIDES)

    assert said(document) == ["one", "three"]
    assert document.segments[-1].locator.value == "4"
    assert [each.partition(":")[0] for each in document.failures] == ["slide 2", "slide 3"]


def test_what_hangs_on_a_slide_costs_only_itself(read: Read) -> None:
    links = [
        ("d", "diagramData", "../diagrams/gone.xml"),
        ("n", "notesSlide", "../notesSlides/gone.xml"),
        ("k", "comments", "broken.xml"),
    ]
    deck = Deck(
        [Slide(shape("kept") + CHART + DIAGRAM + shape("too"), links)],
        {"ppt/slides/broken.xml": "<p:cmLst>"},
    )

    document = read(deck.saved(), SLIDES)

    assert said(document) == ["kept", "too"]
    assert [each.partition(": ")[0] for each in document.failures] == [
        "slide 1",
        "slide 1",
        "slide 1, notes",
        "slide 1, comments",
    ]


def test_a_deck_of_which_nothing_can_be_read_is_corrupt(read: Read) -> None:
    with pytest.raises(ExtractionError) as refused:
        read(Deck([Slide(missing=True)]).saved(), SLIDES)

    assert refused.value.reason is Reason.CORRUPT


def test_a_slide_listed_again_is_read_at_its_first_place(read: Read) -> None:
    slides = [Slide(shape("one")), Slide(shape("two"))]

    document = read(Deck(slides, order=(1, *[1] * 5_000, 2)).saved(), SLIDES)

    assert [(each.locator.value) for each in document.segments] == ["1", "5002"]


def test_parts_that_lead_in_a_circle_are_followed_one_step(read: Read) -> None:
    there = [
        ("n", "notesSlide", "slide2.xml"),
        ("c", "chart", "slide2.xml"),
        ("d", "diagramData", "slide1.xml"),
        ("k", "comments", "slide2.xml"),
        ("s", "slide", "slide1.xml"),
    ]
    back = [("n", "notesSlide", "slide2.xml"), ("s", "slide", "slide2.xml")]

    document = read(
        Deck([Slide(shape("one") + CHART + DIAGRAM, there), Slide(shape("two"), back)]).saved(),
        SLIDES,
    )

    assert said(document) == ["one", "one", "two", "one"]
    assert [each.locator.label for each in document.segments] == [None, "notes", None, "notes"]


def test_a_slide_nested_without_end_costs_only_itself(read: Read) -> None:
    nested = "<p:grpSp>" * 3_000 + shape("deep") + "</p:grpSp>" * 3_000

    document = read(Deck([Slide(nested), Slide(shape("next"))]).saved(), SLIDES)

    assert said(document) == ["next"]
    assert "nested" in document.failures[0]
    with pytest.raises(ExtractionError) as alone:
        read(Deck([Slide(nested)]).saved(), SLIDES)
    assert alone.value.reason is Reason.RESOURCE_LIMIT


def test_entities_are_neither_expanded_nor_fetched(read: Read) -> None:
    entities = (
        '<!DOCTYPE x [<!ENTITY a "bomb bomb bomb"><!ENTITY b "&a;&a;&a;&a;">'
        '<!ENTITY c SYSTEM "file:///etc/passwd">]>'
    )

    document = read(Deck([Slide(shape("so &b;&c;far"), before=entities)]).saved(), SLIDES)

    assert document.text == "so far"


def test_spans_and_places_beyond_all_measure_are_harmless(read: Read) -> None:
    rows = table(
        (("wide", 'gridSpan="999999999" rowSpan="999999999"'), ("x", 'gridSpan="-3"')), ("y", "z")
    )
    far = '<c:pt idx="4000000000"><c:v>lost</c:v></c:pt><c:pt idx="900000000"><c:v>7</c:v></c:pt>'

    assert said(read(Deck([Slide(rows)]).saved(), SLIDES)) == ["wide | x", "y | z"]
    document = charted(read, f"<c:pieChart>{series('Pie', '', far)}</c:pieChart>")
    assert said(document) == ["Revenue", "Pie: 7"]


def test_a_deck_with_more_text_than_a_document_may_have_is_too_large(read: Read) -> None:
    noise = hashlib.shake_256(b"deck").hexdigest(50_000 * 101)
    texts = [noise[at : at + 100_000] for at in range(0, len(noise), 100_000)]

    with pytest.raises(ExtractionError) as refused:
        read(Deck([Slide(shape("one")), Slide(shape(*texts))]).saved(), SLIDES)

    assert refused.value.reason is Reason.TOO_LARGE
