"""Text to unit vectors: a model that runs here, or one behind an HTTP endpoint."""
