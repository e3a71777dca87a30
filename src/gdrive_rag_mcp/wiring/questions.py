"""What question sets are asked with: the product's own sync, search and retrievers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gdrive_rag_mcp.app import Reader
from gdrive_rag_mcp.domain import EmbeddingIdentity, Mode, Query, SyncReport
from gdrive_rag_mcp.evaluation.remembering import VectorMemory
from gdrive_rag_mcp.evaluation.signal_rows import Retrieve, Searchable
from gdrive_rag_mcp.evidence.calibrated import rarity_in
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.wiring.embedders import Wrap, make_embedder
from gdrive_rag_mcp.wiring.runs import sync


class QuestionTools:
    """The product as it is by settings, over any index, with a memory for vectors."""

    def __init__(
        self,
        settings: Settings,
        memory: Path,
        report: Callable[[str], None],
        wrap: Wrap | None = None,
    ) -> None:
        self._settings = settings
        self._wrap = wrap or VectorMemory(memory).wrap
        self._report = report

    def sync(self, folder: Path, index: Path) -> SyncReport:
        """Sync a folder into an index.

        Raises:
            GdriveRagError: as a sync.
        """
        return sync(
            self._over(index, folder),
            SyncOptions(allow_mass_delete=True),
            progress=lambda *_: None,
            report=self._report,
            wrap=self._wrap,
        )

    def reader(self, index: Path) -> Reader:
        """The use cases of reading, as the command line has them."""
        from gdrive_rag_mcp import wiring

        return wiring.make_reader(self._over(index), resident=False, wrap=self._wrap)

    @contextmanager
    def retrieving(self, index: Path) -> Iterator[Searchable]:
        """What finds passages in an index; words alone where it has no vectors."""
        with Store.open_for_reading(index) as store:
            recorded = store.catalog.embedding_identity
            made = make_embedder(self._over(index), recorded, build=False) if recorded else None
            embedder = made and self._wrap(made)
            modes = tuple(Mode) if embedder else (Mode.KEYWORD,)
            calibration = store.calibration.get()
            rarity = rarity_in(calibration)
            retrievers = {
                mode: Retriever(store.index, embedder, mode, rarity=rarity) for mode in modes
            }
            asking = {mode: _asking(retriever) for mode, retriever in retrievers.items()}
            yield Searchable(asking, calibration)

    def embedding_of(self, index: Path) -> EmbeddingIdentity | None:
        """What made the vectors of an index."""
        with Store.open_for_reading(index) as store:
            return store.catalog.embedding_identity

    def _over(self, index: Path, folder: Path | None = None) -> Settings:
        source = {} if folder is None else {"source": f"folder:{folder}"}
        return self._settings.model_copy(update={"db_path": index, **source})


def _asking(retriever: Retriever) -> Retrieve:
    return lambda text: retriever.retrieve(Query(text))
