"""What an answer is made from, or why there is none: decided before, and without, any model."""

from gdrive_rag_mcp.answering.grounding import Grounds, Retrieve, ground
from gdrive_rag_mcp.answering.refusal import Refusal
from gdrive_rag_mcp.answering.rules import NO_ANSWER, RULES
from gdrive_rag_mcp.answering.sources import AnswerSource

__all__ = ["NO_ANSWER", "RULES", "AnswerSource", "Grounds", "Refusal", "Retrieve", "ground"]
