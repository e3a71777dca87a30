"""The last of a run's embedding: token vectors of texts that have only the one of the whole.

An index that was made before there were any, or with another projection, is searched as it is; it
gets them text by text, after everything else, and a run that ends early is gone on with.
"""

from dataclasses import dataclass, replace

from gdrive_rag_mcp.domain import EmbeddingOutlook, Forecast
from gdrive_rag_mcp.indexing.embedding_run import EmbeddingRun, Terms
from gdrive_rag_mcp.protocols import Embedder, token_projection_of
from gdrive_rag_mcp.store import Store

NOTHING_AHEAD = EmbeddingOutlook(0, 0)
_STAGE = "token vectors"


@dataclass(frozen=True, slots=True)
class Completed:
    """What came of it."""

    texts: int = 0
    waiting: int = 0
    forecast: Forecast | None = None
    incomplete: bool = False
    warnings: tuple[str, ...] = ()


def texts_without_tokens(store: Store, embedder: Embedder | None) -> EmbeddingOutlook:
    """What `complete_tokens` would embed again."""
    projection = token_projection_of(embedder)
    if projection is None:
        return NOTHING_AHEAD
    return store.index.without_tokens(projection).outlook()


def complete_tokens(
    store: Store, embedder: Embedder | None, terms: Terms, before: EmbeddingRun
) -> Completed:
    """Embed texts again that lack token vectors, with what the run `before` left of the budget."""
    projection = token_projection_of(embedder)
    if projection is None:
        return Completed()
    gaps = store.index.without_tokens(projection)
    if not gaps.waiting():
        gaps.settle()
        return Completed()
    if before.out_of_reach:
        return Completed(waiting=gaps.waiting())
    with EmbeddingRun(store, gaps, embedder, _what_is_left(terms, before)) as run:
        run.finish()
    gaps.settle()
    forecast = run.forecast and _again(run.forecast)
    return Completed(run.embedded, gaps.waiting(), forecast, run.incomplete, _warnings(run))


def _what_is_left(terms: Terms, before: EmbeddingRun) -> Terms:
    def progress(_: str, done: int, total: int | None) -> None:
        terms.progress(_STAGE, done, total)

    def foretell(forecast: Forecast) -> None:
        terms.foretell(_again(forecast))

    budget = None if terms.budget is None else max(0, terms.budget - before.embedded)
    return replace(terms, progress=progress, foretell=foretell, budget=budget)


def _again(forecast: Forecast) -> Forecast:
    return replace(forecast, again=forecast.chunks)


def _warnings(run: EmbeddingRun) -> tuple[str, ...]:
    """What was left, and why; such texts are found all the same."""
    said = []
    if run.problem is not None:
        said.append(f"token_vectors_incomplete: {run.problem}; texts without: {run.waiting}")
    if run.budget_reached:
        said.append(
            f"token_vectors_incomplete: texts embedded again: {run.embedded}, as many as "
            f"--max-embeddings allows; {run.waiting} have no token vectors yet, and are found and "
            "judged without them; the next run goes on"
        )
    return tuple(said)
