"""A corpus as real files, one a document, so that it is synced as anybody's folder is."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.evaluation.question_sets import Text

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NAME_LETTERS = 14  # 65 bits: no two documents of any corpus that fits a machine share a name


class Layout(StrEnum):
    """What a file holds."""

    TITLED = "titled"
    """Markdown with the title as its heading."""
    BARE = "bare"
    """A text file with the text alone."""


def file_name(document_id: str, layout: Layout) -> str:
    """A name for any file system; of letters alone, so that no question's word or number is in it.

    It depends on the id only, so that a file keeps its name when the corpus changes.
    """
    number = int.from_bytes(
        hashlib.sha256(document_id.encode("utf-8", "surrogatepass")).digest(), "big"
    )
    letters = []
    for _ in range(_NAME_LETTERS):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters) + (".md" if layout is Layout.TITLED else ".txt")


def write_corpus(corpus: Sequence[Text], folder: Path, layout: Layout) -> dict[str, str]:
    """Make the folder hold this corpus and nothing else; files that are right stay untouched.

    Returns the document's id by the file's name.

    Raises:
        SettingsError: the folder cannot be written.
    """
    ids = {file_name(text.id, layout): text.id for text in corpus}
    contents = {file_name(text.id, layout): _content(text, layout) for text in corpus}
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for stale in folder.iterdir():
            if stale.name not in ids:
                stale.unlink()
        for name, content in contents.items():
            _write(folder / name, content.encode("utf-8", "replace"))
    return ids


def _write(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Say of a folder that cannot be written what to do about it.

    Raises:
        SettingsError: it cannot.
    """
    try:
        yield
    except OSError as error:
        raise SettingsError(
            f"{folder} cannot be written: {error.strerror}",
            hint="name another folder with --cache, on a disk with room",
        ) from None


def _content(text: Text, layout: Layout) -> str:
    title = " ".join(text.title.split())
    return f"# {title}\n\n{text.text}\n" if layout is Layout.TITLED and title else f"{text.text}\n"
