"""Whether what was retrieved is enough to answer; pure functions, no I/O."""

from gdrive_rag_mcp.evidence.verdict import DEFAULT_THRESHOLD, judge

__all__ = ["DEFAULT_THRESHOLD", "judge"]
