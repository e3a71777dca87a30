"""The use cases: what can be asked of an index, whoever asks."""

from gdrive_rag_mcp.app.pool import StorePool
from gdrive_rag_mcp.app.reading import MAX_HITS, Reader
from gdrive_rag_mcp.app.times import parse_time

__all__ = ["MAX_HITS", "Reader", "StorePool", "parse_time"]
