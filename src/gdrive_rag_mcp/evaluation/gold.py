"""Which documents are gold: named in the cases by id, or by path below the root."""

from collections.abc import Iterable, Mapping, Sequence

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Case, Expect, FileRecord, FoundPassage
from gdrive_rag_mcp.errors import CasesError
from gdrive_rag_mcp.evaluation.cases import listed

_FOLDER = "folder:"


def is_gold(case: Case, passage: FoundPassage, root: str | None = None) -> bool:
    """Whether a passage, or a copy listed with it, comes from one of the case's documents.

    `root` is what was synced, such as `folder:/srv/docs`; a path may begin with that folder.
    """
    paths = (passage.path, *(copy.path for copy in passage.copies))
    names = {*passage.document_ids, *(_normal(path, root) for path in paths)}
    return any(gold in names or _normal(gold, root) in names for gold in case.gold)


def check_gold(
    cases: Sequence[Case],
    records: Iterable[FileRecord],
    root: str | None,
    *,
    scoped: bool = False,
) -> None:
    """See that whatever is to be answered has its documents in the index, with text.

    `scoped`: the records are not the whole ledger, but those in the scope that is asked.
    Of cases to refuse nothing is asked: their gold may be what was taken away.

    Raises:
        CasesError: names every case, and what is not there.
    """
    known: dict[str, FileRecord] = {}
    for record in records:
        for name in (record.id, _normal(record.path, root)):
            if name not in known or not known[name].chunk_count:  # paths may be there twice
                known[name] = record
    complaints = [
        f"line {case.line}, case {case.id}: {complaint}"
        for case in cases
        if case.expect is Expect.ANSWER
        for gold in case.gold
        if (complaint := _complaint(gold, known, root, scoped=scoped))
    ]
    if complaints:
        raise CasesError(
            f"documents that cases name as gold are not there to be found:\n{listed(complaints)}",
            hint="name each by the id or path that `gdrive-rag-mcp status --files --json` lists, "
            "or sync first",
        )


def _complaint(
    gold: str, known: Mapping[str, FileRecord], root: str | None, *, scoped: bool
) -> str | None:
    name = _normal(gold, root)
    record = known.get(gold) or known.get(name)
    if record is None:
        folder = f"{name.rstrip('/')}/"
        if any(path.startswith(folder) for path in known):
            return f"{gold} is a folder, and gold names files"
        return f"{gold} is not in the index{', or outside of --scope' if scoped else ''}"
    if not record.chunk_count:
        why = f" ({record.reason.value})" if record.reason else ""
        return f"no text of {gold} is in the index: it is {record.state.value}{why}"
    return None


def _normal(path: str, root: str | None) -> str:
    """A path as the ledger has it, however it was written."""
    path = clean(path).strip()
    if root and root.startswith(_FOLDER):
        path = path.removeprefix(f"{clean(root.removeprefix(_FOLDER)).rstrip('/')}/")
    return path.removeprefix("./").lstrip("/")
