"""Lines that are no case (P8, P19): the reply to each is an `error`, and the implementation goes on as before."""

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from tracepact.conform.findings import Finding
from tracepact.conform.oracle import ConformanceProfile, Session
from tracepact.conform.peer import Peer, PeerFault, printable
from tracepact.conform.protocol import FARTHEST, LONGEST

Message = dict[str, Any]
_NUMBER = 1 << 30
"""The id of the first line; no case has it."""

_SHOWN = 200
_ORIGIN = "lines that are no cases"
_CLIP: Message = {"frames": 2, "masks": {"p": "01", "q": "11"}}
_RUNS = [[0, 2], [3, 5]]
_SEARCH = {"kind": "greedy", "search": "1", "overlap_reward": "0.5"}
_NO_RUNS: tuple[Any, ...] = (
    [[2, 2]],
    [[3, 2]],
    [[3, 5], [0, 2]],
    [[0, 3], [2, 5]],
    [[-1, 2]],
    [[0]],
    [0, 2],
    "0",
    None,
)
_NO_TIME: tuple[Any, ...] = ("x", "1/0", "1e3", "", None, [], "-1")
_NO_STEP: tuple[Any, ...] = ("0", "0/3", *_NO_TIME)
_NO_MASK: tuple[Any, ...] = ("02", "0 1", None, 1, ["0", "1"])
_NO_FORMULA: tuple[Any, ...] = (
    *(
        1,
        None,
        {},
        [],
        ["xor", "p", "q"],
        ["not"],
        ["not", "p", "q"],
        ["and", "p"],
        ["and", "p", "q", "p"],
        "1p",
        "a b",
        "",
    ),
    *(
        ["F", 1, 0, "p"],
        ["F", 0, "p"],
        ["F", 0, 1, "p", "q"],
        ["G", "0", 1, "p"],
        ["G", 0, 1.5, "p"],
        ["F", True, 1, "p"],
    ),
    *(["F", 0, FARTHEST + 1, "p"], ["G", -FARTHEST - 1, 0, "p"], ["F", 0, 1 << 64, "p"], ["U", FARTHEST + 1, "p", "q"]),
    *(["U", -1, "p", "q"], ["S", -1, "p", "q"], ["U", 1, "p"], ["S", None, "p", "q"], ["and", "p", ["F", 2, 1, "q"]]),
)
_NO_CLIPS: tuple[Any, ...] = (
    *([], {}, None, [1], [{"masks": {"p": "01", "q": "11"}}], [{"frames": 2}], [{"frames": 2, "masks": {}}]),
    *([_CLIP | {"frames": n}] for n in (-1, 1, 3, LONGEST + 1, "2", 2.5, None)),
    *([_CLIP | {"masks": {"p": m, "q": "11"}}] for m in ("0", "011", *_NO_MASK)),
    *([_CLIP | {"ignored": m}] for m in ("0", "011", *_NO_MASK)),
    *([_CLIP, _CLIP | {"masks": {"p": "01"}}],),
)
_COUNTS = {"satisfied": 1, "obligated": 2}
_NO_COUNTS: tuple[Any, ...] = (
    *(
        {"satisfied": 3, "obligated": 2},
        {"satisfied": -1, "obligated": 2},
        {"satisfied": 0, "obligated": 1 << 63},
        {},
        1,
    ),
    *({"satisfied": 0.5, "obligated": 2}, {"obligated": 2}, {"satisfied": 1}, {"satisfied": "1", "obligated": 2}),
)
_SCORE = {"name": "a", "duration": "2", "ref": [["0", "1", "x"]], "pred": []}

Sound = tuple[Message, Mapping[str, Sequence[Any]]]
"""A case, and for each of its parts what it must not be."""

