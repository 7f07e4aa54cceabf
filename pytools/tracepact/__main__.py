"""The way in, as a command and as a module; `--version` is answered before anything is loaded to answer more."""

import sys

from tracepact.version import VERSION


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"tracepact, version {VERSION}\n")
        return
    from tracepact.cli import main as run

    run()


if __name__ == "__main__":
    main()
