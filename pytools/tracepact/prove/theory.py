"""The Lean files of the proof core: where they lie, what they import, state and define, and their listing."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tracepact.declarations import spec_path
from tracepact.inputs import read_within
from tracepact.prove.scan import (
    AUDIT,
    LIBRARY,
    PINS,
    STATEMENTS,
    VECTORS,
    Around,
    Declaration,
    Dialect,
    Scan,
    Unreadable,
    commands_of,
    is_of_the_core,
    scan,
    texts_of,
    token_digest,
    tokens_of,
)

# The listing of definitions: one line each, its name and digest, so that none changes without the listing changing.

_OPENING = (
    "# Every definition of the proof core, every file of lean/bootstrap and every certificate of conformance vectors,\n"
    "# by the SHA-256 of its tokens: comments and spacing aside; and the files of the Lake project by that of their\n"
    "# bytes. `tracepact prove` refuses what is not as it is listed here.\n"
    "# `make definitions` writes this file.\n"
)


def listing_text(digests: Mapping[str, str]) -> str:
    """The listing as it is kept."""
    return _OPENING + "".join(f"{digest} {name}\n" for name, digest in sorted(digests.items()))


def listed_digests(text: str) -> dict[str, str]:
    """The digests that are listed; none at all if the text is not a listing as it is written, to the byte."""
    pairs = (line.split(" ", 1) for line in text.split("\n") if line and not line.startswith("#"))
    listed = {pair[1]: pair[0] for pair in pairs if len(pair) == 2}
    # Written again and compared, so that there is one listing for a set of definitions and no room for anything else.
    return listed if listing_text(listed) == text else {}


def definition_faults(digests: Mapping[str, str], listed: Mapping[str, str]) -> list[str]:
    """Where the definitions and their listing differ."""
    faults = [f"the definition of {name} is not listed" for name in digests.keys() - listed.keys()]
    faults += [f"{name} is listed and not defined" for name in listed.keys() - digests.keys()]
    faults += [
        f"the definition of {name} is not the one that is listed"
        for name in digests.keys() & listed.keys()
        if digests[name] != listed[name]
    ]
    return sorted(faults)


# The Lean files: where they are, what they import, state and define, and whether they keep to the allow-list.

_PACKAGE = Path(__file__).resolve().parent
_DECLARED = re.compile(
    r"^(?:@\[\w+\] )?(?:def|theorem|abbrev|inductive|structure|class inductive|class|instance) (\S+)", re.MULTILINE
)
ROOT_MODULE = "Tracepact"
STATEMENTS_MODULE = "Tracepact.Statements"
PINS_MODULES = "Tracepact.Pins."
PROGRAM_MODULE = "Tracepact.Main"
"""What is compiled to a program, with all it imports."""
LISTING = "definitions.txt"
"""Every definition with its digest, beside the files."""
_VOCABULARY = ("Tracepact.Spec.", "Tracepact.Impl.")


def theory_root() -> Path:
    """The folder with lakefile.lean and lean/: inside the installed package, or the top of a checkout."""
    for root in (_PACKAGE / "theory", _PACKAGE.parents[2]):
        if (root / "lakefile.lean").is_file() and (root / "lean").is_dir():
            return root
    raise FileNotFoundError(f"the Lean files are neither in {_PACKAGE / 'theory'} nor in {_PACKAGE.parents[2]}")


PROJECT = ("lakefile.lean", "lean-toolchain")
"""The files of the Lake project, beside lean/."""
CERTIFICATES = ("certificate.lean", "soft/certificate.lean")
"""The theorems about conformance vectors, and about those of soft values, beside the vectors."""
RIM = ("rim/lean/lean.h", "rim/main.c")
"""What stands in C around the compiled core, and is no Lean."""
_BESIDE = ("README.md", LISTING, *RIM)
_FOLDERS = ("bootstrap", "rim", "rim/lean")
_FOLDER = re.compile(r"[A-Z][A-Za-z0-9]*")
_FILE = re.compile(r"[A-Z][A-Za-z0-9]*\.lean")


@dataclass(frozen=True)
class Theory:
    """The proof core as a set of modules. Each file is read once: what is scanned is what is compiled."""

    root: Path
    conformance: Path | None = None
    """The folder of the conformance vectors, if not the package's."""

    @property
    def sources(self) -> Path:
        """The folder of the library's files."""
        return self.root / "lean"

    @cached_property
    def _tree(self) -> tuple[dict[str, str], dict[str, str], list[str]]:
        """The texts of the library and of what stands in for `Init`, by module, and what is wrong with the files."""
        library: dict[str, str] = {}
        stand_ins: dict[str, str] = {}
        faults: list[str] = []
        for place in _files(self.sources, faults):
            head, _, rest = place.partition("/")
            if place in _BESIDE:
                continue
            text = _text(self.sources, place, faults)
            into = stand_ins if head == "bootstrap" else library
            module = (rest if head == "bootstrap" else place).removesuffix(".lean").replace("/", ".")
            if module.partition(".")[0] != ("Init" if into is stand_ins else ROOT_MODULE):
                faults.append(f"lean/{place} is not a module of {'Init' if into is stand_ins else ROOT_MODULE}")
            elif text is not None:
                into[module] = text
        for name in (ROOT_MODULE, STATEMENTS_MODULE):
            if name not in library:
                faults.append(f"{name} is missing")
        if "Init" not in stand_ins:
            faults.append("bootstrap Init is missing")
        return library, stand_ins, faults

    @property
    def library(self) -> Mapping[str, str]:
        """The texts of the Lake library, by module."""
        return self._tree[0]

    @property
    def stand_ins(self) -> Mapping[str, str]:
        """The texts that stand in for parts of Lean's own `Init`, by module; for the wheel only."""
        return self._tree[1]

    @cached_property
    def project(self) -> Mapping[str, str]:
        """The files of the Lake project; without one that cannot be read."""
        texts = {name: _text(self.root, name, []) for name in PROJECT}
        return {name: text for name, text in texts.items() if text is not None}

    @cached_property
    def rim(self) -> Mapping[str, str]:
        """The C around the compiled core; without a file that cannot be read."""
        texts = {name: _text(self.sources, name, []) for name in RIM}
        return {name: text for name, text in texts.items() if text is not None}

    @cached_property
    def program(self) -> tuple[str, ...]:
        """The modules that are compiled to a program."""
        return tuple(sorted(_closure(PROGRAM_MODULE, self.imports)))

    @cached_property
    def certificates(self) -> Mapping[str, str]:
        """The certificates of conformance vectors; without one that cannot be read."""
        folder = self.conformance or spec_path("conformance")
        texts = {name: _text(folder, name, []) for name in CERTIFICATES}
        return {name: text for name, text in texts.items() if text is not None}

    @cached_property
    def listed(self) -> Mapping[str, str]:
        """The digests that are listed."""
        return listed_digests(_text(self.sources, LISTING, []) or "")

    @cached_property
    def scans(self) -> Mapping[str, Scan]:
        """What each file of the library says."""
        around = Around(self._taken)
        return {
            name: scan_root(text) if name == ROOT_MODULE else scan(text, _dialect(name), around)
            for name, text in self.library.items()
        }

    @cached_property
    def init(self) -> Mapping[str, Scan]:
        """What stands in for parts of `Init`, as it is listed."""
        return {
            name: scan_stand_in(text, self.listed.get(f"bootstrap {name}")) for name, text in self.stand_ins.items()
        }

    @cached_property
    def _taken(self) -> frozenset[str]:
        """What `Init` declares, by its first part."""
        return frozenset(name.partition(".")[0] for name in _DECLARED.findall(self.stand_ins.get("Init", "")))

    @cached_property
    def around(self) -> Around:
        """What stands around a file that is checked against the core: all that the core declares, and its words."""
        declared = (found.name.removeprefix(f"{ROOT_MODULE}.").partition(".")[0] for found in self.declarations)
        words = (word.partition(".")[0] for scanned in self.scans.values() for word in scanned.words)
        return Around(self._taken.union(declared), frozenset(words) | {ROOT_MODULE})

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

    @property
    def audit(self) -> Scan:
        """A file that prints the axioms of every theorem, and takes those behind a `where` for proofs."""
        lines = [f"import {ROOT_MODULE}", "set_option autoImplicit false", f"namespace {AUDIT.namespace}"]
        # Only a proof can be an argument here, and not a definition that has the form of one.
        lines += ["theorem proof {p : Prop} (_ : p) : True := True.intro"]
        lines += [f"example : True := proof @{found.name}" for found in self.declarations if found.kind == "part"]
        lines += [*(f"#print axioms {name}" for name in self.theorems), f"end {AUDIT.namespace}"]
        return scan("\n".join(lines) + "\n", AUDIT, self.around)

    @cached_property
    def headlines(self) -> tuple[str, ...]:
        """The restated theorems, in the order of their statements."""
        return tuple(f"Tracepact.{name}" for name in self.scans.get(STATEMENTS_MODULE, Scan()).audits)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every word of the library that must be a plain name to Lean."""
        return tuple(sorted(frozenset().union(*(scanned.names for scanned in self.scans.values()))))

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """The digest of every definition, and of every file that is trusted or counted as it is listed, by name."""
        files = {f"bootstrap {name}": _digest(text) for name, text in self.stand_ins.items()}
        files |= {f"conformance {name}": _digest(text) for name, text in self.certificates.items()}
        files |= {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self.rim.items()}
        files |= {f"project {name}": hashlib.sha256(text.encode()).hexdigest() for name, text in self.project.items()}
        return {**files, **{found.name: found.digest for found in self.declarations if found.defines}}

    def faults(self) -> list[str]:
        """What can be seen without Lean."""
        scans = {**{f"bootstrap {name}": scanned for name, scanned in self.init.items()}, **self.scans}
        found = [*self._tree[2], *(f"{name}: {fault}" for name, scanned in scans.items() for fault in scanned.faults)]
        known = self.library.keys() | self.stand_ins.keys()
        found += [
            f"{name} imports {n}, which is not a file"
            for name, ns in self.imports.items()
            for n in ns
            if n not in known
        ]
        found += [f"{name} cannot be read" for name in PROJECT if name not in self.project]
        found += [f"{name} cannot be read" for name in RIM if name not in self.rim]
        found += [f"{name} cannot be read" for name in CERTIFICATES if name not in self.certificates]
        if not self.listed:
            found.append(f"{LISTING} is not a listing as `make definitions` writes it")
        if found:
            return found
        try:
            self.order().prepare()
        except CycleError as error:
            return [f"{error.args[1][0]} imports itself, by way of others or not"]
        reached = _closure(ROOT_MODULE, self.imports)
        found += [f"{name} is not imported by {ROOT_MODULE}" for name in self.library if name not in reached]
        found += [f"{name} is declared twice" for name in _repeated(declared.name for declared in self.declarations)]
        found += definition_faults(self.digests, self.listed)
        found += [f"{name} is not pinned by an example" for name in self._unpinned()]
        stated = set(map(equation, self.scans[STATEMENTS_MODULE].examples))
        found += [
            f"{name} is compiled as {twin}, and no statement says that the two are equal"
            for name, twin in self.twins
            if (name, twin) not in stated
        ]
        found += [f"{name}: {fault}" for name in CERTIFICATES for fault in self.stated(name).faults]
        return found

    @cached_property
    def twins(self) -> tuple[tuple[str, str], ...]:
        """Definitions, each with the one that is compiled in its place."""
        return tuple(pair for scanned in self.scans.values() for pair in scanned.twins)

    def stated(self, certificate: str) -> Scan:
        """What a certificate of conformance vectors says."""
        return scan(self.certificates[certificate], VECTORS, self.around)

    def _unpinned(self) -> Iterator[str]:
        """The definitions of the vocabulary, and those that a statement uses, that no pin names in full."""
        # A definition that no example pins could be changed to mean something easier, and every theorem about it still
        # hold.
        words = {w for name, scanned in self.scans.items() if name.startswith(PINS_MODULES) for w in scanned.words}
        # What is compiled in the place of a definition is equal to it, by a statement.
        pinned = words | {word.partition(".")[0] for word in words} | {twin for _, twin in self.twins}
        stated = self.scans[STATEMENTS_MODULE].words
        for module, scanned in self.scans.items():
            for found in scanned.declarations:
                name = found.name.removeprefix(f"{ROOT_MODULE}.")
                is_vocabulary = module.startswith(_VOCABULARY) or name in stated
                if found.defines and is_vocabulary and name not in pinned:
                    yield found.name

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all files with their names, those of the Lake project included."""
        digest = hashlib.sha256()
        # Sorted, for the digest must not depend on how a file system lists its files.
        for name, text in sorted({**self.stand_ins, **self.library, **self.project, **self.rim}.items()):
            digest.update(f"{name}\0{text}\0".encode())
        return digest.hexdigest()


