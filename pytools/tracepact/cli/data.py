"""The options by which commands take references and predictions, and the run they make of them."""

from collections.abc import Callable
from typing import Any, TypedDict, Unpack

import click

from tracepact.core import Contract
from tracepact.run import Run, score, score_document, unwatched
from tracepact.trace import Mode


class Given(TypedDict):
    """What `data_options` hands to a command."""

    ref: str | None
    pred: str | None
    pair: str | None
    durations: str | None
    ignore: str | None
    class_indexed: bool
    strict: bool


_OPTIONS = (
    click.option(
        "--ref", type=click.Path(), help="Reference events: a table (filename, onset, offset, event_label) or JSON."
    ),
    click.option("--pred", type=click.Path(), help="Predicted events, in the same forms."),
    click.option("--pair", type=click.Path(), help="Both sides, durations and masks in one JSON document."),
    click.option("--durations", help="A table (filename, duration), or one duration in seconds for all clips."),
    click.option(
        "--ignore", type=click.Path(), help="Regions without obligations: filename, onset, offset, event_label."
    ),
    click.option(
        "--class-indexed/--union", default=True, show_default=True, help="Keep labels apart, or take them as one."
    ),
    click.option("--strict", is_flag=True, help="Treat warnings as errors."),
)


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `Given`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def check_given(given: Given) -> None:
    """Both tables, or one document and nothing beside it."""
    if given["pair"] is None and (given["ref"] is None or given["pred"] is None):
        raise click.UsageError("give --ref and --pred, or --pair alone")
    tables = {f"--{name}": given[name] for name in ("ref", "pred", "durations", "ignore")}
    if given["pair"] is not None and (beside := [option for option, value in tables.items() if value is not None]):
        raise click.UsageError(f"--pair holds the whole task; leave out {', '.join(beside)}")


def score_given(
    contract: Contract,
    conditions: str | None = None,
    on_stage: Callable[[str], None] = unwatched,
    **given: Unpack[Given],
) -> Run:
    """Score what the options name."""
    mode = Mode.CLASS_INDEXED if given["class_indexed"] else Mode.UNION
    if given["pair"] is not None:
        return score_document(
            contract, given["pair"], mode=mode, conditions=conditions, strict=given["strict"], on_stage=on_stage
        )
    return score(
        contract,
        given["ref"],
        given["pred"],
        durations=given["durations"],
        mode=mode,
        ignore=given["ignore"],
        conditions=conditions,
        strict=given["strict"],
        on_stage=on_stage,
    )
