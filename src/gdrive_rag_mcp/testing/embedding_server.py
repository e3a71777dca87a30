"""An OpenAI-compatible embeddings server on loopback that can be told to misbehave. For tests."""

from typing import Any

from gdrive_rag_mcp.testing.provider_server import ProviderServer, Reply, Request


class EmbeddingServer(ProviderServer):
    """Answers `POST /v1/embeddings`; knows no roles, and refuses an empty list or text."""

    @property
    def base_url(self) -> str:
        return f"{self.root_url}/v1"

    def honest_reply(self, request: Request) -> Reply:
        texts = request.body["input"]
        if request.path != "/v1/embeddings":
            return Reply(404, message=f"no route {request.path}")
        if not texts or not all(texts):
            return Reply(self.refusal_status, message="input is empty")
        return self.vectors(texts, "document", request.body.get("dimensions"))

    def body(self, request: Request, reply: Reply) -> Any:  # noqa: ANN401 - JSON
        if reply.status != 200:  # noqa: PLR2004 - HTTP's OK
            error = {"message": reply.message, "type": "error"}
            for detail in reply.details:
                error |= detail
            return {"error": error}
        data = [
            {"object": "embedding", "index": place, "embedding": values}
            for place, values in reply.vectors
        ]
        return {"object": "list", "data": data, "model": request.body["model"]}
