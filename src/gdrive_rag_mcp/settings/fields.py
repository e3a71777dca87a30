"""Every knob, once: its name, type, bound, default and meaning."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from gdrive_rag_mcp.settings.synonyms import Synonyms, checked_synonyms
from gdrive_rag_mcp.settings.urls import plain_url

PATHS = (
    "db_path",
    "embed_model_path",
    "google_service_account_file",
    "google_oauth_client_file",
    "google_oauth_token_file",
)
_NUMBERS = (
    "drive_qps",
    "embed_dimensions",
    "embed_batch_size",
    "embed_timeout_seconds",
    "chunk_size",
    "chunk_overlap",
    "evidence_threshold",
)
_SLOWEST_QPS = 0.01
_LANGUAGES = r"[A-Za-z]\w{0,31}(\+[A-Za-z]\w{0,31}){0,9}"


class Settings(BaseModel):
    """All settings, checked; secrets are not among them, only the names of their variables."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False
    )

    source: str = Field("drive", description="`drive`, or `folder:/path` for a local folder.")
    gdrive_folder_id: str | None = Field(None, description="The Drive folder to index.")
    gdrive_shared_drive_id: str | None = Field(
        None, description="The shared drive to index, or the one that the folder is in."
    )
    google_service_account_file: Path | None = Field(
        None, repr=False, description="The JSON key of a service account that may read the folder."
    )
    google_oauth_client_file: Path | None = Field(
        None,
        repr=False,
        description="The JSON of an OAuth client, for `auth-google`: to read as yourself.",
    )
    google_oauth_token_file: Path | None = Field(
        None,
        repr=False,
        description="Where `auth-google` keeps your consent; unset: "
        "~/.config/gdrive-rag-mcp/google-token.json.",
    )
    drive_qps: float = Field(
        10.0,
        ge=0,
        le=10000,
        description="Drive calls a second, at most; 0.01 is the slowest, and 0 sets no limit.",
    )
    drive_endpoint: str | None = Field(None, description="Root URL of another Drive API (tests).")

    db_path: Path | None = Field(None, description="The index file; wins over the profile.")
    index_profile: str = Field(
        "default",
        description="`default` is data/index.db, any other NAME is data/index-NAME.db.",
    )

    embed_provider: (
        Literal["embedded", "gemini", "openai-compatible", "sentence-transformers", "none"] | None
    ) = Field(
        None,
        description="Unset: the one the index was made with; for a new index `gemini` if "
        "GEMINI_API_KEY is set, else `embedded`. `gemini` sends texts to Google, which counts and "
        "bills every chunk, not every call; `embedded` and `sentence-transformers` (extra) send "
        "nothing.",
    )
    embed_model: str | None = Field(
        None,
        description="The model's name at the provider; unset, gemini-embedding-001 for `gemini`. "
        "For `sentence-transformers`, a name in the hub's cache on this machine; nothing is "
        "downloaded.",
    )
    embed_model_path: Path | None = Field(
        None,
        description="For `embedded`, a folder with onnx/model.onnx and tokenizer.json, or a copy "
        "of what a sync unpacked; for `sentence-transformers`, one with modules.json.",
    )
    embed_dimensions: int | None = Field(
        None, ge=1, le=16384, description="Length of a vector; unset, 768 for `gemini`."
    )
    embed_base_url: str | None = Field(
        None,
        description="Where `/embeddings` is, for `openai-compatible`; root URL of another Gemini "
        "API, such as a proxy, for `gemini`: https, unless it is on this machine.",
    )
    embed_api_key_env: str | None = Field(
        None,
        description="The *name* of the variable that holds the provider's key; unset, "
        "GEMINI_API_KEY for `gemini`. NAME_FILE may name a file with the key instead.",
    )
    embed_batch_size: int | None = Field(
        None,
        ge=1,
        le=2048,
        description="Texts a call, at most; unset, 100 for `gemini`, 32 for "
        "`sentence-transformers` and 16 for `openai-compatible`.",
    )
    embed_timeout_seconds: float = Field(60.0, gt=0, le=3600, description="For one call.")
    embed_send_dimensions: bool = Field(
        False, description="Ask an OpenAI-compatible server for `dimensions`."
    )
    embed_device: str | None = Field(
        None,
        description="Where `sentence-transformers` computes, such as `cpu`, `cuda` or `mps`; "
        "unset, the fastest there is.",
    )

    ocr_languages: str | None = Field(
        None,
        description="Languages to recognise pages without text in, as tesseract calls them, such "
        "as kor+vie+eng; unset: no OCR.",
    )

    chunker: Literal["structural", "llama-index"] = Field(
        "structural",
        description="Who puts sentences together: this project, or LlamaIndex's SentenceSplitter "
        "(extra `llama-index`).",
    )
    chunk_size: int = Field(300, ge=50, le=2000, description="Estimated tokens a chunk, at most.")
    chunk_overlap: int = Field(
        40,
        ge=0,
        le=500,
        validate_default=True,
        description="Estimated tokens chunks share, at most half of the chunk size.",
    )

    retrieval_mode: Literal["hybrid", "keyword", "vector"] = Field(
        "hybrid", description="Which retrievers take part."
    )
    evidence_threshold: float | None = Field(
        None, ge=0, le=1, description="Confidence from which evidence is sufficient."
    )
    synonyms: Annotated[Synonyms, BeforeValidator(checked_synonyms)] = Field(
        (),
        description="Terms that mean the same in your documents and questions, in lists: "
        '`[["PTO", "paid time off", "Urlaub"], ["NDA", "non-disclosure agreement"]]`.',
    )

    @field_validator("source")
    @classmethod
    def _source_is_known(cls, value: str) -> str:
        kind, _, folder = value.partition(":")
        if kind == "folder" and folder:
            return f"folder:{absolute(Path(folder))}"
        if value != "drive":
            raise ValueError("must be `drive` or `folder:PATH`, such as folder:documents")
        return value

    @field_validator("ocr_languages")
    @classmethod
    def _languages_are_codes(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(_LANGUAGES, value):
            raise ValueError("must be tesseract's codes with + between, such as eng or kor+vie+eng")
        return value

    @field_validator("index_profile")
    @classmethod
    def _profile_is_part_of_a_file_name(cls, value: str) -> str:
        if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{0,63}", value):
            raise ValueError(
                "must be at most 64 letters, digits, dots, dashes and underscores, of which the "
                "first is a letter or digit, such as legal-2024"
            )
        return value

    @field_validator(*PATHS)
    @classmethod
    def _path_isabsolute(cls, value: Path | None) -> Path | None:
        return None if value is None else absolute(value)

    @field_validator(*_NUMBERS, mode="before")
    @classmethod
    def _number_is_no_truth(cls, value: object) -> object:
        if isinstance(value, bool):
            raise ValueError("must be a number")  # noqa: TRY004 - pydantic collects ValueErrors
        return value

    @field_validator("drive_qps")
    @classmethod
    def _pace_is_none_or_moves(cls, value: float) -> float:
        if 0 < value < _SLOWEST_QPS:
            raise ValueError(f"must be 0, or a number from {_SLOWEST_QPS} to 10000")
        return value

    @field_validator("chunk_overlap")
    @classmethod
    def _overlap_fits(cls, value: int, info: ValidationInfo) -> int:
        if value > info.data.get("chunk_size", value * 2) // 2:
            raise ValueError("must be at most half of the chunk size")
        return value

    @field_validator("embed_api_key_env")
    @classmethod
    def _key_is_only_named(cls, value: str | None) -> str | None:
        # Whoever puts the key itself here must not see it again in an error or in `doctor`.
        if value is not None and not re.fullmatch("[A-Z_][A-Z0-9_]*", value):
            raise ValueError("must be a variable's name in capitals, such as EMBEDDING_KEY")
        return value

    @field_validator("embed_device")
    @classmethod
    def _device_is_a_name(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[a-z]+(:\d{1,2})?", value):
            raise ValueError("must be a device of torch, such as cpu, cuda, cuda:1 or mps")
        return value

    @field_validator("embed_base_url", "drive_endpoint")
    @classmethod
    def _url_is_plain(cls, value: str | None) -> str | None:
        return None if value is None else plain_url(value)

    @property
    def index_path(self) -> Path:
        """The absolute path of the index file."""
        if self.db_path is not None:
            return self.db_path
        name = "index.db" if self.index_profile == "default" else f"index-{self.index_profile}.db"
        return (Path("data") / name).absolute()


def absolute(path: Path) -> Path:
    """A path with its home and the current folder written out.

    Raises:
        ValueError: there is no such home, or the path has a NUL.
    """
    if "\0" in str(path):
        raise ValueError("must not contain NUL")
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        raise ValueError("starts with ~, and whose home that is is not known") from None
