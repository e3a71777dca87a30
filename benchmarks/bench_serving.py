"""A serving process as a client meets it: its memory, its answers, and a writer beside it.

    python -m benchmarks.bench_serving [--chunks 100000] [--seconds 20] [--check]
        [--json FILE] [--write docs/performance.md]

`gdrive-rag-mcp serve` over stdio answers searches in hybrid mode, once with a server beside it that
knows the questions' vectors, which leaves the index alone, and once with the embedded model, where
its weights are installed. After searches alone, another process replaces documents as fast as
it can while two questions at a time are asked, every third of one folder alone. `--check` fails
above 600 MB of memory, whatever embeds the questions, above 256 MB of write-ahead log, or for any
error.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import benchmarks.one_thread  # noqa: F401 - before numpy is loaded
from benchmarks.corpus import INNERMOST, Corpus, Questions
from benchmarks.made_vectors import DIMENSIONS
from benchmarks.measuring import memory_mb
from benchmarks.our_index import KnownVectors, build_index
from benchmarks.performance_page import finish, reported
from benchmarks.serving_process import Asked, Log, Question, Server, serving, writing
from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights
from gdrive_rag_mcp.errors import EmbedderUnavailableError
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer

MEMORY_GOAL, LOG_GOAL = 600.0, 256.0
"""MB."""
SEARCHES = 200
NARROWED_EVERY = 3
"""Of questions two at a time, how many there are to one that is asked of a folder of 0.5 %."""
_AT_A_TIME = 2
_FOLDER_STEP = 37
_MODEL = "clusters"


@dataclass(frozen=True)
class Provider:
    """What embeds the questions, and the settings that a server needs for it."""

    title: str
    identity: EmbeddingIdentity
    settings: dict[str, str]


@contextmanager
def known_vectors(questions: Questions) -> Iterator[Provider]:
    """A server on this machine that has the questions' vectors ready: nothing but the index."""
    with EmbeddingServer(KnownVectors(questions.texts, questions.vectors)) as server:
        settings = {
            "GDRIVE_RAG_EMBED_PROVIDER": "openai-compatible",
            "GDRIVE_RAG_EMBED_BASE_URL": server.base_url,
            "GDRIVE_RAG_EMBED_MODEL": _MODEL,
            "GDRIVE_RAG_EMBED_DIMENSIONS": str(DIMENSIONS),
        }
        asked = OpenAICompatibleEmbedder(server.base_url, _MODEL, dimensions=DIMENSIONS)
        yield Provider("a server that knows the vectors", asked.identity, settings)


@contextmanager
def embedded_model(_: Questions) -> Iterator[Provider]:
    """The embedded model; over made-up vectors its answers mean nothing, but cost what they cost.

    Raises:
        EmbedderUnavailableError: its weights are not installed.
    """
    folder = find_weights(None, cache_folder(os.environ), build=True)
    settings = {"GDRIVE_RAG_EMBED_PROVIDER": "embedded"}
    identity = OnnxEmbedder(folder).identity
    yield Provider("the embedded model", identity, settings)


def ask(server: Server, texts: Sequence[str], count: int) -> Asked:
    """One question after the other."""
    asked = Asked()
    for at in range(count):
        server.search([Question(texts[at % len(texts)])], asked)
    return asked


def ask_for(server: Server, texts: Sequence[str], seconds: float) -> Asked:
    """Two questions at a time, for a while."""
    asked, at = Asked(), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        server.search([question(texts, at + one) for one in range(_AT_A_TIME)], asked)
        at += _AT_A_TIME
    return asked


def question(texts: Sequence[str], at: int) -> Question:
    """The question in that place of an endless row; every third is of another folder alone."""
    text = texts[at % len(texts)]
    if (at + 1) % NARROWED_EVERY:
        return Question(text)
    return Question(text, f"inner{at * _FOLDER_STEP % INNERMOST}")


def measure(corpus: Corpus, seconds: float, folder: Path) -> dict[str, Any]:
    """The same with each provider that is there."""
    questions = corpus.questions()
    runs, missing = [], []
    for at, provider in enumerate((known_vectors, embedded_model)):
        try:
            with provider(questions) as by:
                index = folder / f"{at}.db"
                build_index(index, corpus, by.identity)
                run = served(index, corpus, by.settings, seconds)
                runs.append({"embedder": by.title, **run})
                index.unlink()
        except EmbedderUnavailableError as error:
            missing.append(f"{provider.__name__}: {error.message}")
    every = {"narrowed_every": NARROWED_EVERY}
    return {"chunks": corpus.chunks, **every, "runs": runs, "missing": missing}


