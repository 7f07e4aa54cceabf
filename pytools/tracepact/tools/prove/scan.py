"""The allow-list of checked Lean files: the commands, words, options and imports they may have, and where they declare.

Lean runs what it reads, so a file is scanned before Lean sees it. No bad word is looked for: what is not allowed is
refused. Whether a word that is not a keyword here is a plain name is for Lean to say (`names_file`).
"""

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tracepact.tools.prove.tokens import Token, Unreadable, tokens_of

_DEFINING = frozenset({"def", "abbrev", "structure", "inductive", "class", "instance"})
_DECLARING = _DEFINING | {"theorem"}
_SCOPES = frozenset({"section", "end", "variable", "include"})
_KEYWORDS = frozenset(
    {"Prop", "Sort", "Type", "from", "fun", "have", "let", "match", "nofun", "nomatch", "show", "where", "with"}
)
_CONSTRUCTORS = frozenset({"attribute"})
"""Words that Lean keeps for itself and the core has for constructors: allowed right behind a dot or a bar only."""
_SIGNS = frozenset({*"(){}[]⟨⟩:→.,|▸;", ":=", "=>"})
_CHECKED_NAMESPACES = frozenset({"Certificate", "Vectors", "Pins", "Check"})
"""What is opened by files that are checked against the core; a name there would come before the core's own."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one kind of file may have: its commands beside the frame of a file, its namespace and options."""

    commands: frozenset[str]
    namespace: str
    options: frozenset[tuple[str, str]]
    imports: Callable[[str], bool]


def _of_the_core(module: str) -> bool:
    return module.startswith("Tracepact.") or module == "Init.Data.Nat.Bitwise.Lemmas"


_PLAIN = frozenset({("autoImplicit", "false")})
_COMPUTING = _PLAIN | {("maxRecDepth", "1000000"), ("maxHeartbeats", "0")}
LIBRARY = Dialect(_DECLARING | _SCOPES, "Tracepact", _PLAIN, _of_the_core)
STATEMENTS = Dialect(frozenset({"example", "#print"}), "Tracepact", _PLAIN, _of_the_core)
PINS = Dialect(frozenset({"example"}), "Tracepact.Pins", _COMPUTING, _of_the_core)
VECTORS = Dialect(
    frozenset({"def", "theorem", "#print"}), "Tracepact.Vectors", _COMPUTING, lambda module: module == "Tracepact"
)

