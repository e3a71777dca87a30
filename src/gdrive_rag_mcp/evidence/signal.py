"""What a signal is: one number that is computed of what was read."""

import math
from collections.abc import Callable

from gdrive_rag_mcp.evidence.reading import Reading

Signal = Callable[[Reading], float]
UNKNOWN = math.nan
"""A signal that cannot be had; it says nothing for or against."""
