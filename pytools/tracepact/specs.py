"""Where the files of `spec/` are: inside the installed package, or beside it in a checkout."""

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def spec_root() -> Path:
    """The folder that holds grammar.lark, language.md, schemas, starter contracts and demo data."""
    installed = _PACKAGE / "spec"
    if installed.is_dir():
        return installed
    checkout = _PACKAGE.parent.parent / "spec"
    if checkout.is_dir():
        return checkout
    raise FileNotFoundError(f"the spec files are neither in {installed} nor in {checkout}")


def spec_path(relative: str) -> Path:
    """The path of one spec file, named relative to `spec/`."""
    return spec_root() / relative


def starter_contracts() -> dict[str, Path]:
    """The contracts that ship with tracepact, by name."""
    return {path.stem: path for path in sorted(spec_path("contracts").glob("*.contract"))}
