"""Cutting a document into the passages that are embedded, ranked and cited."""
