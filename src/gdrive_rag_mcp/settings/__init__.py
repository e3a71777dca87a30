"""What can be set, from where, and where secrets come from instead.

Arguments win over environment variables, those over the config file, that over the defaults.
MCP clients clear the environment, so everything but secrets works from the config file alone.
"""

from gdrive_rag_mcp.settings.fields import Settings
from gdrive_rag_mcp.settings.loading import default_config_file, load_settings
from gdrive_rag_mcp.settings.names import (
    FILE_ONLY,
    NOT_USED_YET,
    PREFIX,
    SECRETS,
    environment_name,
)
from gdrive_rag_mcp.settings.secrets import secret

__all__ = [
    "FILE_ONLY",
    "NOT_USED_YET",
    "PREFIX",
    "SECRETS",
    "Settings",
    "default_config_file",
    "environment_name",
    "load_settings",
    "secret",
]
