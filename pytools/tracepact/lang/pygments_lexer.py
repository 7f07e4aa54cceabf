"""A Pygments lexer for contracts, made from the grammar's terminals; Pygments finds it by the name `tracepact`."""

from typing import ClassVar

from pygments import token
from pygments.lexer import RegexLexer

from tracepact.lang.colouring import Group, patterns

TOKENS = {
    Group.COMMENT: token.Comment.Single,
    Group.STRING: token.String.Double,
    Group.NUMBER: token.Number,
    Group.STATEMENT: token.Keyword.Declaration,
    Group.WORD: token.Keyword,
    Group.MODALITY: token.Keyword.Pseudo,
    Group.TRUTH: token.Keyword.Constant,
    Group.CONNECTIVE: token.Operator.Word,
    Group.ATOM: token.Name.Builtin,
    Group.ATTRIBUTE: token.Name.Attribute,
    Group.FUNCTION: token.Name.Function,
    Group.NAME: token.Name,
    Group.SIGN: token.Operator,
    Group.PUNCTUATION: token.Punctuation,
}
"""How Pygments calls each group."""


class ContractLexer(RegexLexer):  # type: ignore[misc,unused-ignore]  # Pygments has no types
    """Colours contracts in notebooks, documents and terminals."""

    name = "tracepact contract"
    aliases: ClassVar = ["tracepact"]
    filenames: ClassVar = ["*.contract"]
    url = "https://pypi.org/project/tracepact"
    tokens: ClassVar = {
        "root": [
            (r"[ \t\r\n]+", token.Whitespace),
            *((pattern, TOKENS[group]) for group, pattern in patterns()),
        ]
    }
