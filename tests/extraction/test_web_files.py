import resource
from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.web.document import read as read_web
from gdrive_rag_mcp.extraction.web.markup import MAX_DEPTH, tame

Read = Callable[[bytes, str], Document]
HTML = "text/html"


def page(body: str, head: str = "") -> bytes:
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode()


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def places(document: Document) -> list[tuple[str, str]]:
    return [(each.locator.kind, each.locator.value) for each in document.segments]


def cpu_seconds(work: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_SELF)
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime - before.ru_utime


# ── structure ────────────────────────────────────────────────────────────────


def test_headings_are_the_path_and_text_before_the_first_is_counted(read: Read) -> None:
    document = read(
        page("<p>Before.</p><h1>Leave</h1><h2>Unpaid</h2><p>Thirty days.</p>", "<title>HR</title>"),
        HTML,
    )

    assert document.title == "HR"
    assert places(document)[0] == ("paragraph", "1")
    assert places(document)[-1] == ("heading", "Leave > Unpaid")
    assert document.segments[-1].headings == ("Leave", "Unpaid")
    assert [each.kind for each in document.segments][1:3] == [SegmentKind.HEADING] * 2


def test_without_a_title_of_its_own_the_only_top_heading_is_the_title(read: Read) -> None:
    assert read(page("<h1>Leave<br>policy</h1>x", "<title>untitled</title>"), HTML).title == (
        "Leave policy"
    )
    assert read(page("<h1>One</h1><h1>Two</h1>"), HTML).title == ""


def test_what_navigates_is_kept_apart_and_structures_nothing(read: Read) -> None:
    document = read(
        page(
            "<nav><h2>Menu</h2><a>Home</a><a>About</a></nav><header><h1>Leave</h1></header>"
            "<p>Days.</p><aside><h3>Related</h3></aside><p>More.</p><footer><h2>Contact</h2></footer>"
        ),
        HTML,
    )

    assert said(document) == ["Menu", "Home About", "Leave", "Days.", "Related", "More.", "Contact"]
    assert document.segments[0].kind is SegmentKind.TEXT
    assert places(document) == [
        ("part", "navigation"),
        ("part", "navigation"),
        ("heading", "Leave"),
        ("heading", "Leave"),
        ("part", "aside"),
        ("heading", "Leave"),
        ("part", "footer"),
    ]
    assert document.segments[-1].headings == ()


def test_inline_elements_join_and_blocks_and_breaks_part(read: Read) -> None:
    document = read(
        page(
            "<div>Th<b>ir</b>ty&nbsp;<i> days</i> &amp; more\n\n  here<div>Own</div>rest</div>"
            "one<br>two<br><br>three<p>a<wbr>b"
        ),
        HTML,
    )

    assert said(document) == ["Thirty days & more here", "Own", "rest", "one\ntwo", "three", "ab"]


def test_a_raised_figure_does_not_run_into_what_it_stands_by(read: Read) -> None:
    body = "10<sup>6</sup> policy<sup><a href='#n'>1</a></sup> 1<sup>st</sup> H<sub>2</sub>O"

    assert said(read(page(body), HTML)) == ["10^6 policy^1 1st H2O"]


def test_lists_keep_their_numbers_bullets_and_levels_as_adjacent_lines(read: Read) -> None:
    document = read(
        page(
            "<p>Bring:</p><ul><li>a<li>b<ol start=3><li>c<li value=7>d<li>e</ol><li><p>f</p>g</ul>"
            "<dl><dt>Term<dd>Meaning</dl>"
        ),
        HTML,
    )

    assert document.text == ("Bring:\n\n- a\n- b\n  3. c\n  7. d\n  8. e\n- f\ng\n\nTerm\nMeaning")


def test_preformatted_text_keeps_its_lines(read: Read) -> None:
    document = read(
        page("<pre>\ndef f():\n    <b>return</b> 1\n</pre><textarea>a\n  b</textarea>"), HTML
    )

    assert said(document) == ["def f():\n    return 1", "a\n  b"]


# ── tables ───────────────────────────────────────────────────────────────────


def test_table_rows_know_their_header_and_cells_that_span_fill_what_they_span(read: Read) -> None:
    document = read(
        page(
            "<table><caption>Scores</caption><thead><tr><th rowspan=2>Name<th colspan=2>Score</tr>"
            "<tr><th>A<th>B</tr></thead><tr><td>Kim<td>1<td>2"
            "<tr><td rowspan=2>Lee<td colspan=2>none<tr><td>3<td>4</table>"
        ),
        HTML,
    )

    assert said(document) == [
        "Scores",
        "Name | Score | Score",
        "Name | A | B",
        "Kim | 1 | 2",
        "Lee | none | none",
        "Lee | 3 | 4",
    ]
    assert [each.context for each in document.segments[1:]] == [
        *("", ""),
        *["Name | Score | Score / Name | A | B"] * 3,
    ]
    assert document.segments[-1].kind is SegmentKind.ROW


