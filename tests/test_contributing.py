"""What the texts of the repository say is so: the paths, modules and tests they name, the output they show."""

import ast
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from cli.command import run
from sources import nodes

from tracepact.data.formats import FORMATS
from tracepact.pytest_plugin import Scorer

ROOT = Path(__file__).resolve().parent.parent
PAGES = "pytools/docs/pages"
TEXTS = ("CONTRIBUTING.md", "ASSURANCE.md", "SECURITY.md")
BASES = (".", "pytools", "pytools/tracepact", "pytools/tracelab", "tests", "spec", "lean", "lean/Tracepact")
"""The folders that a path may be named from."""
OTHERS = ("avex/models/beats/__init__.py",)
"""Files of other projects."""
ENTRY_POINTS = ("tracelab.classifiers",)
"""Groups of entry points, which have dotted names too."""
ENDINGS = "css|html|js|json|lark|lean|md|py|toml|txt"
MADE = ("out/", "build/")
"""Folders that commands write."""
PATH = re.compile(rf"[\w.-]+(?:/[\w.-]+)*\.(?:{ENDINGS})|[\w.-]+/(?:[\w.-]+/?)*")
CODE = re.compile(r"`([^`\s]+)`")
MODULE = re.compile(rf"(?<!/)\btrace(?:pact|lab)(?:\.(?!(?:{ENDINGS})\b)[a-z_]+)+\b")
MARKDOWN = sorted(
    path.relative_to(ROOT)
    for pattern in ("*.md", f"{PAGES}/*.md", "examples/*/README.md", "spec/*.md", "spec/tools/*.md")
    for path in ROOT.glob(pattern)
)
TUTORIALS = sorted((ROOT / PAGES).glob("tutorial*.md"))
SOURCES = sorted(path for folder in ("pytools", "tests") for path in (ROOT / folder).rglob("*.py"))


def is_there(path: str) -> bool:
    """Whether a path leads somewhere from one of the bases; what commands write need not."""
    return path in OTHERS or path.startswith(MADE) or any((ROOT / base / path).exists() for base in BASES)


def is_module(name: str) -> bool:
    """Whether a dotted name begins with a module; what follows it is a name inside."""
    if name in ENTRY_POINTS or (name.startswith("tracepact.") and hasattr(Scorer, name.split(".")[1])):
        return True  # in a test `tracepact` is a fixture
    package, first = name.split(".")[:2]
    folder = ROOT / "pytools" / package
    return (folder / first).is_dir() or (folder / f"{first}.py").is_file() or first in names(package)


def names(package: str) -> set[str]:
    """What the interface of a package names."""
    text = (ROOT / "pytools" / package / "__init__.py").read_text(encoding="utf-8")
    return {word for pair in re.findall(r'^    "(\w+)"|^(\w+) =', text, re.MULTILINE) for word in pair}


def named(text: str) -> Iterator[str]:
    """The paths in backticks of a Markdown text, with the test behind `::` left out, and what its links lead to."""
    for word in CODE.finditer(text):
        path = word[1].split("::")[0]
        if PATH.fullmatch(path) and not re.match(r"[A-Z]+\.py$", path):
            yield path
    yield from re.findall(r"\]\(([^)#:\s]+)", text)


