"""What a Lean file says, as tokens and commands, and the allow-list of what it may say; the texts Lean may read."""

import hashlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import InitVar, dataclass, field, replace

KEYWORDS = frozenset(
    {"Prop", "Sort", "Type", "from", "fun", "have", "let", "match", "nofun", "nomatch", "show", "where", "with"}
)

# Words, numbers, names in quotes and signs, without comments; any other character is refused.

_LETTER = "A-Za-z_α-κμ-ω"
PART = rf"(?:[{_LETTER}][{_LETTER}0-9'₀-₉]*|«[A-Za-z]+»)"
_TOKEN = re.compile(
    rf"(?P<space>[ \n]+)|(?P<word>{PART}(?:\.{PART})*)|(?P<number>0x[0-9a-f]+|[0-9]+)(?![{_LETTER}0-9'])"
    r'|(?P<quoted>"[a-z0-9_]*")'
    r"|(?P<sign>:=|=>|@&|[(){}\[\]⟨⟩:→.,|▸;@#])"
)
_BLOCK = re.compile(r"/-[-!]?[ \n]")
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""What makes a text look other than it is read, in comments too: line ends of other kinds, turns, no width."""
_COMMENT_EDGE = re.compile(r"/-|-/")


class Unreadable(ValueError):  # noqa: N818  (it is what the text is)
    """A text that is not made of these tokens."""

    def __init__(self, text: str, at: int, why: str) -> None:
        super().__init__(f"line {text.count(chr(10), 0, at) + 1}: {why}")


@dataclass(frozen=True, slots=True)
class LeanToken:
    """A word, number or sign, and where it stands."""

    text: str
    line: int
    column: int
    first: bool
    """Nothing stands before it on its line."""
    is_word: bool

    @property
    def opens(self) -> bool:
        """Whether it stands at the very beginning of a line."""
        return self.column == 0


def tokens_of(text: str) -> Iterator[LeanToken]:
    """The tokens of a text; Unreadable for one with a string, a character or a comment in a form that is not in use."""
    hidden = _HIDDEN.search(text)
    if hidden is not None:
        raise Unreadable(text, hidden.start(), f"the character U+{ord(hidden[0]):04X} is not shown as it is")
    at, line = 0, 1
    while at < len(text):
        end = _comment_end(text, at)
        if end is None:
            match = _TOKEN.match(text, at)
            if match is None:
                raise Unreadable(text, at, f"`{text[at]}` is not a sign that checked files use")
            end = match.end()
            if match["space"] is None:
                start = text.rfind("\n", 0, at) + 1
                yield LeanToken(match[0], line, at - start, not text[start:at].strip(" "), match["word"] is not None)
        line += text.count("\n", at, end)
        at = end


def _comment_end(text: str, at: int) -> int | None:
    """Where a comment that begins here ends; none if none begins here.

    A comment stands after a space or at the beginning of a line, where Lean too looks for one before anything else.
    """
    kind = text[at : at + 2]
    if kind not in ("--", "/-"):
        return None
    if at and text[at - 1] not in " \n":
        raise Unreadable(text, at, "a comment must follow a space")
    if kind == "--":
        if text[at + 2 : at + 3] not in (" ", "\n"):
            raise Unreadable(text, at, "a comment begins with `-- `")
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    if not _BLOCK.match(text, at):
        raise Unreadable(text, at, "a comment begins with `/- `, `/-- ` or `/-! `")
    return _block_end(text, at)


def _block_end(text: str, at: int) -> int:
    """Where a comment with comments inside ends."""
    depth, place = 1, at + 2
    while depth:
        edge = _COMMENT_EDGE.search(text, place)
        if edge is None:
            raise Unreadable(text, at, "a comment without an end")
        if text[edge.start() : edge.end() + 1] in ("/-/", "-/-"):
            raise Unreadable(text, edge.start(), "a comment that can be read in two ways")
        depth += 1 if edge[0] == "/-" else -1
        place = edge.end()
    return place


# Tokens as commands, and the words that a command binds.


def result_word(command: Sequence[LeanToken]) -> str:
    """The first word of the type that a declaration is of, behind its name and what it is given."""
    depth = 0
    for token, following in itertools.pairwise(command):
        depth += (token.text in "([{⟨") - (token.text in ")]}⟩")
        if token.text == ":" and not depth:
            return following.text
    return ""


def bound_words(command: Sequence[LeanToken]) -> Iterator[LeanToken]:
    """The words that a command binds: in brackets before a colon, as fields, in patterns, behind `let` and `have`."""
    kind = command[0].text
    if kind in ("structure", "class") and "where" in (texts := texts_of(command)):
        yield from listed_parts(command[texts.index("where") + 1 :])
    for at, token in enumerate(command):
        if token.text in ("(", "{", "["):
            words = list(itertools.takewhile(lambda t: t.is_word, command[at + 1 :]))
            if _text_at(command, at + 1 + len(words)) == ":" and KEYWORDS.isdisjoint(texts_of(words)):
                yield from words
        elif token.text == "fun" or (token.text == "|" and kind != "inductive"):
            yield from _pattern(command[at:])
        elif token.text in ("let", "have"):
            yield from command[at + 1 : at + 2]


def _pattern(tokens: Sequence[LeanToken]) -> Iterator[LeanToken]:
    """The words of a pattern up to its arrow, without constructors and types."""
    for before, token in itertools.pairwise(tokens):
        if token.text in ("=>", ":", ":="):
            return
        if token.is_word and before.text != ".":
            yield token


def listed_parts(tokens: Sequence[LeanToken]) -> list[LeanToken]:
    """The names of what a theorem states behind `where`: each begins a line in the column of the first."""
    return [token for at, token in enumerate(tokens) if not at or (token.first and token.column == tokens[0].column)]


def is_instance(texts: Sequence[str]) -> bool:
    """Whether a `where` behind these words lists the fields of a value: no value is given before it."""
    depth = 0
    for text in texts:
        depth += (text in "([{⟨") - (text in ")]}⟩")
        if text in (":=", "|") and not depth:
            return False
    return True


def _text_at(command: Sequence[LeanToken], at: int) -> str:
    return command[at].text if at < len(command) else ""


def commands_of(tokens: Sequence[LeanToken]) -> Iterator[list[LeanToken]]:
    """The tokens in commands: a command begins at the beginning of a line, as only `where` does otherwise."""
    command: list[LeanToken] = []
    for token in tokens:
        if token.opens and token.text != "where" and command:
            yield command
            command = []
        command.append(token)
    if command:
        yield command


def texts_of(command: Sequence[LeanToken]) -> list[str]:
    return [token.text for token in command]


# The allow-list of checked Lean files: the commands, words, options and imports they may have, and their places.
#
# Lean runs what it reads, so a file is scanned before Lean sees it. No bad word is looked for: what is not allowed is
# refused. Whether a word that is not a keyword here is a plain name is for Lean to say (`names_file`).

_DEFINING = frozenset({"def", "abbrev", "structure", "inductive", "class", "instance"})
_DECLARING = _DEFINING | {"theorem"}
_SCOPES = frozenset({"section", "end", "variable", "include"})
_CONSTRUCTORS = frozenset({"attribute"})
"""Words that Lean keeps for itself and the core has for constructors: allowed right behind a dot or a bar only."""
_SIGNS = frozenset({*"(){}[]⟨⟩:→.,|▸;", ":=", "=>"})
_CHECKED_NAMESPACES = frozenset({"Tracepact", "Certificate", "Vectors", "Pins", "Check", "Body"})
"""What is opened by files that are checked against the core; a name there would come before the core's own."""
_LISTING_NAMES = frozenset({"structure", "inductive", "class", "instance"})
"""What lists its parts behind one `where`. That of a theorem states more theorems; any other would add definitions."""
_JOINED = frozenset({"::", "..", "||", "::="})
"""Signs that Lean reads as one and this scan as two."""
_MATCHED = frozenset({"rfl"})
"""A name that is a pattern where a variable could be."""
_REQUIRED = ("autoImplicit", "false")
"""Otherwise a word that means nothing is any value at all, and a statement about it says something else."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one kind of file may have: its commands beside the frame of a file, its namespace and options."""

    commands: frozenset[str]
    namespace: str
    options: frozenset[tuple[str, str]]
    imports: Callable[[str], bool]
    has_dots: bool = False
    """Whether a name may have dots: it opens the namespace before its last one."""
    signs: frozenset[str] = _SIGNS
    is_compiled: bool = False
    """Whether a definition may say how it is compiled."""


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a file: the names it must not put into the shade, and the words it may use beside its own."""

    taken: frozenset[str] = frozenset()
    words: frozenset[str] | None = None
    """None for the files of the core, which bring the words: there Lean alone says that they are names."""


def is_of_the_core(module: str) -> bool:
    return module.startswith("Tracepact.") or module == "Init.Data.Nat.Bitwise.Lemmas"


_PLAIN = frozenset({("autoImplicit", "false")})
_COMPUTING = _PLAIN | {("maxRecDepth", "1000000"), ("maxHeartbeats", "0")}
LIBRARY = Dialect(_DECLARING | _SCOPES, "Tracepact", _PLAIN, is_of_the_core, has_dots=True, is_compiled=True)
STATEMENTS = Dialect(frozenset({"example", "#print"}), "Tracepact", _PLAIN, is_of_the_core)
PINS = Dialect(frozenset({"example"}), "Tracepact.Pins", _COMPUTING, is_of_the_core)
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
AUDIT = Dialect(
    frozenset({"#print", "theorem", "example"}),
    "Tracepact.Check",
    _PLAIN,
    lambda module: module == "Tracepact",
    signs=_SIGNS | {"@"},
)
"""The axioms of the core's theorems, and that those which stand behind a `where` are proofs."""
BODIES = Dialect(frozenset({"def", "example"}), "Body", _COMPUTING, lambda module: False)
"""The bodies of the small `Init` again, under other names, and tables of what they compute."""

