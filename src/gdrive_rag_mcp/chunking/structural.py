"""The default chunker: structure first (sheets, tables, headings, lists, pages), then sentences."""

from gdrive_rag_mcp.chunking.assembly import Sizes, cut_document
from gdrive_rag_mcp.chunking.packing import Packer
from gdrive_rag_mcp.domain import Chunk, Document


class StructuralChunker:
    """Cuts along a document's structure into chunks of at most `size` estimated tokens.

    The embedded text, title and headings included, stays within `size`; sentences worth `overlap`
    tokens are repeated where a section had to be cut, never across headings or rows.

    Raises:
        SettingsError: sizes that cannot work together.
    """

    def __init__(self, size: int, overlap: int) -> None:
        self._sizes = Sizes(size, overlap)

    @property
    def identity(self) -> str:
        """Changes whenever any document might be cut differently."""
        return f"structural/2 {self._sizes}"

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        """Cut a document; chunks in reading order, every non-blank character in at least one."""
        return cut_document(document, self._sizes, Packer.packed)
