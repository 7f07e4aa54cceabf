"""Options that several commands of the lab have."""

import click

from tracelab.study.scales import SCALES

SPEECH = click.option(
    "--speech",
    default="formant",
    show_default=True,
    help="Source of speech: `formant` (embedded), `espeak-ng`, `asterisk-en` (-es, -fr, -it, -ru), or a folder of it.",
)
WORKERS = click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes to use.")
SCALE = click.option(
    "--scale", type=click.Choice(list(SCALES)), default="small", show_default=True, help="Size of the study."
)
