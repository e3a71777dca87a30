"""The fake Drive as a process of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import google_auth_httplib2  # type: ignore[import-untyped] # it has no annotations
import httplib2
import pytest
from google.oauth2 import service_account
from google.oauth2.credentials import Credentials

from gdrive_rag_mcp.sources.drive_consent import Asking, ask_for_consent
from gdrive_rag_mcp.testing.fake_drive.browser import consent
from gdrive_rag_mcp.testing.fake_drive.tokens import READ_ONLY

Json = Any
_accounts: Any = service_account.Credentials  # it is not annotated
_users: Any = Credentials  # nor is this


@contextmanager
def _served(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], Json]]:
    command = [sys.executable, "-m", "gdrive_rag_mcp.testing.fake_drive", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


def _names(said: Json, folder: str) -> set[str]:
    credentials = _accounts.from_service_account_file(said["key_file"], scopes=[READ_ONLY])
    http = google_auth_httplib2.AuthorizedHttp(credentials, http=httplib2.Http(timeout=30))
    flags = "supportsAllDrives=true&includeItemsFromAllDrives=true"
    response, body = http.request(f"{said['url']}/drive/v3/files?q='{folder}'+in+parents&{flags}")
    http.close()
    assert response.status == 200, body
    return {item["name"] for item in json.loads(body)["files"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    (made / "inner").mkdir(parents=True)
    (made / "a.md").write_text("x", encoding="utf-8")
    (made / "inner" / "b.md").write_text("y", encoding="utf-8")
    (made / "link.md").symlink_to(made / "a.md")
    return made


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_is_serves_a_folder_and_stops_when_told(
    folder: Path, tmp_path: Path, stop: signal.Signals
) -> None:
    key_file = tmp_path / "key.json"
    with _served("--folder", str(folder), "--key-file", str(key_file)) as (process, said):
        assert set(said) == {
            "url", "root", "drive", "email", "key_file", "client_file", "visitor"
        }  # fmt: skip
        assert said["key_file"] == str(key_file)
        assert key_file.stat().st_mode & 0o777 == 0o600
        assert _names(said, said["root"]) == {"a.md", "inner"}
        assert _names(said, said["drive"]) == set()

        process.send_signal(stop)
        assert process.wait(timeout=60) == 0


def test_it_fills_the_shared_drive_where_asked_to(folder: Path) -> None:
    with _served("--folder", str(folder), "--into", "drive") as (process, said):
        assert _names(said, said["drive"]) == {"a.md", "inner"}
        process.terminate()
        assert process.wait(timeout=60) == 0
    assert not Path(said["key_file"]).exists()  # it was nobody's but this process's


def test_whoever_consents_in_a_browser_sees_what_the_service_account_sees(
    folder: Path, tmp_path: Path
) -> None:
    client_file, token_file = tmp_path / "client.json", tmp_path / "token.json"
    pasted, terminal = os.pipe()

    def paste(address: str) -> bool:
        os.write(terminal, f"{consent(address)}\n".encode())
        return False

    with _served("--folder", str(folder), "--client-file", str(client_file)) as (_, said):
        assert said["client_file"] == str(client_file)
        asking = Asking(paste, lambda _: None, seconds=60, pasted=pasted)
        given = ask_for_consent(client_file, token_file, asking, endpoint=said["url"])
        assert given.account == said["visitor"]

        credentials = _users.from_authorized_user_file(str(token_file))
        http = google_auth_httplib2.AuthorizedHttp(credentials, http=httplib2.Http(timeout=30))
        for place in ("root", "drive"):
            flags = "supportsAllDrives=true"
            response, _ = http.request(f"{said['url']}/drive/v3/files/{said[place]}?{flags}")
            assert response.status == 200
        http.close()
    os.close(pasted)
    os.close(terminal)


def test_a_port_in_use_is_an_error_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "gdrive_rag_mcp.testing.fake_drive", "--port", str(port)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert "cannot be served" in ended.stderr
    assert "Traceback" not in ended.stderr
