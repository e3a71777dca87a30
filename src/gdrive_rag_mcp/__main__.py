"""`python -m gdrive_rag_mcp` is the command line."""

from gdrive_rag_mcp.frontends.cli import main

if __name__ == "__main__":
    main()
