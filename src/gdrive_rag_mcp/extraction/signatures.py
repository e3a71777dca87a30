"""The first bytes of files that hold no text to read, to say what a file is instead."""

from collections.abc import Mapping

_SIGNATURES: Mapping[bytes, str] = {
    b"\x89PNG\r\n": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF87a": "a GIF picture",
    b"GIF89a": "a GIF picture",
    b"II*\0": "a TIFF picture",
    b"MM\0*": "a TIFF picture",
    b"BM": "a BMP picture",
    b"8BPS": "a Photoshop picture",
    b"ID3": "an MP3 recording",
    b"OggS": "an Ogg recording",
    b"fLaC": "a FLAC recording",
    b"\x1aE\xdf\xa3": "a Matroska film",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\0": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a Zstandard archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\x00\x05\x16\x00": "an AppleSingle container",
    b"\x00\x05\x16\x07": "an AppleDouble container",
    b"SQLite format 3\0": "a SQLite database",
    b"\x7fELF": "a program",
    b"MZ": "a program",
    b"\xca\xfe\xba\xbe": "a program",
    b"\0asm": "a program",
    b"%!PS": "a PostScript file",
    b"wOFF": "a font",
    b"wOF2": "a font",
    b"OTTO": "a font",
}
_SHORT = 2
"""Two letters may begin a text as well; they count only where bytes follow that no text has."""


def named_by_signature(head: bytes) -> str | None:
    """What a file is, in words, if it begins like one of the formats that are not read here."""
    for signature, name in _SIGNATURES.items():
        if head.startswith(signature) and (len(signature) > _SHORT or b"\0" in head):
            return name
    if head[4:8] == b"ftyp":
        return "a film, recording or picture of the MP4 family"
    if head.startswith(b"RIFF") and head[8:12] in (b"WAVE", b"AVI ", b"WEBP"):
        return "a RIFF recording, film or picture"
    return "a tar archive" if head[257:262] == b"ustar" else None
