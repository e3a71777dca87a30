"""The system's C library, for calls that Python does not offer; loaded once, which takes time."""

import ctypes
from functools import cache


@cache
def c_library() -> ctypes.CDLL:
    """Its functions; what failed is told by `ctypes.get_errno`."""
    return ctypes.CDLL(None, use_errno=True)
