"""`python -m hostile.guided`: the doors under atheris, which looks for inputs that reach new code.

The fuzzer chooses the seed of the generators and bytes that replace one of the files; a fault ends it with the input.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

import atheris  # type: ignore[import-not-found]  # installed by `make fuzz` alone

with atheris.instrument_imports(include=["tracepact"]):
    from hostile.doors import DOORS
    from hostile.harness import Input, outcome


_USUAL = ("-rss_limit_mb=8192", "-len_control=0", "-max_len=4096", "-artifact_prefix=../out/fuzz/")
"""Memory for many inputs in one process, inputs of all lengths at once, and faults beside the other results."""


def one(data: bytes) -> None:
    """One input of the fuzzer."""
    given = atheris.FuzzedDataProvider(data)
    names = sorted(DOORS)
    found = DOORS[names[given.ConsumeIntInRange(0, len(names) - 1)]](Random(given.ConsumeInt(8)))
    if found.files and given.ConsumeBool():
        name = sorted(found.files)[given.ConsumeIntInRange(0, len(found.files) - 1)]
        rest = given.ConsumeBytes(given.remaining_bytes())
        found = Input({**found.files, name: rest}, found.arguments, found.stdin, found.call)
    folder = Path(tempfile.mkdtemp(prefix="hostile-guided-"))
    try:
        end, text = outcome(found, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if end in ("traceback", "hang", "memory", "exit 4"):
        raise RuntimeError(f"{end}: {text[-2000:]}")


if __name__ == "__main__":
    atheris.Setup([sys.argv[0], *_USUAL, *sys.argv[1:]], one)
    atheris.Fuzz()
