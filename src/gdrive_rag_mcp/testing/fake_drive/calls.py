"""A request to the API as its handlers see it: who asks, with which parameters and headers."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """`caller` is an e-mail address; names of headers are in small letters."""

    caller: str
    query: Mapping[str, str]
    headers: Mapping[str, str]

    def brings_key(self, item_id: str, key: str) -> bool:
        """Whether the resource key of an item was sent along.

        Source: https://developers.google.com/workspace/drive/api/guides/resource-keys
        """
        pairs = self.headers.get("x-goog-drive-resource-keys", "").split(",")
        return f"{item_id}/{key}" in [pair.strip() for pair in pairs]
