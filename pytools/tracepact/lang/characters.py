"""Characters that start no token, in words: their code points, what they look like, and what to write instead."""

import unicodedata

_MEANT = {
    "'": '`"`: strings have double quotes',
    "‘": '`"`: strings have double quotes',
    "’": '`"`: strings have double quotes',
    "“": '`"`',
    "”": '`"`',
    "„": '`"`',
    "«": '`"`',
    "»": '`"`',
    "−": "`-`",
    "‐": "`-`",
    "‑": "`-`",
    "–": "`-`",
    "—": "`-`",
    "×": "`*`",
    "·": "`*`",
    "⋅": "`*`",
    "∗": "`*`",
    "≤": "`<=`",
    "⩽": "`<=`",
    "≥": "`>=`",
    "⩾": "`>=`",
    "≠": "`!=`",
    "⇒": "`->`",
    "⟹": "`->`",
    "⟶": "`->`",
    "⇔": "`<->`",
    "∣": "`|`",
    "∶": "`:`",
    "µ": "`ms`: the units are `ms`, `s` and `f` (frames)",
    "μ": "`ms`: the units are `ms`, `s` and `f` (frames)",
    "…": "the rest out",
}
_FOREIGN = "аеорсхуіјѕԁһкмтнвАВЕКМНОРСТХΑΒΕΖΗΙΚΜΝΟΡΤΥΧορνικα"
_LATIN = "aeopcxyijsdhkmthbABEKMHOPCTXABEZHIKMNOPTYXopvika"
_LETTERS = dict(zip(_FOREIGN, _LATIN, strict=True))
"""Letters of the Cyrillic and Greek alphabets that look like Latin ones."""
_HELP = {
    '"': 'a string ends on its own line with `"`',
    "'": 'strings have double quotes: `"…"`',
    "/": "there is no division; multiply by a number such as `1/3`",
    "{": "windows have brackets: `N[40ms]`",
    ";": "statements need no separator",
}


def character_words(character: str) -> str:
    """A character as a message names it: as it stands if it is ASCII and can be seen, else with its code point."""
    if character.isascii() and character.isprintable():
        return f"`{character}`"
    code = f"U+{ord(character):04X}"
    name = "null" if character == "\0" else unicodedata.name(character, "").lower()
    if character.isprintable():
        return f"`{character}` ({code}, {name})" if name else f"`{character}` ({code})"
    return f"the character {code} ({name})" if name else f"the character {code}"


def character_help(character: str) -> str | None:
    """What to do about a character that starts no token."""
    if character in _HELP:
        return _HELP[character]
    if character in _MEANT:
        return f"write {_MEANT[character]}"
    if character in _LETTERS:
        return f"it looks like the Latin letter `{_LETTERS[character]}`; write that"
    if character.isascii() and character.isprintable():
        return None
    plain = unicodedata.normalize("NFKC", character)
    if character.isspace() or unicodedata.category(character) == "Zs":
        return "write a plain space"
    if not character.isprintable() or unicodedata.category(character) == "Cf":
        return "delete it: it cannot be seen"
    if len(plain) == 1 and plain.isascii():
        return f"it looks like `{plain}`; write that"
    return "names have Latin letters, digits and `_`" if character.isalpha() else None
