"""The way in, as a command and as a module; `--version` is answered before anything is loaded to answer more."""

import sys
from contextlib import suppress

from tracepact.version import VERSION


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"] and sys.stdout is not None:
        with suppress(OSError):  # what follows says it again, and how it could not be said
            sys.stdout.write(f"tracepact, version {VERSION}\n")
            sys.stdout.flush()
            return
    from tracepact.cli import main as run

    run()


if __name__ == "__main__":
    main()
