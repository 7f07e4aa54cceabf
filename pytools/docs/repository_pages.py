"""The repository's Markdown texts as pages, and a page for every file and folder that they link to."""

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tracepact.specs import rules, spec_path

ROOT = Path(__file__).resolve().parents[2]
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
    found = [*ROOT.glob("*.md"), *ROOT.glob("spec/*.md"), ROOT / "spec/conformance/README.md"]
    found += [ROOT / "examples/README.md", *ROOT.glob("examples/*/README.md")]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(found)}


def examples() -> list[str]:
    """The pages of the examples, the list of them first."""
    return ["examples/README.md", *(path for path in texts() if re.match(r"examples/\d", path))]


def _linked() -> Iterator[str]:
    """The paths in the repository that the texts link to."""
    for source, text in texts().items():
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
        elif place.is_file() and path not in texts() and not path.endswith(AS_THEY_ARE):
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
    if source not in texts():
        return text
    text = _LINK.sub(lambda link: _link(source, link[1]) + (link[2] or ""), text)
    text = _NESTED.sub(lambda found: found[1] if len(found[1]) >= 4 else found[1] * 2, text)
    if source.startswith("spec/"):
        text = _cited(text, source)
    return _RULE.sub(lambda rule: f'- <a id="rule-{rule[1]}"></a>**{rule[1]}**', text)


def _link(source: str, link: str) -> str:
    """Where a link of the repository leads on the site; what there is no page for stays, and the build refuses it."""
    path = _target(source, link)
    for page in (path, f"{path}/README.md", f"{path}/index.md", _page_of(path)):
        if page in texts() or page in linked_pages():
            return posixpath.relpath(page, posixpath.dirname(source) or ".")
    return link


def _cited(text: str, source: str) -> str:
    """Rules that are cited by their number, outside of code, as links to them."""
    tools = spec_path("tools.md").read_text(encoding="utf-8")
    known = {rule: "tools.md" if f"\n- **{rule}** " in tools else "language.md" for rule in rules()}
    folder = posixpath.dirname(source)

    def linked(found: re.Match[str]) -> str:
        if found[1] not in known:
            return found[1]
        page = posixpath.relpath(f"spec/{known[found[1]]}", folder)
        return f"[{found[1]}]({page}#rule-{found[1]})"

    return "".join(part if index % 2 else _CITED.sub(linked, part) for index, part in enumerate(_CODE.split(text)))
