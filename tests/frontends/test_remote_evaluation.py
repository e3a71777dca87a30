"""Asking a running server, as `eval --url` does: the same replies, and what is said of failures."""

import threading
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from mcp.server import MCPServer

from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Reply
from gdrive_rag_mcp.errors import ServerError, SettingsError
from gdrive_rag_mcp.evaluation import reply_of
from gdrive_rag_mcp.frontends.mcp_server import build_server
from gdrive_rag_mcp.frontends.remote_evaluation import (
    TOKEN as VARIABLE,
)
from gdrive_rag_mcp.frontends.remote_evaluation import (
    asking_server,
    bearer_token,
    checked_url,
    read_reply,
    sends_token_openly,
)
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.sample_index import SYNCED, sample_index
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document
from tests.frontends.mcp_http import (
    TOKEN,
    App,
    Message,
    Receive,
    Send,
    always,
    guarded,
    lifespan,
    serving,
)

QUESTIONS = (
    "How many days of paid annual leave does an employee get?",
    "What was planned for travel?",
    "Who may take a sabbatical?",
)
EMBEDDER = HashingEmbedder()


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    path = tmp_path_factory.mktemp("index") / "index.db"
    sample_index(path, EMBEDDER)
    return Reader(
        StorePool(path, resident=True),
        embedder=lambda: EMBEDDER,
        clock=lambda: SYNCED + timedelta(hours=1),
    )


@pytest.fixture(scope="module")
def root(reader: Reader) -> Iterator[str]:
    with serving(guarded(build_server(lambda: reader))) as root:
        yield root


def ask(
    url: str,
    question: str = QUESTIONS[0],
    *,
    environ: Mapping[str, str] = {VARIABLE: TOKEN},
    limit: int = 5,
    scope: str | None = None,
    timeout: float = 60.0,
) -> Reply:
    with asking_server(
        url, limit=limit, scope_id=scope, environ=environ, timeout_seconds=timeout
    ) as asked:
        return asked(question)


def told(url: str, *, environ: Mapping[str, str] = {VARIABLE: TOKEN}, timeout: float = 60.0) -> str:
    with pytest.raises(ServerError) as caught:
        ask(url, environ=environ, timeout=timeout)
    assert caught.value.hint
    assert caught.value.exit_code == 1
    assert TOKEN not in f"{caught.value.message}{caught.value.hint}"
    return f"{caught.value.message} | {caught.value.hint}"


# ── replies ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(("limit", "scope"), [(5, None), (1, None), (5, "hr")])
def test_a_server_replies_what_its_index_does(
    reader: Reader, root: str, question: str, limit: int, scope: str | None
) -> None:
    asked = ask(f"{root}/mcp", question, limit=limit, scope=scope)
    own = reply_of(reader.search(question, limit=limit, scope_id=scope))

    assert asked.confidence == pytest.approx(own.confidence, abs=1e-4)
    assert asked.passages == own.passages
    assert asked.passages or scope
    assert (asked.sufficient, asked.reason, asked.mode, asked.missing_terms, asked.warnings) == (
        own.sufficient,
        own.reason,
        own.mode,
        own.missing_terms,
        own.warnings,
    )


def test_a_server_names_the_copies_of_what_it_found(tmp_path: Path) -> None:
    text = "Every employee gets 25 days of paid annual leave; unused days lapse in March."
    documents = [(name, plain_document(text)) for name in ("kept", "copied")]
    fill_index(tmp_path / "index.db", documents, StructuralChunker(size=300, overlap=40))
    twice = Reader(StorePool(tmp_path / "index.db"), embedder=lambda: None)
    with serving(guarded(build_server(lambda: twice))) as root:
        asked = ask(f"{root}/mcp", QUESTIONS[0])

    assert set(asked.passages[0].document_ids) == {"kept", "copied"}
    assert asked.passages == reply_of(twice.search(QUESTIONS[0])).passages


def test_many_questions_are_asked_in_one_session(root: str) -> None:
    with asking_server(f"{root}/mcp", limit=5, scope_id=None, environ={VARIABLE: TOKEN}) as asked:
        replies = [asked(question) for question in QUESTIONS * 5]

    assert replies[:3] == replies[-3:]


