"""The colours of contracts, in Pygments and in editors: those of the parser's own tokens, wherever there is a token."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from hypothesis import given
from pygments.token import Token
from strategies import written_formulas, written_predicates

import tracepact
from tracepact import starter_contracts
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Source
from tracepact.language import syntax as s
from tracepact.language.grammar import spellings
from tracepact.language.printer import print_expression
from tracepact.language.reader import read_document, read_tokens
from tracepact.language.vocabulary import TOKENS, ColourGroup, ContractLexer, group_of, patterns

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "pytools" / "editors" / "vscode"
MODULES = Path(os.environ.get("TRACEPACT_NODE_MODULES", FOLDER / "node_modules"))
SHIPPED = {p.stem: p for p in [*starter_contracts().values(), *(ROOT / "examples").rglob("*.contract")]}
EVERY_SIGN = """# `each` and N in a comment are no words
contract Nearby "a # in a string, and \\"quotes\\""
step 1/3s param on_time = .5s sweep on_time = 1f 20ms merge_gap 0s aggregate pooled projection touch
matcher optimal(search = 200ms, overlap_reward = 0.5) labels a "b c" soft_scale 100ms
clause steps on true and not false or U1 implies S_ iff ¬p ∧ q ∨ r → t ↔ u : !p & q | r -> F[-1f,2f] t <-> G[on_time] u
clause b on p U[1f] q : p S[2f] N[1f] ref_onset atom z
clause c on each matched : abs(ref.onset - pred.onset) + 1s * 2 <= 3s and min(iou, 1) != 0 and max(1, 2) == 2
profile d over macro_clips : b = 1, c = 2
"""


def script(name: str) -> ModuleType:
    """A script of pytools/editors as a module."""
    sys.path.insert(0, str(ROOT / "pytools"))
    try:
        return import_module(f"editors.{name}")
    finally:
        sys.path.pop(0)


def parsed(text: str) -> list[tuple[str, ColourGroup]]:
    """Every token of the parser with its group, and the comments, in the order of the text."""
    source = Source("a", text)
    tokens, faults = read_tokens(source, Diagnostics())
    assert not faults
    found = {t.start_pos: (str(t), group_of(t.type, str(t))) for t in tokens}
    for comment in read_document(source, Diagnostics()).comments:
        found[comment.span.start] = (text[comment.span.start : comment.span.end], ColourGroup.COMMENT)
    return [found[start] for start in sorted(found, key=lambda start: start or 0)]


def coloured(text: str) -> Iterator[tuple[str, object]]:
    for kind, value in ContractLexer().get_tokens(text):
        if value.strip():
            yield value, kind


def expected(text: str) -> list[tuple[str, object]]:
    return [(value, TOKENS[group]) for value, group in parsed(text)]


@pytest.mark.parametrize("name", SHIPPED)
def test_pygments_colours_shipped_contracts_as_the_parser_reads_them(name: str) -> None:
    text = SHIPPED[name].read_text(encoding="utf-8")
    assert list(coloured(text)) == expected(text)


def test_every_group_and_every_sign_of_the_grammar_is_coloured() -> None:
    assert list(coloured(EVERY_SIGN)) == expected(EVERY_SIGN)
    assert {group for _, group in parsed(EVERY_SIGN)} == set(ColourGroup)
    assert set(spellings().values()) <= {value for value, _ in parsed(EVERY_SIGN)}


@given(written_formulas(), written_predicates())
def test_pygments_colours_random_clauses_as_the_parser_reads_them(
    formula: s.Expression, predicate: s.Expression
) -> None:
    text = f"clause a on p : {print_expression(formula)}\n"
    text += f"clause b on each ref : {print_expression(predicate, predicate=True)}\n"
    assert list(coloured(text)) == expected(text)


def test_what_starts_no_token_is_an_error() -> None:
    assert (Token.Error, "§") in [(kind, value) for value, kind in coloured("contract §")]


def test_pygments_finds_the_lexer_by_its_entry_point() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (place,) = re.findall(r'"pygments.lexers"\]\ntracepact = "(.+)"', project)
    module, _, name = place.partition(":")
    assert getattr(import_module(module), name) is ContractLexer


def test_the_textmate_grammar_is_the_one_that_the_terminals_give() -> None:
    textmate = script("textmate")
    assert textmate.PLACE.read_text(encoding="utf-8") == textmate.grammar(), "run `make grammar`"
    assert set(textmate.SCOPES) == set(ColourGroup)
    assert len(set(textmate.SCOPES.values())) == len(ColourGroup)


def lines_by_patterns(text: str) -> list[tuple[str, ColourGroup]]:
    """What the patterns find line by line, as an editor applies them: the leftmost match, of those the first."""
    compiled = [(group, re.compile(pattern)) for group, pattern in patterns()]
    found: list[tuple[str, ColourGroup]] = []
    for line in text.split("\n"):
        place = 0
        while matches := [(m.start(), i, m) for i, (_, p) in enumerate(compiled) if (m := p.search(line, place))]:
            _, index, match = min(matches, key=lambda m: m[:2])
            found.append((match[0].rstrip(), compiled[index][0]))
            place = match.end()
    return found


@pytest.mark.parametrize("name", [*SHIPPED, "every sign"])
def test_the_patterns_find_the_parsers_tokens_line_by_line(name: str) -> None:
    text = SHIPPED[name].read_text(encoding="utf-8") if name in SHIPPED else EVERY_SIGN
    assert lines_by_patterns(text) == [(value.rstrip(), group) for value, group in parsed(text)]


@pytest.mark.slow
@pytest.mark.skipif(not (MODULES / "vscode-textmate").is_dir(), reason="needs `npm install` in pytools/editors/vscode")
def test_vscode_colours_shipped_contracts_as_the_parser_reads_them(tmp_path: Path) -> None:
    textmate, node = script("textmate"), shutil.which("node")
    assert node is not None
    (tmp_path / "every.contract").write_text(EVERY_SIGN, encoding="utf-8")
    files = [*SHIPPED.values(), tmp_path / "every.contract"]
    command = [node, str(FOLDER / "tokenise.js"), str(textmate.PLACE), *map(str, files)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "MODULES": str(MODULES)}
    )
    for path, line in zip(files, done.stdout.splitlines(), strict=True):
        found = [(value.rstrip(), scope) for _, value, scope in json.loads(line)]
        text = path.read_text(encoding="utf-8")
        assert found == [(v.rstrip(), f"{textmate.SCOPES[g]}.tracepact") for v, g in parsed(text)], path


def test_the_extension_is_a_package_that_an_editor_can_install(tmp_path: Path) -> None:
    """Built with stand-ins for the installed packages; `make vsix` installs the real ones."""
    package = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    for name in package["dependencies"]:
        folder = tmp_path / "modules" / name
        folder.mkdir(parents=True)
        (folder / "package.json").write_text("{}")
    built = script("vsix").build(tmp_path / "a.vsix", tmp_path / "modules")
    assert built.read_bytes() == script("vsix").build(tmp_path / "b.vsix", tmp_path / "modules").read_bytes()
    with zipfile.ZipFile(built) as archive:
        names = set(archive.namelist())
        manifest = ElementTree.fromstring(archive.read("extension.vsixmanifest"))
        types = ElementTree.fromstring(archive.read("[Content_Types].xml"))
    space = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"
    assert {asset.attrib["Path"] for asset in manifest.iter(f"{space}Asset")} <= names
    (identity,) = manifest.iter(f"{space}Identity")
    assert (identity.attrib["Id"], identity.attrib["Version"]) == (package["name"], package["version"])
    typed = {t.attrib["Extension"] for t in types if "Extension" in t.attrib}
    named = {t.attrib["PartName"].removeprefix("/") for t in types if "PartName" in t.attrib}
    assert [n for n in names if Path(n).suffix not in typed and n not in named and n != "[Content_Types].xml"] == []
    shown = [package["main"], *(g["path"] for g in package["contributes"]["grammars"])]
    shown += [g["configuration"] for g in package["contributes"]["languages"] if "configuration" in g]
    assert {f"extension/{path.removeprefix('./')}" for path in shown} <= names
    assert all(f"extension/node_modules/{name}/package.json" in names for name in package["dependencies"])


def test_the_extension_has_the_version_of_the_package() -> None:
    for name in ("package.json", "package-lock.json"):
        assert json.loads((FOLDER / name).read_text(encoding="utf-8"))["version"] == tracepact.__version__
