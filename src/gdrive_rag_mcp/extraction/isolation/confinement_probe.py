"""Tells whether reading is confined on this system, by trying it: `python -m` this module does."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from gdrive_rag_mcp.extraction.isolation.confinement import Confinement, confine
from gdrive_rag_mcp.extraction.isolation.process import environment

_PROBE_SECONDS = 30


def probe() -> Confinement:
    """Have a process of its own confine itself, try what it gave up, and tell what was refused."""
    said = subprocess.run(
        [sys.executable, "-P", "-m", __name__],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_PROBE_SECONDS,
        check=False,
    )
    try:
        return Confinement(**json.loads(said.stdout))
    except (ValueError, TypeError):
        return Confinement(network=False, files=False)


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except PermissionError:
        return True
    return False


def main() -> None:
    """Print what is refused after confining this process, as JSON."""
    confine(os.devnull)
    refused = Confinement(
        network=_is_refused(lambda: socket.socket().close()),
        files=_is_refused(lambda: list(Path("/").iterdir())),
    )
    sys.stdout.write(json.dumps(asdict(refused)))


if __name__ == "__main__":
    main()
