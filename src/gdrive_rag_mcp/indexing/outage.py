"""Telling a source that cannot be reached from files that cannot be had."""

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.protocols import Source

FAILURES = 5
"""Files in a row that fail as in an outage, before the source itself is looked at."""

_AS_IN_AN_OUTAGE = frozenset({Reason.NETWORK, Reason.RATE_LIMITED})


class Outage:
    """Counts failures in a row: a dead network costs minutes, not patience for each file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._in_a_row = 0

    def note(self, failure: Reason | None) -> None:
        """Take down how asking for a file ended (None: it was had).

        Raises:
            SourceUnavailableError: too many failed, and the source cannot be reached either.
            SourceAuthError: it has refused the credentials meanwhile.
        """
        if failure not in _AS_IN_AN_OUTAGE:
            self._in_a_row = 0
            return
        self._in_a_row += 1
        if self._in_a_row == FAILURES:
            self._in_a_row = 0
            self._source.check()
