"""What an index learns of itself after a sync: probes through the real retriever, and no labels."""
