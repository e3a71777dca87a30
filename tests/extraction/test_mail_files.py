import base64
import io
import resource
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from gdrive_rag_mcp.domain import Document, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import MAX_DEPTH
from gdrive_rag_mcp.extraction.mail.parts import MAX_PARTS

Read = Callable[[bytes, str], Document]
MAIL = "message/rfc822"
TOP = b"From: a@example.com\nTo: b@example.com\nSubject: Leave\nMIME-Version: 1.0\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(50)


def mail(text: str = "Thirty days.\n", subject: str = "Leave") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Kim <kim@example.com>"
    message["To"] = "lee@example.com"
    message["Date"] = "Fri, 16 Dec 2022 17:04:16 -0500"
    message["Subject"] = subject
    message.set_content(text)
    return message


def sent(message: EmailMessage) -> bytes:
    return message.as_bytes(policy=SMTP)


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def bodies(document: Document) -> list[str]:
    return [
        document.text[each.start : each.end]
        for each in document.segments
        if each.locator.value == "body"
    ]


def places(document: Document) -> list[str]:
    return [each.locator.value for each in document.segments]


def refusal_of(read: Read, content: bytes) -> ExtractionError:
    with pytest.raises(ExtractionError) as refusal:
        read(content, MAIL)
    return refusal.value


# ── header ───────────────────────────────────────────────────────────────────


def test_the_header_comes_first_then_the_text_and_the_subject_is_the_title(read: Read) -> None:
    document = read(sent(mail("Thirty days.\n\nKim\n")), MAIL)

    assert document.title == "Leave"
    header, *text = said(document)
    assert header == (
        "From: Kim <kim@example.com>\nTo: lee@example.com\n"
        "Date: Fri, 16 Dec 2022 17:04:16 -0500\nSubject: Leave"
    )
    assert text == ["Thirty days.", "Kim"]
    assert places(document) == ["header", "body", "body"]
    assert {each.locator.kind for each in document.segments} == {"part"}


def encoded(text: str, charset: str) -> str:
    return f"=?{charset}?B?{base64.b64encode(text.encode(charset)).decode()}?="


@pytest.mark.parametrize(
    ("field", "subject"),
    [
        (encoded("연차 휴가", "euc-kr"), "연차 휴가"),
        (encoded("שלום", "windows-1255"), "שלום"),
        ("RE: =?UTF-8?Q?caf=C3=A9_au_lait?= ok", "RE: café au lait ok"),
        ("=?utf-8?B?7Jew?=\n =?utf-8?B?7LCo?=", "연차"),
        ("=?utf-8?B?7Jew7A==?= =?utf-8?B?sKg=?=", "연차"),  # a character split between two words
        ("=?utf-8*ko?B?7Jew?=", "연"),
        ("=?utf-8?B?7Jew7LC?= rest", "연"),
        ("=?utf-8?B?7*Jew?=", "연"),
        ("=?nonsense?Q?abc?=", "abc"),
        ("=?utf-8?X?abc?= =?broken", "=?utf-8?X?abc?= =?broken"),
        ("연차 휴가 안내", "연차 휴가 안내"),
    ],
)
def test_a_subject_is_decoded_and_a_broken_one_survives(
    read: Read, field: str, subject: str
) -> None:
    content = f"From: a@example.com\nTo: b@example.com\nSubject: {field}\n\nText.\n".encode()

    title = read(content, MAIL).title

    assert title.startswith(subject)
    assert "?=" not in title or "?=" in subject


# ── text ─────────────────────────────────────────────────────────────────────


def test_of_two_versions_the_plain_text_is_read(read: Read) -> None:
    message = mail("Thirty days of leave.\n")
    message.add_alternative("<h1>Thirty</h1><p>days of leave.</p>", subtype="html")

    assert bodies(read(sent(message), MAIL)) == ["Thirty days of leave."]


@pytest.mark.parametrize(
    "plain", ["", "\n \n", "Your mail program does not show HTML.\n", "View it: http://x.example\n"]
)
def test_a_page_is_read_where_the_plain_text_only_stands_in_for_it(read: Read, plain: str) -> None:
    message = mail(plain)
    message.add_alternative(
        "<h1>Leave</h1><p>Everybody has thirty days of leave in every year of work.</p>"
        "<p>Unpaid leave needs the consent of the head of the department.</p>",
        subtype="html",
    )

    document = read(sent(message), MAIL)

    assert bodies(document)[0] == "Leave"
    assert len(bodies(document)) == 3
    assert document.segments[1].kind is SegmentKind.HEADING
    assert document.segments[2].headings == ("Leave",)


