"""What the fake answers: bodies and statuses in Google's shape."""

import json
from collections.abc import Mapping
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


def invalid(parameter: str, message: str = "Invalid Value") -> ApiError:
    """400: a parameter that Drive does not understand."""
    return ApiError(error_answer(400, "invalid", message, location=(parameter, "parameter")))


def forbidden(reason: str, message: str) -> ApiError:
    """403 for a reason."""
    return ApiError(error_answer(403, reason, message))


def unauthorized() -> ApiError:
    """401: no token, or one that is not valid (any more)."""
    return ApiError(
        error_answer(401, "authError", "Invalid Credentials", location=("Authorization", "header"))
    )
