"""Indexes of the corpora of question sets, made by a real sync and kept for the next run."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from gdrive_rag_mcp.domain import FileState, Hit, SyncReport
from gdrive_rag_mcp.errors import QuestionSetError
from gdrive_rag_mcp.evaluation.corpus_files import Layout, write_corpus
from gdrive_rag_mcp.evaluation.question_sets import QuestionSet

Sync = Callable[[Path, Path], SyncReport]
"""Syncs a folder into an index file."""


@dataclass(frozen=True, slots=True)
class CorpusIndex:
    """An index, and the corpus's own ids of its files."""

    path: Path
    ids: Mapping[str, str]

    def documents(self, hit: Hit) -> tuple[str, ...]:
        """The corpus's ids of the documents that a hit names: its own, and those of its copies."""
        copies = (PurePosixPath(copy.path).name for copy in hit.duplicates)
        return tuple(self.ids[name] for name in (hit.passage.name, *copies))

    def gold_rank(self, hits: Iterable[Hit], gold: Collection[str]) -> int | None:
        """The rank of the first hit that names one of these documents."""
        return next(
            (hit.rank for hit in hits if any(one in gold for one in self.documents(hit))), None
        )


class CorpusIndexes:
    """One index a corpus, below a folder; a corpus that is there already costs a look at it."""

    def __init__(self, folder: Path, layout: Layout, sync: Sync) -> None:
        self._folder = folder
        self._layout = layout
        self._sync = sync
        self._ready: dict[str, CorpusIndex] = {}

    def of(self, asked: QuestionSet) -> CorpusIndex:
        """The index of a set's corpus, up to date.

        Raises:
            QuestionSetError: a document of it cannot be searched.
            GdriveRagError: as a sync.
        """
        if asked.corpus_name not in self._ready:
            self._ready[asked.corpus_name] = self._made(asked)
        return self._ready[asked.corpus_name]

    def _made(self, asked: QuestionSet) -> CorpusIndex:
        place = self._folder / asked.corpus_name.replace("/", ".")
        ids = write_corpus(asked.corpus, place / "files", self._layout)
        report = self._sync(place / "files", place / "index.db")
        searchable = report.coverage.by_state.get(FileState.INDEXED, 0)
        if searchable < len(ids):
            raise QuestionSetError(
                f"only {searchable} of the {len(ids)} documents of {asked.corpus_name} can be"
                " searched",
                hint=f"look at them: gdrive-rag-mcp status --files --db {place / 'index.db'}",
            )
        return CorpusIndex(place / "index.db", ids)