def served(index: Path, corpus: Corpus, settings: dict[str, str], seconds: float) -> dict[str, Any]:
    """Memory after searches alone; answers, errors and the log while another process writes."""
    texts = corpus.questions().texts
    with serving(index, settings) as server:
        first = ask(server, texts, 1)
        ask(server, texts, len(texts))
        alone = ask(server, texts, SEARCHES)
        memory = memory_mb(server.number)
        pairs = ask_for(server, texts, seconds / 4)
        with Log(index) as log, writing(index, corpus) as written:
            while not written.value:  # until the writer has its material together
                time.sleep(0.1)
            begun, started = written.value, time.monotonic()
            beside = ask_for(server, texts, seconds)
            replaced = (written.value - begun) / (time.monotonic() - started)
        memory_after = memory_mb(server.number)
    return {
        "modes": sorted(alone.modes | beside.modes),
        "first_answer_ms": first.seconds[0] * 1000,
        "answer_ms": median(alone.seconds) * 1000,
        "two_at_a_time_ms": median(pairs.seconds) * 1000,
        "beside_writer_ms": median(beside.seconds) * 1000,
        "answers_beside_writer": len(beside.seconds),
        "documents_replaced_a_second": replaced,
        "errors": [*first.errors, *alone.errors, *pairs.errors, *beside.errors],
        "log_mb": log.most_mb,
        "memory": memory,
        "memory_after_writer": memory_after,
    }


def misses(result: dict[str, Any]) -> list[str]:
    """Every goal that was missed, in words."""
    found = []
    for run in result["runs"]:
        by = f"with {run['embedder']}"
        memory = max(run[name].get("VmRSS", 0.0) for name in ("memory", "memory_after_writer"))
        if memory > MEMORY_GOAL:
            found.append(f"{memory:.0f} MB of memory {by}, goal {MEMORY_GOAL:g}")
        if run["log_mb"] > LOG_GOAL:
            found.append(f"{run['log_mb']:.0f} MB of write-ahead log {by}, goal {LOG_GOAL:g}")
        if run["errors"]:
            found.append(f"{len(run['errors'])} errors {by}, such as {run['errors'][0]}")
        if run["modes"] != ["hybrid"]:
            found.append(f"answers {by} in {', '.join(run['modes'])} mode, not hybrid alone")
    return found


def table(result: dict[str, Any]) -> str:
    """The run as Markdown."""
    runs = result["runs"]
    said = f"A server over {result['chunks']:,} chunks; medians by the clock, as the client waits."
    if "narrowed_every" in result:
        said += (
            f" Of two at a time, one in {result['narrowed_every']} is of a folder of 0.5 % alone."
        )
    lines = [
        f"{said} Questions are embedded by:",
        "",
        "| what | " + " | ".join(run["embedder"] for run in runs) + " |",
        "|---|" + "--:|" * len(runs),
    ]
    for title, show in _LINES:
        lines.append(f"| {title} | " + " | ".join(show(run) for run in runs) + " |")
    if result["missing"]:
        lines += ["", f"Not measured: {'; '.join(result['missing'])}."]
    return "\n".join(lines)


def _memory(name: str) -> Callable[[dict[str, Any]], str]:
    def show(run: dict[str, Any]) -> str:
        found = run[name]
        if not found:
            return "not known here"
        return (
            f"{found['VmRSS']:.0f}: {found['RssAnon']:.0f} its own, "
            f"{found['RssFile']:.0f} of mapped files; {found['VmHWM']:.0f} at most"
        )

    return show


_LINES: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
    ("first answer, ms", lambda run: f"{run['first_answer_ms']:,.0f}"),
    ("an answer, ms", lambda run: f"{run['answer_ms']:.1f}"),
    ("an answer of two at a time, ms", lambda run: f"{run['two_at_a_time_ms']:.1f}"),
    ("the same beside a writer, ms", lambda run: f"{run['beside_writer_ms']:.1f}"),
    ("answers beside the writer", lambda run: f"{run['answers_beside_writer']:,}"),
    (
        "documents replaced a second meanwhile",
        lambda run: f"{run['documents_replaced_a_second']:.0f}",
    ),
    ("errors (goal: 0)", lambda run: str(len(run["errors"]))),
    (f"write-ahead log at most, MB (goal: {LOG_GOAL:g})", lambda run: f"{run['log_mb']:.0f}"),
    (f"memory after {SEARCHES} searches, MB (goal: {MEMORY_GOAL:g})", _memory("memory")),
    ("memory after the writer, MB", _memory("memory_after_writer")),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Corpus(arguments.chunks), arguments.seconds, Path(folder))
    finish("serving", result, arguments.json, arguments.write)
    return reported(misses(result), check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
