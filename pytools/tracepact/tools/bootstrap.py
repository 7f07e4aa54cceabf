"""The options of commands that draw clips (rule 16.7)."""

from collections.abc import Callable
from typing import Any

import click

from tracepact.scoring.bootstrap import DRAWS, SEED
from tracepact.tools.parameters import Share


def bootstrap_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options --draws, --seed and --level of a bootstrap."""
    for option in (
        click.option("--level", type=Share(), default="0.95", show_default=True, help="Level of the intervals."),
        click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of the generator."),
        click.option(
            "--draws", type=click.IntRange(1, 10**6), default=DRAWS, show_default=True, help="Number of draws of clips."
        ),
    ):
        function = option(function)
    return function
