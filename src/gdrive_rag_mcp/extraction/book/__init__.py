"""EPUB books, chapter by chapter."""
