"""Gives up, for this process and all it starts, the system calls that reading a file never needs.

A seccomp filter (Linux, x86-64 and AArch64) answers them with an error, as a library expects it; no
privilege is needed, and nothing takes the filter off again. See seccomp(2) and the kernel's
`Documentation/userspace-api/seccomp_filter.rst`.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from gdrive_rag_mcp.extraction.isolation import seccomp_calls as calls
from gdrive_rag_mcp.extraction.isolation.c_library import c_library

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Which column of numbers holds, and what the kernel calls the architecture (AUDIT_ARCH_…)."""

_LOAD_WORD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _JUMP_IF_ANY_BIT, _RETURN = (
    0x20, 0x15, 0x35, 0x45, 0x06,
)  # fmt: skip
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
# Where `struct seccomp_data` has the call's number, the architecture, and the arguments' low words.
_NUMBER, _ARCHITECTURE, _ARGUMENTS, _ARGUMENT_SIZE = 0, 4, 16, 8
_X32_CALLS = 0x40000000
_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_NEW_THREAD = 0x10000
_LAYOUT = "=HBBI"
_MORE_THAN_READING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


@dataclass(frozen=True, slots=True)
class _Instruction:
    """`struct sock_filter`: what to do with `value`, and how far to jump if so, and if not."""

    code: int
    value: int
    if_so: int = 0
    if_not: int = 0


def deny_calls(*, programs: bool) -> bool:
    """Give up network, other processes, and changing files; says whether it is in force.

    `programs` may be started all the same, and are held to the same.
    """
    common = prepare(programs=programs)
    if not common:
        return False
    code = common + _packed(_for_this_process(_ARCHITECTURES[platform.machine()][0]))
    program = _Program(len(code) // struct.calcsize(_LAYOUT), code)
    libc = c_library()
    return not (
        libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        or libc.prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.byref(program), 0, 0)
    )


@cache
def prepare(*, programs: bool) -> bytes:
    """The part of the filter that all processes have in common; nothing where there is no filter.

    A process that forks others makes it before, once for all of them.
    """
    column, architecture = _ARCHITECTURES.get(platform.machine(), (0, 0))
    if sys.platform != "linux" or not architecture or struct.calcsize("P") != _ARGUMENT_SIZE:
        return b""
    return _packed(_common(column, architecture, programs=programs))


def _packed(instructions: Iterator[_Instruction]) -> bytes:
    return b"".join(
        struct.pack(_LAYOUT, each.code, each.if_so, each.if_not, each.value)
        for each in instructions
    )


def _filter(column: int, architecture: int, *, programs: bool) -> Iterator[_Instruction]:
    yield from _common(column, architecture, programs=programs)
    yield from _for_this_process(column)


def _common(column: int, architecture: int, *, programs: bool) -> Iterator[_Instruction]:
    yield _Instruction(_LOAD_WORD, _ARCHITECTURE)
    yield _Instruction(_JUMP_IF_EQUAL, architecture, if_so=1)
    yield _Instruction(_RETURN, _KILL)
    yield _Instruction(_LOAD_WORD, _NUMBER)
    yield _Instruction(_JUMP_IF_AT_LEAST, _X32_CALLS, if_not=1)
    yield _Instruction(_RETURN, _KILL)
    denied = [*calls.DENIED.values(), *([] if programs else calls.PROGRAMS.values())]
    for numbers in denied:
        yield from _on_call(numbers[column], [_failing(errno.EPERM)])
    # Their arguments lie where no filter can look; libraries go back to the older calls.
    for numbers in (calls.OPENAT2, calls.CLONE3):
        yield from _on_call(numbers[column], [_failing(errno.ENOSYS)])
    for numbers, place in ((calls.OPEN, 1), (calls.OPENAT, 2)):
        yield from _on_call(numbers[column], _unless_no_bit_of(place, _MORE_THAN_READING))
    if not programs:
        yield from _on_call(calls.CLONE[column], _if_any_bit_of(0, _NEW_THREAD))
    yield from _on_call(calls.PRLIMIT64[column], _if_null(2))


def _for_this_process(column: int) -> Iterator[_Instruction]:
    for numbers in calls.SIGNALS.values():
        yield from _on_call(numbers[column], _if_equal(0, os.getpid()))
    yield _allowing()


def _on_call(number: int | None, then: list[_Instruction]) -> Iterator[_Instruction]:
    """What to do on one call; with the number still loaded, on to the next for any other."""
    if number is not None:
        yield _Instruction(_JUMP_IF_EQUAL, number, if_not=len(then))
        yield from then


def _failing(number: int) -> _Instruction:
    return _Instruction(_RETURN, _FAIL | number)


def _allowing() -> _Instruction:
    return _Instruction(_RETURN, _ALLOW)


def _low_word(argument: int) -> _Instruction:
    return _Instruction(_LOAD_WORD, _ARGUMENTS + argument * _ARGUMENT_SIZE)


def _high_word(argument: int) -> _Instruction:
    return _Instruction(_LOAD_WORD, _ARGUMENTS + argument * _ARGUMENT_SIZE + 4)


def _if_any_bit_of(argument: int, bits: int) -> list[_Instruction]:
    """Allowed with one of the bits."""
    test = _Instruction(_JUMP_IF_ANY_BIT, bits, if_so=1)
    return [_low_word(argument), test, _failing(errno.EPERM), _allowing()]


def _unless_no_bit_of(argument: int, bits: int) -> list[_Instruction]:
    """Allowed with none of the bits."""
    test = _Instruction(_JUMP_IF_ANY_BIT, bits, if_not=1)
    return [_low_word(argument), test, _failing(errno.EPERM), _allowing()]


def _if_equal(argument: int, value: int) -> list[_Instruction]:
    test = _Instruction(_JUMP_IF_EQUAL, value, if_so=1)
    return [_low_word(argument), test, _failing(errno.EPERM), _allowing()]


def _if_null(argument: int) -> list[_Instruction]:
    """Allowed with a pointer to nothing: a question that sets nothing."""
    low = _Instruction(_JUMP_IF_EQUAL, 0, if_not=2)
    high = _Instruction(_JUMP_IF_EQUAL, 0, if_so=1)
    return [_low_word(argument), low, _high_word(argument), high,
            _failing(errno.EPERM), _allowing()]  # fmt: skip
