"""Values that have broken programs, and ways to damage bytes, texts, tables and plain data; all from one generator."""

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from random import Random
from typing import Any

NUMBERS = [
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "-0.0",
    "1e400",
    "-1e400",
    "1e-400",
    "1e30",
    "1e309",
    "9223372036854775807",
    "9223372036854775808",
    "1.7e18",
    "0.1e1",
    "+3",
    ".5",
    "5.",
    "1/3",
    "1/0",
    "nan",
    "NaN",
    "inf",
    "-Infinity",
    "1e999",
    "1e-999",
    "1e1000",
    "1e-99999999",
    "-1e99999999",
    "1e+9999999999999999999",
    "0x10",
    "1_000",
    "١٢",
    "1,5",
    "1:30",
    "00:01",
    "1e",
    "1e+",
    "--",
    "2147483648",
    "4294967296",
    "0.30000000000000004",
    "1000000000000",
    "10000000000",
    "9999999999.999",
    "1e12",
    "20000000",
]
NUMBERS += ["9" * 59, "9" * 61, "9" * 400, "9" * 5000, "0." + "0" * 50 + "1", " 1 ", ""]
NAMES = [
    "a",
    "x",
    "clip.wav",
    "../a",
    "/etc/passwd",
    ".",
    "..",
    "a/b",
    "a\\b",
    "con",
    "~",
    "-",
    "--",
    "=1+1",
    "+cmd",
    "-x",
    "@x",
    "'x",
    "'=x",
    '"q"',
    "`t`",
    "[bold]",
    "{x}",
    "<b>",
    "&amp;",
    "%s",
    "$(x)",
    "a|b",
    "#",
    "*",
    "_",
    "événement",
    "猫",
    "é",
    "\u202egnp.exe",
    "\u200b",
    "\ufeff",
    "\x1b[2J",
    "\x1b]0;t\x07",
    "\x07",
    "\x9b2J",
    "\x7f",
    "nan",
    "None",
    "null",
    "true",
    "ref_active",
]
NAMES += [
    "",
    " ",
    "a b",
    "\t",
    "\n",
    "x" * 300,
    "\ud800",
    "\udcff",
    "a\x00b",
    "\u2028",
    "\r\n",
    "𝒳",
    "0",
    "1e5",
    "'" * 40,
]
SIGNS = "\t\n\r ,;:|\"'`\\/<>=[]{}()#%&*+-.0123456789eExX\x00\x1b\x7f\x85\u2028é\ud800"
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
BYTES = (
    b"\xff",
    b"\xfe\xff",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\x00",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\r",
    b"\x1a",
    b"PK\x03\x04",
    b"PAR1",
)


def some(rng: Random, of: Sequence[Any]) -> Any:
    """One of several things."""
    return of[rng.randrange(len(of))]


def number(rng: Random) -> str:
    """A number as somebody may write it, or something that is meant to be one."""
    match rng.randrange(4):
        case 0:
            return str(some(rng, NUMBERS))
        case 1:
            return f"{rng.randrange(-5, 100)}.{rng.randrange(10 ** rng.randrange(1, 12))}"
        case 2:
            exponent = f"{rng.choice(['', '.', 'e', 'E-', 'e+'])}{rng.randrange(10 ** rng.randrange(1, 4))}"
            return f"{rng.choice('+- ')}{rng.randrange(10)}{exponent}"
        case _:
            return str(rng.randrange(10 ** rng.randrange(1, 25)))


def name(rng: Random) -> str:
    """The name of something."""
    if rng.random() < 0.7:
        return str(some(rng, NAMES))
    return "".join(rng.choice(SIGNS + "abc") for _ in range(rng.randrange(1, 12)))


def data(rng: Random, depth: int = 3) -> Any:
    """Any plain data."""
    kind = rng.randrange(9 if depth else 7)
    match kind:
        case 0:
            return None
        case 1:
            return rng.random() < 0.5
        case 2:
            return rng.choice([0, 1, -1, 2**31, 2**63, -(2**63) - 1, 10**30, 10**400, rng.randrange(-9, 99)])
        case 3:
            return rng.choice([0.5, -0.0, 1e308, 5e-324, 1e17, rng.random()])
        case 4 | 5:
            return name(rng)
        case 6:
            return number(rng)
        case 7:
            return [data(rng, depth - 1) for _ in range(rng.randrange(4))]
        case _:
            return {name(rng): data(rng, depth - 1) for _ in range(rng.randrange(4))}