def prose(path: Path) -> str:
    """The comments and docstrings of a module."""
    text = path.read_text(encoding="utf-8")
    comments = [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    alone = [
        node.value.value
        for node in nodes(path)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return "\n".join([*comments, *alone])


@pytest.mark.parametrize("name", TEXTS)
def test_every_path_of_a_text_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert [path for path in named(text) if not is_there(path)] == []


@pytest.mark.parametrize("path", MARKDOWN, ids=str)
def test_every_module_of_a_text_is_there(path: Path) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert [module for module in MODULE.findall(text) if not is_module(module)] == []


def test_texts_name_paths_at_all() -> None:
    counts = {name: len(list(named((ROOT / name).read_text(encoding="utf-8")))) for name in TEXTS}
    assert min(counts.values()) > 20, counts


def test_every_test_that_a_text_names_is_there() -> None:
    missing = [
        f"{path}::{test}"
        for name in TEXTS
        for path, test in re.findall(r"`([\w/]+\.py)::(\w+)`", (ROOT / name).read_text(encoding="utf-8"))
        if not any(
            (ROOT / base / path).is_file() and f"def {test}(" in (ROOT / base / path).read_text(encoding="utf-8")
            for base in BASES
        )
    ]
    assert missing == []


def test_every_promise_of_security_names_a_test() -> None:
    rows = [line for line in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    promises = [row.rstrip(" |").rpartition(" | ")[2] for row in rows if "`tests/`" not in row]
    assert len(promises) > 35
    assert [row for row in promises if not re.search(r"`[\w/]+\.py::\w+`", row)] == []


def missing(text: str) -> list[str]:
    """The paths of modules in a text that lead nowhere."""
    return [path for path in re.findall(r"(?<![\w/.-])(?:\w+/)+\w+\.py\b", text) if not is_there(path)]


def test_every_path_that_a_comment_or_docstring_names_is_there() -> None:
    """Prose is taken apart from code only in modules where either names something missing: that is the dear part."""
    suspects = [source for source in SOURCES if missing(source.read_text(encoding="utf-8"))]
    assert [f"{source.relative_to(ROOT)}: {path}" for source in suspects for path in missing(prose(source))] == []


SHOWN = re.compile(
    r"^`(?P<file>[\w.]+)`[^\n]*:\n\n```\w+\n(?P<content>(?:.*\n)+?)```"
    r"|^    \$ (?P<command>.+)\n(?P<output>(?:    (?!\$ ).*\n|\n)*)",
    re.MULTILINE,
)
"""A file under its name, or a command with its output, of which `…` stands for what is left out."""


def output(command: str, folder: Path) -> str:
    """What a command prints: one of tracepact in this process, with a file as its input; another in a shell."""
    words, _, source = command.partition(" < ")
    if words.startswith("tracepact ") and " -- " not in words:
        stdin = (folder / source).read_bytes() if source else b""
        return run(*shlex.split(words)[1:], folder=folder, stdin=stdin).out
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        command, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, encoding="utf-8"
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["README.md", *(f"{PAGES}/{path.name}" for path in TUTORIALS)])
def test_a_text_shows_what_its_commands_print(name: str, tmp_path: Path) -> None:
    """Its files are written and its commands run as it says them, from the top, beside a checkout's folders."""
    for folder in ("examples", "spec"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    commands = 0
    for part in SHOWN.finditer((ROOT / name).read_text(encoding="utf-8")):
        if part["file"]:
            (tmp_path / part["file"]).write_text(part["content"], encoding="utf-8")
            continue
        printed = "\n".join(line.rstrip() for line in output(part["command"], tmp_path).splitlines())
        wanted = re.sub(r"^    ", "", part["output"], flags=re.MULTILINE).split("…\n")
        parts = [words.strip("\n") for words in wanted if words.strip()]
        places = [printed.find(words) for words in parts]
        assert -1 not in places, f"{part['command']}\n{printed}"
        assert places == sorted(places)
        commands += 1
    assert commands


def test_every_persona_has_a_tutorial() -> None:
    """Those of the README: contract authors, challenge organisers, model developers, monitor authors."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    personas = [words.lower() for words in re.findall(r"^- \*\*(.+?)\*\*", readme, re.MULTILINE)]
    starts = [path.read_text(encoding="utf-8").split("\n\n")[1] for path in TUTORIALS]
    assert sorted(re.findall(r"^For (.+?)\.", start)[0] for start in starts) == sorted(personas)
    assert len(personas) == 4


def test_the_page_about_installing_has_every_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    text = (ROOT / PAGES / "install.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == sorted(extras)


def test_what_tests_may_find_absent_is_what_only_the_large_environment_has() -> None:
    pytest.importorskip("torch")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    lines = [line for name in ("test-all", "docs", "peers") for line in groups[name] if isinstance(line, str)]
    names = {re.sub("[._]", "-", re.split(r"[\[><=;]", line)[0].strip().lower()) for line in lines}
    packages = packages_distributions()
    listed = runpy.run_path(str(ROOT / "tests" / "conftest.py"))["LARGE"]
    wrong = [n for n in listed if not names & {re.sub("[._]", "-", one.lower()) for one in packages.get(n, ())}]
    assert wrong == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < 900


def test_the_readme_counts_the_formats() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"| reads | {len(FORMATS)} formats |" in text
