"""Web pages."""