def _dialect(module: str) -> Dialect:
    if module.startswith(PINS_MODULES):
        return PINS
    return STATEMENTS if module == STATEMENTS_MODULE else LIBRARY


def _files(folder: Path, faults: list[str], below: str = "") -> Iterator[str]:
    """The files of a tree by their paths: each is the only way to write its module, and nothing else is there."""
    folded: dict[str, str] = {}
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        place = f"{below}{entry.name}"
        # On file systems of macOS and Windows both would be one file, so what is compiled would not be what was
        # scanned.
        other = folded.setdefault(entry.name.casefold(), place)
        if other != place:
            faults.append(f"lean/{place} and lean/{other} are one file where letters have no case")
        # What a link points to can change between the scan and the run.
        elif entry.is_symlink():
            faults.append(f"lean/{place} is a link")
        elif entry.is_dir() and (place in _FOLDERS or _FOLDER.fullmatch(entry.name)):
            yield from _files(Path(entry.path), faults, f"{place}/")
        elif entry.is_file() and (place in _BESIDE or _FILE.fullmatch(entry.name)):
            yield place
        else:
            faults.append(f"lean/{place!s} is not the file of a module: nothing else may lie there".replace("\n", "?"))


def _text(folder: Path, place: str, faults: list[str]) -> str | None:
    """The text of a file as its bytes are, line ends included; none, and a fault, if it is not UTF-8 or not a file."""
    path = folder / place
    try:
        return read_within(path.parent, path.name).decode()
    except UnicodeDecodeError as error:
        faults.append(f"lean/{place} is not UTF-8: byte {error.start}")
    except OSError as error:
        faults.append(f"lean/{place} cannot be read: {error.strerror or error}")
    return None


