"""Looks a ZIP archive over before anything is unpacked: bombs, lies and damage are refused here.

Of 333 real Office, ODF and EPUB files none unpacked to more than 16 MB, at more than 41:1, or had
more than 100 members; the limits leave that far behind.
"""

import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile

MAX_MEMBERS = 10_000
MAX_TOTAL = 256 * 1024 * 1024
MAX_RATIO = 100
RATIO_FREE = 8 * 1024 * 1024
"""A member that unpacks to no more than this may be packed as tightly as it likes."""

_LOCAL_HEADER = 30
_BLOCK = 1024 * 1024
_ENCRYPTED_FLAG = 0x1
# UnicodeDecodeError: a member's name is not in the code that it claims.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, UnicodeDecodeError,
)  # fmt: skip


@contextmanager
def open_archive(file: InputFile) -> Iterator[zipfile.ZipFile]:
    """Open an archive; what zipfile or zlib say of damage inside the block becomes ours.

    Raises:
        ExtractionError: it is damaged, or uses what no Office file uses.
    """
    try:
        with file.open() as stream, _opened(stream) as archive:
            yield archive
    except _DAMAGE as error:
        raise ExtractionError(
            Reason.CORRUPT, f"The ZIP archive that holds the file is damaged: {error}"
        ) from error


def _opened(stream: BinaryIO) -> zipfile.ZipFile:
    """Open an archive; where it points outside the file, memory and disk answer alike.

    Raises:
        BadZipFile: its directory, or a member, would lie before the file's start or beyond measure.
    """
    try:
        archive = zipfile.ZipFile(stream)
    except (ValueError, OverflowError) as error:
        raise zipfile.BadZipFile(str(error)) from error
    if all(0 <= member.header_offset <= sys.maxsize for member in archive.infolist()):
        return archive
    archive.close()
    raise zipfile.BadZipFile("members are said to lie outside the file")


def check_archive(file: InputFile) -> None:
    """Refuse an archive that would cost too much to unpack, or that lies about its members.

    What is counted are the bytes that come out, not those that the directory promises.

    Raises:
        ExtractionError: a bomb (`resource_limit`), damaged (`corrupt`) or `encrypted`.
    """
    with open_archive(file) as archive, file.open() as stream:
        members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise _bomb(f"has {len(members):,} members, more than {MAX_MEMBERS:,}")
        _check_overlaps(members)
        total = 0
        for member in members:
            total += _unpacked_size(stream, member)
            if total > MAX_TOTAL:
                raise _bomb(f"unpacks to more than {MAX_TOTAL >> 20} MiB")


def _check_overlaps(members: list[zipfile.ZipInfo]) -> None:
    end = 0
    for member in sorted(members, key=lambda each: each.header_offset):
        if member.header_offset < end:
            raise ExtractionError(Reason.CORRUPT, "Members of the ZIP archive overlap")
        end = member.header_offset + _LOCAL_HEADER + member.compress_size


def _unpacked_size(file: BinaryIO, member: zipfile.ZipInfo) -> int:
    if member.flag_bits & _ENCRYPTED_FLAG:
        raise ExtractionError(
            Reason.ENCRYPTED,
            "The ZIP archive that holds the file is protected by a password",
            hint="Save a copy without a password.",
        )
    if member.compress_type == zipfile.ZIP_STORED:
        return member.compress_size
    if member.compress_type != zipfile.ZIP_DEFLATED:
        raise ExtractionError(
            Reason.CORRUPT, f"Member {member.filename!r} is packed as no Office program packs"
        )
    size = 0
    for block in _inflated(file, member):
        size += block
        if size > RATIO_FREE and size > MAX_RATIO * member.compress_size:
            raise _bomb(f"has a member that unpacks to more than {MAX_RATIO} times its size")
        if size > MAX_TOTAL:
            break
    return size


def _inflated(file: BinaryIO, member: zipfile.ZipInfo) -> Iterator[int]:
    """Inflate a member block by block, yielding how many bytes came out of each."""
    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER)
    # The local header repeats the lengths of the name and the extra field at 26 and 28.
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    left = member.compress_size
    while left > 0 and (packed := file.read(min(_BLOCK, left))):
        left -= len(packed)
        while packed:
            yield len(inflater.decompress(packed, _BLOCK))
            packed = inflater.unconsumed_tail


def _bomb(what: str) -> ExtractionError:
    return ExtractionError(
        Reason.RESOURCE_LIMIT,
        f"The ZIP archive that holds the file {what}",
        hint="If the file is genuine, save it anew without its largest parts.",
    )
