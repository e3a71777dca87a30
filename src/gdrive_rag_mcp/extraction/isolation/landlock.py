"""Gives up, for this process and all it starts, every file but those that are named.

Landlock (Linux 5.13 and later, where it is switched on) needs no privilege and cannot be undone.
See landlock(7); what a kernel's version does not know yet is left out.
"""

import ctypes
import os
import stat
import sys
from collections.abc import Iterable

from gdrive_rag_mcp.extraction.isolation.c_library import c_library

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_SET_NO_NEW_PRIVILEGES = 38
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""What can be withheld since which version: all rights there are."""

_TCP_RIGHTS = {4: 0b11}
_SCOPES = {6: 0b11}
"""Abstract sockets of others, and signals to others."""


class _Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`, whose tail older kernels do not know."""

    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    """`struct landlock_path_beneath_attr`."""

    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def deny_files(*, readable: Iterable[str], programs: Iterable[str] = ()) -> bool:
    """Give up all files but those `readable`, in which folders stand for all beneath them.

    `programs` may be started. Paths that do not exist are passed over. Says whether it is in force.
    """
    if sys.platform != "linux":
        return False
    libc = c_library()
    version: int = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    if version < 1:
        return False
    given_up = _Ruleset(
        *(_known(rights, version) for rights in (_FILE_RIGHTS, _TCP_RIGHTS, _SCOPES))
    )
    size = 8 * (1 + (version >= min(_TCP_RIGHTS)) + (version >= min(_SCOPES)))
    rules: int = libc.syscall(_CREATE_RULESET, ctypes.byref(given_up), ctypes.c_size_t(size), 0)
    if rules < 0:
        return False
    try:
        for path in readable:
            _allow(libc, rules, path, _READ_FILE | _READ_FOLDER)
        for path in programs:
            _allow(libc, rules, path, _READ_FILE | _EXECUTE)
        return not (
            libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.syscall(_RESTRICT_SELF, rules, 0)
        )
    finally:
        os.close(rules)


def _known(rights: dict[int, int], version: int) -> int:
    return sum(bits for since, bits in rights.items() if since <= version)


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= ~_READ_FOLDER
        rule = _Beneath(rights, place)
        libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(place)
