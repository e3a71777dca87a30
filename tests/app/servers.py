"""Embedders that are not there when they are needed."""

from collections.abc import Sequence

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.errors import EmbedderUnavailableError
from gdrive_rag_mcp.protocols import EmbedRole, Vectors


class SilentServer:
    """Has to be asked for the length of its vectors, and does not answer."""

    max_tokens = 512

    @property
    def identity(self) -> EmbeddingIdentity:
        raise EmbedderUnavailableError("the server does not answer")

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        raise EmbedderUnavailableError("the server does not answer")
