"""The configuration of a study: its protocol and sizes, read from one file or options, changed, printed, digested."""

import hashlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import click
import msgspec
import torch

import tracepact
from tracelab.detectors.recipes import Recipe
from tracelab.files import fault
from tracelab.protocol import Protocol, Range
from tracepact.inputs import LARGEST_DOCUMENT, read_within
from tracepact.wording import parse_stored

FORMAT = "tracelab-protocol/1"
PROTOCOLS = ("plain", "strict")
_MOST_CLIPS = 100_000
_MOST_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Sizes:
    """The clips of one pair of seeds: a scene seed that is also the model seed."""

    train_clips: int
    test_clips: int


@dataclass(frozen=True, slots=True)
class StudyScale:
    """One study: its scenes, how much of the training, the seed pairs, the draws of a bootstrap, and why it is so."""

    name: str
    protocol: Protocol
    epochs: float
    views: int
    pairs: tuple[Sizes, ...] = ()
    draws: int = 4000
    reasons: tuple[tuple[str, str], ...] = ()

    @property
    def seeds(self) -> tuple[Protocol, ...]:
        """The protocols of the seed pairs, seeded one after the study's own seed."""
        return tuple(
            replace(self.protocol, seed=self.protocol.seed + 1 + k, train_clips=p.train_clips, test_clips=p.test_clips)
            for k, p in enumerate(self.pairs)
        )

    def trained(self, recipe: Recipe) -> Recipe:
        """A recipe with the epochs of this scale, one at least."""
        return replace(recipe, epochs=max(1, round(recipe.epochs * self.epochs))) if recipe.epochs else recipe

    @property
    def digest(self) -> str:
        """The SHA-256 of the configuration as it is printed."""
        return hashlib.sha256(configuration_text(self).encode()).hexdigest()


SCALES = {
    "smoke": StudyScale("smoke", Protocol(train_clips=28, test_clips=14), 0.25, 1, (Sizes(14, 7),), draws=200),
    "small": StudyScale("small", Protocol(train_clips=240, test_clips=140), 0.6, 2, (Sizes(90, 42),) * 3, draws=2000),
    "paper": StudyScale("paper", Protocol(), 1.0, 3, (Sizes(360, 168),) * 3),
}


def configured(
    scale: str, protocol: str | Path = "plain", seed: int | None = None, changes: Sequence[str] = ()
) -> StudyScale:
    """The study of a scale under a protocol, by its name or as a file, with another seed and other values.

    A change is written `KEY=VALUE`, the key as in the file (`distractors.gain.low`), the value as in TOML.
    """
    path = tracepact.spec_path(f"study/protocols/{protocol}.toml") if protocol in PROTOCOLS else Path(protocol)
    data = _read(path)
    for change in changes:
        _change(data, change, path)
    if seed is not None:
        data["seed"] = seed
    return _study(scale, data, path)


def configuration_text(study: StudyScale) -> str:
    """The whole configuration as a file that `configured` reads."""
    scenes = {key: value for key, value in asdict(study.protocol).items() if key != "name"}
    pairs = [asdict(pair) for pair in study.pairs]
    scale = {"epochs": study.epochs, "views": study.views, "draws": study.draws, "pairs": pairs}
    data = {"format": FORMAT, "name": study.protocol.name, **scenes, "scale": scale, "reasons": dict(study.reasons)}
    return "\n".join(_toml_lines(data)) + "\n"