def test_a_first_row_of_names_is_a_header_without_being_marked(read: Read) -> None:
    document = read(page("<table><tr><td>Year<td>Days<tr><td>2024<td>30</table>"), HTML)

    assert document.segments[-1].context == "Year | Days"


def test_header_cells_that_head_rows_make_no_header_of_the_first_row(read: Read) -> None:
    table = "<table><tr><th>Type<td>Public<tr><th>Founded<td>Albuquerque</table>"

    assert [each.context for each in read(page(table), HTML).segments] == ["", ""]


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><th><h1>Leave</h1><tr><td><ul><li hidden>x</li></ul>Thirty days.</table>",
        "<table><tr><td><h1>Leave</h1><td><p>Thirty days.</p></table>",
        "<table><tr><td>&nbsp;<td><table><tr><td><h1>Leave</h1><p>Thirty days.</table></table>",
        "<table><tr><td><h1>Leave</h1><tr><td>Thirty days.</table>",
        "<table role=presentation><tr><td><h1>Leave</h1><td>Thirty days.</table>",
    ],
)
def test_a_table_that_only_lays_out_is_a_frame_around_its_content(read: Read, table: str) -> None:
    document = read(page(table), HTML)

    assert said(document) == ["Leave", "Thirty days."]
    assert document.segments[1].kind is SegmentKind.TEXT
    assert document.segments[1].headings == ("Leave",)


def test_a_table_within_a_table_of_data_stays_in_its_cell(read: Read) -> None:
    inner = "<table><tr><td>x<td>y</table>"
    document = read(page(f"<table><tr><th>Key<th>Value<tr><td>a<td>{inner}</table>"), HTML)

    assert said(document) == ["Key | Value", "a | x y"]


@pytest.mark.parametrize(
    ("table", "row", "head", "cell"),
    [
        ("table", "tr", "th", "td"),
        (
            'span class="ltx_tabular ltx_align_middle"',
            'span class="ltx_tr"',
            'span class="ltx_td ltx_th ltx_th_column"',
            'span class="ltx_td ltx_align_left"',
        ),
        ("div role=table", "div role=row", "div role=columnheader", "div role=cell"),
    ],
)
def test_a_table_is_one_whatever_elements_make_it(
    read: Read, table: str, row: str, head: str, cell: str
) -> None:
    def made(how: str, inner: str) -> str:
        return f"<{how}>{inner}</{how.split(maxsplit=1)[0]}>"

    rows = [
        made(row, made(head, "<span>System</span>") + made(head, "ROUGE-1")),
        made(row, made(cell, "LIA-RAG") + made(cell, "0.1893")),
    ]
    document = read(page(f"<figure>{made(table, ''.join(rows))}</figure>"), HTML)

    assert said(document) == ["System | ROUGE-1", "LIA-RAG | 0.1893"]
    assert document.segments[1].context == "System | ROUGE-1"


# ── what shows ───────────────────────────────────────────────────────────────


def test_what_no_reader_sees_is_not_text(read: Read) -> None:
    hidden = (
        "<p hidden>XX</p><span aria-hidden=true>XX</span><p style='DISPLAY : none'>XX</p>"
        "<p style='color:red;visibility:hidden'>XX</p><template>XX</template><script>'XX'</script>"
        "<style>XX</style><noscript>XX</noscript><!-- XX --><del>XX</del>"
        "<input type=hidden value=XX><input type=password value=XX><iframe>XX</iframe>"
        "<video>XX</video><datalist>XX</datalist><table hidden><tr><td>XX</table>"
        "<ruby>漢<rp>(</rp><rt>XX</rt><rp>)</rp></ruby>"
    )

    assert said(read(page(f"Seen {hidden}"), HTML)) == ["Seen 漢"]


def test_what_stands_in_fields_pictures_and_formulas_is_text(read: Read) -> None:
    document = read(
        page(
            "<p><input type=checkbox></p><label>Name</label><input value=Kim>"
            "<input type=checkbox checked>yes<select><option>one<option>two</select>"
            "<p><img alt='Sales by quarter'>"
            "<img alt=logo><img alt='chart 2.png'><p>"
            "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
            "<p><math alttext='x^2'><mi>x</mi></math>"
            "<p><svg><title>Flow</title><text>Start</text><style>XX</style></svg>"
        ),
        HTML,
    )

    assert said(document) == [
        "Name Kim [x] yes one two",
        "[Image: Sales by quarter]",
        "1 2",
        "x^2",
        "Flow Start",
    ]


def test_a_page_saved_behind_an_open_dialog_still_has_its_text(read: Read) -> None:
    assert said(read(page("<div aria-hidden='true'><p>All of it.</p></div>"), HTML)) == [
        "All of it."
    ]


