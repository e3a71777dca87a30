"""What the service may do and usually does not: the switches of a test, `FakeDrive.api`."""

from collections.abc import Iterable
from dataclasses import dataclass, field

SERVICES = {"docs": "Google Docs API", "sheets": "Google Sheets API", "slides": "Google Slides API"}
_MOST_EMPTY_PAGES = 9


@dataclass(slots=True)
class Behaviour:
    """Set the attributes, or call the methods, at any time.

    Attributes:
        largest_page: pages of files and changes are never longer, whatever was asked for.
        empty_pages: as many empty pages, with a token, come before every page of files or changes.
        incomplete_folders: a listing whose query names one of these (or that is of such a drive,
            or of such corpora) admits `incompleteSearch`.
        grouped_parents_bug: a query for the children of several folders finds those of the first
            `grouped_parents_honoured` alone.
        limited_folders_not_found: the children of a folder that can be seen but not opened are
            404, instead of none.
        export_redirect: the export links lead on to this address, which needs no token.
    """

    largest_page: int = 1000
    empty_pages: int = 0
    incomplete_folders: set[str] = field(default_factory=set)
    grouped_parents_bug: bool = False
    grouped_parents_honoured: int = 1
    limited_folders_not_found: bool = False
    export_redirect: str | None = None
    lagging: set[str] = field(default_factory=set)
    disabled: set[str] = field(default_factory=set)
    list_generation: int = 0

    def lag(self, ids: Iterable[str]) -> None:
        """Leave these items out of listings until `settle`; `files.get` and changes have them."""
        self.lagging |= set(ids)

    def settle(self) -> None:
        """Let listings catch up."""
        self.lagging.clear()

    def expire_list_tokens(self) -> None:
        """Make the page tokens of all listings so far worthless (400)."""
        self.list_generation += 1

    def disable(self, service: str) -> None:
        """Switch `docs`, `sheets` or `slides` off for the project: 403 SERVICE_DISABLED."""
        if service not in SERVICES:
            raise ValueError(f"{service!r} is none of {sorted(SERVICES)}.")
        self.disabled.add(service)

    def enable(self, service: str) -> None:
        """Switch a service on again."""
        self.disabled.discard(service)

    def empty_pages_due(self, served: int) -> bool:
        """Whether another empty page comes first, after so many."""
        return served < min(self.empty_pages, _MOST_EMPTY_PAGES)
