"""The policies of the standard metrics as options of commands, and as the manifest of a run records them."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypedDict

import click

from tracepact.metrics import Empty, Evaluated, EventPolicy, MacroOver, MetricSettings, OffsetRule
from tracepact.tools.parameters import Length, Share, with_options
from tracepact.wording import ms, print_number

_SETTINGS = MetricSettings()


class MetricOptions(TypedDict):
    """What `metric_options` hands to a command."""

    collar: Fraction
    offset: str
    share: Fraction
    segment: Fraction
    radius: Fraction
    evaluated: str
    empty: str
    macro: str


def metric_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `MetricOptions`."""
    return with_options(
        (
            click.option(
                "--collar",
                type=Length(),
                default=ms(_SETTINGS.event.collar),
                show_default=True,
                help="How far apart onsets may be.",
            ),
            click.option(
                "--offset",
                type=click.Choice([rule.value for rule in OffsetRule]),
                default=_SETTINGS.event.offset.value,
                show_default=True,
                help="Offsets within the greater (max) or the smaller (and) of collar and share, the collar alone, "
                "or any.",
            ),
            click.option(
                "--share",
                type=Share(),
                default=print_number(_SETTINGS.event.share),
                show_default=True,
                help="The share of the reference's duration, as in DCASE; sed_eval itself takes 0.5 by default.",
            ),
            click.option(
                "--segment",
                type=Length(),
                default=ms(_SETTINGS.segment),
                show_default=True,
                help="The length of a segment.",
            ),
            click.option(
                "--radius",
                type=Length(),
                default=ms(_SETTINGS.transition),
                show_default=True,
                help="The reach of a transition.",
            ),
            click.option(
                "--evaluated",
                type=click.Choice([some.value for some in Evaluated]),
                default=_SETTINGS.evaluated.value,
                show_default=True,
                help="Where a clip's segments end: with the last event of either side, or with the clip (sed_eval's "
                "evaluated length).",
            ),
            click.option(
                "--empty",
                type=click.Choice([some.value for some in Empty]),
                default=_SETTINGS.empty.value,
                show_default=True,
                help="What the precision is where nothing is predicted: undefined, or 0 as with sed_eval's zero_score.",
            ),
            click.option(
                "--macro",
                type=click.Choice([some.value for some in MacroOver]),
                default=_SETTINGS.macro.value,
                show_default=True,
                help="The classes that a macro mean is taken over: those whose value is defined, those of these that "
                "the reference has, or all, an undefined value counting as 0.",
            ),
        ),
        function,
    )


def metric_settings(given: MetricOptions) -> MetricSettings:
    """The policies that options declare."""
    return MetricSettings(
        EventPolicy(given["collar"], OffsetRule(given["offset"]), given["share"]),
        given["segment"],
        given["radius"],
        Evaluated(given["evaluated"]),
        Empty(given["empty"]),
        MacroOver(given["macro"]),
    )
