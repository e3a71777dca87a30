"""Asking the questions of a file of cases and judging what comes back: cases, metrics, a run."""
