"""What a process that reads a file can still reach: that file, Python's libraries, no network.

Linux enforces it (`seccomp`, `landlock`), whoever runs it; elsewhere, or where a kernel refuses,
the limits of `limits` are all there is (`confinement_probe` tells).
"""

import os
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import gdrive_rag_mcp
from gdrive_rag_mcp.extraction.isolation.landlock import deny_files
from gdrive_rag_mcp.extraction.isolation.seccomp import deny_calls, prepare

_LIBRARIES = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
)
_FONTS = ("/usr/share/fonts", "/usr/share/X11/fonts", "/usr/local/share/fonts")
_LOADERS = ("lib64/ld-*.so*", "lib/ld-*.so*")
"""What starts a program that shares libraries, and must be allowed beside it."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a reading process was made to give up: the network, and other people's files."""

    network: bool
    files: bool


def confine(file: str, *, programs: Iterable[str] = (), data: Iterable[str] = ()) -> Confinement:
    """Give up all but reading `file`, libraries, and starting `programs`, which read `data`.

    Holds for this process and what it starts, for good.
    """
    programs = [os.path.realpath(each) for each in programs]
    return Confinement(
        files=deny_files(
            readable=[file, *_libraries(), *data],
            programs=[*programs, *_loaders()] if programs else (),
        ),
        network=deny_calls(programs=bool(programs)),
    )


def prepare_to_confine() -> None:
    """Find out once what is the same for each process that this one forks."""
    _libraries()
    _loaders()
    for programs in (True, False):
        prepare(programs=programs)


@cache
def _loaders() -> tuple[str, ...]:
    return tuple(str(path) for pattern in _LOADERS for path in Path("/").glob(pattern))


@cache
def _libraries() -> tuple[str, ...]:
    """Where code and fonts may have to be loaded from; of ours, the package alone."""
    package = Path(gdrive_rag_mcp.__file__).parent
    paths = sysconfig.get_paths()
    python = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    python += [str(Path(prefix, "lib")) for prefix in (sys.prefix, sys.base_prefix)]
    others = [path for path in sys.path if path and Path(path).absolute() != package.parent]
    return _outermost([str(package), *python, *others, *_LIBRARIES, *_FONTS, os.devnull])


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Of paths that exist, those that lie beneath none of the others."""
    kept: list[Path] = []
    for path in sorted(Path(os.path.realpath(path)) for path in paths):
        # What lies beneath a folder is sorted right behind it.
        if os.access(path, os.F_OK) and not (kept and path.is_relative_to(kept[-1])):
            kept.append(path)
    return tuple(map(str, kept))
