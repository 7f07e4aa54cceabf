"""Lines that are no case (P8): the reply is an `error`, and the implementation goes on."""

import json
from collections.abc import Iterator, Sequence

from tracepact.tools.conform.findings import Finding
from tracepact.tools.conform.peer import Peer, PeerFault, printable
from tracepact.tools.conform.vectors import Profile

_NUMBER = 1 << 30
"""The id of a case that is not of its form; no other case has it."""

_ASKS = {
    Profile.TEXT: ("formula", "formula"),
    Profile.CORE: ("verdicts", "verdicts"),
    Profile.PAST: ("verdicts", "verdicts"),
    Profile.EVENTS: ("runs", "runs"),
    Profile.STREAMING: ("open", "out"),
    Profile.CHUNKS: ("open", "out"),
    Profile.CONTRACTS: ("aggregate", "pooled"),
}
"""For each profile a question and a part of its answer; a case that has no more than that is not of the form."""

_SHOWN = 200


def malformed(peer: Peer, profiles: Sequence[Profile]) -> Iterator[Finding]:
    """Send a line that is not JSON, one that is not an object, and a case that lacks its data; what is wrong then."""
    ask, part = _ASKS[profiles[0]]
    case = json.dumps({"id": _NUMBER, "ask": ask, "want": [part]})
    for line, number in (('{"id": 1, "ask": ', None), ("[1, 2]", None), (case, _NUMBER)):
        told = f"to the line `{line}`, which is no case,"
        try:
            if not peer.runs:
                peer.start()
            reply = peer.tell(line)
        except PeerFault as fault:
            yield Finding(fault.kind, f"{told} {fault.words} (P8)", origin="lines that are no cases")
            continue
        good = "id" in reply and reply["id"] == number and isinstance(reply.get("error"), str)
        if not good or "answer" in reply or "unsupported" in reply:
            said = printable(json.dumps(reply))[:_SHOWN]
            words = f"{told} it replied `{said}`, not an `error` with the id {json.dumps(number)} (P8)"
            yield Finding("rubbish", words, origin="lines that are no cases")