@pytest.mark.parametrize(
    "markup",
    [
        b"<html><head><title>T</title></head><frameset cols='1,2'><frame src=a></frameset></html>",
        b"<html><head><meta http-equiv=refresh content='0;url=/x'></head><body></body></html>",
        b"<html><body><noscript>Enable JavaScript.</noscript><div id=app></div></body></html>",
    ],
)
def test_a_page_that_shows_nothing_has_no_text(read: Read, markup: bytes) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(markup, HTML)

    assert refusal.value.reason is Reason.NO_TEXT


# ── encodings ────────────────────────────────────────────────────────────────

ARABIC = "في قرية من القرى كان هناك رجل حكيم يعرف كل شيء عن الحياة وكان يعلم الناس. "
KOREAN = "연차 휴가는 삼십 일이며 무급 휴가는 인사팀의 승인을 받아야 한다. "
GERMAN = "Der Urlaub beträgt dreißig Tage, über Ausnahmen entscheidet die Geschäftsführung. "
CZECH = "Dovolená trvá třicet dnů, o výjimkách rozhoduje vedení společnosti příští týden. "


@pytest.mark.parametrize(
    ("text", "encoding", "declared"),
    [
        (ARABIC, "cp1256", "UTF-8"),
        (ARABIC, "utf-8", "windows-1256"),
        (KOREAN, "cp949", "iso-8859-1"),
        (KOREAN, "cp949", "ks_c_5601-1987"),
        (KOREAN, "utf-8", "euc-kr"),
        (KOREAN, "utf-16", "utf-8"),
        (KOREAN, "utf-16-le", ""),
        (GERMAN, "cp1252", "utf-16"),
        (GERMAN, "cp1252", "iso-8859-1"),
        (GERMAN, "utf-8", "base64"),
        ("Grüße", "utf-8", "iso-8859-1"),
        ("Grüße", "utf-8", "no-such"),
        ("휴가", "cp949", "euc-kr"),
        (CZECH, "cp1250", "windows-1250"),
        (CZECH, "iso8859-2", "ISO-8859-2"),
    ],
)
def test_the_bytes_win_over_a_declaration_that_cannot_be_right(
    read: Read, text: str, encoding: str, declared: str
) -> None:
    head = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">'
    markup = page(f"<p>{text * 3}</p>", head if declared else "").decode()

    assert read(markup.encode(encoding), HTML).text == (text * 3).strip()


def test_a_few_damaged_characters_do_not_turn_a_page_into_another_encoding(read: Read) -> None:
    markup = page(f"<p>{GERMAN * 40}\x00</p>", "<meta charset=utf-8>").replace(b"\x00", b"\xff")

    document = read(markup, HTML)

    assert document.text.count("Geschäftsführung") == 40
    assert document.failures == ("1 characters could not be decoded as utf-8",)


@pytest.fixture(scope="module")
def yardstick() -> float:
    """What a page of as many plain tags costs."""
    markup = page("<p>x<b>y</b>" * COUNT)
    return cpu_seconds(lambda: read_web(InputFile(markup)))


# ── hostile and odd markup ───────────────────────────────────────────────────

