"""The server as a process: what a client that starts it sees on its pipes."""

import json
import os
import select
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.sample_index import sample_index

PATIENCE_SECONDS = 60  # how long a hung process holds up the tests; nothing waits for it to pass

END_BY_SIGNALS = """
    from gdrive_rag_mcp.frontends.interrupts import end_by_signals
    end_by_signals()  # as the command does, before it serves
"""
SERVE = """
    import sys
    from pathlib import Path
    from gdrive_rag_mcp.frontends.mcp_server import serve_stdio

    def make_reader():
        from gdrive_rag_mcp.app import Reader, StorePool
        from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
        return Reader(StorePool(Path(sys.argv[1]), resident=True), embedder=HashingEmbedder)

    serve_stdio(make_reader)
"""
NOISY = """
    import os
    from gdrive_rag_mcp.frontends.mcp_server import serve_stdio

    def make_reader():
        print("printed by a library")
        print("left without an end of line", end="")
        os.write(1, b"written to the descriptor")
        os.system("echo said by a child")
        from gdrive_rag_mcp.errors import SettingsError
        raise SettingsError("on purpose")

    serve_stdio(make_reader)
"""
STUCK = """
    import sys, threading
    from gdrive_rag_mcp.frontends.mcp_server import serve_stdio

    def make_reader():
        print("stuck", file=sys.stderr, flush=True)
        threading.Event().wait()

    serve_stdio(make_reader)
"""
BARE = """
    from mcp.server import MCPServer

    server = MCPServer("bare", log_level="WARNING", subscriptions=False)
    for name in ("one", "two", "three", "four", "five", "six", "seven"):
        server.tool(name=name)(lambda question: question)
    server.run("stdio")
"""
LOADED = """
    import sys
    from gdrive_rag_mcp.frontends import mcp_server

    mcp_server.build_server(lambda: None)
    print(*sorted(sys.modules))
"""

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST_TOOLS = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def call(tool: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments or {}}
    return {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}


class Server:
    """A server process, spoken to in lines of JSON."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def send(self, *messages: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        for message in messages:
            self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def answer(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.line())
        return answer

    def open_session(self) -> dict[str, Any]:
        self.send(INITIALIZE)
        answer = self.answer()
        self.send(INITIALIZED)
        return answer

    def end_of_input(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE_SECONDS)

    def told(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.readline()


def running(program: str, *arguments: str) -> list[str]:
    """The command that runs a program given as text."""
    return [sys.executable, "-c", textwrap.dedent(program), *arguments]


def serving(index: Path) -> list[str]:
    """The command that a client is configured with."""
    # The fake embedder of the sample is no provider that settings can name.
    return [
        *("/usr/bin/env", f"GDRIVE_RAG_DB_PATH={index}", "GDRIVE_RAG_RETRIEVAL_MODE=keyword"),
        *(sys.executable, "-m", "gdrive_rag_mcp", "serve", "--transport", "stdio"),
    ]


def as_a_client_starts_it() -> dict[str, str]:
    """The environment without what a developer's shell may say of how Python prints."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


@contextmanager
def started(command: list[str]) -> Iterator[Server]:
    pipe, environment = subprocess.PIPE, as_a_client_starts_it()
    process = subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8", env=environment
    )
    with process:
        try:
            yield Server(process)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "index.db"
    sample_index(path, HashingEmbedder())
    return path


def test_the_first_byte_a_client_reads_opens_a_json_object(index: Path) -> None:
    with started(serving(index)) as server:
        server.send(INITIALIZE)
        line = server.line()

        assert line[0] == "{"
        assert json.loads(line)["id"] == 1
        assert server.end_of_input() == 0
        assert server.told() == ""


def test_nothing_is_said_on_stdout_before_a_client_asks(index: Path) -> None:
    with started(running(SERVE, str(index))) as server:
        server.open_session()
        stdout = server.process.stdout
        assert stdout is not None

        assert select.select([stdout], [], [], 0)[0] == []


