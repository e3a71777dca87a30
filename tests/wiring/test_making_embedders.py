"""Which embedder serves which setting, and what is said when something is lacking."""

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from gdrive_rag_mcp import wiring
from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.gemini import GeminiEmbedder
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.embedding.sentence_transformers import SentenceTransformersEmbedder
from gdrive_rag_mcp.errors import EmbedderUnavailableError, SettingsError
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.settings import Settings, load_settings
from gdrive_rag_mcp.testing.gemini_server import GeminiServer
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

HERE = "http://127.0.0.1:9/v1"
RECORDED = EmbeddingIdentity("openai-compatible", "bge-m3", 1024, "f" * 64)


def settings(**environ: str) -> Settings:
    """Settings of this environment alone."""
    return load_settings(environ={"HOME": os.devnull, **environ})


def remote(**environ: str) -> Settings:
    """Settings that choose a server, which nothing here ever calls."""
    chosen = {
        "GDRIVE_RAG_EMBED_PROVIDER": "openai-compatible",
        "GDRIVE_RAG_EMBED_BASE_URL": HERE,
        "GDRIVE_RAG_EMBED_MODEL": "nomic",
        "GDRIVE_RAG_EMBED_DIMENSIONS": "64",
    }
    return settings(**(chosen | environ))


def make_embedder(
    chosen: Settings,
    recorded: EmbeddingIdentity | None = None,
    report: Callable[[str], None] = lambda _: None,
    **environ: str,
) -> Embedder | None:
    return wiring.make_embedder(chosen, recorded, build=False, report=report, environ=environ)


@pytest.fixture
def connect_to() -> Iterator[GeminiServer]:
    """A Gemini API on this machine."""
    with GeminiServer(HashingEmbedder(768)) as server:
        yield server


# ── openai-compatible, and what is recorded ──────────────────────────────────


def test_no_embedder_is_made_when_none_is_wanted() -> None:
    assert make_embedder(settings(GDRIVE_RAG_EMBED_PROVIDER="none"), RECORDED) is None


def test_a_server_is_used_when_it_is_set() -> None:
    embedder = make_embedder(remote())

    assert isinstance(embedder, OpenAICompatibleEmbedder)
    assert (embedder.identity.model, embedder.identity.dimensions) == ("nomic", 64)


def test_what_the_index_was_made_with_is_used_when_nothing_is_set() -> None:
    embedder = make_embedder(settings(GDRIVE_RAG_EMBED_BASE_URL=HERE), RECORDED)

    assert isinstance(embedder, OpenAICompatibleEmbedder)
    assert embedder.identity.model == RECORDED.model
    assert embedder.identity.dimensions == RECORDED.dimensions


def test_what_is_set_wins_over_what_the_index_was_made_with() -> None:
    embedder = make_embedder(remote(), RECORDED)

    assert embedder is not None
    assert (embedder.identity.model, embedder.identity.dimensions) == ("nomic", 64)


def test_another_providers_record_says_nothing_of_a_servers_model() -> None:
    recorded = EmbeddingIdentity("embedded", "e5", 384, "e" * 64)
    chosen = settings(GDRIVE_RAG_EMBED_PROVIDER="openai-compatible", GDRIVE_RAG_EMBED_BASE_URL=HERE)

    with pytest.raises(SettingsError, match="GDRIVE_RAG_EMBED_MODEL"):
        make_embedder(chosen, recorded)


@pytest.mark.parametrize("missing", ["GDRIVE_RAG_EMBED_BASE_URL", "GDRIVE_RAG_EMBED_MODEL"])
def test_a_server_without_address_or_model_is_refused_by_name(missing: str) -> None:
    with pytest.raises(SettingsError, match=missing) as refused:
        make_embedder(remote(**{missing: ""}))

    assert refused.value.hint


def test_a_recorded_server_without_an_address_is_refused_not_replaced() -> None:
    with pytest.raises(SettingsError, match="GDRIVE_RAG_EMBED_BASE_URL"):
        make_embedder(settings(), RECORDED)


def test_an_index_of_an_embedder_that_this_version_does_not_have_is_refused() -> None:
    recorded = EmbeddingIdentity("clairvoyance", "deep", 768, "9" * 64)

    with pytest.raises(SettingsError, match="made with clairvoyance") as refused:
        make_embedder(settings(), recorded)
    assert "upgrade" in refused.value.hint


def test_a_key_that_is_named_and_not_set_is_said_with_both_places_it_may_be_in() -> None:
    chosen = remote(GDRIVE_RAG_EMBED_API_KEY_ENV="MY_KEY")

    with pytest.raises(EmbedderUnavailableError, match="MY_KEY, which is not set") as refused:
        make_embedder(chosen)
    assert "MY_KEY_FILE" in refused.value.hint
    assert make_embedder(chosen, MY_KEY="x") is not None


