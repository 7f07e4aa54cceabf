"""The documentation site: it builds without a warning, every link leads somewhere, and nothing comes from elsewhere."""

import os
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest
from browser.chromium import chromium

import tracepact
from tracelab.commands import commands as lab
from tracepact import cli
from tracepact.command_line import command_at
from tracepact.declarations import rule_files, rules

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "pytools" / "docs" / "mkdocs.yml"
LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href")}


class Found(HTMLParser):
    """The places a page can be entered at, what it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src") and value is not None:
                (self.loads if (tag, name) in LOADS else self.links).append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", CONFIG, "--site-dir", folder]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Found]:
    """What each page of the site holds; 404.html is for a server and has absolute links."""
    paths = [path for path in sorted(site.rglob("*.html")) if path.name != "404.html"]
    return {path.relative_to(site).as_posix(): Found(path.read_text(encoding="utf-8")) for path in paths}


def broken(site: Path, pages: dict[str, Found]) -> Iterator[str]:
    """The links and loaded files of the site that lead nowhere."""
    for name, page in pages.items():
        for link in {*page.links, *page.loads}:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto") or parts.netloc:
                continue
            target = (site / name).parent / unquote(parts.path) if parts.path else site / name
            entered = pages.get(target.resolve().relative_to(site.resolve()).as_posix())
            place = unquote(parts.fragment)
            if not target.is_file() or (entered and place and place not in entered.ids):
                yield f"{name}: {link}"


def test_every_link_and_anchor_leads_somewhere(site: Path, pages: dict[str, Found]) -> None:
    assert sum(len(page.links) for page in pages.values()) > 1000
    assert list(broken(site, pages)) == []


def test_no_page_loads_anything_from_elsewhere(site: Path, pages: dict[str, Found]) -> None:
    loads = {load for page in pages.values() for load in page.loads}
    assert loads
    assert [load for load in loads if urlsplit(load).scheme or load.startswith("//")] == []
    styles = "\n".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert styles
    assert re.findall(r"(?:url\(|@import)[\s\"']*(?:https?:)?//[^)\"']*", styles) == []


def test_a_browser_asks_for_files_of_the_site_only(site: Path) -> None:
    """The theme's script names other hosts for features that are not used here."""
    asked: list[str] = []
    with chromium() as browser:
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        for name in ("index.html", "spec/language.html", "python.html", "commands/score.html", "examples/index.html"):
            page.goto((site / name).as_uri(), wait_until="networkidle")
    assert len(asked) > 5
    assert [url for url in asked if not url.startswith((site.as_uri(), "data:", "blob:"))] == []


def text_of(site: Path, page: str) -> str:
    """The text of a page without its tags."""
    return unescape(re.sub(r"<[^>]+>", "", (site / page).read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", cli._COMMANDS)
def test_the_reference_has_every_command_with_every_option_and_its_help(site: Path, name: str) -> None:
    text = " ".join(text_of(site, f"commands/{name}.html").split())
    commands = {name: command_at(cli._COMMANDS[name])}
    if name == "audit":
        commands |= {f"audit {word}": command_at(home) for word, home in cli._AUDITS.items()}
    for words, command in commands.items():
        assert f"tracepact {words}" in text
        for option in (p for p in command.params if isinstance(p, click.Option) and not p.hidden):
            assert option.opts[-1] in text
            assert " ".join((option.help or "").replace("`", "").split()) in text


def test_the_reference_has_every_command_of_the_lab_with_every_option(site: Path) -> None:
    text = " ".join(text_of(site, "commands/tracelab.html").split())
    for name, command in lab.commands.items():
        assert f"tracelab {name}" in text
        assert all(p.opts[-1] in text for p in command.params if isinstance(p, click.Option))


def test_the_page_of_the_python_names_has_each_public_name_once(site: Path, pages: dict[str, Found]) -> None:
    top = {place for place in pages["python.html"].ids if re.fullmatch(r"tracepact\.\w+", place)}
    assert top == {f"tracepact.{name}" for name in tracepact.__all__}
    source = (CONFIG.parent / "pages" / "python.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^::: tracepact\.(\w+)$", source, re.MULTILINE)) == sorted(tracepact.__all__)


def test_every_rule_can_be_linked_to(pages: dict[str, Found]) -> None:
    ids = {place for name in rule_files() for place in pages[f"spec/{name.removesuffix('.md')}.html"].ids}
    assert {f"rule-{rule}" for rule in rules()} <= ids


SOUGHT = {
    "to install": ("install.html", "extras"),
    "to score": ("tutorial.html", "your-own-two-tables"),
    "what N[40ms] means": ("faq.html", "what-does-n40ms-mean"),
    "from Python": ("programming.html", "score-check-monitor"),
    "exit codes": ("faq.html", "what-do-the-exit-codes-mean"),
}


@pytest.mark.parametrize("question", SOUGHT)
def test_what_most_look_for_is_three_clicks_from_the_first_page(question: str, pages: dict[str, Found]) -> None:
    """By links to pages; the place in a page is in its table of contents, which is a click of its own."""
    page, place = SOUGHT[question]
    assert f"#{place}" in pages[page].links
    reached = {"index.html"}
    for _ in range(2):
        links = {(name, urlsplit(link).path) for name in reached for link in pages[name].links if ":" not in link}
        reached |= {posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path))) for name, path in links}
        reached &= set(pages)
    assert page in reached


def test_the_navigation_is_four_things(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    tabs = re.findall(r'<li class="md-tabs__item[^"]*">\s*<a [^>]*>(.+?)</a>', text, re.DOTALL)
    assert [re.sub(r"<[^>]+>", "", tab).strip() for tab in tabs] == [
        "Home",
        "Tutorial",
        "How to",
        "Reference",
        "Explanation",
    ]


def test_the_texts_of_the_repository_are_pages(pages: dict[str, Found]) -> None:
    examples = [path.name for path in (ROOT / "examples").iterdir() if (path / "README.md").is_file()]
    assert examples
    wanted = ["index.html", "spec/language.html", "spec/tools/index.html", "spec/protocol.html", "ASSURANCE.html"]
    wanted += ["CHANGELOG.html", "CONTRIBUTING.html", *(f"examples/{name}/index.html" for name in examples)]
    assert set(wanted) <= set(pages)
