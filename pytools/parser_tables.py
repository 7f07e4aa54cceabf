"""Writes the parser's tables from spec/grammar.lark with Lark, which no command needs after that: `make grammar`."""

import json
import re
from pathlib import Path
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.lexer import BasicLexer, PatternStr, TerminalDef

from tracepact.lang.lalr import END
from tracepact.specs import spec_path

PLACE = Path(__file__).parent / "tracepact" / "lang" / "tables.json"
STARTS = ("statement", "formula")
_WORD = "NAME"


def tables() -> str:
    """The tables as they are checked in; Lark refuses a grammar with a conflict."""
    grammar = spec_path("grammar.lark").read_text(encoding="utf-8")
    lark = Lark(grammar, parser="lalr", lexer="basic", start=list(STARTS), maybe_placeholders=True, strict=True)
    table = lark.parser.parser._parse_table
    for end in table.end_states.values():
        table.states[end] = {END: (None, end)}  # Lark knows it by its number
    states = _numbered(table.states, [table.start_states[start] for start in STARTS])
    rules = {rule: number for number, rule in enumerate(lark.rules)}
    content = {
        "about": "Made from spec/grammar.lark by pytools/parser_tables.py; do not edit.",
        "grammar": grammar,
        **_lexer(lark.parser.lexer),
        "ignored": sorted(lark.ignore_tokens),
        "starts": {start: states[table.start_states[start]] for start in STARTS},
        "rules": [_rule(rule) for rule in rules],
        "states": [_actions(table.states[state], states, rules) for state in states],
    }
    lines = [f"{json.dumps(key)}: {_lines(value)}" for key, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _lexer(lexer: BasicLexer) -> dict[str, Any]:
    """The terminals in the order in which they are tried; what is spelt like a name is told by a table of words."""
    name = re.compile(next(t for t in lexer.terminals if t.name == _WORD).pattern.to_regexp())
    words = [t for t in lexer.terminals if isinstance(t.pattern, PatternStr) and name.fullmatch(t.pattern.value)]
    tried = [t for t in lexer.terminals if t not in words]
    return {
        "words": {t.pattern.value: t.name for t in words},
        "signs": {t.pattern.value: t.name for t in tried if isinstance(t.pattern, PatternStr)},
        "terminals": [[t.name, _pattern(t)] for t in tried],
    }


def _pattern(terminal: TerminalDef) -> str:
    if terminal.pattern.flags:
        raise ValueError(f"{terminal.name}: the tables have no place for flags")
    return terminal.pattern.to_regexp()


def _rule(rule: Rule) -> list[Any]:
    """Origin, what builds its node (none for a rule that only hands on), length, and what becomes of each child.

    A child is `[index, spread, absent]`: its place, whether its own children stand for it, and how many optional parts
    before it were left out; one with index -1 stands for those left out at the end.
    """
    gaps = [0] * (len(rule.expansion) + 1)
    if rule.options.empty_indices:
        gaps = [len(absent) for absent in "".join(str(int(b)) for b in rule.options.empty_indices).split("0")]
    kept, absent = [], 0
    for index, symbol in enumerate(rule.expansion):
        absent += gaps[index]
        if rule.options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):
            kept.append([index, not symbol.is_term and symbol.name.startswith("_"), absent])
            absent = 0
    if absent := absent + gaps[-1]:
        kept.append([-1, False, absent])
    builds = rule.alias or str(rule.origin.name)
    hands_on = builds.startswith("_") or (rule.options.expand1 and not rule.alias)
    if hands_on and not builds.startswith("_") and kept != [[0, False, 0]]:
        raise ValueError(f"{rule}: it has no name, and does not hand on one part")
    return [str(rule.origin.name), None if hands_on else builds, len(rule.expansion), kept]


def _numbered(states: dict[int, dict[str, Any]], first: list[int]) -> dict[int, int]:
    """The states in the order in which they are reached, so that the same grammar gives the same file."""
    found = dict.fromkeys(first)
    waiting = list(found)
    for state in waiting:
        reached = [to for _, (_, to) in sorted(states[state].items()) if not isinstance(to, Rule)]
        waiting += [to for to in dict.fromkeys(reached) if to not in found]
        found.update(dict.fromkeys(reached))
    return {state: number for number, state in enumerate(found)}


def _actions(actions: dict[str, Any], states: dict[int, int], rules: dict[Rule, int]) -> dict[str, int]:
    """The state to go to by symbol, or the rule to reduce by, counted down from -1."""
    return {
        str(symbol): -1 - rules[argument] if isinstance(argument, Rule) else states[argument]
        for symbol, (_, argument) in sorted(actions.items())
    }


def _lines(value: Any) -> str:
    """An entry a line."""
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(json.dumps(item, ensure_ascii=False) for item in value) + "\n]"


if __name__ == "__main__":
    PLACE.write_text(tables(), encoding="utf-8")
    print(f"{PLACE}: written")
