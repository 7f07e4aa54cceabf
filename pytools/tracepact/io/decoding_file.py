"""Decoding files: a decoding for each class, and one for all others, as TOML (rule 20.12)."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean, nearest
from tracepact.files import toml_data
from tracepact.io.decoding import ClassDecodings, Declared, Decoding, checked_decoding
from tracepact.io.source import PathLike, read_text, shown
from tracepact.wording import print_number

FORMAT = "tracepact-decoding/1"
_ENDING = ".toml"
_TABLES = ("format", "tuned_on", "default", "classes")
_KEYS = ("threshold", "low", "median")


def read_decoding(path: PathLike, diagnostics: Diagnostics) -> ClassDecodings | None:
    """The decodings of a file (spec/schemas/decoding.schema.json says its form); None if it cannot be used."""
    file = read_text(path, diagnostics)
    if file is None:
        return None
    try:
        data = toml_data(file.text, Decimal)
    except ValueError as error:
        line = re.search(r"at line (\d+)", str(error))
        place = RowPlace(file.name, int(line[1]) if line else None)
        diagnostics.add("bad-decoding", f"the file is not TOML: {error}", place)
        return None
    before = len(diagnostics.errors)
    reader = _Reader(file.name, diagnostics)
    default, classes = reader.tables(data)
    tuned_on = reader.clips(data.get("tuned_on", []))
    if default is None or len(diagnostics.errors) > before:
        return None
    return ClassDecodings(default, classes, file.name, file.digest, tuned_on)


def decoding_given(given: Declared | PathLike | None, diagnostics: Diagnostics) -> Declared | None:
    """What is declared; a path, or a text that is no number, names a decoding file."""
    if isinstance(given, str) and not os.path.isfile(given):
        if any(sign.isdecimal() for sign in given) and not given.endswith(_ENDING):
            return given
        headline = f"`{shown(given)}` is neither a threshold nor a decoding file"
        help = "give a number such as 0.5, or the path of a file that `tune` wrote"
        diagnostics.add("bad-decoding", headline, RowPlace(given), help)
        return None
    return read_decoding(given, diagnostics) if isinstance(given, str | os.PathLike) else given


@dataclass(frozen=True, slots=True)
class _Reader:
    """A decoding file while it is read."""

    name: str
    diagnostics: Diagnostics

    def fault(self, headline: str, help: str | None = None) -> None:
        """Report what is wrong with the file."""
        self.diagnostics.add("bad-decoding", headline, RowPlace(self.name), help)

    def tables(self, data: Mapping[str, Any]) -> tuple[Decoding | None, dict[str, Decoding]]:
        """The default, and the decoding of each class."""
        for key in (key for key in data if key not in _TABLES):
            is_class = isinstance(data[key], Mapping) and nearest(key, ("default", "classes")) is None
            help = f"a class is written `[classes.{key}]`" if is_class else did_you_mean(key, _TABLES)
            self.fault(f"there is no `{shown(key)}` in a decoding file", help)
        if data.get("format") != FORMAT:
            self.fault(f"the file does not begin with its format, `{FORMAT}`", f'write `format = "{FORMAT}"`')
        default = self.decoding("default", data["default"]) if "default" in data else None
        if "default" not in data:
            self.fault("there is no table `default`", "write `[default]` and a threshold, for classes not named")
        tables = data.get("classes", {})
        if not isinstance(tables, Mapping):
            self.fault("`classes` is not a table of classes", "write `[classes.Speech]`")
            return default, {}
        found = {label: self.decoding(f"class `{shown(label)}`", table) for label, table in tables.items()}
        return default, {label: decoding for label, decoding in found.items() if decoding is not None}

    def clips(self, given: Any) -> tuple[str, ...]:
        """The clips that the decodings were chosen on."""
        if isinstance(given, list) and all(isinstance(clip, str) for clip in given):
            return tuple(given)
        self.fault("`tuned_on` is not a list of clips", 'write `tuned_on = ["a.wav", "b.wav"]`, or leave it out')
        return ()

    def decoding(self, what: str, table: Any) -> Decoding | None:
        """One decoding; None if it cannot be."""
        given = table if isinstance(table, Mapping) else {}
        for key in (key for key in given if key not in _KEYS):
            self.fault(f"{what} has `{shown(key)}`, which is not part of a decoding", did_you_mean(key, _KEYS))
        if "threshold" not in given:
            if any(nearest(key, _KEYS) == "threshold" for key in given if key not in _KEYS):
                return None  # it is misspelt, which was said
            self.fault(f"{what} has no threshold", 'write `threshold = "0.5"`')
            return None
        median = table.get("median", 1)
        if not isinstance(median, int) or isinstance(median, bool):
            self.fault(f"the median filter's length of {what} is not a whole number", "give an odd number of frames")
            return None
        numbers = {key: table.get(key) for key in ("threshold", "low")}
        for key, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, str | int | Decimal | None):
                self.fault(f"the {key} of {what} is not a number", "write it like 0.5")
                return None
        texts = {key: None if value is None else str(value) for key, value in numbers.items()}
        unchecked = Decoding(texts["threshold"], texts["low"], median)  # type: ignore[arg-type]
        return checked_decoding(unchecked, self.diagnostics, RowPlace(self.name), f"{what}: ")


def report_tuned_clips(decodings: ClassDecodings, clips: Sequence[str], diagnostics: Diagnostics) -> None:
    """Warn where clips are scored that chose their own decoding."""
    same = set(decodings.tuned_on).intersection(clips)
    if same:
        which = "all clips" if len(same) == len(clips) else f"{len(same)} of {len(clips)} clips"
        headline = f"the decoding was chosen on {which} that are scored here, so what it reaches is optimistic"
        help = "score other clips, or quote the held-out value of `tune`"
        diagnostics.add("tuned-on-these", headline, RowPlace(decodings.name), help)


def decoding_text(decodings: ClassDecodings) -> str:
    """A decoding file."""
    tuned_on = ["tuned_on = [", *(f"    {_quoted(clip)}," for clip in decodings.tuned_on), "]"]
    parts = [f'format = "{FORMAT}"', *(tuned_on if decodings.tuned_on else ()), ""]
    parts += ["[default]", *_lines(decodings.default)]
    for label, decoding in decodings.classes.items():
        parts += ["", f"[classes.{_quoted(label)}]", *_lines(decoding)]
    return "\n".join(parts) + "\n"


def _lines(decoding: Decoding) -> list[str]:
    lines = [f'threshold = "{print_number(decoding.threshold)}"']
    if decoding.low is not None:
        lines.append(f'low = "{print_number(decoding.low)}"')
    if decoding.median != 1:
        lines.append(f"median = {decoding.median}")
    return lines


def _quoted(label: str) -> str:
    """A label as a key of TOML."""
    escaped = label.replace("\\", "\\\\").replace('"', '\\"')
    shown_signs = "".join(sign if sign >= " " and sign != "\x7f" else f"\\u{ord(sign):04x}" for sign in escaped)
    return f'"{shown_signs}"'