CERTIFICATE = Dialect(
    frozenset({"def", "theorem", "#print"}),
    "Tracepact.Certificate",
    _COMPUTING | {("exponentiation.threshold", "1000000000")},
    lambda module: module == "Tracepact.Thm.Certificate",
)
FAMILY = replace(CERTIFICATE, imports=lambda module: module == "Tracepact.Thm.Vector")
ORDER = replace(CERTIFICATE, imports=lambda module: module == "Tracepact.Thm.Order")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration: its kind, its full name, and the SHA-256 of its tokens with the variables it stands under."""

    kind: str
    name: str
    digest: str

    @property
    def defines(self) -> bool:
        """Whether it gives a word a meaning, as a theorem does not."""
        return self.kind in _DEFINING


@dataclass(slots=True)
class Scan:
    """What a file says, and what it must not say."""

    imports: list[str] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    audits: list[str] = field(default_factory=list)
    """The names after `#print axioms`."""
    names: set[str] = field(default_factory=set)
    """Every word that is not a keyword here: the first part of a dotted one."""
    words: set[str] = field(default_factory=set)
    """Every word in full."""
    faults: list[str] = field(default_factory=list)


def scan(text: str, dialect: Dialect, taken: Iterable[str] = ()) -> Scan:
    """Scan a file; `taken` are the names outside the core, which no declaration may put into the shade."""
    found = Scan()
    try:
        tokens = list(tokens_of(text))
    except Unreadable as error:
        found.faults.append(str(error))
        return found
    _Reader(dialect, frozenset(name.partition(".")[0] for name in taken) | _CHECKED_NAMESPACES, found).read(tokens)
    return found


def scan_root(text: str) -> Scan:
    """Scan the file that imports all others: imports and words about it, nothing else."""
    found = Scan()
    try:
        commands = list(_commands(list(tokens_of(text))))
    except Unreadable as error:
        found.faults.append(str(error))
        return found
    for command in commands:
        if _texts(command)[:1] == ["import"] and len(command) == 2 and _of_the_core(command[1].text):
            found.imports.append(command[1].text)
        else:
            found.faults.append(f"line {command[0].line}: `{command[0].text}` is not an import of the core")
    return found


def names_file(names: Iterable[str]) -> str:
    """A Lean file that says of each word, on a line of its own, that it is a plain name."""
    return "".join(f"example : Prop → Prop := fun {name} => {name}\n" for name in names)


class _Reader:
    """Reads the commands of one file against its dialect."""

    def __init__(self, dialect: Dialect, taken: frozenset[str], found: Scan) -> None:
        self.dialect, self.taken, self.found = dialect, taken, found
        self.place = "header"
        self.sections = 0
        self.classes: set[str] = set()
        self.scope = hashlib.sha256()

    def read(self, tokens: list[Token]) -> None:
        """Read a whole file."""
        for command in _commands(tokens):
            if self.place == "header":
                self._header(command)
            elif self.place == "body":
                self._body(command)
            else:
                self._refuse(command[0], "is after the end of the namespace")
        if self.place != "end":
            self.found.faults.append(f"there is no `end {self.dialect.namespace}`")

    def _header(self, command: Sequence[Token]) -> None:
        match _texts(command):
            case ["import", module] if not self.sections and self.dialect.imports(module):
                self.found.imports.append(module)
            case ["set_option", name, value] if (name, value) in self.dialect.options:
                self.sections = 1
            case ["noncomputable", "section"]:
                self.sections = 1
            case ["namespace", name] if name == self.dialect.namespace:
                self.place, self.sections = "body", 0
            case _:
                self._refuse(command[0], "is not allowed before the namespace, not with these words")

    def _body(self, command: Sequence[Token]) -> None:
        texts = _texts(command)
        match texts:
            case ["end", name] if name == self.dialect.namespace and not self.sections:
                self.place = "end"
                return
            case ["#", "print", "axioms", name] if "#print" in self.dialect.commands and command[3].is_word:
                self.found.audits.append(name)
                self._name(command[3])
                return
            case [kind, *_] if kind not in self.dialect.commands:
                self._refuse(command[0], "is not a command of these files")
                return
            case ["section"]:
                self.sections += 1
            case ["end"] if self.sections:
                self.sections -= 1
            case ["section" | "end", *_]:
                self._refuse(command[0], "has no name here, and no section to end")
        kind = texts[0]
        if kind in _SCOPES:
            self.scope.update("\0".join(texts).encode() + b"\n")
        if kind in _DECLARING:
            self._declare(kind, command)
        for before, token in itertools.pairwise(command):
            if token.text not in _CONSTRUCTORS or before.text not in (".", "|"):
                self._token(token)

    def _declare(self, kind: str, command: Sequence[Token]) -> None:
        if len(command) < 2 or not command[1].is_word:
            self._refuse(command[0], "declares no name")
            return
        name = command[1].text
        if kind == "class":
            self.classes.add(name)
        elif kind == "instance" and _result(command) not in self.classes:
            self._refuse(command[0], "is not of a class that this file declares")
        if name.partition(".")[0] in self.taken:
            self._refuse(command[1], "is a name of Lean's own, or of files that are checked later")
        digest = self.scope.copy()
        digest.update("\0".join(_texts(command)).encode())
        self.found.declarations.append(Declaration(kind, f"{self.dialect.namespace}.{name}", digest.hexdigest()))

    def _token(self, token: Token) -> None:
        if token.is_word:
            if token.text not in _KEYWORDS:
                self._name(token)
        elif not token.text[0].isdigit() and token.text not in _SIGNS:
            self._refuse(token, "is not a sign of these files")

    def _name(self, token: Token) -> None:
        parts = token.text.split(".")
        if any(part.strip("«»").startswith("_root_") for part in parts):
            self._refuse(token, "leaves the namespace")
        self.found.words.add(token.text)
        if parts[0].strip("_") and not parts[0].startswith("«"):
            self.found.names.add(parts[0])

    def _refuse(self, token: Token, why: str) -> None:
        self.found.faults.append(f"line {token.line}: `{token.text}` {why}")


def _result(command: Sequence[Token]) -> str:
    """The first word of the type that a declaration is of, behind its name and what it is given."""
    depth = 0
    for token, following in itertools.pairwise(command):
        depth += (token.text in "([{⟨") - (token.text in ")]}⟩")
        if token.text == ":" and not depth:
            return following.text
    return ""


def _commands(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens in commands: a command begins at the beginning of a line, as only `where` does otherwise."""
    command: list[Token] = []
    for token in tokens:
        if token.opens and token.text != "where" and command:
            yield command
            command = []
        command.append(token)
    if command:
        yield command


def _texts(command: Sequence[Token]) -> list[str]:
    return [token.text for token in command]