_SOUND: dict[ConformanceProfile, tuple[Sound, ...]] = {
    ConformanceProfile.TEXT: (
        ({"ask": "formula", "text": "p", "step": "1"}, {"step": _NO_STEP, "text": (None, 1, [])}),
        ({"ask": "contract", "text": "contract c"}, {"text": (None, 1, {})}),
    ),
    ConformanceProfile.CORE: (
        (
            {"ask": "verdicts", "formula": ["and", "p", "q"], "clips": [_CLIP]},
            {"formula": _NO_FORMULA, "clips": _NO_CLIPS},
        ),
        (
            {"ask": "clause", "obligation": "q", "formula": "p", "clips": [_CLIP]},
            {"obligation": _NO_FORMULA, "formula": _NO_FORMULA, "clips": _NO_CLIPS},
        ),
    ),
    ConformanceProfile.PAST: (
        ({"ask": "verdicts", "formula": ["S", 1, "p", "q"], "clips": [_CLIP]}, {"formula": _NO_FORMULA}),
    ),
    ConformanceProfile.EVENTS: (
        (
            {"ask": "project", "step": "1", "duration": "3", "projection": "centre", "events": [["0", "1"]]},
            {
                "step": _NO_STEP,
                "duration": (*_NO_TIME, str(LONGEST + 1)),
                "projection": ("center", None),
                "events": ([["0"]], [["x", "1"]], [[0, 1]], None, [1]),
            },
        ),
        ({"ask": "runs", "mask": "01", "step": "1", "merge_gap": "0"}, {"mask": _NO_MASK, "step": _NO_STEP}),
        (
            {"ask": "match", "step": "1", "ref": _RUNS, "pred": _RUNS, "matcher": _SEARCH},
            {"ref": _NO_RUNS, "pred": _NO_RUNS, "step": _NO_STEP, "matcher": ({**_SEARCH, "kind": "best"}, {}, None)},
        ),
        (
            {
                "ask": "events",
                "step": "1",
                "frames": 9,
                "each": "ref",
                "predicate": "matched",
                "ref": _RUNS,
                "pred": _RUNS,
            },
            {
                "ref": _NO_RUNS,
                "pred": _NO_RUNS,
                "step": _NO_STEP,
                "each": ("both", None),
                "frames": (4, -1, LONGEST + 1),
            },
        ),
    ),
    ConformanceProfile.STREAMING: (
        ({"ask": "measure", "formula": "p"}, {"formula": _NO_FORMULA}),
        (
            {"ask": "components", "step": "1", "merge_gap": "0", "search": "1", "ref": "01", "pred": "11"},
            {"step": _NO_STEP, "ref": ("0", *_NO_MASK), "pred": ("011", *_NO_MASK)},
        ),
        ({"ask": "lines", "text": "1 0", "channels": 1}, {"text": (None, 1), "channels": (0, -1, "1")}),
    ),
    ConformanceProfile.CHUNKS: (),
    ConformanceProfile.CONTRACTS: (
        (
            {"ask": "aggregate", "kind": "event", "entries": [[_COUNTS]]},
            {
                "kind": ("clip", None),
                "entries": ([], [[]], [[_COUNTS], []], [[_COUNTS], [_COUNTS, _COUNTS]], *([[x]] for x in _NO_COUNTS)),
            },
        ),
        (
            {"ask": "score", "contract": "contract c step 1s clause k on true : true", "clips": [_SCORE]},
            {
                "contract": (None, 1),
                "mode": ("both", 1),
                "clips": (
                    *([], [_SCORE, _SCORE], [1], None, [{**_SCORE, "duration": "x"}], [{**_SCORE, "ref": 1}]),
                    *([{k: v for k, v in _SCORE.items() if k != key}] for key in _SCORE),
                ),
            },
        ),
    ),
}
_OPEN: Message = {
    "ask": "open",
    "want": ["out", "counts"],
    "clauses": [{"obligation": "q", "formula": ["F", 0, 1, "p"]}],
}
_FRAME: Message = {"ask": "frame", "values": {"p": False, "q": True}}
_CHUNK: Message = {"ask": "chunk", **_CLIP}
_CLOSE: Message = {"ask": "close"}
_NO_CLAUSES: tuple[Any, ...] = ([], None, [{}], [{"obligation": True}], [{"formula": "p"}], [1])
_NO_OPENS = (
    *(_OPEN | {"clauses": clauses} for clauses in _NO_CLAUSES),
    *(_OPEN | {"clauses": [{"obligation": True, "formula": tree}]} for tree in _NO_FORMULA),
)
_NO_FRAMES = tuple(
    {"ask": "frame", "values": values} for values in ({}, {"p": 1}, {"p": 2, "q": 1}, {"p": "1", "q": 1}, None, [0, 1])
)
# A chunk has no key `ignored`, so a value there, whatever it is, is no fault.
_CLIPS_ALONE = [clips[0] for clips in _NO_CLIPS if isinstance(clips, list) and clips and isinstance(clips[0], dict)]
_NO_CHUNKS = (
    *({"ask": "chunk", **clip} for clip in _CLIPS_ALONE if "ignored" not in clip and clip != _CLIP),
    {"ask": "chunk", "frames": 0, "masks": {"p": "", "q": ""}},
)


