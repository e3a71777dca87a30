"""`evidence fit`: from question sets to weights, through sync and search as they are."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.evaluation.corpus_files import Layout, writing
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndexes
from gdrive_rag_mcp.evaluation.fit_report import Line, held_out_lines
from gdrive_rag_mcp.evaluation.question_sets import read_sets
from gdrive_rag_mcp.evaluation.signal_rows import AsTold, signal_rows
from gdrive_rag_mcp.evaluation.variants import fitting_sets
from gdrive_rag_mcp.evidence.fitting import HeldOut, fit_models
from gdrive_rag_mcp.evidence.model import Model
from gdrive_rag_mcp.evidence.rows import Row, write_rows
from gdrive_rag_mcp.evidence.specs import SPECS
from gdrive_rag_mcp.evidence.weights_file import weights_text
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.wiring.embedders import choose_provider
from gdrive_rag_mcp.wiring.questions import QuestionTools

ROWS = "rows.jsonl"


@dataclass(frozen=True, slots=True)
class Fitted:
    """Models, how each set is judged without its family, and the file that the verdict reads."""

    models: dict[str, Model]
    held_out: list[Line]
    weights: str

    @property
    def lacking(self) -> list[str]:
        """Models that the verdict may ask for, and that there were no questions for."""
        return [name for name in SPECS if name not in self.models]


def fit_evidence(
    settings: Settings,
    data: Path,
    cache: Path,
    *,
    projections_from: Path | None = None,
    beside: Path | None = None,
    report: Callable[[str], None],
) -> Fitted:
    """Fit the verdict on a folder of question sets; `cache` keeps vectors, indexes and signals.

    Token vectors are made by projections that were learned from the same sets, or from those in
    another folder, each without a third of the articles; corpora grow by the texts of the sets in
    `beside`, or of the same. The signals of every question are left in `rows.jsonl` in the cache.

    Raises:
        QuestionSetError: the data is malformed, or nothing can be learnt from it.
        GdriveRagError: as a sync and a search.
    """
    sets = read_sets(data)  # before what takes an hour
    texts = [text for one in (read_sets(beside) if beside else sets) for text in one.corpus]
    # Said aloud: without it, weights that are missing would quietly make this a fit on words alone.
    embedder = choose_provider(settings, None).provider
    tools = QuestionTools(settings.model_copy(update={"embed_provider": embedder}), cache, report)
    indexes = CorpusIndexes(cache / f"{Layout.TITLED}-{embedder}", Layout.TITLED, tools.sync)
    as_told = _as_told(settings, projections_from or data, cache, embedder, report)
    rows: list[Row] = []
    identity: EmbeddingIdentity | None = None
    for handed in sets:
        for kit in fitting_sets(handed, beside=texts):
            index = indexes.of(kit)
            before = len(rows)
            rows += signal_rows(kit, index, tools.retrieving, as_told)
            report(f"{kit.name}: {len(kit.questions)} questions, {len(rows) - before} rows")
            identity = tools.embedding_of(index.path)
    with writing(cache):
        cache.mkdir(parents=True, exist_ok=True)
        write_rows(rows, cache / ROWS)
    models = fit_models(rows, SPECS)
    return Fitted(
        models,
        held_out_lines(rows, HeldOut(rows, SPECS)),
        weights_text(models, SPECS, rows, embedder=identity.model if identity else "none"),
    )


def _as_told(
    settings: Settings, data: Path, cache: Path, provider: str, report: Callable[[str], None]
) -> AsTold:
    """Token vectors that know nothing of the question's articles, where the model has any."""
    if provider != "embedded" or settings.embed_model_path is not None:
        return lambda _, retrieved: retrieved
    from gdrive_rag_mcp.wiring.cross_fitting import cross_fitting

    return cross_fitting(settings, data, cache, report=report)
