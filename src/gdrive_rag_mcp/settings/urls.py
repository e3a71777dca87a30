"""What a URL in the settings may be."""

from urllib.parse import urlsplit


def plain_url(value: str) -> str:
    """A root URL without the slash at its end.

    Raises:
        ValueError: it is none, or carries credentials; the message does not show it.
    """
    if "@" in value:
        raise ValueError(
            "must not carry credentials; put the key in a variable and name it (an @ in a path is "
            "written %40)"
        )
    try:
        parts = urlsplit(value)
        readable = parts.hostname and parts.port != 0 and value.isprintable() and " " not in value
    except ValueError:  # its message would show the value
        readable = False
    if not readable or parts.scheme not in {"http", "https"}:
        raise ValueError("must be http://HOST or https://HOST, with a port and path if need be")
    if "?" in value or "#" in value:
        raise ValueError("must end with its path, without ? and #")
    return value.rstrip("/")
