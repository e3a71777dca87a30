"""The filter of system calls, worked through instruction by instruction, for both architectures.

The kernel runs it for the architecture that the tests run on alone; here is what the other's does.
"""

import errno
import os
import struct
from collections.abc import Mapping, Sequence

import pytest

from gdrive_rag_mcp.extraction.isolation import seccomp, seccomp_calls

ALLOWED = "allowed"
KILLED = "killed"
X86_64, AARCH64 = (0, 0xC000003E), (1, 0xC00000B7)
NEW_THREAD = 0x10000 | 0x100
Architecture = tuple[int, int]


def verdict(
    architecture: Architecture, number: int, arguments: Sequence[int] = (), *, programs: bool
) -> str:
    """What becomes of a call: an interpreter of the five instructions (bpf(4)) that are used."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=IIQ6Q", number, architecture[1], 0, *padded)
    instructions = list(seccomp._filter(*architecture, programs=programs))
    accumulator, at = 0, 0
    while True:
        each = instructions[at]
        at += 1
        if each.code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, each.value)
        elif each.code == 0x06:
            break
        else:
            so = {
                0x15: accumulator == each.value,
                0x35: accumulator >= each.value,
                0x45: bool(accumulator & each.value),
            }[each.code]
            at += each.if_so if so else each.if_not
    special = {0x7FFF0000: ALLOWED, 0x80000000: KILLED}
    return special.get(each.value) or errno.errorcode[each.value & 0xFFFF]


@pytest.fixture(params=[X86_64, AARCH64], ids=["x86-64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> Architecture:
    architecture: Architecture = request.param
    return architecture


def number_of(machine: Architecture, numbers: seccomp_calls.Numbers) -> int:
    number = numbers[machine[0]]
    assert number is not None
    return number


def existing(machine: Architecture, calls: Mapping[str, seccomp_calls.Numbers]) -> dict[str, int]:
    """The calls that an architecture has, by name."""
    return {name: number for name, each in calls.items() if (number := each[machine[0]])}


@pytest.mark.parametrize("programs", [True, False])
def test_every_listed_call_is_denied(machine: Architecture, *, programs: bool) -> None:
    numbers = existing(machine, seccomp_calls.DENIED)

    said = {name: verdict(machine, number, programs=programs) for name, number in numbers.items()}

    assert len(said) > 60
    assert set(said.values()) == {"EPERM"}


def test_programs_are_denied_unless_they_are_needed(machine: Architecture) -> None:
    for number in existing(machine, seccomp_calls.PROGRAMS).values():
        assert verdict(machine, number, programs=False) == "EPERM"
        assert verdict(machine, number, programs=True) == ALLOWED


def test_a_new_thread_is_no_new_process(machine: Architecture) -> None:
    clone = number_of(machine, seccomp_calls.CLONE)

    assert verdict(machine, clone, [NEW_THREAD], programs=False) == ALLOWED
    assert verdict(machine, clone, [17], programs=False) == "EPERM"
    assert verdict(machine, clone, [17], programs=True) == ALLOWED


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (os.O_RDONLY, ALLOWED),
        (os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY, ALLOWED),
        (os.O_WRONLY, "EPERM"),
        (os.O_RDWR, "EPERM"),
        (os.O_RDONLY | os.O_CREAT, "EPERM"),
        (os.O_RDONLY | os.O_TRUNC, "EPERM"),
    ],
)
def test_files_are_opened_for_reading_alone(machine: Architecture, flags: int, said: str) -> None:
    openat = number_of(machine, seccomp_calls.OPENAT)

    assert verdict(machine, openat, [0, 0, flags], programs=True) == said
    assert verdict(X86_64, 2, [0, flags], programs=True) == said


@pytest.mark.parametrize("name", seccomp_calls.SIGNALS)
def test_signals_go_to_the_process_itself_alone(machine: Architecture, name: str) -> None:
    number = number_of(machine, seccomp_calls.SIGNALS[name])

    assert verdict(machine, number, [os.getpid(), 6], programs=False) == ALLOWED
    assert verdict(machine, number, [os.getppid(), 6], programs=False) == "EPERM"
    assert verdict(machine, number, [2**64 - 1, 6], programs=False) == "EPERM"


@pytest.mark.parametrize(("pointer", "said"), [(0, ALLOWED), (8, "EPERM"), (1 << 40, "EPERM")])
def test_limits_are_read_and_not_set(machine: Architecture, pointer: int, said: str) -> None:
    prlimit = number_of(machine, seccomp_calls.PRLIMIT64)

    assert verdict(machine, prlimit, [0, 7, pointer], programs=False) == said


def test_what_no_filter_can_look_into_is_said_to_be_unknown(machine: Architecture) -> None:
    for numbers in (seccomp_calls.OPENAT2, seccomp_calls.CLONE3):
        assert verdict(machine, number_of(machine, numbers), programs=False) == "ENOSYS"


def test_calls_of_another_architecture_end_the_process() -> None:
    first, second, third = list(seccomp._filter(*X86_64, programs=True))[:3]

    assert (first.code, first.value) == (0x20, 4)  # the architecture is looked at before all
    assert (second.value, second.if_so, third.value) == (X86_64[1], 1, 0x80000000)
    assert verdict(X86_64, 0x40000000 + 41, programs=True) == KILLED


def test_what_reading_needs_is_allowed() -> None:
    needed = {"read": (0, 63), "mmap": (9, 222), "close": (3, 57), "exit_group": (231, 94),
              "getrandom": (318, 278), "futex": (202, 98), "wait4": (61, 260)}  # fmt: skip
    for numbers in needed.values():
        for machine in (X86_64, AARCH64):
            assert verdict(machine, numbers[machine[0]], programs=False) == ALLOWED
