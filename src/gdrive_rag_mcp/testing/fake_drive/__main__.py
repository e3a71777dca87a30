"""`python -m gdrive_rag_mcp.testing.fake_drive`: a fake Drive as a process, until it is stopped."""

import argparse
import json
import signal
import sys
import tempfile
from pathlib import Path

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.seeding import seed

_STOPPING = {signal.SIGINT, signal.SIGTERM}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gdrive_rag_mcp.testing.fake_drive",
        description="Serve a fake Google Drive on 127.0.0.1 until SIGINT or SIGTERM. One line of "
        "JSON on standard output says where: url, root, drive, email, key_file, and for sign-ins "
        "client_file, visitor.",
    )
    parser.add_argument("--port", type=int, default=0, help="port to listen on; default: any")
    parser.add_argument("--folder", type=Path, help="folder whose files to upload")
    parser.add_argument(
        "--into",
        choices=("root", "drive"),
        default="root",
        help="where to upload them: the shared folder (default) or the shared drive",
    )
    parser.add_argument("--key-file", type=Path, help="where to write the service account's key")
    parser.add_argument(
        "--client-file", type=Path, help="where to write the OAuth client that asks for consent"
    )
    return parser


def _serve(drive: FakeDrive, options: argparse.Namespace, scratch: Path) -> None:
    shared = drive.files.add_drive("Shared drive", [drive.email])
    if options.folder is not None:
        seed(drive.files, options.folder, shared if options.into == "drive" else None)
    visitor = drive.tokens.accounts.visitor.email  # who consents sees what the index sees
    drive.files.share(drive.root, visitor)
    drive.files.add_member(shared, visitor)
    key_file = drive.write_key_file((options.key_file or scratch / "key.json").absolute())
    client_file = drive.tokens.write_client_file(
        (options.client_file or scratch / "client.json").absolute(), drive.url
    )
    said = {
        "url": drive.url,
        "root": drive.root,
        "drive": shared,
        "email": drive.email,
        "key_file": str(key_file),
        "client_file": str(client_file),
        "visitor": visitor,
    }
    print(json.dumps(said), flush=True)  # noqa: T201 -- it is what this program says
    signal.sigwait(_STOPPING)


def main(arguments: list[str] | None = None) -> int:
    """Serve until told to stop. Returns the exit code."""
    options = _parser().parse_args(arguments)
    # Blocked before any thread starts, so that the main thread alone takes them.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        with tempfile.TemporaryDirectory() as scratch, FakeDrive(port=options.port) as drive:
            _serve(drive, options, Path(scratch))
    except OSError as error:
        print(f"The fake Drive cannot be served: {error}", file=sys.stderr)  # noqa: T201 -- likewise
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
