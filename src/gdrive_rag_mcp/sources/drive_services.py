"""Google's descriptions of its APIs, which make the requests; it is never they that send them."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

import httplib2
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import get_static_doc

from gdrive_rag_mcp.errors import SourceError

Api = Literal["drive", "docs", "sheets", "slides"]

_VERSIONS: Mapping[Api, str] = {"drive": "v3", "docs": "v1", "sheets": "v4", "slides": "v1"}


def made_service(name: Api, endpoint: str | None) -> Any:  # noqa: ANN401 -- built at run time
    """The API at Google, or at another endpoint.

    Raises:
        SourceError: this installation lacks the API's description.
    """
    version = _VERSIONS[name]
    content = get_static_doc(name, version)
    if content is None:
        raise SourceError(
            f"google-api-python-client lacks its description of {name} {version}",
            hint="install it with pip, which brings all of it",
        )
    document = json.loads(content)
    if endpoint is not None:
        # The library's option `api_endpoint` would lose the service's path.
        root = f"{endpoint.rstrip('/')}/"
        document |= {"rootUrl": root, "baseUrl": root + document["servicePath"]}
        document.pop("mtlsRootUrl", None)
    return _Collections(build_from_document(document, http=httplib2.Http()))


class _Collections:
    """A service that makes each of its collections once: the library takes 2 ms every time."""

    def __init__(self, service: Any) -> None:  # noqa: ANN401 -- built at run time
        self._service = service
        self._made: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Callable[[], Any]:
        if name not in self._made:
            self._made[name] = getattr(self._service, name)()
        made = self._made[name]
        return lambda: made