def _read(path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(read_within(path.parent, path.name, LARGEST_DOCUMENT).decode())
    except (OSError, ValueError) as error:
        help = f"name a protocol ({', '.join(PROTOCOLS)}) or a file as `tracelab protocol` prints it"
        raise fault("bad-protocol", f"the protocol cannot be read: {error}", path, help) from error
    if data.pop("format", None) != FORMAT:
        raise fault("bad-protocol", f"the file does not begin with format = {FORMAT!r}", path)
    return data


def _change(data: dict[str, Any], change: str, path: Path) -> None:
    key, _, written = change.partition("=")
    try:
        value = tomllib.loads(f"x = {written}")["x"]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise fault("bad-protocol", f"`{change}` is not KEY=VALUE with a value as in TOML", path) from error
    *above, last = key.strip().split(".")
    place = data
    for name in above:
        place = place.setdefault(name, {})
        if not isinstance(place, dict):
            raise fault("bad-protocol", f"`{key}` is not a value of the protocol", path)
    place[last] = value


def _study(scale: str, data: dict[str, Any], path: Path) -> StudyScale:
    base = SCALES[scale]
    reasons, sizes = data.pop("reasons", {}), data.pop("scale", {})
    protocol = _merged(base.protocol, data, "", path)
    given = {name: sizes.pop(name, getattr(base, name)) for name in ("epochs", "views", "draws")}
    pairs = sizes.pop("pairs", None)
    if sizes or not isinstance(reasons, dict):
        raise fault("bad-protocol", f"`scale.{next(iter(sizes), 'reasons')}` is not a value of the protocol", path)
    try:
        seeds = base.pairs if pairs is None else msgspec.convert(pairs, tuple[Sizes, ...])
        study = replace(base, protocol=protocol, pairs=seeds, **given, reasons=tuple(map(_words, reasons.items())))
    except (msgspec.ValidationError, TypeError) as error:
        raise fault("bad-protocol", f"the scale cannot be used: {error}", path) from error
    for wrong in _wrong(study):
        raise fault("bad-protocol", wrong, path, "`tracelab protocol` prints one that can be used")
    return study


def _words(reason: tuple[str, Any]) -> tuple[str, str]:
    return reason[0], str(reason[1])


def _merged(base: Any, data: Mapping[str, Any], where: str, path: Path) -> Any:
    """A dataclass with the values of a file in place of its own; a name it does not have is an error."""
    kinds = get_type_hints(type(base))
    values = {}
    for name, value in data.items():
        if name not in kinds:
            raise fault("bad-protocol", f"`{where}{name}` is not a value of the protocol", path)
        before = getattr(base, name)
        if is_dataclass(before):
            if not isinstance(value, dict):
                raise fault("bad-protocol", f"`{where}{name}` is not a table", path)
            values[name] = _merged(before, value, f"{where}{name}.", path)
            continue
        try:
            if isinstance(before, Fraction):
                values[name] = parse_stored(str(value))
            else:
                values[name] = msgspec.convert(value, kinds[name], strict=True)
        except (msgspec.ValidationError, ValueError) as error:
            raise fault("bad-protocol", f"`{where}{name}`: {error}", path) from error
    return replace(base, **values)


def _wrong(study: StudyScale) -> list[str]:
    """What cannot be rendered or trained: the first is reported."""
    protocol, wrong = study.protocol, []
    for where, value in _leaves(protocol, ""):
        if isinstance(value, Range) and not value.low <= value.high:
            wrong.append(f"`{where}` ends before it begins")
        if isinstance(value, float | int) and not abs(value) <= 10**9:
            wrong.append(f"`{where}` is {value}")
    shares = (protocol.targets.class_share, protocol.distractors.class_share)
    if any(len(share) != 3 or min(share) < 0 or abs(sum(share) - 1) > 1e-9 for share in shares):
        wrong.append("`class_share` is not three shares that add to 1")
    counts = [("targets.attempts", protocol.targets.attempts), ("distractors.count", protocol.distractors.count)]
    wrong += [f"`{name}` is not a range of at most 100 sounds" for name, (a, b) in counts if not 0 <= a <= b <= 100]
    positive = [("ramp", protocol.ramp), ("target_level", protocol.target_level), ("epochs", study.epochs)]
    positive += [("floor_level.low", protocol.floor_level.low), ("distractors.gain.low", protocol.distractors.gain.low)]
    wrong += [f"`{name}` is not greater than 0" for name, value in positive if not value > 0]
    if not 0 < protocol.clip_seconds <= _MOST_SECONDS or protocol.samples % max(protocol.frame_samples, 1):
        wrong.append(f"`clip_seconds` is not a whole number of frames up to {_MOST_SECONDS} s")
    if protocol.rate != 8000 or protocol.step != Fraction(1, 50):
        wrong.append("the detectors hear 8000 Hz in steps of 1/50 s, and no other `rate` or `step`")
    clips = [(protocol.train_clips, protocol.test_clips), *((p.train_clips, p.test_clips) for p in study.pairs)]
    if any(not 2 <= train <= _MOST_CLIPS or not 1 <= test <= _MOST_CLIPS for train, test in clips):
        wrong.append(f"there are not 2 to {_MOST_CLIPS:,} training clips and 1 to {_MOST_CLIPS:,} test clips")
    if not (1 <= study.views <= 20 and 1 <= study.draws <= 100_000 and study.epochs <= 100 and len(study.pairs) <= 100):
        wrong.append("`scale` is beyond 20 views, 100,000 draws, 100 times the epochs or 100 pairs of seeds")
    if protocol.excerpts.drawn < 1 or not 0 < protocol.excerpts.test_share < 1:
        wrong.append("`excerpts` draws none, or leaves training or test without a speaker")
    return wrong


def _leaves(value: Any, where: str) -> list[tuple[str, Any]]:
    """Every value of nested dataclasses by its name, a range as one."""
    if not is_dataclass(value) or isinstance(value, Range):
        return [(where, value)]
    inner = ((f"{where}.{field.name}".lstrip("."), getattr(value, field.name)) for field in fields(value))
    return [leaf for name, part in inner for leaf in _leaves(part, name)]


def _toml_lines(data: Mapping[str, Any], above: str = "") -> list[str]:
    """Values first, then the tables, each under its own heading."""
    lines = [f"{_key(name)} = {_toml(value)}" for name, value in data.items() if not _is_table(value)]
    for name, value in data.items():
        if _is_table(value):
            lines += ["", f"[{above}{_key(name)}]", *_toml_lines(value, f"{above}{_key(name)}.")]
    return lines


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and set(value) != {"low", "high"}


def _key(name: str) -> str:
    return name if name.isidentifier() else msgspec.json.encode(name).decode()


def _toml(value: Any) -> str:
    match value:
        case dict():
            return "{ " + ", ".join(f"{_key(name)} = {_toml(one)}" for name, one in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case Fraction():
            return f'"{value}"'
        case _:
            # JSON and TOML write numbers, truth values and quoted strings alike.
            return msgspec.json.encode(value).decode()


# The options that several commands of the lab have: those of a study, its speech, workers and device.

F = TypeVar("F", bound=Callable[..., Any])


def _device(_: click.Context, __: click.Parameter, name: str) -> str:
    """A device that networks can be put on here."""
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        said = str(error).splitlines()[0]
        raise fault("bad-device", f"networks cannot train on `{name}`: {said}", help="cpu is always there") from error
    return name


SPEECH = click.option(
    "--speech",
    default="formant",
    show_default=True,
    help="Source of speech: `formant` (embedded), `espeak-ng`, `asterisk-en` (-es, -fr, -it, -ru), or a folder of it.",
)
WORKERS = click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes to use.")
DEVICE = click.option(
    "--device", default="cpu", show_default=True, callback=_device, help="Where networks train, as PyTorch names it."
)
_SCALE = click.option(
    "--scale", type=click.Choice(list(SCALES)), default="small", show_default=True, help="Size of the study."
)
_PROTOCOL = click.option(
    "--protocol",
    type=str,
    default=PROTOCOLS[0],
    show_default=True,
    help="How the scenes are made: `plain`, `strict`, or a file as `tracelab protocol` prints it.",
)
_SEED = click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Another seed of scenes and models.")
_CHANGES = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Another value of the protocol, as in its file: --set distractors.gain.low=0.2; may be repeated.",
)


def configuration(command: F) -> F:
    """The options that say which study: `--scale`, `--protocol`, `--seed` and `--set`."""
    for option in (_CHANGES, _SEED, _PROTOCOL, _SCALE):
        command = option(command)
    return command


def resolved(protocol: str) -> str | Path:
    """A protocol by its name, or as a file."""
    return protocol if protocol in PROTOCOLS else Path(protocol)
