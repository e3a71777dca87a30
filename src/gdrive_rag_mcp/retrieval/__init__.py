"""From a question to ranked passages, and what the corpus says of the question."""

from gdrive_rag_mcp.retrieval.query import analyse, checked_question
from gdrive_rag_mcp.retrieval.retriever import Retriever

__all__ = ["Retriever", "analyse", "checked_question"]
