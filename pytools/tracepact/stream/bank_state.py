"""A bank's state as plain JSON: the state of each of its streams, as a monitor of that stream alone would save it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.records import Digest, Record, plain, record_of
from tracepact.stream.bank import StreamBank
from tracepact.stream.saved import Names, StreamState
from tracepact.stream.state import check_arguments, restore_record, save_record, wrong_state

_FORMAT = "tracepact-bank/1"


class BankState(Record, frozen=True):
    """The state of a bank of streams, saved between two pushes (12.9, 12.13).

    Numbers in parentheses are rules of language.md.
    """

    format: Literal["tracepact-bank/1"]
    contract: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    classes: Annotated[Names, Meta(description="The classes.")]
    ignoring: Annotated[
        bool, Meta(description="Whether frames come with a mask of those that carry no obligation (5.9).")
    ]
    streams: Annotated[
        tuple[StreamState, ...],
        Meta(description="The open streams in their order, each as the state of a monitor of this stream alone."),
    ]


def save_bank(bank: StreamBank) -> dict[str, Any]:
    """Everything a bank needs to go on."""
    streams = tuple(save_record(monitor) for monitor in bank.monitors())
    state = BankState("tracepact-bank/1", bank.contract.digest, bank.classes, bank.ignoring, streams)
    found: dict[str, Any] = plain(state)
    return found


def restore_bank(contract: Contract, state: Mapping[str, Any]) -> StreamBank:
    """A bank that goes on where another was saved; the contract must be the same one.

    A state that no bank of the contract can have been in is refused, as for `restore_state` (rule 12.12).
    """
    check_arguments(contract, state, "restore_bank", "save_bank")
    if state.get("format") != _FORMAT:
        raise wrong_state([f"this is not a state of a bank: its format is `{state.get('format')}`, not `{_FORMAT}`"])
    try:
        saved = record_of(dict(state), BankState)
    except msgspec.ValidationError as fault:
        raise wrong_state([f"the state is not whole: {fault}"], "see bank-state.schema.json") from fault
    faults = [Diagnostic("wrong-state", text) for text in _contradictions(saved)]
    monitors = []
    for each in saved.streams if not faults else ():
        try:
            monitors.append(restore_record(contract, each))
        except InvalidInput as refused:
            faults += refused.diagnostics
    if faults:
        raise InvalidInput(faults)
    bank = StreamBank(contract, classes=saved.classes, ignoring=saved.ignoring)
    bank.adopt(monitors)
    return bank


def _contradictions(saved: BankState) -> list[str]:
    """What the streams of a bank have in common."""
    found = []
    names = [each.streams[0] for each in saved.streams]
    if any(len(each.streams) != 1 or each.ended for each in saved.streams):
        found.append("each stream of a bank is one, and open")
    if len(set(names)) < len(names):
        found.append("two of the streams have the same name")
    shared = (saved.contract, saved.classes, saved.ignoring)
    if any((each.contract, each.classes, each.ignoring) != shared for each in saved.streams):
        found.append(
            "the streams of a bank are under one contract, with the same classes, all with ignored frames or none"
        )
    return found
