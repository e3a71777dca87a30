"""A terminal at which somebody is asked for consent, and the person who answers."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from gdrive_rag_mcp.errors import GdriveRagError
from gdrive_rag_mcp.sources.drive_consent import Asking, Consent, ask_for_consent
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.browser import consent, visit

Person = Callable[[str], object]
Option = Any


class Desk:
    """A terminal at which somebody is asked, and a person in another thread who answers."""

    def __init__(self, google: FakeDrive, folder: Path) -> None:
        self.google = google
        self.client_file = google.tokens.write_client_file(folder / "client.json", google.url)
        self.token_file = folder / "token.json"
        self.said: list[str] = []
        self.shown: list[str] = []
        self.done: list[object] = []

    def ask(self, person: Person = lambda url: visit(consent(url)), **options: Option) -> Consent:
        """Ask; the person does something with the address."""
        threads: list[Thread] = []

        def show(url: str) -> bool:
            self.shown.append(url)
            threads.append(Thread(target=lambda: self.done.append(person(url))))
            threads[0].start()
            return "pasted" not in options

        asking = Asking(show, self.said.append, **{"seconds": 60.0, **options})
        try:
            return ask_for_consent(
                self.client_file, self.token_file, asking, endpoint=self.google.url
            )
        finally:
            for thread in threads:
                thread.join()

    def refused(
        self, person: Person, kind: type[GdriveRagError], **options: Option
    ) -> GdriveRagError:
        with pytest.raises(kind) as caught:
            self.ask(person, **options)
        assert not self.token_file.exists()
        assert caught.value.hint
        said = f"{caught.value} {self.said}"
        assert self.google.tokens.accounts.client_secret not in said
        assert "4/0Fake" not in said
        return caught.value


def query_of(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))


def with_query(url: str, **changed: str) -> str:
    parts = urlsplit(url)
    return parts._replace(query=urlencode(query_of(url) | changed)).geturl()
