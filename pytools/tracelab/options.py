"""Options that several commands of the lab have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import torch

from tracelab.configuration import PROTOCOLS, SCALES
from tracelab.files import fault

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
