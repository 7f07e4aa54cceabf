"""Writes the tables that lark saves of spec/grammar.lark, as JSON: `make grammar`."""

import json
from itertools import count
from pathlib import Path
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from tracepact.declarations import spec_path

PLACE = Path(__file__).parent / "tracepact" / "language" / "tables.json"
OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "lexer": "basic",
    "start": ["statement", "formula"],
    "maybe_placeholders": True,
}
"""Only these are saved: a version of lark refuses tables with options that it does not know."""


def tables() -> str:
    """The tables as they are checked in; lark refuses a grammar with a conflict."""
    grammar = spec_path("grammar.lark").read_text(encoding="utf-8")
    data, memo = Lark(grammar, strict=True, **OPTIONS).memo_serialize([TerminalDef, Rule])
    data["options"] = OPTIONS
    data["parser"]["parser"] = _in_order(data["parser"]["parser"])
    content = {"grammar": grammar, "data": data, "memo": memo}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"


def _in_order(table: dict[str, Any]) -> dict[str, Any]:
    """A table with its tokens numbered by name and its states as they are reached.

    Lark numbers both as it meets them in sets of strings, so in another order in every process; so the same grammar
    gives the same file.
    """
    names = {name: number for number, name in enumerate(sorted(table["tokens"].values()))}
    actions = {
        state: {names[table["tokens"][token]]: action for token, action in row.items()}
        for state, row in table["states"].items()
    }
    numbers = dict(zip(table["start_states"].values(), count()))
    waiting = list(numbers)
    for state in waiting:
        for _, (reduces, argument) in sorted(actions[state].items(), key=lambda item: item[0]):
            if not reduces and argument not in numbers:
                numbers[argument] = len(numbers)
                waiting.append(argument)
    return {
        **table,
        "tokens": {number: name for name, number in names.items()},
        "states": {
            numbers[state]: {
                token: (reduces, argument if reduces else numbers[argument])
                for token, (reduces, argument) in actions[state].items()
            }
            for state in waiting
        },
        "start_states": {start: numbers[state] for start, state in table["start_states"].items()},
        "end_states": {start: numbers[state] for start, state in table["end_states"].items()},
    }


if __name__ == "__main__":
    PLACE.write_text(tables(), encoding="utf-8")
    print(f"{PLACE}: written")