def damaged(profile: ConformanceProfile) -> Iterator[Message]:
    """The cases of a profile with one part that is not of the form, or without one."""
    for case, parts in _SOUND[profile]:
        yield from (
            {key: value for key, value in case.items() if key != part}
            for part in parts
            if part in case and part != "channels"
        )
        yield from (case | {part: value} for part, values in parts.items() for value in values)
    if profile in (ConformanceProfile.STREAMING, ConformanceProfile.CHUNKS):
        # No stream is open here, so all of these but `open` are out of place.
        yield from (_FRAME, _CHUNK, _CLOSE, {"ask": "interrupt"}, *_NO_OPENS)
    yield from ({"ask": "everything"}, {"ask": None}, {"want": []})


def _script(profile: ConformanceProfile) -> Iterator[Message]:
    """A sound stream with faulty messages in it: none of them changes anything."""
    sound, faulty = (_FRAME, _NO_FRAMES) if profile is ConformanceProfile.STREAMING else (_CHUNK, _NO_CHUNKS)
    yield from (_OPEN, sound)
    for bad in (*faulty, *_NO_OPENS[:3]):
        yield from (bad, sound)
    yield _CLOSE


def malformed(peer: Peer, profiles: Sequence[ConformanceProfile], seed: int = 0) -> Iterator[Finding]:
    """Send lines that are not JSON or not objects, without an id, or with no sound case; what is wrong then."""
    for line in (
        '{"id": 1, "ask": ',
        "[1, 2]",
        '{"id": 1.5, "ask": "measure"}',
        '{"id": "1", "ask": "measure"}',
        "NaN",
    ):
        yield from _told(peer, line, {"id": None, "error": ""})
    for profile in profiles:
        reference = Session()
        cases = [case for case in damaged(profile) if case.get("ask") != "open" or profile in _STREAMS]
        Random(f"{seed} {profile.value}").shuffle(cases)
        # The stream comes first: of the rest some leave a stream open in a program that takes them for sound.
        for number, message in enumerate([*(_script(profile) if profile in _STREAMS else ()), *cases], start=_NUMBER):
            line = json.dumps({"id": number, **message})
            findings = list(_told(peer, line, reference.reply(line)))
            yield from findings
            if findings:  # one of a profile: the rest may follow from it
                break


_STREAMS = (ConformanceProfile.STREAMING, ConformanceProfile.CHUNKS)


def _told(peer: Peer, line: str, expected: Mapping[str, Any]) -> Iterator[Finding]:
    words = f"to the line `{printable(line)[:_SHOWN]}`, which is {'no' if 'error' in expected else 'a sound'} case,"
    try:
        if not peer.runs:
            peer.start()
        reply = peer.tell(line)
    except PeerFault as fault:
        yield Finding(fault.kind, f"{words} {fault.words} (P8)", origin=_ORIGIN)
        return
    said = printable(json.dumps(reply))[:_SHOWN]
    if "error" not in expected:
        if reply != expected and "unsupported" not in reply:
            words = f"{words} it replied `{said}`: a line before it that is no case has changed something (P8)"
            yield Finding("wrong-answer", words, origin=_ORIGIN)
        return
    good = "id" in reply and reply["id"] == expected["id"] and isinstance(reply.get("error"), str)
    # What it cannot express it need not look into, so `unsupported` is a reply to an object with an id.
    good = good or (expected["id"] is not None and reply.keys() == {"id", "unsupported"})
    if not good or "answer" in reply:
        words = f"{words} it replied `{said}`, not an `error` with the id {json.dumps(expected['id'])} (P8)"
        yield Finding("rubbish", words, origin=_ORIGIN)
