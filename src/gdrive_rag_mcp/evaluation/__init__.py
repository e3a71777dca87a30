"""Asking the questions of a file of cases and judging what comes back: cases, metrics, a run."""

from gdrive_rag_mcp.evaluation.cases import read_cases
from gdrive_rag_mcp.evaluation.floors import reached, read_floors
from gdrive_rag_mcp.evaluation.gold import check_gold
from gdrive_rag_mcp.evaluation.replies import reply_of
from gdrive_rag_mcp.evaluation.runner import Ask, run_cases
from gdrive_rag_mcp.evaluation.summary import summarise

__all__ = [
    "Ask",
    "check_gold",
    "reached",
    "read_cases",
    "read_floors",
    "reply_of",
    "run_cases",
    "summarise",
]
