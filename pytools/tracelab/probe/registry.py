"""The registry: which encoders and detectors of others there are, what they hear, and where their weights come from."""

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

import tracepact
from tracelab.faults import fault
from tracepact import Diagnostic, InvalidInput, RowPlace

_HELP = "its format is spec/schemas/probe-registry.schema.json"


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an encoder and a detector have in common."""

    name: str
    family: str
    rate: int
    hop: str
    identifier: str
    licence: str
    load: str
    install: str = ""
    modules: tuple[str, ...] = ()
    package: str = ""
    file: str = ""
    sha256: str = ""
    folder: str = ""
    files: tuple[str, ...] = ()
    url: str = ""

    @property
    def hop_seconds(self) -> Fraction:
        """The time from one vector or score to the next."""
        return Fraction(self.hop)


T = TypeVar("T", bound=Entry)


class EncoderEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A frozen encoder."""

    dims: int
    layer: str = ""


class DetectorEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A detector that is scored as it is: one of speech, or of onsets."""

    hears: Literal["speech", "onsets"]
    decides: str
    scores: bool = False
    alone: bool = False
    mode: int = 0


class Registry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every entry."""

    encoder: tuple[EncoderEntry, ...] = ()
    detector: tuple[DetectorEntry, ...] = ()

    def encoders(self, names: Sequence[str]) -> list[EncoderEntry]:
        """The encoders of these names; an unknown one is an error."""
        return _named(self.encoder, names, "encoder")

    def detectors(self, names: Sequence[str]) -> list[DetectorEntry]:
        """The detectors of these names; an unknown one is an error."""
        return _named(self.detector, names, "detector")


def own_registry() -> Path:
    """The registry that comes with the package."""
    return tracepact.spec_path("probe/registry.toml")


def read_registry(path: Path) -> Registry:
    """A registry; everything that is wrong with it is said at once."""
    try:
        found = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Registry)
    except (OSError, UnicodeDecodeError) as error:
        raise fault("unreadable-file", f"the registry cannot be read: {error}", path) from error
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise fault("bad-registry", f"the registry does not have the expected form: {error}", path, _HELP) from error
    faults = [*_faults(found.encoder, path), *_faults(found.detector, path)]
    if faults:
        raise InvalidInput(faults)
    return Registry(_placed(found.encoder, path.parent), _placed(found.detector, path.parent))


def _placed(entries: tuple[T, ...], folder: Path) -> tuple[T, ...]:
    """Loaders in files of the user's own with their full paths."""
    return tuple(
        msgspec.structs.replace(entry, load=str(folder.resolve() / entry.load)) if ".py:" in entry.load else entry
        for entry in entries
    )


def _faults(entries: Sequence[Entry], path: Path) -> list[Diagnostic]:
    said = [f"two entries are named `{name}`" for name, times in Counter(e.name for e in entries).items() if times > 1]
    for entry in entries:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", entry.name):
            said.append(f"`{entry.name}` is no name: letters, digits, `_` and `-`")
        if entry.rate < 1 or (isinstance(entry, EncoderEntry) and entry.dims < 1):
            said.append(f"a size of `{entry.name}` is not positive")
        if not _is_positive(entry.hop):
            said.append(f"the hop of `{entry.name}`, `{entry.hop}`, is no positive number of seconds")
        if entry.file and not entry.package:
            said.append(f"`{entry.name}` names a file and no package that holds it")
    return [Diagnostic("bad-registry", one, RowPlace(str(path)), _HELP) for one in said]


def _is_positive(text: str) -> bool:
    try:
        return Fraction(text) > 0
    except (ValueError, ZeroDivisionError):
        return False


def _named(entries: Sequence[T], names: Sequence[str], what: str) -> list[T]:
    known = {entry.name: entry for entry in entries}
    unknown = [name for name in names if name not in known]
    if unknown:
        help = f"the registry has {', '.join(known) or 'none'}"
        raise InvalidInput(
            [Diagnostic("unknown-entry", f"the registry has no {what} `{name}`", None, help) for name in unknown]
        )
    return [known[name] for name in dict.fromkeys(names)]
