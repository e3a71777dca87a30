"""What settings are called in the environment, and which names of ours are none."""

PREFIX = "GDRIVE_RAG_"
_UNPREFIXED = (
    "gdrive_folder_id",
    "gdrive_shared_drive_id",
    "google_service_account_file",
    "google_oauth_client_file",
    "google_oauth_token_file",
)
FILE_ONLY = frozenset({"synonyms"})
"""What is too long for a variable."""
MAY_HOLD_SECRETS = frozenset(
    {
        "embed_api_key_env",
        "embed_base_url",
        "drive_endpoint",
        "google_service_account_file",
        "google_oauth_client_file",
        "google_oauth_token_file",
    }
)
"""Where somebody may have put a key or a password by mistake."""
SECRETS = frozenset({"GDRIVE_RAG_BEARER_TOKEN", "GDRIVE_RAG_BEARER_TOKEN_FILE"})
"""Ours, but no settings: whoever needs one reads it, and keeps it nowhere."""

# Names that belong to parts of the product this version does not have yet, and to Compose: they
# are let through, so that one environment file can serve every version; `doctor` lists them.
NOT_USED_YET = frozenset(
    {
        "GDRIVE_RAG_ANSWER_PROVIDER",
        "GDRIVE_RAG_ANSWER_MODEL",
        "GDRIVE_RAG_ANSWER_BASE_URL",
        "GDRIVE_RAG_ANSWER_API_KEY_ENV",
        "GDRIVE_RAG_ANSWER_TOKEN_BUDGET",
        "GDRIVE_RAG_ANSWER_MAX_REWRITES",
        "GDRIVE_RAG_HOST",
        "GDRIVE_RAG_PORT",
        "GDRIVE_RAG_ALLOWED_HOSTS",
        "GDRIVE_RAG_EXTRAS",
    }
)


def environment_name(field: str) -> str:
    """The environment variable of a setting."""
    return field.upper() if field in _UNPREFIXED else PREFIX + field.upper()
