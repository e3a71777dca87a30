"""Domain → what users and clients see: JSON objects, plain text, and results fit for a model."""

from gdrive_rag_mcp.presentation.answers import answer_object
from gdrive_rag_mcp.presentation.evaluations import (
    evaluation_object,
    evaluation_text,
    verdict_text,
)
from gdrive_rag_mcp.presentation.forecasts import forecast_object, forecast_text
from gdrive_rag_mcp.presentation.limits import (
    MAX_RESULT_CHARS,
    bounded_answer,
    bounded_document,
    bounded_quote,
    bounded_search,
    fenced,
    fits,
)
from gdrive_rag_mcp.presentation.links import deep_link
from gdrive_rag_mcp.presentation.messages import message
from gdrive_rag_mcp.presentation.objects import (
    as_json,
    document_object,
    iso,
    metadata_object,
    search_object,
)
from gdrive_rag_mcp.presentation.plain import (
    coverage_text,
    ledger_text,
    search_text,
    status_text,
)
from gdrive_rag_mcp.presentation.quotes import quote_object, quote_text
from gdrive_rag_mcp.presentation.reports import (
    export_object,
    ledger_object,
    status_object,
    totals_object,
)
from gdrive_rag_mcp.presentation.run_objects import (
    plan_object,
    reindex_object,
    round_object,
    sync_object,
)
from gdrive_rag_mcp.presentation.run_texts import plan_text, reindex_text, round_text, sync_text
from gdrive_rag_mcp.presentation.troubles import nothing_searchable

__all__ = [
    "MAX_RESULT_CHARS",
    "answer_object",
    "as_json",
    "bounded_answer",
    "bounded_document",
    "bounded_quote",
    "bounded_search",
    "coverage_text",
    "deep_link",
    "document_object",
    "evaluation_object",
    "evaluation_text",
    "export_object",
    "fenced",
    "fits",
    "forecast_object",
    "forecast_text",
    "iso",
    "ledger_object",
    "ledger_text",
    "message",
    "metadata_object",
    "nothing_searchable",
    "plan_object",
    "plan_text",
    "quote_object",
    "quote_text",
    "reindex_object",
    "reindex_text",
    "round_object",
    "round_text",
    "search_object",
    "search_text",
    "status_object",
    "status_text",
    "sync_object",
    "sync_text",
    "totals_object",
    "verdict_text",
]
