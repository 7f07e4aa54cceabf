"""Writes the TextMate grammar of contracts from the terminals of spec/grammar.lark: `make grammar`."""

import json
from pathlib import Path

from tracepact.language.vocabulary import ColourGroup, patterns

PLACE = Path(__file__).parent / "vscode" / "syntaxes" / "tracepact.tmLanguage.json"
SCOPES = {
    ColourGroup.COMMENT: "comment.line.number-sign",
    ColourGroup.STRING: "string.quoted.double",
    ColourGroup.NUMBER: "constant.numeric",
    ColourGroup.STATEMENT: "keyword.control.statement",
    ColourGroup.WORD: "keyword.other",
    ColourGroup.MODALITY: "keyword.operator.modality",
    ColourGroup.TRUTH: "constant.language",
    ColourGroup.CONNECTIVE: "keyword.operator.word",
    ColourGroup.ATOM: "support.variable",
    ColourGroup.ATTRIBUTE: "support.type.property-name",
    ColourGroup.FUNCTION: "support.function",
    ColourGroup.NAME: "variable.other",
    ColourGroup.SIGN: "keyword.operator.sign",
    ColourGroup.PUNCTUATION: "punctuation.separator",
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