def test_the_token_may_be_in_a_file(root: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", encoding="utf-8")

    assert ask(f"{root}/mcp", environ={f"{VARIABLE}_FILE": str(file)}).passages


EVIDENCE = {
    "sufficient": True,
    "reason": "ok",
    "confidence": 1,
    "threshold": 0.5,
    "mode": "hybrid",
    "missing_terms": [],
    "warnings": [],
}
HIT = {"text": "x", "citation": {"path": "a", "locator": {"kind": "lines"}}, "document_id": "a"}


@pytest.mark.parametrize(
    "shown",
    [
        {},
        {"evidence": {}},
        {"evidence": None},
        {"evidence": EVIDENCE | {"confidence": 10**400}, "results": [HIT]},
        {"evidence": EVIDENCE, "results": [7]},
        {"evidence": EVIDENCE, "results": [[]]},
        {"evidence": EVIDENCE, "results": [HIT | {"citation": []}]},
    ],
)
def test_an_answer_of_another_kind_is_refused(shown: dict[str, object]) -> None:
    assert read_reply({"evidence": EVIDENCE, "results": [HIT]}).sufficient

    with pytest.raises(ServerError, match="not one of this version"):
        read_reply(shown)


# ── failures ─────────────────────────────────────────────────────────────────


def test_a_wrong_token_and_none_are_told_apart(root: str) -> None:
    wrong = told(f"{root}/mcp", environ={VARIABLE: "another"})
    none = told(f"{root}/mcp", environ={})

    assert "refuses the bearer token" in wrong
    assert "wants a bearer token" in none
    assert VARIABLE in wrong
    assert VARIABLE in none


def test_a_wrong_path_is_named(root: str) -> None:
    said = told(f"{root}/elsewhere")

    assert f"{root}/elsewhere has no MCP server at this path (HTTP 404)" in said


def test_where_nobody_listens_it_is_said() -> None:
    with serving(always(200)) as root:
        pass

    assert f"the server at {root}/mcp cannot be reached" in told(f"{root}/mcp")


@pytest.mark.parametrize(
    ("status", "said"),
    [(403, "host name"), (421, "host name"), (500, "failed"), (502, "failed"), (429, "failed")],
)
def test_another_status_is_told_with_what_it_means(status: int, said: str) -> None:
    with serving(always(status)) as root:
        message = told(f"{root}/mcp")

    assert said in message
    assert f"HTTP {status}" in message


def test_a_redirect_to_another_place_is_not_followed_with_the_token() -> None:
    seen: list[str] = []

    async def elsewhere(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await lifespan(receive, send)
            return
        seen.append(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    with serving(elsewhere) as other, serving(always(307, location=f"{other}/mcp")) as root:
        assert "leads elsewhere (HTTP 307)" in told(f"{root}/mcp")
    assert seen == []


@pytest.mark.parametrize(
    "app",
    [
        always(200, b"<html>Welcome</html>", content_type="text/html"),
        always(200, b"{}", content_type="application/json"),
        always(200, b"nonsense", content_type="application/json"),
        always(200, b"", content_type="text/event-stream"),
        always(202),
    ],
    ids=["a page", "an empty object", "no JSON", "an empty stream", "accepted"],
)
def test_what_is_no_mcp_server_is_told(app: App) -> None:
    with serving(app) as root:
        assert "does not answer as a server of this product" in told(f"{root}/mcp")


def test_a_server_without_the_tool_is_told_with_what_it_has() -> None:
    server: MCPServer[dict[str, object]] = MCPServer("another")

    @server.tool()
    def add(one: int, other: int) -> int:
        return one + other

    with serving(guarded(server)) as root:
        assert "has no tool search_knowledge; it has add" in told(f"{root}/mcp")


def test_a_tool_of_that_name_which_returns_something_else_is_told() -> None:
    server: MCPServer[dict[str, object]] = MCPServer("another")

    @server.tool()
    def search_knowledge(query: str, limit: int) -> dict[str, int]:
        return {"hits": limit}

    with serving(guarded(server)) as root:
        assert "not one of this version" in told(f"{root}/mcp")


def test_what_the_server_says_of_a_failure_is_passed_on(tmp_path: Path) -> None:
    broken = tmp_path / "index.db"
    broken.write_bytes(b"no index" * 1000)
    unusable = Reader(StorePool(broken, resident=True), embedder=lambda: EMBEDDER)

    with serving(guarded(build_server(lambda: unusable))) as root:
        assert "did not do it: index_corrupt" in told(f"{root}/mcp")


def test_a_server_that_does_not_answer_is_given_up() -> None:
    done = threading.Event()

    async def silent(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await lifespan(receive, send)
            return
        while (await receive())["type"] != "http.disconnect":
            pass
        done.set()

    with serving(silent) as root:
        assert "did not answer within 0.2 seconds" in told(f"{root}/mcp", timeout=0.2)
        assert done.wait(60)


def test_a_server_that_ends_between_two_questions_is_told(reader: Reader) -> None:
    app = guarded(build_server(lambda: reader))
    broken = threading.Event()

    async def breaking(scope: Message, receive: Receive, send: Send) -> None:
        if broken.is_set() and scope["type"] == "http":
            raise ConnectionResetError
        await app(scope, receive, send)

    with (
        serving(breaking) as root,
        asking_server(f"{root}/mcp", limit=5, scope_id=None, environ={VARIABLE: TOKEN}) as asked,
    ):
        assert asked(QUESTIONS[0]).passages
        broken.set()
        with pytest.raises(ServerError):
            asked(QUESTIONS[0])


# ── the URL and the token ────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "url",
    [
        "http://name:secret@127.0.0.1:8000/mcp",
        "http://secret@127.0.0.1:8000/mcp",
        "http://127.0.0.1:8000/mcp?token=secret",
        "http://127.0.0.1:8000/mcp#secret",
        "ftp://127.0.0.1/secret",
        "secret",
        "",
    ],
)
def test_a_url_that_may_carry_a_secret_or_is_none_is_refused_unshown(url: str) -> None:
    with pytest.raises(SettingsError, match="--url") as caught:
        checked_url(url)
    assert "secret" not in str(caught.value)
    assert VARIABLE in caught.value.hint


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "päßwort"])
def test_a_token_that_cannot_be_sent_is_refused_unshown(token: str) -> None:
    with pytest.raises(SettingsError, match=VARIABLE) as caught:
        bearer_token({VARIABLE: token})
    assert token not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "openly"),
    [
        ("http://127.0.0.1:8000/mcp", False),
        ("http://localhost/mcp", False),
        ("http://[::1]:8000/mcp", False),
        ("https://docs.example.com/mcp", False),
        ("http://docs.example.com/mcp", True),
        ("http://192.0.2.7/mcp", True),
    ],
)
def test_a_token_that_others_could_read_on_its_way_is_known(url: str, *, openly: bool) -> None:
    assert sends_token_openly(url, {VARIABLE: TOKEN}) is openly
    assert not sends_token_openly(url, {})
