"""Hostile text: web pages, mail, notebooks, data, Markdown, RTF."""

import base64
import json
from email.message import EmailMessage

LONG = 30_000_000


def nested_divisions(depth: int = 200_000) -> bytes:
    return b"<html><body>" + b"<div>" * depth + b"inside" + b"</div>" * depth


def nested_formats(depth: int = 20_000) -> bytes:
    """Tags closed in the wrong order, which a parser has to reopen for every paragraph."""
    return b"<html><body>" + b"<b><i>" * depth + b"<p>text" * 200 + b"</b></i>" * depth


def many_attributes(count: int = 200_000) -> bytes:
    attributes = " ".join(f"a{number}=1" for number in range(count))
    return f"<html><body><p {attributes}>text</p></body></html>".encode()


def nested_tables(depth: int = 5_000) -> bytes:
    return b"<html><body>" + b"<table><tr><td>" * depth + b"inside"


def wide_spans() -> bytes:
    cell = "<td colspan=100000 rowspan=100000>x</td>"
    row = f"<tr>{cell * 50}</tr>"
    return f"<html><body><table>{row * 200}</table></body></html>".encode()


def unclosed_comment() -> bytes:
    return b"<html><body>text<!--" + b"<!-" * 5_000_000


def nested_json(depth: int = 200_000) -> bytes:
    return b"[" * depth + b'"inside"' + b"]" * depth


def nested_json_objects(depth: int = 50_000) -> bytes:
    return b'{"a":' * depth + b'"inside"' + b"}" * depth


def long_number() -> bytes:
    return b'{"value": ' + b"9" * 5_000_000 + b"}"


def nested_mail(depth: int = 3_000) -> bytes:
    heads = [f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(depth)]
    start, end = "Subject: nested\nMIME-Version: 1.0\n", "Content-Type: text/plain\n\nx"
    return "".join([start, *heads, end]).encode()


def mail_in_mail(depth: int = 60) -> bytes:
    message = EmailMessage()
    message["Subject"] = "innermost"
    message.set_content("inside")
    for level in range(depth):
        outer = EmailMessage()
        outer["Subject"] = f"level {level}"
        outer.set_content(f"text of level {level}")
        outer.add_attachment(message)
        message = outer
    return bytes(message)


def many_headers(count: int = 200_000) -> bytes:
    return b"".join(b"X-%d: y\n" % n for n in range(count)) + b"Subject: s\n\ntext\n"


def long_encoded_word() -> bytes:
    return b"Subject: " + b"=?utf-8?q?=C3?= " * 200_000 + b"\n\ntext\n"


def nested_braces(depth: int = 200_000) -> bytes:
    return b"{\\rtf1 " + b"{" * depth + b"inside" + b"}" * depth + b"}"


def open_braces(depth: int = 2_000_000) -> bytes:
    return b"{\\rtf1 text " + b"{\\b " * depth


def long_binary_claim() -> bytes:
    return b"{\\rtf1 text {\\*\\bin99999999999 x}" + b"\\u-99999999999 ?" * 10_000 + b"}"


def one_long_line() -> bytes:
    return b"a" * LONG


def one_line_of_words(size: int = 40_000_000) -> bytes:
    return b"word " * (size // 5)


def many_columns(count: int = 1_000_000) -> bytes:
    return b"a," * count + b"a\n" + b"1," * count + b"1\n"


def one_long_cell() -> bytes:
    return b'name,value\nx,"' + b"y" * LONG + b'"\n'


def unclosed_quotes() -> bytes:
    return b"a,b\n" + b'"x,' * 3_000_000


def notebook_with_pictures() -> bytes:
    picture = base64.b64encode(bytes(38_000_000)).decode()
    output = {"output_type": "display_data", "data": {"image/png": picture}, "metadata": {}}
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# The heading\n", "The text."]},
        {"cell_type": "code", "metadata": {}, "source": "x = 1", "outputs": [output],
         "execution_count": 1},
    ]  # fmt: skip
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


MARKDOWN_RUNS = {
    "brackets": b"[" * 200_000 + b"](x)",
    "closing brackets": b"]" * 200_000,
    "pictures": b"![" * 200_000,
    "stars": b"*" * 200_000 + b" text " + b"*a_ " * 100_000,
    "underscores": b"_a" * 200_000,
    "pipes": b"|" * 200_000 + b"\n" + b"|-" * 200_000 + b"\n" + b"|x" * 200_000 + b"\n",
    "table rows": b"|a|b|\n|-|-|\n" + b"|x|\n" * 200_000,
    "spaces": b"text" + b" " * 2_000_000 + b"\n" + b" " * 2_000_000,
    "tabs": b"- \t" * 200_000,
    "lines": b"\n" * 2_000_000 + b"text",
    "quotes": b">" * 200_000 + b" text\n",
    "fences": b"```\n" * 200_001 + b"text",
    "backticks": b"".join(b"`" * n + b" " for n in range(1, 1_000)),
    "headings": b"# a\n## b\n" * 100_000,
    "deep headings": b"#" * 200_000 + b" text\n",
    "underlines": b"text\n" + b"=" * 2_000_000 + b"\n" + b"-" * 2_000_000,
    "entities": b"&amp;" * 200_000 + b"&" * 200_000,
    "tags": b"<" * 200_000 + b"<a" * 100_000,
    "definitions": b"".join(b"[%d]: x\n" % n for n in range(100_000)) + b"[text][1]\n",
    "lists": b"".join(b" " * n + b"- x\n" for n in range(1_000)),
    "numbers": b"1. " * 200_000,
    "front matter": b"---\n" + b"a: b\n" * 200_000,
    "marks on one letter": b"a" + "\u0301".encode() * 500_000,
    "joiners": "\u200d".encode() * 500_000 + b"text",
    "no letters": b"\x00\x01\x02" * 200_000,
    "wide letters": "\U00020000".encode() * 500_000,
    "wrong bytes": b"text " + b"\xff\xfe\xfd" * 500_000,
}
"""What makes a careless pattern or parser take the square of the time, or worse."""
