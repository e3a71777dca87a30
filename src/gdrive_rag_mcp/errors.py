"""Everything the project raises on purpose, under one root.

GdriveRagError                     code, hint, exit_code
├── SettingsError                  exit 2: a setting, an argument or the config file
├── QueryError                     exit 2: a question that cannot be searched for
├── CasesError                     exit 2: a file of cases to evaluate that makes no sense
├── QuestionSetError               exit 2: public questions that are not in the format asked for
├── OutputError                    exit 5: a result that cannot be written where it should be
├── ServerError                    another server of this product, asked over HTTP
├── SourceError                    the place files come from
│   ├── SourceAuthError            credentials missing, malformed or refused
│   ├── SourceUnavailableError     it cannot be listed or read to the end
│   │   └── RootUnavailableError   the root is gone or unreadable: nothing may be concluded
│   └── FileUnreadableError        one file; carries its ledger reason, never ends a sync
├── ExtractionError                one file; carries its ledger reason, never ends a sync
├── EmbeddingError                 a provider answered with something unusable
│   └── EmbedderUnavailableError   a provider is down, refused the key, or has no weights
└── StoreError                     the index file
    ├── IndexMissingError          hint: sync first
    ├── IndexOutdatedError         hint: sync brings it up to date
    ├── IndexCorruptError          not an index, or damaged
    ├── IndexReadOnlyError         the file or its folder cannot be written
    ├── IndexLockedError           exit 4: another writer holds it
    ├── DiskFullError              nothing of the failed step was kept
    ├── SchemaTooNewError          written by a newer version
    ├── ReindexRequiredError       two embedding identities that must not be mixed
    └── DocumentNotFoundError      no such document in the scope

Not enough evidence is a verdict, never an error.
"""

from typing import ClassVar

from gdrive_rag_mcp.domain import Reason


class GdriveRagError(Exception):
    """What happened (the message), what to do (the hint), how a command ends (the exit code)."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class SettingsError(GdriveRagError):
    """A setting, a command-line argument or the config file is wrong."""

    code = "bad_settings"
    exit_code = 2


class QueryError(GdriveRagError):
    """The question cannot be searched for: empty, or too long."""

    code = "bad_query"
    exit_code = 2


class CasesError(GdriveRagError):
    """A file of cases is malformed, or asks for what the index cannot have."""

    code = "bad_cases"
    exit_code = 2


class QuestionSetError(GdriveRagError):
    """A folder of question sets is not in the format asked for, or too little to learn from."""

    code = "bad_question_set"
    exit_code = 2


class OutputError(GdriveRagError):
    """A result cannot be written where it should be; what the command did is kept."""

    code = "output_failed"
    exit_code = 5


class ServerError(GdriveRagError):
    """A server cannot be reached, refuses the token, or does not answer as one of this product."""

    code = "server_error"


class SourceError(GdriveRagError):
    """The place files come from did not do its part."""

    code = "source_error"


class SourceAuthError(SourceError):
    """The source's credentials are missing, malformed or refused."""

    code = "source_auth"


class SourceUnavailableError(SourceError):
    """The source cannot be listed or read to the end; what came before stays valid."""

    code = "source_unavailable"


class RootUnavailableError(SourceUnavailableError):
    """The source's root cannot be read, so nothing may be concluded from what it lists."""

    code = "root_unavailable"


class FileUnreadableError(SourceError):
    """One file could not be fetched; the ledger keeps the reason and the sync goes on."""

    code = "file_unreadable"

    def __init__(self, reason: Reason, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class ExtractionError(GdriveRagError):
    """One file could not be turned into text; the ledger keeps the reason and the sync goes on."""

    code = "extraction_failed"

    def __init__(self, reason: Reason, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class EmbeddingError(GdriveRagError):
    """An embedding provider answered with something that cannot be used."""

    code = "embedding_failed"


class EmbedderUnavailableError(EmbeddingError):
    """An embedding provider cannot be reached, refuses the key, or has no weights."""

    code = "embedder_unavailable"


class StoreError(GdriveRagError):
    """The index file cannot be used as asked."""

    code = "store_error"


class IndexMissingError(StoreError):
    """There is no index file yet."""

    code = "index_missing"


class IndexOutdatedError(StoreError):
    """An older version wrote the index, and only a writer may bring it up to date."""

    code = "index_outdated"


class IndexCorruptError(StoreError):
    """The file is not an index, or it is damaged."""

    code = "index_corrupt"


class IndexReadOnlyError(StoreError):
    """The index file, or the folder it lives in, cannot be written."""

    code = "index_read_only"


class IndexLockedError(StoreError):
    """Another process is writing the index."""

    code = "index_locked"
    exit_code = 4


class DiskFullError(StoreError):
    """The disk is full; the step that met it was rolled back."""

    code = "disk_full"


class SchemaTooNewError(StoreError):
    """The index was written by a newer version of this program."""

    code = "schema_too_new"


class ReindexRequiredError(StoreError):
    """The index holds vectors of another embedder; the two must not be mixed."""

    code = "reindex_required"


class DocumentNotFoundError(StoreError):
    """No document of that id is in the scope."""

    code = "document_not_found"
