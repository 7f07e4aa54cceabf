"""The Lean files: where they are, what they import, which theorems they state, and what they must not say."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_IMPORT = re.compile(r"^import (\S+)", re.MULTILINE)
_THEOREM = re.compile(r"^theorem (\S+)", re.MULTILINE)
_HEADLINE = re.compile(r"^#print axioms (\S+)", re.MULTILINE)
_COMMENT = re.compile(r"/-.*?-/|--[^\n]*", re.DOTALL)
_FORBIDDEN = re.compile(r"\b(sorry|axiom|unsafe|opaque|partial|native_decide|implemented_by|extern|csimp|sorryAx)\b")
ROOT_MODULE = "Tracepact"
STATEMENTS = "Tracepact.Statements"


def theory_root() -> Path:
    """The folder with lakefile.lean and lean/: inside the installed package, or the top of a checkout."""
    for root in (_PACKAGE / "theory", _PACKAGE.parents[3]):
        if (root / "lakefile.lean").is_file() and (root / "lean").is_dir():
            return root
    raise FileNotFoundError(f"the Lean files are neither in {_PACKAGE / 'theory'} nor in {_PACKAGE.parents[3]}")


@dataclass(frozen=True)
class Theory:
    """The proof core as a set of modules."""

    root: Path

    @property
    def sources(self) -> Path:
        """The folder of the library's files."""
        return self.root / "lean"

    @property
    def bootstrap(self) -> Path:
        """The folder of the small `Init`, for the wheel only."""
        return self.sources / "bootstrap"

    @cached_property
    def library(self) -> Mapping[str, Path]:
        """The files of the Lake library, by module."""
        files = [self.sources / f"{ROOT_MODULE}.lean", *(self.sources / ROOT_MODULE).rglob("*.lean")]
        return {_module(path, self.sources): path for path in sorted(files)}

    @cached_property
    def stand_ins(self) -> Mapping[str, Path]:
        """The files that stand in for parts of Lean's own `Init`, by module."""
        return {_module(path, self.bootstrap): path for path in sorted(self.bootstrap.rglob("*.lean"))}

    @cached_property
    def imports(self) -> Mapping[str, tuple[str, ...]]:
        """What each module needs, the implicit `Init` included."""
        files = {**self.stand_ins, **self.library}
        found = {name: tuple(_IMPORT.findall(path.read_text("utf-8"))) for name, path in files.items()}
        return {name: needed if name == "Init" else ("Init", *needed) for name, needed in found.items()}

    def order(self) -> TopologicalSorter[str]:
        """The modules in an order that compiles."""
        return TopologicalSorter(self.imports)

    @cached_property
    def theorems(self) -> tuple[str, ...]:
        """Every theorem of the library by its full name."""
        texts = (_COMMENT.sub("", path.read_text("utf-8")) for path in self.library.values())
        return tuple(f"Tracepact.{name}" for text in texts for name in _THEOREM.findall(text))

    @cached_property
    def headlines(self) -> tuple[str, ...]:
        """The restated theorems, in the order of their statements."""
        text = self.library[STATEMENTS].read_text("utf-8")
        return tuple(f"Tracepact.{name}" for name in _HEADLINE.findall(text))

    def faults(self) -> list[str]:
        """What can be seen without Lean: files that the root does not import, words that no proof may use."""
        found = []
        reached = _closure(ROOT_MODULE, self.imports)
        for name, path in self.library.items():
            if name not in reached:
                found.append(f"{name} is not imported by {ROOT_MODULE}")
            for word in _FORBIDDEN.findall(_COMMENT.sub("", path.read_text("utf-8"))):
                found.append(f"{name} says `{word}`")
        return found

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all files with their names."""
        digest = hashlib.sha256()
        for name, path in sorted({**self.stand_ins, **self.library}.items()):
            digest.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
        return digest.hexdigest()


def _module(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts)


def _closure(start: str, imports: Mapping[str, tuple[str, ...]]) -> set[str]:
    reached: set[str] = set()
    todo = [start]
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo.extend(imports.get(name, ()))
    return reached
