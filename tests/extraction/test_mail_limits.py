"""How large a mail may be, which version of its text is read, and words of several charsets."""

import os
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.mail.document import MAX_BYTES
from gdrive_rag_mcp.extraction.reading import read_document

Read = Callable[[bytes, str], Document]
MAIL = "message/rfc822"
TOP = b"From: a@example.com\nTo: b@example.com\nMIME-Version: 1.0\n"


def body(document: Document) -> str:
    return "\n".join(
        document.text[each.start : each.end]
        for each in document.segments
        if each.locator.value == "body"
    )


def test_a_mail_above_the_limit_is_too_large_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.eml"
    path.write_bytes(TOP + b"Subject: Leave\n\nThirty days.\n")
    os.truncate(path, MAX_BYTES + 1)

    with pytest.raises(ExtractionError) as refusal:
        read_document(path, MAIL)

    assert refusal.value.reason is Reason.TOO_LARGE
    assert f"{MAX_BYTES + 1:,} bytes" in refusal.value.message


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("=?utf-8?Q?Urlaubs=C3=9F?= =?iso-8859-1?Q?gr=FC=DFe?=", "Urlaubsßgrüße"),
        ("=?iso-8859-1?Q?gr=FC=DFe_?=\n =?euc-kr?B?yN6woQ==?=", "grüße 휴가"),
        ("=?utf-8?Q?caf=C3=A9?= and =?iso-8859-1?Q?th=E9?=", "café and thé"),
        ("Re: =?utf-8?Q?caf=C3=A9?=  =?iso-8859-1?Q?th=E9?= now", "Re: caféthé now"),
    ],
)
def test_blanks_between_encoded_words_are_no_text_whatever_their_charsets(
    read: Read, subject: str, title: str
) -> None:
    """RFC 2047, 6.2: only what is between an encoded word and a plain one is shown."""
    content = TOP + f"Subject: {subject}\n\nThirty days.\n".encode()

    assert read(content, MAIL).title == title


def test_of_several_versions_as_a_page_the_last_is_read(read: Read) -> None:
    """RFC 2046, 5.1.4: versions stand in the order of increasing faithfulness."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.com", "b@example.com", "Leave"
    message.set_content("<p>The poor version.</p>", subtype="html")
    message.make_alternative()
    message.add_alternative("<p>The better version.</p>", subtype="html")

    document = read(message.as_bytes(policy=SMTP), MAIL)

    assert body(document) == "The better version."
    assert "poor" not in document.text
