"""How a long step says how far it has come."""

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Told the stage, how much of it is done, and how much there is (None: not known yet)."""
