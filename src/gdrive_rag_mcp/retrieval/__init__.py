"""From a question to ranked passages, and what the corpus says of the question."""

from gdrive_rag_mcp.retrieval.query import analyse, checked_question
from gdrive_rag_mcp.retrieval.ranking import DEFAULT_RANKING, Ranking
from gdrive_rag_mcp.retrieval.retriever import Retriever
from gdrive_rag_mcp.retrieval.thesaurus import NO_SYNONYMS, Thesaurus

__all__ = [
    "DEFAULT_RANKING",
    "NO_SYNONYMS",
    "Ranking",
    "Retriever",
    "Thesaurus",
    "analyse",
    "checked_question",
]
