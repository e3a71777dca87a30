"""A Google Drive on this machine: a real HTTP server that speaks the part of Drive v3 we use.

It is held to Google's own discovery documents (parameters, fields, maxima) and to error bodies as
Google sends them, so that it cannot be more lenient than the service it stands for.
"""

from gdrive_rag_mcp.testing.fake_drive.faults import Fault, Hook
from gdrive_rag_mcp.testing.fake_drive.request_log import Request
from gdrive_rag_mcp.testing.fake_drive.server import FakeDrive

__all__ = ["FakeDrive", "Fault", "Hook", "Request"]
