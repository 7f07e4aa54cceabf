"""How the cost of the onset guard grows with the frames and with the radius."""

from collections.abc import Callable, Iterator
from math import log

from benchmarks.data import atom_frames
from benchmarks.harness import Options, Row, Target, check_equal, race, sized
from benchmarks.prefix_sums import near_tuned
from tracepact.data.family import pack, unpack
from tracepact.evaluate.masks import evaluate_trace
from tracepact.language.formula import Atom, Eventually, Implies

SUBJECT = "growth"
SIZES = tuple(sized(250_000, 500) << k for k in range(6))
RADII = tuple(4**k for k in range(7))
RADIUS_FRAMES = sized(1_000_000, 10_000)


def measure(_: Options) -> Iterator[Row]:
    """A table for each, then one number: the exponent in the frames, the share of the logarithm in the radius."""
    by_size = race(*(_monitor(frames, 2) for frames in SIZES))
    for frames, seconds in zip(SIZES, by_size, strict=True):
        yield Row(
            SUBJECT, f"radius 2, {frames:,} frames", seconds / frames * 1e9, "ns/frame", note=f"{seconds * 1e3:.3g} ms"
        )
    exponent = log(by_size[-1] / by_size[0]) / log(SIZES[-1] / SIZES[0])
    yield Row(SUBJECT, "cost ~ frames to the power", exponent, "", Target(1.15, at_least=False), "1 is linear")
    by_radius = race(*(_monitor(RADIUS_FRAMES, radius) for radius in RADII))
    for radius, seconds in zip(RADII, by_radius, strict=True):
        doublings = (2 * radius).bit_length()
        note = f"{doublings} doublings, {seconds / doublings * 1e3:.3g} ms each"
        yield Row(SUBJECT, f"radius {radius:,}, {RADIUS_FRAMES:,} frames", seconds * 1e3, "ms", note=note)
    logs = (2 * RADII[-1]).bit_length() / (2 * RADII[0]).bit_length()
    growth = by_radius[-1] / by_radius[0]
    note = f"cost × {growth:.3g} from radius {RADII[0]} to {RADII[-1]:,}, logarithm × {logs:.3g}"
    yield Row(SUBJECT, "growth over that of log(radius)", growth / logs, "×", Target(1, at_least=False), note)


def _monitor(frames: int, radius: int) -> Callable[[], int]:
    """The onset guard with some radius, ready to run; its verdicts are compared first."""
    atoms = atom_frames(frames, frames)
    formula = Implies(Atom("ref_onset"), Eventually(-radius, radius, Atom("pred_onset")))
    masks = {name: pack(atoms[name]) for name in ("ref_onset", "pred_onset")}
    theirs = ~atoms["ref_onset"] | near_tuned(atoms["pred_onset"], -radius, radius)
    check_equal(SUBJECT, [unpack(evaluate_trace(formula, masks, frames), frames)], [theirs])
    return lambda: evaluate_trace(formula, masks, frames)