def test_what_is_attached_to_one_version_only_is_not_lost(read: Read) -> None:
    inner = (
        b"Content-Type: multipart/mixed; boundary=in\n\n--in\nContent-Type: text/html\n\n"
        b"<p>Days.</p>\n--in\nContent-Type: text/plain; name=plan.txt\n\nThe plan.\n--in--\n"
    )
    content = (
        TOP + b"Content-Type: multipart/alternative; boundary=out\n\n--out\n"
        b"Content-Type: text/plain\n\nDays.\n--out\n" + inner + b"--out--\n"
    )

    document = read(content, MAIL)

    assert bodies(document) == ["Days."]
    assert said(document)[-1] == "The plan."
    assert places(document)[-1] == "attachment 1: plan.txt > lines 1"


@pytest.mark.parametrize(
    ("text", "encoding", "declared"),
    [
        ("Der Urlaub beträgt dreißig Tage für alle Beschäftigten. ", "cp1252", "utf-8"),
        ("Der Urlaub beträgt dreißig Tage für alle Beschäftigten. ", "utf-8", "iso-8859-1"),
        ("Der Urlaub beträgt dreißig Tage für alle Beschäftigten. ", "utf-8", ""),
        ("Café. ", "utf-8", "us-ascii"),
        ("연차 휴가는 삼십 일이며 무급 휴가는 승인을 받아야 한다. ", "cp949", ""),
        ("연차 휴가는 삼십 일이며 무급 휴가는 승인을 받아야 한다. ", "cp949", "us-ascii"),
        ("연차 휴가는 삼십 일이며 무급 휴가는 승인을 받아야 한다. ", "cp949", "no-such-charset"),
    ],
)
def test_text_reads_right_whatever_its_charset_is_said_to_be(
    read: Read, text: str, encoding: str, declared: str
) -> None:
    parameter = f"; charset={declared}" if declared else ""
    head = f"Content-Type: text/plain{parameter}\nContent-Transfer-Encoding: 8bit\n\n".encode()

    assert bodies(read(TOP + head + (text * 3).encode(encoding), MAIL)) == [(text * 3).strip()]


@pytest.mark.parametrize(
    ("how", "content", "text"),
    [
        (b"base64", base64.b64encode(b"Thirty days of leave.")[:-4] + b"!!", "Thirty days of lea"),
        (b"base64", b"VGhpcnR5IGRheXMu=\n*", "Thirty days."),
        (b"quoted-printable", b"Thirty =\ndays=2E =ZZ", "Thirty days. =ZZ"),
        (b"quoted-printable", b"Thirty=", "Thirty"),
        (b"x-unknown", b"Thirty days.", "Thirty days."),
    ],
)
def test_damaged_transfer_encodings_cost_what_is_damaged(
    read: Read, how: bytes, content: bytes, text: str
) -> None:
    head = b"Content-Type: text/plain\nContent-Transfer-Encoding: " + how + b"\n\n"

    assert bodies(read(TOP + head + content, MAIL))[0].startswith(text)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_a_mail_saved_in_another_encoding_is_brought_back(read: Read, encoding: str) -> None:
    content = sent(mail("Days.\n")).decode().replace("Days.", "Dreißig Tage.")
    content = content.replace("7bit", "8bit")

    document = read(content.encode(encoding), MAIL)

    assert document.title == "Leave"
    assert bodies(document) == ["Dreißig Tage."]


def test_an_invitation_is_read_beside_the_text(read: Read) -> None:
    message = mail("Please come.\n")
    event = "BEGIN:VCALENDAR\r\nSUMMARY:Team\r\n  meeting\r\nEND:VCALENDAR\r\n"
    message.add_alternative(event, subtype="calendar")

    assert bodies(read(sent(message), MAIL))[1:] == [
        "BEGIN:VCALENDAR\nSUMMARY:Team meeting\nEND:VCALENDAR"
    ]


def test_a_report_on_delivery_is_read(read: Read) -> None:
    content = (
        TOP + b"Content-Type: multipart/report; boundary=b\n\n--b\n\nNot delivered.\n--b\n"
        b"Content-Type: message/delivery-status\n\nReporting-MTA: x\n\nStatus: 5.1.1\n\n--b--\n"
    )

    assert bodies(read(content, MAIL)) == [
        "Not delivered.",
        "Reporting-MTA: x",
        "Status: 5.1.1",
    ]


