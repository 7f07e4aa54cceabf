"""The Lean files: where they are, what they import, state and define, and whether they keep to the allow-list."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from pathlib import Path

from tracepact.tools.prove.definitions import definition_faults, listed_digests
from tracepact.tools.prove.scan import LIBRARY, PINS, STATEMENTS, Declaration, Dialect, Scan, scan, scan_root
from tracepact.tools.prove.tokens import Unreadable, tokens_of

_PACKAGE = Path(__file__).resolve().parent
_DECLARED = re.compile(
    r"^(?:@\[\w+\] )?(?:def|theorem|abbrev|inductive|structure|class inductive|class|instance) (\S+)", re.MULTILINE
)
ROOT_MODULE = "Tracepact"
STATEMENTS_MODULE = "Tracepact.Statements"
PINS_MODULES = "Tracepact.Pins."
LISTING = "definitions.txt"
"""Every definition with its digest, beside the files."""
_VOCABULARY = ("Tracepact.Spec.", "Tracepact.Impl.")


def theory_root() -> Path:
    """The folder with lakefile.lean and lean/: inside the installed package, or the top of a checkout."""
    for root in (_PACKAGE / "theory", _PACKAGE.parents[3]):
        if (root / "lakefile.lean").is_file() and (root / "lean").is_dir():
            return root
    raise FileNotFoundError(f"the Lean files are neither in {_PACKAGE / 'theory'} nor in {_PACKAGE.parents[3]}")


@dataclass(frozen=True)
class Theory:
    """The proof core as a set of modules. Each file is read once: what is scanned is what is compiled."""

    root: Path

    @property
    def sources(self) -> Path:
        """The folder of the library's files."""
        return self.root / "lean"

    @cached_property
    def library(self) -> Mapping[str, str]:
        """The texts of the Lake library, by module."""
        files = [self.sources / f"{ROOT_MODULE}.lean", *(self.sources / ROOT_MODULE).rglob("*.lean")]
        return {_module(path, self.sources): path.read_text("utf-8") for path in sorted(files)}

    @cached_property
    def stand_ins(self) -> Mapping[str, str]:
        """The texts that stand in for parts of Lean's own `Init`, by module; for the wheel only."""
        folder = self.sources / "bootstrap"
        return {_module(path, folder): path.read_text("utf-8") for path in sorted(folder.rglob("*.lean"))}

    @cached_property
    def scans(self) -> Mapping[str, Scan]:
        """What each file of the library says."""
        taken = _DECLARED.findall(self.stand_ins["Init"])
        return {
            name: scan_root(text) if name == ROOT_MODULE else scan(text, _dialect(name), taken)
            for name, text in self.library.items()
        }

    @cached_property
    def imports(self) -> Mapping[str, tuple[str, ...]]:
        """What each module needs, the implicit `Init` included."""
        found = {name: tuple(scanned.imports) for name, scanned in self.scans.items()}
        others = {name: () if name == "Init" else ("Init",) for name in self.stand_ins}
        return {**others, **{name: ("Init", *needed) for name, needed in found.items()}}

    def order(self) -> TopologicalSorter[str]:
        """The modules in an order that compiles."""
        return TopologicalSorter(self.imports)

    @cached_property
    def declarations(self) -> tuple[Declaration, ...]:
        """Everything that the library declares."""
        return tuple(found for scanned in self.scans.values() for found in scanned.declarations)

    @cached_property
    def theorems(self) -> tuple[str, ...]:
        """Every theorem of the library by its full name."""
        return tuple(found.name for found in self.declarations if not found.defines)

    @cached_property
    def headlines(self) -> tuple[str, ...]:
        """The restated theorems, in the order of their statements."""
        return tuple(f"Tracepact.{name}" for name in self.scans[STATEMENTS_MODULE].audits)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every word of the library that must be a plain name to Lean."""
        return tuple(sorted(frozenset().union(*(scanned.names for scanned in self.scans.values()))))

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """The digest of every definition, and of every file that stands in for `Init`, by name."""
        files = {f"bootstrap {name}": _token_digest(text) for name, text in self.stand_ins.items()}
        return {**files, **{found.name: found.digest for found in self.declarations if found.defines}}

    def faults(self) -> list[str]:
        """What can be seen without Lean."""
        found = [f"{name}: {fault}" for name, scanned in self.scans.items() for fault in scanned.faults]
        known = self.library.keys() | self.stand_ins.keys()
        found += [
            f"{name} imports {n}, which is not a file"
            for name, ns in self.imports.items()
            for n in ns
            if n not in known
        ]
        if STATEMENTS_MODULE not in self.library:
            found.append(f"{STATEMENTS_MODULE} is missing")
        if found:
            return found
        reached = _closure(ROOT_MODULE, self.imports)
        found += [f"{name} is not imported by {ROOT_MODULE}" for name in self.library if name not in reached]
        found += [f"{name} is declared twice" for name in _repeated(declared.name for declared in self.declarations)]
        found += definition_faults(self.digests, listed_digests(self.sources / LISTING))
        found += [f"{name} is not pinned by an example" for name in self._unpinned()]
        return found

    def _unpinned(self) -> Iterator[str]:
        """The definitions of the vocabulary, and those that a statement uses, that no pin names in full."""
        words = {w for name, scanned in self.scans.items() if name.startswith(PINS_MODULES) for w in scanned.words}
        pinned = words | {word.partition(".")[0] for word in words}
        stated = self.scans[STATEMENTS_MODULE].words
        for module, scanned in self.scans.items():
            for found in scanned.declarations:
                name = found.name.removeprefix(f"{ROOT_MODULE}.")
                is_vocabulary = module.startswith(_VOCABULARY) or name in stated
                if found.defines and is_vocabulary and name not in pinned:
                    yield found.name

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all files with their names."""
        digest = hashlib.sha256()
        for name, text in sorted({**self.stand_ins, **self.library}.items()):
            digest.update(f"{name}\0{text}\0".encode())
        return digest.hexdigest()


def _dialect(module: str) -> Dialect:
    if module.startswith(PINS_MODULES):
        return PINS
    return STATEMENTS if module == STATEMENTS_MODULE else LIBRARY


def _module(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts)


def _token_digest(text: str) -> str:
    try:
        return hashlib.sha256("\0".join(token.text for token in tokens_of(text)).encode()).hexdigest()
    except Unreadable as error:
        return str(error)


def _repeated(names: Iterator[str]) -> list[str]:
    seen: set[str] = set()
    return [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]


def _closure(start: str, imports: Mapping[str, tuple[str, ...]]) -> set[str]:
    reached: set[str] = set()
    todo = [start]
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo.extend(imports.get(name, ()))
    return reached
