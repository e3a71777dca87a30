"""An index and its evaluation: what reads the one, put together with what judges for the other."""

from collections.abc import Iterator, Sequence

from gdrive_rag_mcp.app import Reader
from gdrive_rag_mcp.domain import Case, CaseResult, FileRecord
from gdrive_rag_mcp.errors import DocumentNotFoundError, SettingsError
from gdrive_rag_mcp.evaluation import check_gold, reply_of, run_cases
from gdrive_rag_mcp.evaluation.runner import Progress

_PAGE = 500


def evaluate_index(
    reader: Reader,
    cases: Sequence[Case],
    *,
    limit: int,
    scope_id: str | None,
    progress: Progress,
) -> tuple[CaseResult, ...]:
    """Ask an index all cases, after a look whether it has what they name as gold.

    Raises:
        CasesError: it has not.
        SettingsError: there is no such scope, or nothing in it.
        IndexMissingError: there is no index.
        GdriveRagError: the index or its embedder cannot be used as set.
    """
    root = reader.status().root
    check_gold(cases, _records(reader, scope_id), root, scoped=scope_id is not None)
    return run_cases(
        cases,
        lambda question: reply_of(reader.search(question, limit=limit, scope_id=scope_id)),
        root=root,
        progress=progress,
    )


def _records(reader: Reader, scope_id: str | None) -> Iterator[FileRecord]:
    cursor: str | None = None
    while True:
        try:
            page = reader.list_documents(folder_id=scope_id, cursor=cursor, limit=_PAGE)
        except DocumentNotFoundError:
            raise SettingsError(
                f"--scope {scope_id}: no file or folder of that id is in the index",
                hint="`gdrive-rag-mcp status --files --json` lists the files with their ids",
            ) from None
        yield from page.records
        cursor = page.next_cursor
        if cursor is None:
            return