def test_parameters_in_many_pieces_and_charsets_are_survived(read: Read) -> None:
    content = (
        TOP + b"Content-Type: multipart/alternative; boundary=b; charset*=utf-8''x\n\n--b\n"
        b"Content-Type: text/plain; charset*0*=ks_c''%E3; charset*1=x\n\nDays.\n--b\n"
        b"Content-Type: application/x-a; name*0*=utf-8''pl%C3; name*1*=%A4n.txt\n\nx\n--b--\n"
    )

    document = read(content, MAIL)

    assert bodies(document) == ["Days."]
    assert places(document)[-1] == "attachment 1: plän.txt > lines 1"


def test_a_multipart_without_its_boundary_is_text(read: Read) -> None:
    content = TOP + b"Content-Type: multipart/mixed\n\nThirty days.\n"

    assert bodies(read(content, MAIL)) == ["Thirty days."]


# ── attachments ──────────────────────────────────────────────────────────────


def test_an_attachment_is_read_in_place_as_a_file_is(read: Read) -> None:
    message = mail()
    note = b"# Leave\n\nThirty days.\n\nUnpaid: none.\n"
    message.add_attachment(PNG, maintype="image", subtype="png", filename="logo.png")
    message.add_attachment(note, maintype="text", subtype="markdown", filename="plan.md")

    document = read(sent(message), MAIL)

    assert "Attachments: logo.png, plan.md" in said(document)[0]
    assert places(document)[2:] == ["attachment 2: plan.md > Leave"] * 3
    assert document.segments[-1].locator.label == "attachment 2"
    assert document.segments[-1].headings == ("Leave",)
    assert document.failures == ()


def test_pictures_in_the_text_are_listed_by_name_and_not_missed(read: Read) -> None:
    message = mail("See the logo.\n")
    message.add_alternative("<p>See the logo: <img src='cid:1'></p>", subtype="html")
    page = next(part for part in message.walk() if part.get_content_subtype() == "html")
    assert isinstance(page, EmailMessage)
    page.add_related(PNG, "image", "png", cid="<1>", filename="logo.png", disposition="inline")
    page.add_related(PNG, "image", "png", cid="<2>")

    document = read(sent(message), MAIL)

    assert said(document)[0].endswith("Attachments: logo.png")
    assert bodies(document) == ["See the logo."]
    assert document.failures == ()


def test_a_mail_without_receivers_keeps_its_header(read: Read) -> None:
    content = b"From: a@example.com\nSubject: Draft\nMIME-Version: 1.0\n"
    content += b"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n"

    document = read(content + b"<p>Text.</p>\n--b--\n", MAIL)

    assert said(document) == ["From: a@example.com\nSubject: Draft", "Text."]


def test_an_attachment_of_no_type_is_told_by_its_content_or_its_name(read: Read) -> None:
    message = mail()
    page = b"<!DOCTYPE html><html><body><p>A page.</p></body></html>"
    stream = {"maintype": "application", "subtype": "octet-stream"}
    message.add_attachment(page, filename="a", **stream)  # type: ignore[arg-type] # typeshed: no **
    message.add_attachment(b"# Head\n\nText.\n", filename="b.md", **stream)  # type: ignore[arg-type] # typeshed: no **

    document = read(sent(message), MAIL)

    assert places(document)[2] == "attachment 1: a > paragraph 1"
    assert said(document)[2] == "A page."


def test_attachments_that_cannot_be_read_are_named_with_the_reason(read: Read) -> None:
    message = mail()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x", "y")
    message.add_attachment(
        file.getvalue(), maintype="application", subtype="zip", filename="all.zip"
    )
    message.add_attachment(b"", maintype="application", subtype="pdf", filename="empty.pdf")
    message.add_attachment(
        b"MZ\0\0", maintype="application", subtype="x-msdownload", filename="a.exe"
    )

    failures = read(sent(message), MAIL).failures

    assert [each.partition(":")[0] for each in failures] == [
        "attachment 1 (all.zip)",
        "attachment 2 (empty.pdf)",
        "attachment 3 (a.exe)",
    ]
    assert "0 bytes" in failures[1]


def test_a_forwarded_mail_is_read_under_its_subject(read: Read) -> None:
    inner = mail("Inside.\n", "Old news")
    inner.add_attachment(b"A note.\n", maintype="text", subtype="plain", filename="n.txt")
    outer = mail("Outside.\n")
    outer.add_attachment(inner)

    document = read(sent(outer), MAIL)

    assert places(document)[1:] == [
        "body",
        "attachment 1: Old news > header",
        "attachment 1: Old news > body",
        "attachment 1: Old news > attachment 1: n.txt > lines 1",
    ]
    assert document.segments[-1].locator.label == "attachment 1"
    assert document.segments[2].headings == ("Old news",)


