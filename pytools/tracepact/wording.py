"""Numbers and words as people read and write them: decimals, shares, times, counts and lists of names.

A decimal is rounded to its places, half to even, from the exact value. A value that is not 0 is never shown as 0, nor
one that is not 1 as 1 (rule 17.6): it is shown as the nearest other decimal, so that 0.9996 is `0.999`. Declared times
and those of data are exact, or say that they are not.
"""

import re
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf

__all__ = ["on_one_line", "parse_exact", "parse_stored", "parse_whole", "visible"]  # of which others may make use

Number = Fraction | float | int
Shown = Number | str
"""What can be shown: a number, or the exact text of one such as `1/3`."""

UNDEFINED = "–"
_LONGEST_SECONDS = 14
_FLOAT_PLACES = 12
_DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?", re.ASCII)
_STORED = re.compile(r"(-?)(\d+)(?:\.(\d+)|/(\d+))?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
LONGEST_WRITTEN = 60
LONGEST_STORED = 4000
"""Characters of a number: of one that somebody writes (rule 13.40), and of one that a program wrote into a document."""
_ACTING = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
_ESCAPED = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
"""Compiled when they are first used: large classes take long, and most commands need neither."""


def escaped_json(text: str) -> str:
    """JSON text with the signs escaped that act on a terminal, turn the reading direction or are none."""
    return re.sub(_ESCAPED, lambda sign: f"\\u{ord(sign[0]):04x}", text)


def visible(text: str) -> str:
    r"""Text whose signs only stand for themselves: what acts on a terminal, or turns the reading direction, is escaped.

    Tabs and line breaks stay.

    >>> visible("\x1b[2J\u202ecat")
    '\\x1b[2J\\u202ecat'
    """
    # Nearly every text, and the pattern for the others is slow to compile.
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_ACTING, lambda sign: sign[0].encode("unicode_escape").decode(), text)


def on_one_line(text: str) -> str:
    r"""Text with its line breaks as escapes, so that no name in it begins a line of its own.

    >>> on_one_line("a\nerror: b")
    'a\\nerror: b'
    """
    return text.replace("\r", "\\r").replace("\n", "\\n")


def decimal(value: Shown | None, places: int = 3) -> str:
    """A number with this many decimals, one or more; a dash for None.

    >>> decimal(Fraction(1, 8)), decimal(Fraction(2499, 2500)), decimal(0.0001), decimal(1), decimal(None)
    ('0.125', '0.999', '0.001', '1.000', '–')
    """
    return UNDEFINED if value is None else _fixed(_units(_exact(value), places), places)


def rounded(value: Number) -> float:
    """The decimal of six places beside an exact value in data."""
    return float(decimal(value, 6))


def at_least(value: Fraction) -> str:
    """A positive number rounded down to three digits that count, for what is said to be so much or more.

    >>> at_least(Fraction(1103, 48000)), at_least(Fraction(1, 8)), at_least(Fraction(2, 3)), at_least(Fraction(12))
    ('0.0229', '0.125', '0.666', '12')
    """
    return _three_digits(value, floor)


def at_most(value: Fraction) -> str:
    """A positive number rounded up to three digits that count, for what is said to be so much or less.

    >>> at_most(Fraction(1103, 48000)), at_most(Fraction(1, 8)), at_most(Fraction(2, 3)), at_most(Fraction(12))
    ('0.0230', '0.125', '0.667', '12')
    """
    return _three_digits(value, ceil)


def _three_digits(value: Fraction, whole: Callable[[Fraction], int]) -> str:
    places = 0
    while abs(value) * 10**places < 100 and (value * 10**places).denominator != 1:
        places += 1
    units = whole(value * 10**places)
    return _fixed(units, places) if places else str(units)


def percent(share: Shown | None, places: int = 0) -> str:
    """A share in percent, by the same rule; a dash for none.

    >>> percent(Fraction(1, 8), 1), percent(Fraction(2499, 2500)), percent(0)
    ('12.5 %', '99 %', '0 %')
    """
    return UNDEFINED if share is None else f"{_fixed(_units(_exact(share), places + 2), places)} %"


def _exact(value: Shown) -> Fraction:
    """The value that is shown; of a float its first twelve decimals, so that what floats lose is not shown."""
    return Fraction(round(value, _FLOAT_PLACES)) if isinstance(value, float) else Fraction(value)


def _units(exact: Fraction, places: int, never: Collection[int] = (-1, 0, 1)) -> int:
    """A number in units of its last decimal, rounded, but never onto one of these that it is not."""
    scale = 10**places
    units: int = round(exact * scale)
    whole, rest = divmod(units, scale)
    # 0.9996 to three places would be 1.000, which says that nothing failed (17.6).
    if not rest and whole in never and exact != whole:
        return units + (1 if exact > whole else -1)
    return units


def _fixed(units: int, places: int) -> str:
    whole, part = divmod(abs(units), 10**places)
    return ("-" if units < 0 else "") + (f"{whole}.{part:0{places}d}" if places else str(whole))


def short(value: Shown) -> str:
    """A time, a threshold or an argument in at most six digits, without zeros at its end."""
    return f"{_near(Fraction(value)):g}"


