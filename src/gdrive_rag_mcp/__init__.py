"""A local-first MCP server over a hybrid index of one Google Drive folder."""

__version__ = "0.5.0"
