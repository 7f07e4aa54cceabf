"""The way in to the lab: says what is missing before anything heavy is loaded."""

import sys
from importlib.util import find_spec

_NEEDED = ("joblib", "scipy", "sklearn", "soundfile", "torch")


def main() -> None:
    """Run the command line; every way out is one of the exit codes."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        sys.stderr.write(f"tracelab needs {', '.join(missing)}: pip install 'tracepact[lab]'\n")
        sys.exit(2)
    from tracelab.commands import run

    run()
