"""Where the reading of Drive's news was left: a text that the index keeps for us."""

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, Self

from gdrive_rag_mcp.sources.drive_fields import flag, part, text, texts

USER = "user"
"""The feed of a user's own log; a shared drive's log is named by the drive's id."""
_VERSION = 2

Crawl = Literal["", "flat", "folders", "listed"]
_CRAWLS: tuple[Crawl, ...] = ("", "flat", "folders", "listed")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The page token of each log that is followed, and the crawl that is not at its end yet.

    `crawl` is how everything is being listed: the whole drive at once (`flat`, from `page` on),
    folder by folder, where the index itself knows what is left, or all is `listed` and only to be
    closed. `drive` is the shared drive that the root lay in, and `above` what was seen to lie above
    the root (None: nobody has looked). `reader` is the identity that read all this, and `member`
    whether it could read the whole drive then.
    """

    feeds: dict[str, str] = field(default_factory=dict)
    crawl: Crawl = ""
    page: str | None = None
    drive: str | None = None
    above: tuple[str, ...] | None = None
    reader: str | None = None
    member: bool = False

    @classmethod
    def read(cls, stored: str | None) -> Self | None:
        """A cursor as stored; None for one that nothing can be made of, so that all is listed."""
        try:
            value = json.loads(stored or "")
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict) or value.get("v") != _VERSION:
            return None
        tokens = part(value, "feeds")
        feeds = {name: token for name in tokens if (token := text(tokens, name))}
        crawl = next((known for known in _CRAWLS if known == value.get("crawl")), None)
        if not feeds or crawl is None:
            return None
        above = texts(value, "above") if value.get("above") is not None else None
        return cls(
            feeds,
            crawl,
            text(value, "page"),
            text(value, "drive"),
            above,
            text(value, "reader"),
            flag(value, "member") is True,
        )

    @property
    def stored(self) -> str:
        """The cursor as a text."""
        return json.dumps({"v": _VERSION, **asdict(self)}, sort_keys=True)

    def at(self, feed: str, token: str) -> Self:
        """The same, with a log read up to `token`."""
        return replace(self, feeds={**self.feeds, feed: token})

    def crawling(self, crawl: Crawl, page: str | None = None) -> Self:
        """The same, with the crawl as it is now."""
        return replace(self, crawl=crawl, page=page)

    def feed_of(self, drive: str | None) -> str:
        """The log that tells of items in a drive (None: in no shared one)."""
        return drive if drive is not None and drive in self.feeds else USER
