"""Every signal by its name."""

from collections.abc import Mapping

from gdrive_rag_mcp.evidence.asked_signals import ASKED_SIGNALS
from gdrive_rag_mcp.evidence.reading import Reading
from gdrive_rag_mcp.evidence.signal import Signal
from gdrive_rag_mcp.evidence.signals import SEARCH_SIGNALS
from gdrive_rag_mcp.evidence.token_signals import TOKEN_SIGNALS

SIGNALS: Mapping[str, Signal] = {**SEARCH_SIGNALS, **ASKED_SIGNALS, **TOKEN_SIGNALS}


def measure(reading: Reading) -> dict[str, float]:
    """Measure every signal; one that cannot be had is NaN."""
    return {name: signal(reading) for name, signal in SIGNALS.items()}