COUNT = 60_000


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * COUNT + "deep",
        "<b>" * COUNT + "deep",
        "<ul><li>" * COUNT + "deep",
        "<ol reversed><li>" * (COUNT // 2) + "deep",
        "<table><tr><td>" * (COUNT // 2) + "deep",
        "<a><div></a>" * (COUNT // 2) + "deep",
        "<p " + " ".join(f"a{each}=1" for each in range(COUNT)) + ">deep",
        "".join(f"<body a{each}=1>" for each in range(COUNT)) + "deep",
        "".join(f"<font size={each}>" for each in range(COUNT // 2)) + "<p>" * 1000 + "deep",
        "<div><table><td></div></table>" * (COUNT // 4) + "deep",
        "<rb>" * COUNT + "deep",
        "<select><optgroup>" * (COUNT // 2) + "deep",
        "<svg>" + "<g>" * COUNT + "</svg><p>deep",
        "<b> </b>" * COUNT + "deep",
        "<br>" * COUNT + "deep",
        "<p style='" + "display " * COUNT + "'>deep",
        "<table>" + "<tr><td rowspan=9999 colspan=99>x" * (COUNT // 10) + "<tr><td>deep</table>",
        "<math>" * COUNT + "</math>deep",
    ],
    ids=lambda markup: markup[:14],
)
def test_markup_built_to_exhaust_parsers_costs_in_proportion_and_is_read(
    read: Read, markup: str, yardstick: float
) -> None:
    found: list[Document] = []

    spent = cpu_seconds(lambda: found.append(read(page(markup), HTML)))

    assert "deep" in found[0].text
    assert spent < 4 * yardstick


def test_text_below_the_depth_that_is_followed_is_kept_in_lines(read: Read) -> None:
    levels = MAX_DEPTH + 20
    document = read(
        page("".join(f"<div>{at}" for at in range(levels)) + "</div>after" * levels), HTML
    )

    words = document.text.split()
    assert words[:levels] == [str(at) for at in range(levels)]
    assert words[levels:] == ["after"] * levels


def test_lists_in_lists_without_end_are_indented_so_far_and_no_further(read: Read) -> None:
    assert len(read(page("<ul><li>x" * 5_000), HTML).text) < 5_000 * 30


def test_too_many_tags_are_refused(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(b"<html>" + b"<p>" * 2_000_001, HTML)

    assert refusal.value.reason is Reason.RESOURCE_LIMIT


def test_attributes_that_decide_what_shows_survive_among_thousands(read: Read) -> None:
    many = " ".join(f"a{each}=1" for each in range(5_000))

    document = read(page(f"<p {many} hidden>XX</p><ol {many} start=4><li>four</ol>"), HTML)

    assert document.text == "4. four"


def test_xhtml_closes_elements_at_once_and_declares_entities_in_vain(read: Read) -> None:
    bomb = "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' for at in range(1, 30))
    markup = (
        '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">'
        f'<!ENTITY l0 "lol">{bomb}]><html><head><title/><script src="x"/></head>'
        '<body><p>One <a id="p1"/>two &x; &l29;</p><div/><p><![CDATA[3 < 4 & 5]]></p></body></html>'
    )

    assert said(read(markup.encode(), "application/xhtml+xml")) == [
        "One two &x; &l29;",
        "3 < 4 & 5",
    ]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a<!-- <b> -->b<!-->c<!--->d", "abcd"),
        ("a <title>b", "a b"),
        ("a <noscript>b", "a b"),
        ("a<script>b</scripts></script >c", "ac"),
        ("a <p title='>' class=x>b", "a\n\nb"),
        ('a <p class="x"">b</p> "c"', 'a\n\nb\n\n"c"'),
        ("1 < 2 and <3", "1 < 2 and <3"),
        ("<table><tr><td>x</div>y</td><td>z</td></tr></table>", "xy | z"),
        ("<p><b>x</p><p>y</b> z</p>", "x\n\ny z"),
        ("<textarea>a <b>c</b></textarea>", "a <b>c</b>"),
    ],
)
def test_sloppy_markup_reads_as_in_a_browser(read: Read, markup: str, text: str) -> None:
    assert read(page(markup), HTML).text == text


def test_what_is_tamed_holds_no_element_deeper_than_is_followed() -> None:
    tamed = tame("<div><section>" * 1_000 + "x" + "</section></div>" * 1_000)

    assert tamed.count("<div>") + tamed.count("<section>") == MAX_DEPTH
    assert tamed.count("</div>") + tamed.count("</section>") == MAX_DEPTH


@pytest.mark.parametrize(
    ("items", "labels"),
    [
        ("<ol type=a><li>x<li value=5>x</ol>", "a e"),
        ("<ol type=A start=26><li>x<li>x</ol>", "Z AA"),
        ("<ol type=I start=3><li>x<li>x</ol>", "III IV"),
        ("<ol type=i start=0><li>x<li>x</ol>", "0 i"),
        ("<ol start=-1><li>x<li>x</ol>", "-1 0"),
        ("<ol reversed><li>x<li hidden>no<li>x</ol>", "2 1"),
        ("<ol reversed start=10><li>x<li value=4>x<li>x</ol>", "10 4 3"),
        ("<ol type=a><li type=I>x<li>x</ol>", "I b"),
        ("<ol style='margin:0; list-style: outside lower-roman'><li>x<li>x</ol>", "i ii"),
        ("<ol type=a><li>x<ol><li>x</ol><li>x</ol>", "a 1 b"),
        ("<ol type=square start=x><li value='5 or so'>x<li value>x</ol>", "5 6"),
    ],
)
def test_items_are_numbered_as_a_browser_shows_them(read: Read, items: str, labels: str) -> None:
    assert read(page(items), HTML).text.split() == [
        word for label in labels.split() for word in (f"{label}.", "x")
    ]


def test_how_a_list_counts_survives_among_thousands_of_attributes(read: Read) -> None:
    many = " ".join(f"a{each}=1" for each in range(5_000))

    assert read(page(f"<ol {many} reversed><li>x<li>y</ol>"), HTML).text == "2. x\n1. y"


def test_a_dialog_shows_when_it_is_open(read: Read) -> None:
    document = read(page("<p>a<dialog><p>shut</dialog><dialog open><p>told</dialog>"), HTML)

    assert said(document) == ["a", "told"]
