"""A real `gdrive-rag-mcp serve` over stdio, spoken to as a client does, and a writer beside it."""

import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

from benchmarks.corpus import Corpus
from benchmarks.our_index import Prepared, write
from gdrive_rag_mcp.domain import VerdictReason
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.store import Store

_HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}
_UNSEARCHED = {
    VerdictReason.NO_INDEX,
    VerdictReason.SCOPE_UNKNOWN,
    VerdictReason.SCOPE_EMPTY,
}
_READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_EDITED_SEED, _STRIDE, _PORTION = 11, 37, 8
_LOOK_SECONDS = 0.02
_PATIENCE = 30


@dataclass(frozen=True)
class Question:
    """What is asked, and of which folder alone; None: of everything."""

    text: str
    scope_id: str | None = None


@dataclass
class Asked:
    """Seconds that answers took by the clock, and what was no answer."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    modes: set[str] = field(default_factory=set)


class Server:
    """The process of one session."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._next = 1

    @property
    def number(self) -> int:
        return self._process.pid

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it was started with pipes
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101 - it was started with pipes
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def greet(self) -> None:
        self._send(_HELLO)
        self._answer()
        self._send(_READY)

    def search(self, questions: Sequence[Question], into: Asked) -> None:
        """Ask several questions at the same time, and wait for all answers."""
        asked: dict[int, float] = {}
        for question in questions:
            arguments: dict[str, Any] = {"query": question.text, "limit": 10}
            if question.scope_id is not None:
                arguments["scope_id"] = question.scope_id
            params = {"name": "search_knowledge", "arguments": arguments}
            asked[self._next] = time.perf_counter()
            self._send(
                {"jsonrpc": "2.0", "id": self._next, "method": "tools/call", "params": params}
            )
            self._next += 1
        while asked:
            answer = self._answer()
            if answer.get("id") in asked:
                into.seconds.append(time.perf_counter() - asked.pop(answer["id"]))
                _note(answer, into)


def _note(answer: Mapping[str, Any], into: Asked) -> None:
    result = answer.get("result", {})
    if "error" in answer or result.get("isError"):
        into.errors.append(json.dumps(answer)[:300])
        return
    evidence = result["structuredContent"]["evidence"]
    into.modes.add(evidence["mode"])
    into.errors += [warning for warning in evidence["warnings"] if "embedder" in warning]
    if evidence["reason"] in _UNSEARCHED:
        into.errors.append(f"not searched: {evidence['reason']}")


@contextmanager
def serving(index: Path, settings: Mapping[str, str]) -> Iterator[Server]:
    """A server over an index, with settings by their environment names."""
    environment = {**os.environ, "GDRIVE_RAG_DB_PATH": str(index), **settings}
    process = subprocess.Popen(
        [sys.executable, "-m", "gdrive_rag_mcp", "serve", "--transport", "stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=environment,
    )
    with process:
        server = Server(process)
        try:
            server.greet()
            yield server
        finally:
            process.kill()


def replace_until(stop: Any, index: Path, corpus: Corpus, done: Any) -> None:  # noqa: ANN401 - multiprocessing's
    """Replace documents as fast as they go in, some at a time, until told to stop."""
    other = Corpus(corpus.chunks, _EDITED_SEED)
    material = [other.document(at * _STRIDE % corpus.documents) for at in range(400)]
    with writer_lock(index), Store.open_for_writing(index) as store:
        at = 0
        while not stop.is_set():
            portion = [material[(at + one) % len(material)] for one in range(_PORTION)]
            # Another text each time round: what was seen before would bring its vectors along.
            for made in portion:
                made.texts[:] = [f"{text} {at}" for text in made.texts]
            write(store, [Prepared(made, *made.cut()) for made in portion])
            at += _PORTION
            done.value = at


@contextmanager
def writing(index: Path, corpus: Corpus) -> Iterator[Any]:
    """A process that writes flat out; gives the number of documents it has replaced so far."""
    context = multiprocessing.get_context("spawn")
    stop, done = context.Event(), context.Value("q", 0)
    process = context.Process(target=replace_until, args=(stop, index, corpus, done))
    process.start()
    try:
        yield done
    finally:
        stop.set()
        process.join(_PATIENCE)
        if process.is_alive():
            process.terminate()


class Log:
    """Watches how large the write-ahead log of an index becomes."""

    def __init__(self, index: Path) -> None:
        self._path = index.with_name(index.name + "-wal")
        self._stop = Event()
        self._thread = Thread(target=self._watch)
        self.most_mb = 0.0

    def _watch(self) -> None:
        while not self._stop.wait(_LOOK_SECONDS):
            if self._path.exists():
                self.most_mb = max(self.most_mb, self._path.stat().st_size / 1e6)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
