"""The ways in: a command line and an MCP server."""
