"""What a page holds, as a parser of HTML sees it."""

import hashlib
from base64 import b64encode
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "img", "link", "hr"}


class Outline(HTMLParser):
    """The elements of a page: tags with their attributes, text outside scripts and styles, unclosed elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.text += " "
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts.append(data)
        else:
            self.text += data


def outline(text: str) -> Outline:
    found = Outline()
    found.feed(str(text))  # Markup would escape what the parser joins to it
    found.close()
    assert not found.open
    return found


def policy(text: str) -> dict[str, list[str]]:
    """The page's Content-Security-Policy: what each kind of source may be."""
    (found,) = (a["content"] for _, a in outline(text).elements if a.get("http-equiv") == "Content-Security-Policy")
    return {kind: sources for kind, *sources in (part.split() for part in (found or "").split(";"))}


def sha256(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
