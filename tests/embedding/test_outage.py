"""Who waits for a provider that is out of reach, and what is said; on a clock that tests turn."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from gdrive_rag_mcp.embedding.remote import RemoteEmbedder
from gdrive_rag_mcp.embedding.retrying import Retrying
from gdrive_rag_mcp.errors import EmbedderUnavailableError
from gdrive_rag_mcp.protocols import EmbedRole
from gdrive_rag_mcp.testing import provider_server as server_faults
from gdrive_rag_mcp.testing.provider_server import Fault, ProviderServer, refusing, saying

Connect = Callable[..., RemoteEmbedder]
Serve = Callable[..., ProviderServer]
TEXTS = ["the first text", "a second one", "and the third"]


class Questions:
    """Asks a server on a clock that the test turns; the embedder waits for no second attempt."""

    def __init__(self, connect: Connect, server: ProviderServer, seconds: float = 60) -> None:
        self.now = 100.0
        retrying = Retrying(budget=0, clock=lambda: self.now, jitter=lambda: 1.0)
        self.embedder = connect(server, dimensions=256, timeout_seconds=seconds, retrying=retrying)

    def ask(self) -> str:
        """What is said of a question that fails."""
        with pytest.raises(EmbedderUnavailableError) as refused:
            self.embedder.embed(["a question"], role="query")
        return str(refused.value)


def test_after_a_question_got_no_answer_the_next_ones_do_not_wait_for_one(
    connect: Connect, serve: Serve
) -> None:
    with serve(after_faults=server_faults.hanging) as server:
        questions = Questions(connect, server, seconds=1)
        first = questions.ask()
        questions.now += 14
        with ThreadPoolExecutor(8) as pool:
            others = set(pool.map(lambda _: questions.ask(), range(16)))
        assert len(server.requests) == 1
        questions.now += 1
        questions.ask()

        assert len(server.requests) == 2
    assert "no answer in 1 s" in first
    assert others == {first}


def test_documents_are_sent_though_a_question_got_no_answer_and_their_answer_ends_the_outage(
    connect: Connect, serve: Serve
) -> None:
    with serve(faults=[server_faults.breaking_off, server_faults.breaking_off]) as server:
        questions = Questions(connect, server)
        questions.ask()
        with pytest.raises(EmbedderUnavailableError):
            questions.embedder.embed(TEXTS, role="document")
        questions.ask()
        assert len(server.requests) == 2

        assert len(questions.embedder.embed(TEXTS, role="document")) == 3
        assert len(questions.embedder.embed(["a question"], role="query")) == 1


@pytest.mark.parametrize("fault", [refusing(503), refusing(401), saying("<html>")])
def test_a_server_that_answers_is_asked_again_whatever_it_answers(
    connect: Connect, serve: Serve, fault: Fault
) -> None:
    with serve(faults=[fault]) as server:
        questions = Questions(connect, server)
        questions.ask()

        assert len(questions.embedder.embed(["a question"], role="query")) == 1


def test_documents_that_got_no_answer_keep_no_question_from_being_asked(
    connect: Connect, serve: Serve
) -> None:
    with serve(faults=[server_faults.breaking_off]) as server:
        questions = Questions(connect, server)
        with pytest.raises(EmbedderUnavailableError):
            questions.embedder.embed(TEXTS, role="document")

        assert len(questions.embedder.embed(["a question"], role="query")) == 1


def test_what_was_embedded_is_said_to_be_kept_only_where_there_is_some(
    connect: Connect, serve: Serve
) -> None:
    with serve(faults=[server_faults.honest], after_faults=refusing(503)) as server:
        patience = Retrying(budget=0)
        one, other = (connect(server, dimensions=256, retrying=patience) for _ in range(2))
        one.embed(TEXTS, role="document")
        hints = [_refused(one, "document"), _refused(one, "query"), _refused(other, "document")]

    assert ["kept" in hint for hint in hints] == [True, False, False]


def _refused(embedder: RemoteEmbedder, role: EmbedRole) -> str:
    with pytest.raises(EmbedderUnavailableError) as refused:
        embedder.embed(TEXTS, role=role)
    return refused.value.hint
