"""The Gemini API's `batchEmbedContents` on loopback, as google-genai calls it. For tests.

Written after the requests that google-genai 3.6 sends, and after Google's description of the
method and of `google.rpc.Status`.
"""

from typing import Any

from gdrive_rag_mcp.protocols import EmbedRole
from gdrive_rag_mcp.testing.provider_server import Fault, ProviderServer, Reply, Request, refusing

_MOST_TEXTS = 100
_ROLES: dict[str | None, EmbedRole] = {"RETRIEVAL_QUERY": "query"}
_STATUS = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}  # fmt: skip
_RPC = "type.googleapis.com/google.rpc."
# The service shortens vectors without bringing them back to length 1.
_SHORTENED = 0.6


def over_quota(retry_delay: str = "", quota: str = "PerMinutePerProjectPerModel") -> Fault:
    """Answer that a quota is used up, and when to come back."""
    violation = {
        "quotaMetric": "generativelanguage.googleapis.com/embed_content_requests",
        "quotaId": f"EmbedContentRequests{quota}",
        "quotaValue": "100",
    }
    details: list[dict[str, Any]] = [
        {"@type": f"{_RPC}QuotaFailure", "violations": [violation]},
    ]
    if retry_delay:
        details.append({"@type": f"{_RPC}RetryInfo", "retryDelay": retry_delay})
    return refusing(429, "you exceeded your current quota", *details)


def refusing_the_key(message: str = "API key not valid.") -> Fault:
    """Answer as Google does to a key it does not know: with 400."""
    info = {
        "@type": f"{_RPC}ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
    }
    return refusing(400, message, info)


class GeminiServer(ProviderServer):
    """Answers `POST /v1beta/models/MODEL:batchEmbedContents`."""

    @property
    def base_url(self) -> str:
        return self.root_url

    def honest_reply(self, request: Request) -> Reply:
        requests = request.body["requests"]
        [model] = {one["model"] for one in requests}
        texts = ["".join(part["text"] for part in one["content"]["parts"]) for one in requests]
        if request.path != f"/v1beta/{model}:batchEmbedContents":
            return Reply(404, message=f"{request.path} is not found")
        if not request.headers.get("x-goog-api-key"):
            return Reply(403, message="method doesn't allow unregistered callers")
        if len(texts) > _MOST_TEXTS:
            return Reply(400, message="at most 100 requests can be in one batch")
        if not all(texts):
            return Reply(self.refusal_status, message="content is empty")
        [(task, dimensions)] = {
            (one.get("taskType"), one.get("outputDimensionality")) for one in requests
        }
        reply = self.vectors(texts, _ROLES.get(task, "document"), dimensions)
        for _, values in reply.vectors:
            values[:] = [float(value or 0) * _SHORTENED for value in values]
        return reply

    def body(self, request: Request, reply: Reply) -> Any:  # noqa: ANN401 - JSON
        if reply.status != 200:  # noqa: PLR2004 - HTTP's OK
            error: dict[str, Any] = {"code": reply.status, "message": reply.message}
            error["status"] = _STATUS.get(reply.status, "UNKNOWN")
            return {"error": error | ({"details": [*reply.details]} if reply.details else {})}
        return {"embeddings": [{"values": values} for _, values in reply.vectors]}
