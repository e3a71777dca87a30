"""The process that reads files, and what holds it: limits, no network, no other files."""