def changed_data(rng: Random, value: Any) -> Any:
    """Plain data with one place changed: replaced, removed, repeated or renamed."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = some(rng, list(value))
        match rng.randrange(6):
            case 0:
                return {k: v for k, v in value.items() if k != key}
            case 1:
                return {(name(rng) if k == key else k): v for k, v in value.items()}
            case 2:
                return {**value, name(rng): data(rng, 1)}
            case _:
                return {**value, key: changed_data(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        match rng.randrange(6):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return [*value[: at + 1], *value[at:]]
            case 2:
                return value[::-1]
            case _:
                return [*value[:at], changed_data(rng, value[at]), *value[at + 1 :]]
    if isinstance(value, str) and rng.random() < 0.4:
        return changed_text(rng, value)
    return data(rng, 2)


def changed_leaf(rng: Random, value: Any) -> Any:
    """Plain data with one value replaced by another of its type, which more readers let through."""
    match value:
        case dict() if value:
            key = some(rng, list(value))
            return {**value, key: changed_leaf(rng, value[key])}
        case list() if value:
            at = rng.randrange(len(value))
            return [*value[:at], changed_leaf(rng, value[at]), *value[at + 1 :]]
        case bool():
            return not value
        case str():
            return rng.choice([name, number])(rng)
        case int():
            return rng.choice([0, 1, -1, 2, 2**31, 2**63, 10**30, value + 1, value - 1])
        case float():
            return rng.choice([0.0, -0.0, 1e308, 5e-324, 1e17, -value, rng.random()])
        case _:
            return value


def scaled_times(text: str, scale: str) -> str:
    """A table whose numbers, and those written as such in its other columns, are scaled alike."""
    parts = re.split(r"([\t\n])", text)
    return "".join(f"{Decimal(part) * Decimal(scale):f}" if _NUMBER.fullmatch(part) else part for part in parts)


def changed_text(rng: Random, text: str) -> str:
    """A text with something put in, cut out, repeated or turned round."""
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.randrange(1, 12))
        match rng.randrange(9):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + some(rng, SIGNS) + text[at:]
            case 2:
                text = text[:at] + number(rng) + text[end:]
            case 3:
                text = text[:at] + name(rng) + text[end:]
            case 4:
                text = text[:end] + text[at:]
            case 5:
                text = text[:at]
            case 6:
                text = text[:at] + text[at:end] * rng.choice([2, 50]) + text[end:]
            case 7:
                text = text.replace(
                    rng.choice(["\t", ",", "\n", ".", '"', " "]),
                    rng.choice(["", "\t", ";", "\r\n", '"']),
                    rng.randrange(1, 4),
                )
            case _:
                lines = text.splitlines(keepends=True)
                rng.shuffle(lines)
                text = "".join(lines)
    return text


def changed_fields(rng: Random, text: str) -> str:
    """A table with some of its fields replaced by hostile ones."""
    lines = text.split("\n")
    separator = "\t" if "\t" in text else "," if "," in text else " "
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(lines))
        fields = lines[at].split(separator)
        fields[rng.randrange(len(fields))] = number(rng) if rng.random() < 0.65 else name(rng)
        lines[at] = separator.join(fields)
    return "\n".join(lines)


def changed_bytes(rng: Random, content: bytes) -> bytes:
    """Bytes with some of them changed, cut or added."""
    found = bytearray(content)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(found) + 1)
        match rng.randrange(5):
            case 0:
                del found[at:]
            case 1:
                found[at:at] = some(rng, BYTES)
            case 2 if at < len(found):
                found[at] ^= 1 << rng.randrange(8)
            case 3 if at < len(found):
                found[at] = rng.randrange(256)
            case _:
                found[at:at] = found[at : at + rng.randrange(1, 40)]
    return bytes(found)


def as_bytes(text: str) -> bytes:
    """A text as a file holds it; what is no sign becomes bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogatepass")


def damaged(rng: Random, text: str) -> bytes:
    """A text damaged in one of all these ways, or left as it is."""
    ways: list[Callable[[], bytes]] = [
        lambda: as_bytes(changed_text(rng, text)),
        lambda: as_bytes(changed_fields(rng, text)),
        lambda: as_bytes(changed_fields(rng, text)),
        lambda: changed_bytes(rng, as_bytes(text)),
        lambda: as_bytes(text),
        lambda: as_bytes(text).decode("utf-8", "replace").encode(rng.choice(["utf-16", "utf-16-le", "utf-8-sig"])),
    ]
    return some(rng, ways)()


def damaged_data(rng: Random, value: Any) -> Any:
    """Plain data with one or two places changed, of the same types or of any."""
    change = changed_leaf if rng.random() < 0.4 else changed_data
    for _ in range(rng.randrange(1, 3)):
        value = change(rng, value)
    return value


def damaged_json(rng: Random, value: Any) -> bytes:
    """Plain data damaged as data or as text."""
    value = damaged_data(rng, value)
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.2:
        return as_bytes(changed_text(rng, text))
    if rng.random() < 0.03:
        return b"[" * rng.choice([900, 100_000])
    return as_bytes(text)
