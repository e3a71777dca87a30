"""The tokenizer of a model folder from a hub: whatever its `tokenizer.json` describes."""

from pathlib import Path

from tokenizers import Tokenizer

from gdrive_rag_mcp.errors import EmbedderUnavailableError


class HubTokenizer:
    """Text to ids; safe to use from several threads.

    Raises:
        EmbedderUnavailableError: the file is no tokenizer.
    """

    def __init__(self, file: Path) -> None:
        try:
            self._tokenizer = Tokenizer.from_buffer(file.read_bytes())
        except ValueError as error:
            raise EmbedderUnavailableError(
                f"{file} is no tokenizer: {error}", hint="put the model's own tokenizer.json there"
            ) from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        first, *_, last = self._tokenizer.encode("").ids
        self.ends = first, last

    def ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)
