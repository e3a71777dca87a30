"""The demonstration: the whole product on sample documents, in one command."""

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from gdrive_rag_mcp import demo, wiring
from gdrive_rag_mcp import presentation as present
from gdrive_rag_mcp.app import Reader
from gdrive_rag_mcp.domain import SEARCHABLE_STATES
from gdrive_rag_mcp.frontends.client_config import ServerCommand, codex_config, hermes_config
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.settings import Settings

Say = Callable[[str], None]
_RULE = "─" * 78


def demonstrate(settings: Settings, *, show: Say, report: Say) -> None:
    """Index the sample documents, ask, list what could not be read, and show how to connect."""
    settings = for_the_samples(settings)
    show(_headed("1. Index the sample documents of a fictional company"))
    done = wiring.sync(settings, SyncOptions(), progress=lambda *_: None, report=report)
    show(present.sync_text(done))
    reader = wiring.make_reader(settings, resident=True)
    show(_headed("2. Ask: three questions with an answer, two without"))
    for question in demo.QUESTIONS:
        _ask(reader, question, show)
    show(_headed("3. The ledger: what could not be read, and why"))
    _list_unread(reader, show)
    show(_headed("4. Connect a client"))
    server = _server(settings)
    show(f"Codex, ~/.codex/config.toml:\n\n{codex_config(server)}")
    show(f"Hermes, ~/.hermes/config.yaml:\n\n{hermes_config(server)}")
    show(f"The index is {settings.index_path}; ask it more with:")
    command = [*_program(), "search", "--db", str(settings.index_path)]
    show(f'  {shlex.join(command)} "your question"')


def for_the_samples(settings: Settings) -> Settings:
    """The samples have an index of their own beside the one that is set, which stays untouched."""
    index = settings.index_path.with_name("index-demo.db")
    return settings.model_copy(
        update={"source": f"folder:{demo.documents_folder()}", "db_path": index}
    )


def _headed(title: str) -> str:
    return f"\n{_RULE}\n{title}\n{_RULE}"


def _ask(reader: Reader, question: demo.DemoQuestion, show: Say) -> None:
    outcome = reader.search(question.text, limit=1)
    show(f"\n? {question.text}\n  ({question.shows})\n{present.search_text(outcome)}")


def _list_unread(reader: Reader, show: Say) -> None:
    cursor: str | None = None
    while True:
        page = reader.list_documents(cursor=cursor, limit=500)
        for record in page.records:
            if record.state not in SEARCHABLE_STATES:
                because = f": {record.reason.value}" if record.reason else ""
                show(f"{record.path}  {record.state.value}{because}  ({record.detail})")
        cursor = page.next_cursor
        if cursor is None:
            show(present.coverage_text(page.coverage))
            return


def _server(settings: Settings) -> ServerCommand:
    """How a client starts this very installation on this index."""
    command, *first = _program()
    arguments = ["serve", "--transport", "stdio", "--db", str(settings.index_path)]
    return ServerCommand(command, [*first, *arguments])


def _program() -> list[str]:
    """The words that start this very installation, on the PATH or not."""
    beside = Path(sys.executable).with_name("gdrive-rag-mcp")
    found = str(beside) if beside.exists() else shutil.which("gdrive-rag-mcp")
    return [sys.executable, "-m", "gdrive_rag_mcp"] if found is None else [found]
