"""Fakes for the edges that cannot run in a test, shipped so that other projects can test too."""
