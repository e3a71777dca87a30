"""The ways in: command line and MCP; each only parses, calls a use case and presents."""