def test_a_digest_holds_a_mail_in_every_part(read: Read) -> None:
    content = TOP + b"Content-Type: multipart/digest; boundary=b\n\n"
    for name in (b"One", b"Two"):
        content += b"--b\n\nFrom: x@example.com\nSubject: " + name + b"\n\nText " + name + b".\n\n"

    document = read(content + b"--b--\n", MAIL)

    assert said(document)[2] == "Text One."
    assert places(document)[2] == "attachment 1: One > body"
    assert said(document)[4] == "Text Two."


def test_mails_within_mails_are_followed_so_far_and_no_further(read: Read) -> None:
    message = mail("Level 0.\n", "0")
    for level in range(1, MAX_DEPTH + 3):
        outer = mail(f"Level {level}.\n", str(level))
        outer.add_attachment(message)
        message = outer

    document = read(sent(message), MAIL)

    assert "Level 2." in document.text
    assert "Level 1." not in document.text
    assert "lies within" in document.failures[0]


# ── what cannot be read, or is no mail ───────────────────────────────────────


@pytest.mark.parametrize(
    "content",
    [
        b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n\nMIA=",
        b"Content-Type: multipart/encrypted; boundary=b\n\n--b\n\nVersion: 1\n--b\n\nx\n--b--\n",
        b"Content-Type: text/plain\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n",
    ],
)
def test_an_encrypted_mail_says_so(read: Read, content: bytes) -> None:
    assert refusal_of(read, TOP + content).reason is Reason.ENCRYPTED


def test_a_signed_mail_is_read_and_its_signature_listed(read: Read) -> None:
    content = (
        TOP + b"Content-Type: multipart/signed; boundary=b\n\n--b\n\nSigned.\n--b\n"
        b"Content-Type: application/pgp-signature; name=signature.asc\n\nxyz\n--b--\n"
    )

    document = read(content, MAIL)

    assert bodies(document) == ["Signed."]
    assert "Attachments: signature.asc" in said(document)[0]
    assert document.failures == ()


def test_a_page_saved_as_a_mail_reads_as_a_page(read: Read) -> None:
    content = (
        b"From: <Saved by Blink>\nSnapshot-Content-Location: https://x.example\nSubject: HR\n"
        b"Date: Fri, 16 Dec 2022 17:04:16 -0500\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/related; type="text/html"; boundary=b\n\n--b\n'
        b"Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n"
        b"<html><head><meta charset=3Dutf-8><title>Leave policy</title></head><body><h1>Leave</h1>"
        b"<p>Drei=C3=9Fig.</p></body></html>\n--b\nContent-Type: text/css\n\np {top: 0}\n--b--\n"
    )

    document = read(content, "multipart/related")

    assert document.title == "Leave policy"
    assert said(document) == ["Leave", "Dreißig."]
    assert document.segments[1].locator.kind == "heading"
    assert document.segments[1].locator.value == "Leave"


# ── hostile ──────────────────────────────────────────────────────────────────


def nested(levels: int) -> bytes:
    heads = (
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (each, each)
        for each in range(levels)
    )
    return TOP + b"".join(heads) + b"\nText.\n"


def test_parts_within_parts_without_end_are_refused_as_too_deep(read: Read) -> None:
    assert refusal_of(read, nested(3_000)).reason is Reason.RESOURCE_LIMIT


def test_parts_beyond_the_many_that_are_read_are_named(read: Read) -> None:
    parts = b"".join(b"--b\n\nText %d.\n" % each for each in range(MAX_PARTS + 500))
    content = TOP + b"Content-Type: multipart/mixed; boundary=b\n\n" + parts + b"--b--\n"

    document = read(content, MAIL)

    assert "Text 900." in document.text
    assert document.failures == ("Parts beyond 1,000, or 50 levels deep, were not read",)


