"""The policies of the standard metrics as a manifest records them, and back (rule 17.9)."""

from collections.abc import Mapping
from fractions import Fraction

from tracepact.metrics import Empty, Evaluated, EventPolicy, MacroOver, MetricSettings, OffsetRule
from tracepact.wording import parse_exact

POLICY_KEYS = ("collar", "offset", "share", "segment", "radius", "evaluated", "empty", "macro")


def policies_data(settings: MetricSettings) -> dict[str, str]:
    """The policies as texts; times in seconds, exact."""
    event = settings.event
    numbers = (event.collar, event.share, settings.segment, settings.transition)
    collar, share, segment, radius = map(str, numbers)
    names = settings.evaluated.value, settings.empty.value, settings.macro.value
    values = (collar, event.offset.value, share, segment, radius, *names)
    return dict(zip(POLICY_KEYS, values, strict=True))


def policies_of(data: Mapping[str, str]) -> MetricSettings:
    """The policies that were recorded; ValueError if one is none."""
    collar, share, segment, radius = (_number(data[key]) for key in ("collar", "share", "segment", "radius"))
    if not (collar > 0 and segment > 0 and radius > 0 and 0 <= share <= 1):
        raise ValueError("a length is not positive, or the share lies outside 0 to 1")
    return MetricSettings(
        EventPolicy(collar, OffsetRule(data["offset"]), share),
        segment,
        radius,
        Evaluated(data["evaluated"]),
        Empty(data["empty"]),
        MacroOver(data["macro"]),
    )


def _number(text: str) -> Fraction:
    numerator, sign, denominator = text.partition("/")
    return Fraction(int(numerator), int(denominator)) if sign and int(denominator) else parse_exact(text)