def test_a_key_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    chosen = remote(GDRIVE_RAG_EMBED_API_KEY_ENV="MY_KEY")

    with pytest.raises(SettingsError, match="MY_KEY_FILE"):
        make_embedder(chosen, MY_KEY_FILE=str(tmp_path / "no.txt"))


# ── without a provider that is set ───────────────────────────────────────────


def test_a_new_index_is_made_with_gemini_where_its_key_is_and_the_run_says_so(
    tmp_path: Path,
) -> None:
    said: list[str] = []
    embedder = make_embedder(settings(), report=said.append, GEMINI_API_KEY="AIza-something")

    assert isinstance(embedder, GeminiEmbedder)
    assert (embedder.identity.model, embedder.identity.dimensions) == ("gemini-embedding-001", 768)
    [line] = said
    for words in ("Gemini", "GEMINI_API_KEY is set", "goes to Google", "bills every chunk"):
        assert words in line
    assert "GDRIVE_RAG_EMBED_PROVIDER=embedded" in line
    assert "AIza" not in line

    file = tmp_path / "key"
    file.write_text("AIza-in-a-file\n", encoding="utf-8")
    assert isinstance(make_embedder(settings(), GEMINI_API_KEY_FILE=str(file)), GeminiEmbedder)


def test_a_new_index_is_made_with_the_embedded_model_where_no_key_is_and_the_run_says_so(
    real_embedder: Embedder,
) -> None:
    said: list[str] = []
    made = wiring.make_embedder(settings(), None, build=True, report=said.append)

    assert made is not None
    assert made.identity == real_embedder.identity
    assert "on this machine, because no provider and no GEMINI_API_KEY is set" in said[-1]


def test_a_folder_with_a_model_is_used_even_where_a_gemini_key_is_set(model_files: Path) -> None:
    said: list[str] = []
    chosen = settings(GDRIVE_RAG_EMBED_MODEL_PATH=str(model_files))
    made = make_embedder(chosen, report=said.append, GEMINI_API_KEY="AIza-something")

    assert isinstance(made, OnnxEmbedder)
    assert "GDRIVE_RAG_EMBED_MODEL_PATH is set" in said[0]


def test_nothing_is_said_of_a_provider_that_is_set_or_recorded(model_files: Path) -> None:
    embedded = EmbeddingIdentity("embedded", "e5", 384, "e" * 64)
    path = {"GDRIVE_RAG_EMBED_MODEL_PATH": str(model_files)}
    key = "AIza-something"
    recorded = make_embedder(settings(**path), embedded, report=pytest.fail, GEMINI_API_KEY=key)
    chosen = settings(GDRIVE_RAG_EMBED_PROVIDER="embedded", **path)

    assert isinstance(recorded, OnnxEmbedder)
    assert isinstance(make_embedder(chosen, report=pytest.fail, GEMINI_API_KEY=key), OnnxEmbedder)


# ── gemini ───────────────────────────────────────────────────────────────────


def gemini(**environ: str) -> Settings:
    return settings(GDRIVE_RAG_EMBED_PROVIDER="gemini", **environ)


def test_gemini_is_reached_as_is_set(connect_to: GeminiServer) -> None:
    chosen = gemini(
        GDRIVE_RAG_EMBED_MODEL="gemini-embedding-2",
        GDRIVE_RAG_EMBED_DIMENSIONS="64",
        GDRIVE_RAG_EMBED_BASE_URL=connect_to.base_url,
        GDRIVE_RAG_EMBED_BATCH_SIZE="2",
        GDRIVE_RAG_EMBED_API_KEY_ENV="MY_KEY",
    )
    embedder = make_embedder(chosen, MY_KEY="mine", GEMINI_API_KEY="another")
    assert embedder is not None
    assert embedder.embed(["one", "two", "three"], role="document").shape == (3, 64)

    first, second = connect_to.requests
    assert "gemini-embedding-2" in first.path
    assert first.headers["x-goog-api-key"] == "mine"
    assert (len(first.body["requests"]), len(second.body["requests"])) == (2, 1)


def test_gemini_takes_a_hundred_texts_a_call_when_no_batch_size_is_set(
    connect_to: GeminiServer,
) -> None:
    chosen = gemini(GDRIVE_RAG_EMBED_BASE_URL=connect_to.base_url)
    embedder = make_embedder(chosen, GEMINI_API_KEY="x")
    assert embedder is not None
    embedder.embed([f"text {number}" for number in range(100)], role="document")

    assert len(connect_to.requests) == 1


