"""The command line: parses arguments and picks the exit code; the work is done elsewhere."""

from tracepact.cli.main import main

__all__ = ["main"]
