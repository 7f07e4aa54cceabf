"""Measures what the package and each of its extras add on disk, for the page about installing: one environment each.

    python pytools/extra_sizes.py [EXTRA…]

Prints one row for each, in MB of 10^6 bytes as installed, bytecode left out; then the environments of `make test` and
`make test-all`, which README and CONTRIBUTING name.
"""

import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def size(*wanted: str) -> int:
    """The bytes of an environment in which this is installed."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        if wanted:
            pip = [f"{folder}/bin/python", "-m", "pip", "install", "--quiet", "--no-compile"]
            subprocess.run([*pip, *wanted], check=True, cwd=ROOT, stderr=subprocess.DEVNULL)  # noqa: S603  (pip of an environment made here)
        files = (path for path in Path(folder).rglob("*") if path.suffix != ".pyc" and not path.is_symlink())
        return sum(path.stat().st_size for path in files if path.is_file())


def main(extras: list[str]) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    empty, base = size(), size(".")
    print(f"| nothing | {(base - empty) / 1e6:.0f} MB |", flush=True)
    for extra in extras or sorted(declared):
        print(f"| `{extra}` | {(size(f'.[{extra}]') - base) / 1e6:.0f} MB |", flush=True)
    print(f"| `make test` | {size('.', '--group', 'test') / 1e6:.0f} MB |", flush=True)
    print(f"| `make test-all` | {size('.[lean]', '--group', 'test', '--group', 'test-all') / 1e6:.0f} MB |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
