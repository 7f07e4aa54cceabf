"""Where the files of `spec/` are: inside the installed package, or beside it in a checkout."""

import re
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def spec_root() -> Path:
    """The folder that holds grammar.lark, the rules, schemas, starter contracts and demo data."""
    installed = _PACKAGE / "spec"
    if installed.is_dir():
        return installed
    checkout = _PACKAGE.parent.parent / "spec"
    if checkout.is_dir():
        return checkout
    raise FileNotFoundError(f"the spec files are neither in {installed} nor in {checkout}")


def spec_path(relative: str) -> Path:
    """The path of a spec file.

    Args:
        relative: its name relative to `spec/`.

    Returns:
        The path, inside the installed package or in a checkout.

    Raises:
        InvalidInput: never; a file that is not there is found out when it is opened.

    Examples:
        >>> import tracepact
        >>> tracepact.spec_path("language.md").name
        'language.md'
    """
    return spec_root() / relative


def shown_path(path: Path) -> str:
    """How a file is named in reports: a spec file by its place in `spec/`, any other as it was given."""
    root = spec_root()
    return f"spec/{path.relative_to(root).as_posix()}" if path.is_relative_to(root) else str(path)


@cache
def rules() -> dict[str, str]:
    """Every rule of the language and of the tools around it, by number and in its order."""
    text = "\n".join(spec_path(name).read_text(encoding="utf-8") for name in ("language.md", "tools.md"))
    found = re.findall(r"^- \*\*([0-9]+\.[0-9]+)\*\* (.+?)(?=^- \*\*|^#|\Z)", text, re.MULTILINE | re.DOTALL)
    in_order = sorted(found, key=lambda rule: tuple(map(int, rule[0].split("."))))
    return {number: " ".join(words.split()) for number, words in in_order}


def starter_contracts() -> dict[str, Path]:
    """The contracts that ship with tracepact, by name.

    Returns:
        The path of each contract file, sorted by name.

    Examples:
        >>> import tracepact
        >>> "boundary_gate" in tracepact.starter_contracts()
        True
    """
    return {path.stem: path for path in sorted(spec_path("contracts").glob("*.contract"))}