def test_model_and_length_of_a_gemini_index_hold_when_unset() -> None:
    recorded = EmbeddingIdentity("gemini", "gemini-embedding-2", 1536, "9" * 64)

    same = make_embedder(settings(), recorded, GEMINI_API_KEY="x")
    other = make_embedder(gemini(), RECORDED, GEMINI_API_KEY="x")
    set_anew = make_embedder(
        settings(GDRIVE_RAG_EMBED_DIMENSIONS="256"), recorded, GEMINI_API_KEY="x"
    )

    found = [
        (one.identity.model, one.identity.dimensions) for one in (same, other, set_anew) if one
    ]
    assert found == [
        ("gemini-embedding-2", 1536), ("gemini-embedding-001", 768), ("gemini-embedding-2", 256),
    ]  # fmt: skip


def test_gemini_without_its_key_is_unavailable_and_says_where_the_key_is_looked_for() -> None:
    with pytest.raises(EmbedderUnavailableError, match="GEMINI_API_KEY, which is not set") as told:
        make_embedder(gemini())
    assert "GEMINI_API_KEY_FILE" in told.value.hint


# ── sentence-transformers ────────────────────────────────────────────────────


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes it look as if some version of the library were installed, which nothing here loads."""

    def install(version: str) -> None:
        about = tmp_path / f"sentence_transformers-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: sentence-transformers\nVersion: {version}\n",
            encoding="utf-8",
        )
        monkeypatch.syspath_prepend(str(tmp_path))

    return install


def test_sentence_transformers_without_its_extra_is_refused_with_the_remedy(tmp_path: Path) -> None:
    if find_spec("sentence_transformers") is not None:
        pytest.skip("sentence-transformers is installed")
    chosen = settings(
        GDRIVE_RAG_EMBED_PROVIDER="sentence-transformers",
        GDRIVE_RAG_EMBED_MODEL_PATH=str(tmp_path),
    )
    with pytest.raises(SettingsError, match="not installed") as refused:
        make_embedder(chosen)
    assert "pip install 'gdrive-rag-mcp[sentence-transformers]'" in refused.value.hint


def test_a_version_that_runs_the_code_of_a_folder_is_refused(
    library: Callable[[str], None],
) -> None:
    library("5.9.1")
    chosen = settings(
        GDRIVE_RAG_EMBED_PROVIDER="sentence-transformers", GDRIVE_RAG_EMBED_MODEL="a/b"
    )
    with pytest.raises(SettingsError, match=r"5\.9\.1 runs code"):
        make_embedder(chosen)


@pytest.mark.parametrize(
    ("environ", "recorded", "source"),
    [
        ({"GDRIVE_RAG_EMBED_MODEL_PATH": "/models/mine"}, None, Path("/models/mine")),
        ({"GDRIVE_RAG_EMBED_MODEL": "a/b"}, None, "a/b"),
        ({}, "c/d", "c/d"),
        ({"GDRIVE_RAG_EMBED_MODEL": "a/b"}, "c/d", "a/b"),
    ],
)
def test_the_model_of_sentence_transformers_is_the_folder_or_name_set_or_recorded(
    library: Callable[[str], None],
    environ: dict[str, str],
    recorded: str | None,
    source: Path | str,
) -> None:
    library("6.2.0")
    chosen = settings(
        GDRIVE_RAG_EMBED_PROVIDER="sentence-transformers",
        GDRIVE_RAG_EMBED_DEVICE="cuda:1",
        GDRIVE_RAG_EMBED_BATCH_SIZE="7",
        **environ,
    )
    identity = EmbeddingIdentity("sentence-transformers", recorded, 384, "a") if recorded else None
    made = make_embedder(chosen, identity)

    assert isinstance(made, SentenceTransformersEmbedder)
    assert (made._source, made._device, made._batch_size) == (source, "cuda:1", 7)


def test_sentence_transformers_without_a_model_is_refused_by_name(
    library: Callable[[str], None],
) -> None:
    library("6.2.0")
    with pytest.raises(SettingsError, match="GDRIVE_RAG_EMBED_MODEL_PATH"):
        make_embedder(settings(GDRIVE_RAG_EMBED_PROVIDER="sentence-transformers"), RECORDED)


# ── weights ──────────────────────────────────────────────────────────────────


@pytest.fixture
def model_files(tmp_path: Path) -> Path:
    """A folder that has the files of a model; they are not read before the first text."""
    folder = tmp_path / "model"
    (folder / "onnx").mkdir(parents=True)
    for name in ("onnx/model.onnx", "tokenizer.json", "config.json"):
        (folder / name).write_text("{}", encoding="utf-8")
    return folder


def test_a_model_path_without_a_model_is_refused_with_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailableError, match=r"model\.onnx") as refused:
        make_embedder(settings(GDRIVE_RAG_EMBED_MODEL_PATH=str(tmp_path)))

    assert str(tmp_path) in refused.value.message
    assert refused.value.hint


def test_weights_that_are_nowhere_make_the_embedder_unavailable(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailableError, match="weights") as refused:
        make_embedder(settings(), XDG_CACHE_HOME=str(tmp_path))

    assert refused.value.hint