_MAKER = object()


@dataclass(frozen=True, slots=True)
class LeanText:
    """A text that Lean may read: it has passed the scan, and nothing but this module makes one."""

    text: str
    names: frozenset[str]
    """The words that Lean is to call plain names before it reads the text."""
    maker: InitVar[object]

    def __post_init__(self, maker: object) -> None:
        if maker is not _MAKER:
            raise TypeError("Lean reads only what has passed the scan")


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
    twins: list[tuple[str, str]] = field(default_factory=list)
    """Definitions, each with the one that is compiled in its place."""
    examples: list[list[str]] = field(default_factory=list)
    """The tokens of every `example`."""
    text: str = ""

    @property
    def lean(self) -> LeanText:
        """The text as Lean may read it; ValueError if there is a fault in it."""
        if self.faults:
            raise ValueError(self.faults[0])
        return LeanText(self.text, frozenset(self.names), _MAKER)


def scan(text: str, dialect: Dialect, around: Around) -> Scan:
    """Scan a file: the one way by which the text of a file comes to Lean."""
    found = Scan(text=text)
    try:
        tokens = list(tokens_of(text))
    except Unreadable as error:
        found.faults.append(str(error))
        return found
    _CommandReader(dialect, around, found).read(tokens)
    return found


def token_digest(text: str) -> str:
    """The SHA-256 of the tokens of a text; Unreadable if it has others."""
    return hashlib.sha256("\0".join(token.text for token in tokens_of(text)).encode()).hexdigest()


