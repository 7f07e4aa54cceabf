"""Writes the TextMate grammar of contracts from the terminals of spec/grammar.lark: `make grammar`."""

import json
from pathlib import Path

from tracepact.lang.colouring import Group, patterns

PLACE = Path(__file__).parent / "vscode" / "syntaxes" / "tracepact.tmLanguage.json"
SCOPES = {
    Group.COMMENT: "comment.line.number-sign",
    Group.STRING: "string.quoted.double",
    Group.NUMBER: "constant.numeric",
    Group.STATEMENT: "keyword.control.statement",
    Group.WORD: "keyword.other",
    Group.MODALITY: "keyword.operator.modality",
    Group.TRUTH: "constant.language",
    Group.CONNECTIVE: "keyword.operator.word",
    Group.ATOM: "support.variable",
    Group.ATTRIBUTE: "support.type.property-name",
    Group.FUNCTION: "support.function",
    Group.NAME: "variable.other",
    Group.SIGN: "keyword.operator.sign",
    Group.PUNCTUATION: "punctuation.separator",
}
"""The scope that themes colour each group by; `.tracepact` is put behind."""


def grammar() -> str:
    """The grammar as it is checked in."""
    content = {
        "$comment": "Generated from spec/grammar.lark by pytools/editors/textmate.py; do not edit.",
        "name": "tracepact contract",
        "scopeName": "source.tracepact",
        "fileTypes": ["contract"],
        "patterns": [{"name": f"{SCOPES[group]}.tracepact", "match": pattern} for group, pattern in patterns()],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PLACE.write_text(grammar(), encoding="utf-8")
    print(f"{PLACE}: written")