@pytest.mark.parametrize(
    "extra",
    [
        b"".join(b"X-Field-%d: %d\n" % (each, each) for each in range(100_000)),
        b"To: " + b"a@example.com, " * 100_000 + b"\n",
        b"Content-Type: text/plain"
        + b"".join(b"; p%d=1" % each for each in range(100_000))
        + b"\n",
        b"Content-Disposition: inline" + b";\n a*1*=x" * 100_000 + b"\n",
        b"Subject: " + b"=?utf-8?B?7Jew?= " * 100_000 + b"\n",
        b"Subject: " + b"=?" * 200_000 + b"\n",
        b"X: " + b"\n " * 100_000 + b"\n",
    ],
    ids=lambda extra: extra[:14].decode(),
)
def test_fields_without_end_cost_in_proportion(read: Read, extra: bytes) -> None:
    def spent(count: int) -> float:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        top = b"From: a@example.com\nMIME-Version: 1.0\nMessage-ID: <1@x>\n"
        cut = extra[: len(extra) // count].rpartition(b"\n" if b"\nX-" in extra else b" ")[0]
        document = read(top + cut + b"\n\nText.\n", MAIL)
        assert "Text." in document.text
        return resource.getrusage(resource.RUSAGE_SELF).ru_utime - before

    assert spent(1) < 40 * spent(10) + 0.05


# ── damage, of the mail or of what is attached ───────────────────────────────


def packed() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", bytes(200))
    return file.getvalue()


def test_an_archive_that_lost_bytes_costs_only_itself(read: Read) -> None:
    message = mail("Thirty days.\n")
    message.add_attachment(
        packed()[:60] + packed()[240:], maintype="application", subtype="zip", filename="a.docx"
    )
    message.add_attachment(b"A note.\n", maintype="text", subtype="plain", filename="n.txt")

    document = read(sent(message), MAIL)

    assert said(document)[1:] == ["Thirty days.", "A note."]
    assert document.failures[0].startswith("attachment 1 (a.docx): The ZIP archive")


def test_whatever_a_reader_of_an_attachment_raises_costs_only_the_attachment(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(_: object) -> Document:
        raise LookupError("no such cell")

    # The reader of a format stands for any that has a fault which nobody knows of yet.
    monkeypatch.setattr("gdrive_rag_mcp.extraction.json_data.read", stumble)
    message = mail("Thirty days.\n")
    message.add_attachment(b"{}", maintype="application", subtype="json", filename="a.json")
    message.add_attachment(b"A note.\n", maintype="text", subtype="plain", filename="n.txt")

    document = read(sent(message), MAIL)

    assert said(document)[1:] == ["Thirty days.", "A note."]
    assert len(document.failures) == 1
    assert document.failures[0].startswith("attachment 1 (a.json): ")
    assert "LookupError: no such cell" in document.failures[0]


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        (b"; filename*=utf-8''pl%C3%A4n.txt; filename*0*=utf-8''b.txt", "plän.txt"),
        (b"; filename*0=\"one.txt\"; filename*=utf-8''two.txt", "one.txt"),
        (b"; filename*" + b"1" * 5_000 + b"=a.txt", "a.txt"),
        (b"; filename*=ut\0f-8''a.txt", "a.txt"),
    ],
)
def test_a_name_that_contradicts_itself_is_survived(
    read: Read, disposition: bytes, name: str
) -> None:
    content = (
        TOP + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nDays.\n--b\n"
        b"Content-Type: text/plain\nContent-Disposition: attachment" + disposition
    )

    document = read(content + b"\n\nThe plan.\n--b--\n", MAIL)

    assert bodies(document) == ["Days."]
    assert places(document)[-1] == f"attachment 1: {name} > lines 1"


@pytest.mark.parametrize("parameter", [b"boundary", b"charset", b"name"])
def test_parameters_of_a_type_that_contradict_themselves_are_survived(
    read: Read, parameter: bytes
) -> None:
    twice = b"; " + parameter + b"*=utf-8''b; " + parameter + b"*0*=utf-8''b"
    whole = twice if parameter == b"boundary" else b"; boundary=b" + twice
    content = TOP + b"Content-Type: multipart/mixed" + whole + b"\n\n--b\nContent-Type: text/plain"
    inner = b"" if parameter == b"name" else twice

    assert bodies(read(content + inner + b"\n\nDays.\n--b--\n", MAIL)) == ["Days."]


def test_a_mail_that_ends_early_says_so_and_one_that_is_whole_does_not(read: Read) -> None:
    message = mail("Thirty days.\n")
    message.add_attachment(b"A note.\n" * 9, maintype="text", subtype="plain", filename="n.txt")
    whole = sent(message)

    assert read(whole, MAIL).failures == ()
    assert read(whole[:-100], MAIL).failures == (
        "The mail ends early; its last part may not be whole",
    )


def test_a_mail_of_which_nothing_but_a_failure_came_says_what_failed(read: Read) -> None:
    refusal = refusal_of(read, b"Content-Type: application/zip\n\nPK\x03\x04")

    assert "attachment 1 (application/zip): The ZIP archive" in refusal.message
    assert refusal.reason is Reason.CORRUPT


def test_bytes_that_are_no_mail_are_a_mismatch(read: Read) -> None:
    content = bytes(255 - each * 7 % 255 for each in range(5_000))

    assert refusal_of(read, content).reason is Reason.TYPE_MISMATCH
