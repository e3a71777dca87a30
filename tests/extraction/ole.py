"""Writes the small file systems that Office files from before 2007 are, for tests to read.

Format: [MS-CFB], version 3. Sectors of 512 bytes; the header names 109 sectors of the table at
most, which is 7 MB of streams. Streams are filled up to 4096 bytes with zeros, as smaller ones
would have to lie in another place.
"""

import struct
from collections.abc import Mapping
from itertools import pairwise

_SECTOR = 512
_FREE, _END, _TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_NONE = 0xFFFFFFFF
_ENTRIES = 4
_HEADER_TABLES = 109
_SMALL = 4096
_ROOT, _STREAM = 5, 2


def compound_file(streams: Mapping[str, bytes]) -> bytes:
    """A compound file with these streams at its top level."""
    streams = {name: data.ljust(_SMALL, b"\0") for name, data in streams.items()}
    directory_sectors = -(-(len(streams) + 1) // _ENTRIES)
    chains = [directory_sectors, *(-(-len(data) // _SECTOR) for data in streams.values())]
    tables = _tables_for(sum(chains))
    assert tables <= _HEADER_TABLES
    links = [_TABLE] * tables
    starts = []
    for length in chains:
        first = len(links)
        starts.append(first if length else _END)
        links += [*range(first + 1, first + length), _END][:length]
    links += [_FREE] * (tables * _SECTOR // 4 - len(links))
    body = [struct.pack(f"<{len(links)}I", *links), _directory(streams, starts[1:])]
    body += [data.ljust(-(-len(data) // _SECTOR) * _SECTOR, b"\0") for data in streams.values()]
    return _header(tables, starts[0]) + b"".join(body)


def _tables_for(sectors: int) -> int:
    tables = 1
    while tables * (_SECTOR // 4) < sectors + tables:
        tables += 1
    return tables


def _header(tables: int, directory: int) -> bytes:
    fields = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        0x3E, 3, 0xFFFE, 9, 6,
        0, tables, directory, 0, _SMALL, _END, 0, _END, 0,
    )  # fmt: skip
    places = [*range(tables), *[_FREE] * (_HEADER_TABLES - tables)]
    return fields + struct.pack(f"<{_HEADER_TABLES}I", *places)


def _directory(streams: Mapping[str, bytes], starts: list[int]) -> bytes:
    """The root, and its streams as one long branch to the right, in the order of the format."""
    order = sorted(range(len(streams)), key=lambda at: _rank(list(streams)[at]))
    following = dict(pairwise([*order, None]))
    entries = [_entry("Root Entry", _ROOT, _NONE, order[0] + 1 if order else _NONE, _END, 0)]
    for at, (name, data) in enumerate(streams.items()):
        right = following[at]
        entries.append(
            _entry(
                name,
                _STREAM,
                _NONE if right is None else right + 1,
                _NONE,
                starts[at],
                len(data),
            )
        )
    packed = b"".join(entries)
    return packed.ljust(-(-len(packed) // _SECTOR) * _SECTOR, b"\0")


def _rank(name: str) -> tuple[int, str]:
    return len(name), name.upper()


def _entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    encoded = (name + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII36xIQ", encoded, len(encoded), kind, 1, _NONE, right, child, start, size
    )