def _near(value: Fraction) -> float:
    """The float next to a number, infinite for one that no float is near."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def print_number(value: Fraction) -> str:
    """A rational number, exact: as a decimal where it has one, else as a reduced fraction.

    >>> print_number(Fraction(1, 40)), print_number(Fraction(1, 3))
    ('0.025', '1/3')
    """
    # A fraction has a decimal of finite length exactly if its denominator has no prime factors but 2 and 5.
    denominator = value.denominator
    twos = fives = 0
    while denominator % 2 == 0:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    if denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    places = max(twos, fives)
    return _fixed(value.numerator * 10**places // value.denominator, places)


@lru_cache(maxsize=65536)
def parse_exact(text: str) -> Fraction:
    """The rational number a decimal text or a fraction `a/b` denotes; ValueError if it denotes none."""
    text = text.strip()
    # Before any arithmetic: a short text such as `1e999999999` would be a number of a thousand million digits.
    if len(text) > LONGEST_WRITTEN:
        raise ValueError(f"a number of more than {LONGEST_WRITTEN} characters")
    whole, _, part = text.partition(".")
    if whole.isdecimal() and part.isdecimal() and text.isascii():  # nearly every time of every table
        return Fraction(int(whole + part), 10 ** len(part))
    if "/" in text:
        top, _, bottom = text.partition("/")
        if not (top.isdecimal() and bottom.isdecimal() and top.isascii() and bottom.isascii()) or not int(bottom):
            raise ValueError(f"{text!r} is not a fraction")
        return Fraction(int(top), int(bottom))
    match = _DECIMAL.fullmatch(text)
    if not match or not (match[2] or match[3]):
        raise ValueError(f"{text!r} is not a decimal number")
    sign, whole, part, exponent = match[1], match[2] or "", match[3] or "", int(match[4] or 0)
    digits, scale = int(whole + part), exponent - len(part)
    value = Fraction(digits * 10**scale) if scale >= 0 else Fraction(digits, 10**-scale)
    return -value if sign == "-" else value


def parse_stored(text: str) -> Fraction:
    """The number that a text of a document denotes which a program wrote: a sum of many fractions has long ones.

    ValueError if it denotes none.

    >>> parse_stored("-1/3")
    Fraction(-1, 3)
    """
    if not isinstance(text, str) or len(text) > LONGEST_STORED:
        raise ValueError(f"not the text of a number of at most {LONGEST_STORED} characters")
    if len(text) <= LONGEST_WRITTEN and text[:1] != "-":
        return parse_exact(text)
    if not (match := _STORED.fullmatch(text)) or not int(match[4] or 1):
        return parse_exact(text)
    sign, whole, part, bottom = match[1], match[2], match[3] or "", match[4]
    value = Fraction(int(whole + part), int(bottom or 10 ** len(part)))
    return -value if sign else value


def parse_whole(text: str, most: int = LONGEST_WRITTEN) -> int:
    """The whole number that a text denotes, with a sign or without; ValueError if it denotes none.

    >>> parse_whole("12"), parse_whole("-3")
    (12, -3)
    """
    if len(text) > most or not _WHOLE.fullmatch(text):
        raise ValueError(f"{text[:most]!r} is not a whole number of at most {most} digits")
    return int(text)


def is_whole(text: str) -> bool:
    """Whether a text denotes a whole number without a sign."""
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_WRITTEN


def ms(time: Fraction) -> str:
    """A time in milliseconds, exact, as an author writes it: `40ms`."""
    return f"{print_number(time * 1000)}ms"


def time_text(time: Fraction | str) -> str:
    """A declared time, exact: `200 ms` if it is whole in milliseconds and less than a second, else `1.5 s`."""
    exact = Fraction(time)
    if 0 < exact < 1 and (exact * 1000).denominator == 1:
        return f"{exact * 1000} ms"
    return f"{print_number(exact)} s"


def written_time(time: Fraction | str) -> str:
    """A declared time as a contract or an option is given it: `200ms`, without the space that people read."""
    return time_text(time).replace(" ", "")


def milliseconds(time: Shown | None) -> str:
    """A measured time such as `12.5 ms`, 0 only if it is; a dash for none."""
    return UNDEFINED if time is None else f"{_fixed(_units(_exact(time) * 1000, 1, never=(0,)), 1)} ms"


def moment(time: Shown) -> str:
    """A place in a stream, in thousandths of a second: `1.240`."""
    return _fixed(_units(Fraction(time), 3, never=()), 3)


def seconds(time: Fraction) -> str:
    """A time of the data for a message: its decimal where that is not too long, else about how long it is."""
    text = print_number(time)
    return f"{text} s" if "/" not in text and len(text) <= _LONGEST_SECONDS else f"about {_near(time):.9g} s"


def count(number: int, one: str, many: str | None = None) -> str:
    """A number of things: `1 clip`, `2,000 clips`, `3 passes`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def quoted(names: Sequence[str]) -> str:
    """Names in backticks, separated by commas."""
    return ", ".join(f"`{name}`" for name in names)


def listed(names: Sequence[str]) -> str:
    """Names in backticks, the last two joined by `and`."""
    return quoted(names) if len(names) < 2 else f"{quoted(names[:-1])} and `{names[-1]}`"
