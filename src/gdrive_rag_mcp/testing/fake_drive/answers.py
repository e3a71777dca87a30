"""What the fake answers: bodies and statuses in Google's shape, the older and the newer one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response; `reset` drops the connection instead, `cut` stops half-way in the body."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json; charset=UTF-8"
    reset: bool = False
    cut: bool = False


class ApiError(Exception):
    """An answer that is no success, raised from wherever it is noticed."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def answer_json(value: Mapping[str, Any], status: int = 200) -> Answer:
    """A JSON answer."""
    return Answer(status, json.dumps(value).encode())


# ── Drive's own bodies ───────────────────────────────────────────────────────

_DOMAINS = {
    "userRateLimitExceeded": "usageLimits",
    "rateLimitExceeded": "usageLimits",
    "dailyLimitExceeded": "usageLimits",
    "accessNotConfigured": "usageLimits",
}


def error_answer(
    status: int,
    reason: str,
    message: str,
    *,
    location: tuple[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """An error body as Google sends it: `location` is a name and its kind."""
    detail = {"message": message, "domain": _DOMAINS.get(reason, "global"), "reason": reason}
    if location is not None:
        detail |= {"location": location[0], "locationType": location[1]}
    error = {"code": status, "message": message, "errors": [detail]}
    body = json.dumps({"error": error}).encode()
    return Answer(status, body, headers or {})


def not_found(file_id: str) -> ApiError:
    """404: there is no such item, or the caller may not know of it."""
    return ApiError(
        error_answer(
            404, "notFound", f"File not found: {file_id}.", location=("fileId", "parameter")
        )
    )


def drive_not_found(drive_id: str) -> ApiError:
    """404: there is no such shared drive, or the caller is no member of it."""
    message = f"Shared drive not found: {drive_id}"
    return ApiError(error_answer(404, "notFound", message, location=("driveId", "parameter")))


def invalid(parameter: str, message: str = "Invalid Value") -> ApiError:
    """400: a parameter that Drive does not understand."""
    return ApiError(error_answer(400, "invalid", message, location=(parameter, "parameter")))


def required(parameter: str, message: str | None = None) -> ApiError:
    """400: a parameter that must be there."""
    text = message or f"Required parameter: {parameter}"
    return ApiError(error_answer(400, "required", text, location=(parameter, "parameter")))


def forbidden(reason: str, message: str) -> ApiError:
    """403 for a reason."""
    return ApiError(error_answer(403, reason, message))


def unauthorized() -> ApiError:
    """401: no token, or one that is not valid (any more)."""
    return ApiError(
        error_answer(401, "authError", "Invalid Credentials", location=("Authorization", "header"))
    )


# ── the newer bodies, with a status in capitals and details ──────────────────

_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
PROJECT = "123456789012"


def status_answer(
    status: int,
    message: str,
    *,
    details: Sequence[Mapping[str, Any]] = (),
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """An error in the form of google.rpc.Status, which has no `errors`."""
    error: dict[str, Any] = {
        "code": status,
        "message": message,
        "status": _STATUSES.get(status, "UNKNOWN"),
    }
    if details:
        error["details"] = list(details)
    return Answer(status, json.dumps({"error": error}).encode(), headers or {})


def error_info(reason: str, metadata: Mapping[str, str]) -> dict[str, Any]:
    """The detail that says why, as google.rpc.ErrorInfo."""
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
        "metadata": {"consumer": f"projects/{PROJECT}", **metadata},
    }


def quota_answer(status: int, headers: Mapping[str, str] | None = None) -> Answer:
    """A rate limit in the newer form, whose reason is in the details alone."""
    service = "drive.googleapis.com"
    message = (
        "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service "
        f"'{service}' for consumer 'project_number:{PROJECT}'."
    )
    info = error_info(
        "RATE_LIMIT_EXCEEDED",
        {
            "service": service,
            "quota_metric": f"{service}/default",
            "quota_limit": "defaultPerMinutePerProject",
            "quota_limit_value": "12000",
            "quota_location": "global",
        },
    )
    return status_answer(status, message, details=[info], headers=headers)


def disabled_answer(service: str, title: str) -> Answer:
    """403: the project has not enabled this API."""
    url = (
        "https://console.developers.google.com/apis/api/"
        f"{service}.googleapis.com/overview?project={PROJECT}"
    )
    message = (
        f"{title} has not been used in project {PROJECT} before or it is disabled. Enable it by "
        f"visiting {url} then retry. If you enabled this API recently, wait a few minutes for the "
        "action to propagate to our systems and retry."
    )
    types = "type.googleapis.com/google.rpc."
    details = [
        error_info(
            "SERVICE_DISABLED",
            {
                "service": f"{service}.googleapis.com",
                "serviceTitle": title,
                "containerInfo": PROJECT,
                "activationUrl": url,
            },
        ),
        {"@type": f"{types}LocalizedMessage", "locale": "en-US", "message": message},
        {
            "@type": f"{types}Help",
            "links": [{"description": "Google developers console API activation", "url": url}],
        },
    ]
    return status_answer(403, message, details=details)