def names_text(names: Iterable[str]) -> LeanText:
    """A Lean file that says of each word, on a line of its own, that it is a plain name."""
    lines = []
    for name in names:
        if not re.fullmatch(PART, name):
            raise ValueError(f"{name!r} is not a word")
        lines.append(f"example : Prop → Prop := fun {name} => {name}\n")
    return LeanText("".join(lines), frozenset(), _MAKER)


class _CommandReader:
    """Reads the commands of one file against its dialect."""

    def __init__(self, dialect: Dialect, around: Around, scan: Scan) -> None:
        self.dialect, self.scan = dialect, scan
        self.taken, self.words = around.taken | _CHECKED_NAMESPACES, around.words
        self.place = "header"
        self.sections = 0
        self.required = False
        self.names: set[str] = set()
        self.classes: set[str] = set()
        self.compiled: list[str] = []
        """What the attribute right before a command says."""
        self.scope = hashlib.sha256()

    def read(self, tokens: list[LeanToken]) -> None:
        """Read a whole file."""
        for before, token in itertools.pairwise(tokens):
            is_next = (before.line, before.column + len(before.text)) == (token.line, token.column)
            if is_next and before.text + token.text in _JOINED:
                self._refuse(token, "makes another sign of the one before it")
        for command in commands_of(tokens):
            if self.place == "header":
                self._header(command)
            elif self.place == "body":
                self._body(command)
            else:
                self._refuse(command[0], "is after the end of the namespace")
        if self.place != "end":
            self.scan.faults.append(f"there is no `end {self.dialect.namespace}`")

    def _header(self, command: Sequence[LeanToken]) -> None:
        match texts_of(command):
            case ["import", module] if not self.sections and self.dialect.imports(module):
                self.scan.imports.append(module)
            case ["set_option", name, value] if (name, value) in self.dialect.options:
                self.sections = 1
                self.required |= (name, value) == _REQUIRED
            case ["noncomputable", "section"]:
                self.sections = 1
            case ["namespace", name] if name == self.dialect.namespace:
                self.place, self.sections = "body", 0
                if not self.required:
                    self._refuse(command[0], f"comes before `set_option {' '.join(_REQUIRED)}`")
            case _:
                self._refuse(command[0], "is not allowed before the namespace, not with these words")

    def _body(self, command: Sequence[LeanToken]) -> None:
        texts = texts_of(command)
        compiled, self.compiled = self.compiled, []
        if compiled and texts[0] != "def":
            self._refuse(command[0], "cannot be compiled in another way")
        match texts:
            case ["@", "[", "macro_inline", "]"] | ["@", "[", "implemented_by" | "export", _, "]"]:
                if not self.dialect.is_compiled:
                    self._refuse(command[0], "says how something is compiled")
                self.compiled = texts[2:-1]
                return
            case ["end", name] if name == self.dialect.namespace and not self.sections:
                self.place = "end"
                return
            case ["#", "print", "axioms", name] if "#print" in self.dialect.commands and command[3].is_word:
                self.scan.audits.append(name)
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
            self._declare(kind, command, compiled)
        if kind == "example":
            self.scan.examples.append(texts)
        wheres = [at for at, text in enumerate(texts) if text == "where"]
        if wheres and (kind in _LISTING_NAMES or is_instance(texts[: wheres[0]])):
            del wheres[0]
        if wheres and (kind != "theorem" or len(wheres) > 1):
            self._refuse(command[0], "has a `where` that adds definitions")
        elif wheres:
            self._list_parts(command, wheres[0] + 1)
        for token in bound_words(command):
            if token.text.strip("«»") in self.taken - _MATCHED:
                self._refuse(token, "is bound here, and is a name of Lean's own or of the core")
        for before, token in itertools.pairwise(command):
            if (before.text, token.text) == ("let", "rec"):
                self._refuse(token, "adds a definition")
            if token.text not in _CONSTRUCTORS or before.text not in (".", "|"):
                self._token(token)

    def _declare(self, kind: str, command: Sequence[LeanToken], compiled: Sequence[str]) -> None:
        if len(command) < 2 or not command[1].is_word:
            self._refuse(command[0], "declares no name")
            return
        name = command[1].text
        if kind == "class":
            self.classes.add(name)
        elif kind == "instance" and result_word(command) not in self.classes:
            self._refuse(command[0], "is not of a class that this file declares")
        first, *others = name.split(".")
        if first in self.taken or self.taken.intersection(others):
            self._refuse(command[1], "is a name of Lean's own, of the core, or of files that are checked later")
        if "«" in name or (others and not self.dialect.has_dots):
            self._refuse(command[1], "is not a name in the form in which these files declare")
        if name in self.names:
            self._refuse(command[1], "is declared twice")
        self.names.add(name)
        digest = self.scope.copy()
        digest.update("\0".join((*compiled, *texts_of(command))).encode())
        if compiled[:1] == ["implemented_by"]:
            self.scan.twins.append((name, compiled[1]))
        self.scan.declarations.append(Declaration(kind, f"{self.dialect.namespace}.{name}", digest.hexdigest()))

    def _list_parts(self, command: Sequence[LeanToken], at: int) -> None:
        """What a theorem states behind `where`, as theorems: that they are proofs is for Lean to say."""
        if not self.dialect.has_dots:
            self._refuse(command[0], "has a `where`")
        if ";" in texts_of(command):
            self._refuse(command[0], "has a `where` and a `;`, which could begin another part")
        for token in listed_parts(command[at:]):
            name = f"{command[1].text}.{token.text}"
            if not token.is_word or token.text in KEYWORDS or "." in token.text or "«" in token.text:
                self._refuse(token, "is not the name of a part")
            elif token.text in self.taken or name in self.names:
                self._refuse(token, "is a name that is taken")
            self.names.add(name)
            self.scan.declarations.append(Declaration("part", f"{self.dialect.namespace}.{name}", ""))

    def _token(self, token: LeanToken) -> None:
        if token.is_word:
            if token.text not in KEYWORDS:
                self._name(token)
        elif not token.text[0].isdigit() and token.text not in self.dialect.signs:
            self._refuse(token, "is not a sign of these files")

    def _name(self, token: LeanToken) -> None:
        parts = token.text.split(".")
        if any(part.strip("«»").startswith("_root_") for part in parts):
            self._refuse(token, "leaves the namespace")
        self.scan.words.add(token.text)
        if self.words is not None and parts[0].strip("_") and parts[0] not in self.words and parts[0] not in self.names:
            self._refuse(token, "is neither a word of the core nor a name of this file")
        if parts[0].strip("_") and not parts[0].startswith("«"):
            self.scan.names.add(parts[0])

    def _refuse(self, token: LeanToken, why: str) -> None:
        self.scan.faults.append(f"line {token.line}: `{token.text}` {why}")
