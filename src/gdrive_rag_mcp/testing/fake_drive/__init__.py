"""A Google Drive on this machine: a real HTTP server that speaks the part of Drive v3 we use.

It is held to Google's own discovery document (parameters, fields, maxima) and to error bodies as
Google sends them, so that it cannot be more lenient than the service it stands for.
"""

from gdrive_rag_mcp.testing.fake_drive.faults import Fault
from gdrive_rag_mcp.testing.fake_drive.server import FakeDrive, Request

__all__ = ["FakeDrive", "Fault", "Request"]
