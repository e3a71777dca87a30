"""The write path: from a source's news to chunks and vectors in the index."""
