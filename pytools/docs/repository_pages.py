"""The repository's Markdown texts as pages, and a page for every file and folder that a page links to."""

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tracepact.declarations import rule_files

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = "pytools/docs/pages/"
"""Where the pages written for the site are; they are at its root."""
AS_THEY_ARE = (".pdf", ".png", ".svg")
LANGUAGES = {".json": "json", ".lean": "lean", ".py": "python", ".toml": "toml"}
_LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(#[^)\s]+)?(?=\))")
_RULE = re.compile(r"^- \*\*(\d+\.\d+|P\d+)\*\*", re.MULTILINE)
_NESTED = re.compile(r"^( +)(?=[-*] )", re.MULTILINE)
_CODE = re.compile(r"(^ {4}.*$|^```.*?^```$|`[^`\n]+`|\]\([^)]*\))", re.MULTILINE | re.DOTALL)
_CITED = re.compile(r"(?<![\w.*/])(\d+\.\d+)(?![\w*]|\.\d)")
_HIDDEN = "---\nsearch:\n  exclude: true\n---\n"


@cache
def texts() -> dict[str, str]:
    """The Markdown texts of the repository by path."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("spec/*.md"), *ROOT.glob("spec/tools/*.md")]
    found += [ROOT / "spec/conformance/README.md", ROOT / "examples/README.md", *ROOT.glob("examples/*/README.md")]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(found)}


@cache
def written() -> dict[str, str]:
    """The pages written for the site by path in the repository; their links lead from there, as anybody's do."""
    return {f"{WRITTEN}{path.name}": path.read_text(encoding="utf-8") for path in (ROOT / WRITTEN).glob("*.md")}


def examples() -> list[str]:
    """The pages of the examples, the list of them first."""
    return ["examples/README.md", *(path for path in texts() if re.match(r"examples/\d", path))]


def tools() -> list[str]:
    """The pages of the rules of the tools, the list of chapters first."""
    return ["spec/tools/README.md", *(path for path in texts() if re.match(r"spec/tools/\d", path))]


def _linked() -> Iterator[str]:
    """The paths in the repository that the texts and pages link to."""
    for source, text in {**texts(), **written()}.items():
        for link in _LINK.finditer(text):
            yield _target(source, link[1])


def _target(source: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def files_as_they_are() -> dict[str, Path]:
    """The pictures and documents that the texts show or link to."""
    return {path: ROOT / path for path in _linked() if path.endswith(AS_THEY_ARE)}


@cache
def linked_pages() -> dict[str, str]:
    """A page for what the texts link to: it shows a file, or lists a folder whose files have pages too."""
    made: dict[str, str] = {}
    for path in sorted(set(_linked())):
        place = ROOT / path
        if place.is_dir() and f"{path}/README.md" not in texts():
            inside = sorted(file for file in place.rglob("*") if file.is_file())
            made |= {_page_of(name): _shown(name) for file in inside for name in [file.relative_to(ROOT).as_posix()]}
            made[f"{path}/index.md"] = _listing(path, [file.relative_to(place).as_posix() for file in inside])
        elif place.is_file() and path not in {**texts(), **written()} and not path.endswith(AS_THEY_ARE):
            made[_page_of(path)] = _shown(path)
    return made


def _page_of(path: str) -> str:
    return f"{path}.md"


def _shown(path: str) -> str:
    """A page with the text of a file."""
    text = (ROOT / path).read_text(encoding="utf-8").rstrip()
    fence = "`" * 4
    return f"{_HIDDEN}# {path}\n\n{fence}{LANGUAGES.get(Path(path).suffix, 'text')}\n{text}\n{fence}\n"


def _listing(folder: str, files: list[str]) -> str:
    """A page that lists the files of a folder."""
    return f"{_HIDDEN}# {folder}/\n\n" + "".join(f"- [{name}]({_page_of(name)})\n" for name in files)


def adapted(text: str, source: str) -> str:
    """A text of the repository with its links to the pages of this site, its rules as anchors, its lists nested."""
    source = f"{WRITTEN}{source}" if f"{WRITTEN}{source}" in written() else source
    if source not in texts() and source not in written():
        return text
    text = _LINK.sub(lambda link: _link(source, link[1]) + (link[2] or ""), text)
    text = _NESTED.sub(lambda found: found[1] if len(found[1]) >= 4 else found[1] * 2, text)
    if source.startswith("spec/"):
        text = _cited(text, source)
    return _RULE.sub(lambda rule: f'- <a id="rule-{rule[1]}"></a>**{rule[1]}**', text)


def _link(source: str, link: str) -> str:
    """Where a link of the repository leads on the site; what there is no page for stays, and the build refuses it."""
    path = _target(source, link)
    folder = posixpath.dirname(source.removeprefix(WRITTEN)) or "."
    for page in (path, f"{path}/README.md", f"{path}/index.md", _page_of(path)):
        if page in texts() or page in linked_pages() or page in written():
            return posixpath.relpath(page.removeprefix(WRITTEN), folder)
    return link


def _cited(text: str, source: str) -> str:
    """Rules that are cited by their number, outside of code, as links to them."""
    known = {rule: file for file in rule_files() for rule in _RULE.findall(texts()[f"spec/{file}"])}
    folder = posixpath.dirname(source)

    def linked(found: re.Match[str]) -> str:
        if found[1] not in known:
            return found[1]
        page = posixpath.relpath(f"spec/{known[found[1]]}", folder)
        return f"[{found[1]}]({page}#rule-{found[1]})"

    return "".join(part if index % 2 else _CITED.sub(linked, part) for index, part in enumerate(_CODE.split(text)))
