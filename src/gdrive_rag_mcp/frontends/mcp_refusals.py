"""What a model is told when a tool cannot be called as it was: what is wrong, and the remedy."""

from collections.abc import Iterable

from pydantic import ValidationError

from gdrive_rag_mcp.errors import GdriveRagError


def told(error: GdriveRagError) -> str:
    """An error of ours in one line."""
    remedy = f" To fix it: {error.hint}" if error.hint else ""
    return f"{error.code}: {error.message}.{remedy}"


def complaint(error: ValidationError) -> str:
    """One complaint an argument; of an optional one, what is said of its value and not of null."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    said = {str(item["loc"][0]): item["msg"] for item in reversed(found)}
    return f"bad_argument: {'; '.join(f'{name}: {said[name]}' for name in sorted(said))}."


def unknown_arguments(tool: str, strangers: Iterable[str], known: Iterable[str]) -> str:
    """That a tool has no such arguments, and which it has."""
    return (
        f"bad_argument: {tool} has no argument {', '.join(map(repr, strangers))}. "
        f"To fix it: use {', '.join(known) or 'no arguments'}."
    )
