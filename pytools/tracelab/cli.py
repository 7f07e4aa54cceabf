"""The way in to the lab: help, and what is missing, are said before anything heavy is loaded."""

from importlib.util import find_spec

import click

import tracepact

_NEEDED = ("joblib", "scipy", "sklearn", "soundfile", "torch")
_INSTALL = "pip install 'tracepact[lab]'"
OUTLINE = {
    "corpus": "Measure real corpora: soft labels, the lab's detectors on their sound, score files of a baseline.",
    "detect": "Run a trained detector over sound files.",
    "fetch": "Fetch a file by its address.",
    "listen": "Write one clip as sound, beside a page.",
    "probe": "Probe frozen encoders and detectors of others, or go on with a probe.",
    "robustness": "Robustness and calibration of classifiers under a fixed grid of corruptions.",
    "scenes": "Show the protocol, and render the test clips.",
    "protocol": "Print the whole configuration of a study as a file.",
    "study": "Run the study, or go on with one that was stopped.",
    "train": "Train one detector.",
    "verify": "Compute a folder of results again and name what changed.",
}
"""The commands and their first sentences, where the packages that they are made of cannot be loaded."""


def main() -> None:
    """Run the command line; every way out is one of the exit codes."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        tracepact.run_command_line(_outline(missing), "tracelab")
    from tracelab.commands import run

    run()


def _outline(missing: list[str]) -> click.Group:
    """A group that shows what there is, and refuses to run it."""
    needs = f"tracelab needs {', '.join(missing)}: {_INSTALL}"

    def refuse(**options: object) -> None:
        headline = f"tracelab needs {', '.join(missing)}"
        raise tracepact.InvalidInput([tracepact.Diagnostic("missing-package", headline, None, _INSTALL)])

    commands = {name: click.Command(name, callback=refuse, help=text) for name, text in OUTLINE.items()}
    for command in commands.values():
        command.context_settings = {"ignore_unknown_options": True, "allow_extra_args": True}
        command.add_help_option = False  # the help of a command is in what is missing, as its options are
    help = f"A measurement study for boundary contracts: scenes, detectors, tables.\n\n{needs}"
    group = click.Group("tracelab", commands, help=help, context_settings={"help_option_names": ["-h", "--help"]})
    group.params.append(click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version))
    return group


def _version(context: click.Context, option: click.Parameter, is_wanted: bool) -> None:
    if is_wanted:
        click.echo(f"tracelab, version {tracepact.__version__}")
        context.exit()
