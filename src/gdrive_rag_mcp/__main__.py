"""`python -m gdrive_rag_mcp`, and the command `gdrive-rag-mcp`, are the command line."""

import sys

from gdrive_rag_mcp.frontends.interrupts import INTERRUPTED, end_by_signals


def main() -> None:
    """Run the command line, which a signal ends well from its first import on."""
    try:
        end_by_signals()
        from gdrive_rag_mcp.frontends import cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
