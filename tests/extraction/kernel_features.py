"""What this system's kernel can hold a process to, asked of the kernel itself.

The product is not asked, so that tests of what it holds back fail, and are not skipped, when it
holds back nothing.
"""

import ctypes
import errno
import platform
import sys

_SET_SECCOMP, _FILTER_MODE = 22, 2
_LANDLOCK_CREATE_RULESET, _ASK_VERSION = 444, 1


def filters_calls() -> bool:
    """Whether a seccomp filter can be set, on an architecture whose calls are known.

    A filter at no address is a bad address where there are filters (see seccomp(2)), and an invalid
    question elsewhere.
    """
    if sys.platform != "linux" or platform.machine() not in {"x86_64", "aarch64"}:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(
        libc.prctl(_SET_SECCOMP, _FILTER_MODE, None, 0, 0) and ctypes.get_errno() == errno.EFAULT
    )


def confines_files() -> bool:
    """Whether Landlock is there and switched on, see landlock_create_ruleset(2)."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version: int = libc.syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    return version >= 1
