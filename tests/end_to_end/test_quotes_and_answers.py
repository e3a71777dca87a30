"""Quotes and answers over the sample documents: the command, and a real server on its pipes."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gdrive_rag_mcp.demo
from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import QuoteVerdict
from gdrive_rag_mcp.evidence.quotes import checked_quote, verify
from tests.end_to_end.program import Run

DOCUMENTS = Path(gdrive_rag_mcp.demo.__file__).parent / "documents"
SERVE = (sys.executable, "-m", "gdrive_rag_mcp", "serve", "--transport", "stdio")
POLICY = "Finance/Travel-Policy-2023.md"


@pytest.fixture
def settings(tmp_path: Path, run: Run) -> dict[str, str]:
    """The settings of an index of the sample documents, by words only."""
    made = {
        "GDRIVE_RAG_SOURCE": f"folder:{DOCUMENTS}",
        "GDRIVE_RAG_DB_PATH": str(tmp_path / "index.db"),
    }
    assert run("sync", environ=made).code == 0
    return made


def called(settings: dict[str, str], tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a fresh server answers to one call."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    messages = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        },
    )
    environment = {**os.environ, "GDRIVE_RAG_EMBED_PROVIDER": "none", **settings}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        SERVE, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, encoding="utf-8", env=environment
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for message in messages:
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline()) if "id" in message else {}
        server.stdin.close()
    result: dict[str, Any] = answer["result"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    shown: dict[str, Any] = result["structuredContent"]
    return shown


def test_the_command_tells_exact_near_and_absent_apart(run: Run, settings: dict[str, str]) -> None:
    true = "Hotel rooms may cost up to 140 euros a night"
    exact = run("verify-quote", POLICY, true, "--json", environ=settings)
    near = run("verify-quote", POLICY, true.replace("140", "410"), "--json", environ=settings)
    absent = run("verify-quote", POLICY, "Taxis are free on Sundays.", environ=settings)
    unknown = run("verify-quote", "no-such-id", true, environ=settings)
    empty = run("verify-quote", POLICY, " ", environ=settings)

    assert (exact.code, exact.json["verdict"], exact.json["tolerated"]) == (
        0,
        "exact",
        ["whitespace"],
    )
    assert near.json["differences"] == [{"kind": "number", "quote": "410", "document": "140"}]
    assert absent.out.startswith("Absent: ")
    assert unknown.code == 1
    assert "no document with the id" in unknown.err
    assert empty.code == 2
    assert "the quote is empty" in empty.err


def test_a_server_verifies_what_it_serves(settings: dict[str, str]) -> None:
    served = called(
        settings, "get_document", {"document_id": POLICY, "start": 105, "max_chars": 200}
    )
    found = called(settings, "verify_quote", {"document_id": POLICY, "quote": served["text"]})

    assert (found["verdict"], found["occurrences"]) == ("exact", 1)
    assert found["found_text"] == served["text"].strip()
    page = {
        "document_id": POLICY,
        "start": found["start"],
        "max_chars": found["end"] - found["start"],
    }
    assert called(settings, "get_document", page)["text"] == found["found_text"]
    assert found["content_begins"].startswith("<<untrusted ")


def test_a_server_gives_numbered_sources_or_a_refusal(settings: dict[str, str]) -> None:
    ask = "How long may visitors stay in the Da Nang office after eight in the evening?"
    answered = called(settings, "answer_question", {"question": "How many days of leave per year?"})
    refused = called(settings, "answer_question", {"question": f"{ask} KX-99871"})

    for shown in (answered, refused):
        assert shown["answerable"] == shown["evidence"]["sufficient"] == bool(shown["sources"])
        assert (shown["refusal"] is None) == shown["answerable"]
    assert not refused["answerable"]
    assert refused["refusal"]["say"]
    assert [source["n"] for source in answered["sources"]] == [
        *range(1, len(answered["sources"]) + 1)
    ]


def test_a_quote_from_any_place_of_any_sample_document_is_exact(
    run: Run, settings: dict[str, str]
) -> None:
    exported = run("export", "--chunks", environ=settings).out.splitlines()
    chunks = [chunk["text"] for line in exported for chunk in json.loads(line).get("chunks", ())]
    rng = random.Random(7)  # noqa: S311 - places to look at, no secret
    for text in map(clean, chunks):
        words = [
            at for at in range(1, len(text)) if text[at - 1].isspace() and not text[at].isspace()
        ]
        first, last = sorted(rng.choices([0, *words, len(text)], k=2))
        quote = text[first:last].strip()
        if not quote:
            continue
        match = verify(text, checked_quote(quote))
        assert (match.verdict, match.tolerated) == (QuoteVerdict.EXACT, ()), quote
