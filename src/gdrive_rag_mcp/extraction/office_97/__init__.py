"""Office files from before 2007."""