def test_the_handshake_era_is_served_by_raw_lines(index: Path) -> None:
    with started(serving(index)) as server:
        opened = server.open_session()["result"]
        assert opened["protocolVersion"] == "2025-06-18"
        assert opened["serverInfo"]["name"] == "gdrive-rag-mcp"
        assert "abstain" in opened["instructions"]

        server.send(LIST_TOOLS)
        assert len(server.answer()["result"]["tools"]) == 7

        server.send(call("search_knowledge", {"query": "rent in Hamburg", "limit": 1}))
        result = server.answer()["result"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        assert server.end_of_input() == 0


def test_the_stateless_era_is_served_by_raw_lines(index: Path) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    request = call("check_index_status")
    request["params"]["_meta"] = meta
    with started(running(SERVE, str(index))) as server:
        server.send(request)

        assert server.answer()["result"]["structuredContent"]["documents"] == 3


def test_what_code_prints_during_a_call_cannot_corrupt_the_stream() -> None:
    with started(running(NOISY)) as server:
        server.open_session()
        server.send(call("check_index_status"))
        answer = server.answer()
        assert answer["id"] == 3
        assert "on purpose" in answer["result"]["content"][0]["text"]

        server.send(LIST_TOOLS)
        assert server.answer()["id"] == 2
        assert server.end_of_input() == 0
        assert server.process.stdout is not None
        assert server.process.stderr is not None
        rest, noise = server.process.stdout.read(), server.process.stderr.read()
    assert rest == ""
    for said in (
        *("printed by a library", "left without an end of line"),
        *("written to the descriptor", "said by a child"),
    ):
        assert said in noise


def test_a_line_that_is_no_message_does_not_end_the_session(index: Path) -> None:
    with started(running(SERVE, str(index))) as server:
        assert server.process.stdin is not None
        server.process.stdin.write("this is no JSON\n\ud83d\n".encode("utf-8", "replace").decode())
        server.open_session()
        server.send(LIST_TOOLS)

        assert server.answer()["id"] == 2


def test_the_end_of_input_ends_the_process(index: Path) -> None:
    with started(running(SERVE, str(index))) as server:
        server.open_session()

        assert server.end_of_input() == 0


def test_the_end_of_input_ends_the_process_though_a_tool_is_stuck_for_ever() -> None:
    with started(running(STUCK)) as server:
        server.open_session()
        server.send(call("check_index_status"))
        assert server.told() == "stuck\n"

        assert server.end_of_input() == 0


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("program", [SERVE, STUCK], ids=["idle", "stuck"])
def test_a_signal_ends_the_process_at_once(index: Path, program: str, by: signal.Signals) -> None:
    with started(running(END_BY_SIGNALS + program, str(index))) as server:
        server.open_session()
        if program is STUCK:
            server.send(call("check_index_status"))
            assert server.told() == "stuck\n"
        server.process.send_signal(by)

        assert server.process.wait(PATIENCE_SECONDS) == -by


def test_a_client_that_dies_leaves_no_process_behind(index: Path) -> None:
    with started(running(SERVE, str(index))) as server:
        server.open_session()
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.send(LIST_TOOLS)

        assert server.end_of_input() == 0


# ── start-up ─────────────────────────────────────────────────────────────────


def test_listing_tools_loads_no_index_no_vectors_and_no_model() -> None:
    loaded = subprocess.run(
        running(LOADED), check=True, capture_output=True, text=True
    ).stdout.split()

    heavy = {"apsw", "numpy", "onnxruntime", "tokenizers", "google", "googleapiclient", "lxml"}
    assert heavy & {name.partition(".")[0] for name in loaded} == set()
    assert "gdrive_rag_mcp.store" not in loaded


def _cpu_seconds_to_list_tools(command: list[str]) -> float:
    """CPU time of a process from its start through one `tools/list` to its end."""
    with started(command) as server:
        server.open_session()
        server.send(LIST_TOOLS)
        assert len(server.answer()["result"]["tools"]) == 7
        assert server.process.stdin is not None
        server.process.stdin.close()
        _, status, usage = os.wait4(server.process.pid, 0)
        server.process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime


def test_listing_tools_costs_at_most_half_a_second_more_than_a_bare_server(index: Path) -> None:
    rounds = range(2)
    bare = min(_cpu_seconds_to_list_tools(running(BARE)) for _ in rounds)
    ours = min(_cpu_seconds_to_list_tools(serving(index)) for _ in rounds)

    assert ours - bare <= 0.5