def _digest(text: str) -> str:
    try:
        return token_digest(text)
    except Unreadable:
        return "unreadable"


def _repeated(names: Iterator[str]) -> list[str]:
    seen: set[str] = set()
    return [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]


def _closure(start: str, imports: Mapping[str, tuple[str, ...]]) -> set[str]:
    # By hand, for the sorter of the standard library gives an order and not what one module needs.
    reached: set[str] = set()
    todo = [start]
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo.extend(imports.get(name, ()))
    return reached


def scan_root(text: str) -> Scan:
    """Scan the file that imports all others: imports and words about it, nothing else."""
    found = Scan(text=text)
    try:
        commands = list(commands_of(list(tokens_of(text))))
    except Unreadable as error:
        found.faults.append(str(error))
        return found
    for command in commands:
        if texts_of(command)[:1] == ["import"] and len(command) == 2 and is_of_the_core(command[1].text):
            found.imports.append(command[1].text)
        else:
            found.faults.append(f"line {command[0].line}: `{command[0].text}` is not an import of the core")
    return found


def scan_stand_in(text: str, listed: str | None) -> Scan:
    """A file that stands in for a part of `Init`: it declares what no other may, and is trusted as it is listed."""
    found = Scan(text=text)
    try:
        if token_digest(text) != listed:
            found.faults.append("it is not the file that is listed")
    except Unreadable as error:
        found.faults.append(str(error))
    return found


def equation(texts: Sequence[str]) -> tuple[str, str] | None:
    """The names in `example (x : A) (y : B) : Eq (f x y) (g x y) := …`, true at all arguments; none otherwise."""
    names, at = [], 1
    while list(texts[at : at + 1]) == ["("] and list(texts[at + 2 : at + 3]) == [":"]:
        names.append(texts[at + 1])
        at = _behind(texts, at)
    count = len(names)
    stated = list(texts[at : at + 2 * count + 9])
    if not names or len(stated) != 2 * count + 9:
        return None
    left, right = stated[3], stated[count + 6]
    whole = [":", "Eq", "(", left, *names, ")", "(", right, *names, ")", ":="]
    # A name that is bound would be that argument and not the definition.
    return (left, right) if stated == whole and len({left, right, "Eq", *names}) == count + 3 else None


def _behind(texts: Sequence[str], at: int) -> int:
    """The place behind the bracket that closes the one here."""
    depth = 0
    for place in range(at, len(texts)):
        depth += (texts[place] in "([{⟨") - (texts[place] in ")]}⟩")
        if not depth:
            return place + 1
    return len(texts)
