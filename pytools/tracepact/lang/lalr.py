"""Runs the stored tables of an LALR(1) grammar: text to tokens, tokens to nodes, and what may follow."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

END = "$END"
"""The terminal after the last token."""


class Token(str):
    """A piece of text with its terminal and its place."""

    __slots__ = ("end_pos", "start_pos", "type")
    type: str
    start_pos: int
    end_pos: int

    def __new__(cls, terminal: str, text: str, start: int = 0, end: int = 0) -> "Token":
        """The text is what the token is equal to."""
        token = super().__new__(cls, text)
        token.type, token.start_pos, token.end_pos = terminal, start, end
        return token


class UnexpectedCharacterError(Exception):
    """No token starts at a place."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class UnexpectedTokenError(Exception):
    """A token does not belong where it is."""

    def __init__(self, token: Token) -> None:
        super().__init__(token)
        self.token = token


class Lexer:
    """Reads tokens: at each place the first terminal that matches, a name that is a reserved word as that word."""

    def __init__(self, terminals: Sequence[Sequence[str]], words: Mapping[str, str], ignored: Sequence[str]) -> None:
        self._match = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in terminals)).match
        self._words = words
        self._ignored = frozenset(ignored)

    def tokens(self, text: str) -> list[Token]:
        """All tokens of a text; UnexpectedCharacterError says where none starts."""
        found: list[Token] = []
        start = 0
        while start < len(text):
            match = self._match(text, start)
            if match is None or match.lastgroup is None:
                raise UnexpectedCharacterError(start)
            terminal, end = match.lastgroup, match.end()
            if terminal not in self._ignored:
                piece = match[0]
                if terminal == "NAME":
                    terminal = self._words.get(piece, terminal)
                found.append(Token(terminal, piece, start, end))
            start = end
        return found


class Rule:
    """A production: its origin, its length, what builds its node, and what it hands to that."""

    __slots__ = ("_build", "_kept", "_plain", "length", "origin")

    def __init__(self, origin: str, build: Callable[..., Any] | None, length: int, kept: Sequence[Any]) -> None:
        self.origin, self.length = origin, length
        self._build, self._kept = build, kept
        self._plain = build is None and not origin.startswith("_")

    def value(self, children: list[Any]) -> Any:
        """The node; the children themselves if they stand for the rule where it is used."""
        if self._plain:
            return children[0]
        parts: list[Any] = []
        for index, spread, absent in self._kept:
            parts += [None] * absent
            if spread:
                parts += children[index]
            elif index >= 0:
                parts.append(children[index])
        return parts if self._build is None else self._build(*parts)


class Parsing:
    """A parser in the middle of a text: its states, and the nodes that are not yet part of another."""

    def __init__(self, states: Sequence[Mapping[str, int]], rules: Sequence[Rule], first: int) -> None:
        self._tables, self._rules = states, rules
        self._states, self._values = [first], list[Any]()

    def feed(self, token: Token) -> None:
        """Take a token; UnexpectedTokenError if it does not belong here."""
        while (action := self._action(token)) < 0:
            rule = self._rules[-1 - action]
            length = rule.length
            children = self._values[len(self._values) - length :]
            del self._values[len(self._values) - length :]
            del self._states[len(self._states) - length :]
            self._states.append(self._tables[self._states[-1]][rule.origin])
            self._values.append(rule.value(children))
        self._states.append(action)
        self._values.append(token)

    def finish(self) -> Any:
        """The node of the whole text; UnexpectedTokenError if it ends too early."""
        self.feed(Token(END, ""))
        return self._values[0]

    def accepts(self) -> set[str]:
        """The terminals that may come next."""
        return {terminal for terminal in self._tables[self._states[-1]] if terminal.isupper() and self._takes(terminal)}

    def _action(self, token: Token) -> int:
        action = self._tables[self._states[-1]].get(token.type)
        if action is None:
            raise UnexpectedTokenError(token)
        return action

    def _takes(self, terminal: str) -> bool:
        """Whether the rules that a terminal ends lead to a state that takes it; no node is built."""
        states = list(self._states)
        while (action := self._tables[states[-1]].get(terminal)) is not None:
            if action >= 0:
                return True
            rule = self._rules[-1 - action]
            del states[len(states) - rule.length :]
            states.append(self._tables[states[-1]][rule.origin])
        return False
