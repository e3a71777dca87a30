"""Asks the fake Drive through Google's own client, as anybody."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import google_auth_httplib2  # type: ignore[import-untyped] # it has no annotations
import httplib2
import pytest
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build_from_document
from googleapiclient.errors import HttpError

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.discovery import document
from gdrive_rag_mcp.testing.fake_drive.tokens import READ_ONLY

# The client's classes are made at run time.
Service = Any
ApiRequest = Any
Http = Any
_user: Any = Credentials  # it is not annotated


class Asking:
    """Services of one fake Drive, each with a connection of its own."""

    def __init__(self, drive: FakeDrive) -> None:
        self._drive = drive
        self._opened: list[Http] = []

    def token(self, email: str | None = None) -> str:
        """An access token of somebody."""
        granted = self._drive.tokens.access.hand_out(
            email or self._drive.email, frozenset({READ_ONLY})
        )
        return str(granted["access_token"])

    def http(self, email: str | None = None) -> Http:
        """A connection that sends the token of somebody, by default of the service account."""
        authorized = google_auth_httplib2.AuthorizedHttp(
            _user(token=self.token(email)), http=httplib2.Http(timeout=30)
        )
        self._opened.append(authorized)
        return authorized

    def service(self, email: str | None = None, api: str = "drive.v3") -> Service:
        """Google's client, led to the fake."""
        root = f"{self._drive.url}/"
        described = document(api)
        rewritten = described | {"rootUrl": root, "baseUrl": root + described["servicePath"]}
        rewritten.pop("mtlsRootUrl", None)
        return build_from_document(rewritten, http=self.http(email))

    def close(self) -> None:
        for http in self._opened:
            http.close()


@contextmanager
def asking(drive: FakeDrive) -> Iterator[Asking]:
    """Asks, and closes every connection at the end."""
    asked = Asking(drive)
    try:
        yield asked
    finally:
        asked.close()


def refused(request: ApiRequest) -> tuple[int, str]:
    """The status and the reason of a refusal in Drive's own form."""
    with pytest.raises(HttpError) as caught:
        request.execute()
    error = json.loads(caught.value.content)["error"]
    assert error["code"] == caught.value.status_code
    assert error["errors"][0]["message"] == error["message"]
    return caught.value.status_code, error["errors"][0]["reason"]
