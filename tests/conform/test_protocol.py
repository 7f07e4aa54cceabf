"""The reference side of the protocol: every message has its reply, and none ends the conversation."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.command import run

from tracepact.conform.engines import FAST, REFERENCE
from tracepact.conform.oracle import PROTOCOL, ConformanceProfile, Session, suite
from tracepact.conform.peer import Peer, PeerFault
from tracepact.declarations import spec_path


def talk(*messages: Any) -> list[dict[str, Any]]:
    """`tracepact oracle`, given some lines."""
    lines = "".join(m if isinstance(m, str) else json.dumps(m) + "\n" for m in messages)
    outcome = run("oracle", stdin=lines.encode())
    assert outcome.code == 0
    return [json.loads(line) for line in outcome.out.splitlines()]


@pytest.mark.parametrize(
    "number", ["null", "true", "1.5", "1e3", "[1]", '"1"', "NaN", "-Infinity", str(2**53), str(-(2**53))]
)
def test_a_case_whose_id_is_no_integer_of_a_case_is_answered_with_an_error_and_no_id(number: str) -> None:
    reply = Session().reply(f'{{"id": {number}, "ask": "measure", "formula": "p"}}')
    assert reply.keys() == {"id", "error"}
    assert reply["id"] is None


@pytest.mark.parametrize("number", [0, -1, 2**31, -(2**32), 2**53 - 1, 1 - 2**53])
def test_any_other_integer_is_an_id(number: int) -> None:
    reply = Session().reply(f'{{"id": {number}, "ask": "measure", "formula": "p"}}')
    assert reply == {"id": number, "answer": {"lookahead": 0, "lookback": 0}}


def test_the_oracle_says_hello_and_answers_in_order() -> None:
    hello, first, second = talk(
        {"hello": "tester", "version": 1, "profiles": []},
        {"id": 1, "ask": "measure", "formula": ["F", -1, 2, "p"]},
        {"id": -2, "ask": "runs", "want": ["onsets"], "mask": "0110", "step": "1", "merge_gap": "0"},
    )
    assert hello["version"] == PROTOCOL
    assert hello["profiles"] == [profile.value for profile in ConformanceProfile]
    assert first == {"id": 1, "answer": {"lookahead": 2, "lookback": 1}}
    assert second == {"id": -2, "answer": {"onsets": "0100"}}


def test_a_stream_is_answered_frame_by_frame() -> None:
    """F[0,1] p on 0, 1: frame 0 is out at frame 1 and holds; frame 1 is out at close and holds."""
    clauses = [{"obligation": True, "formula": ["F", 0, 1, "p"]}]
    replies = talk(
        {"id": 1, "ask": "open", "clauses": clauses, "want": ["out", "counts"]},
        {"id": 2, "ask": "frame", "values": {"p": False}},
        {"id": 3, "ask": "interrupt"},
        {"id": 4, "ask": "frame", "values": {"p": True}},
        {"id": 5, "ask": "close"},
        {"id": 6, "ask": "close"},
    )
    assert [reply.get("answer") for reply in replies] == [
        {},
        {"out": [], "counts": [[0, 0]]},
        {},
        {"out": [[0, 0, "satisfied"]], "counts": [[1, 1]]},
        {"out": [[1, 0, "satisfied"]], "counts": [[2, 2]]},
        None,
    ]
    assert replies[5] == {"id": 6, "error": "the case is not well formed: no stream is open"}


@pytest.mark.parametrize(
    "message",
    [
        "rubbish\n",
        "[1]\n",
        {"id": 1},
        {"id": 1, "ask": "nothing"},
        {"id": 1, "ask": "verdicts"},
        {"id": 1, "ask": "verdicts", "formula": ["X", "p"], "clips": []},
        {"id": 1, "ask": "verdicts", "formula": "p", "clips": [{"frames": 2, "masks": {"p": "0"}}]},
        {"id": 1, "ask": "verdicts", "formula": "p", "clips": [{"frames": 1, "masks": {"p": "2"}}]},
        {"id": 1, "ask": "verdicts", "formula": "p", "clips": 3},
        {"id": 1, "ask": "measure", "want": ["depth"], "formula": "p"},
        {"id": 1, "ask": "runs", "mask": "01", "step": "fast", "merge_gap": "0"},
        {"id": 1, "ask": "events", "step": "1", "frames": 3, "each": "ref", "predicate": "1 +", "ref": [], "pred": []},
    ],
    ids=str,
)
def test_a_case_that_is_not_well_formed_is_an_error_and_the_next_is_answered(message: Any) -> None:
    wrong, right = talk(message, {"id": 2, "ask": "measure", "formula": "p"})
    assert isinstance(wrong["error"], str)
    assert "answer" not in wrong
    assert right == {"id": 2, "answer": {"lookahead": 0, "lookback": 0}}


CLIP = {"frames": 1, "masks": {"p": "1"}}
MATCHER = {"kind": "greedy", "search": "1", "overlap_reward": "0"}
OPEN = {"id": 0, "ask": "open", "clauses": [{"obligation": True, "formula": "p"}]}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"ask": "verdicts", "formula": ["U", -1, "p", "p"], "clips": [CLIP]}, "the radius of `U` is negative: -1"),
        ({"ask": "verdicts", "formula": ["S", -2, "p", "p"], "clips": [CLIP]}, "the radius of `S` is negative: -2"),
        ({"ask": "verdicts", "formula": ["F", 2, 1, "p"], "clips": [CLIP]}, "the window of `F` has the bounds 2 > 1"),
        ({"ask": "measure", "formula": ["G", True, 1, "p"]}, "`true` is not a bound; bounds are integers, in frames"),
        ({"ask": "verdicts", "formula": "p", "clips": []}, "a case has at least one clip"),
        ({"ask": "clause", "obligation": True, "formula": "p", "clips": []}, "a case has at least one clip"),
        ({"ask": "verdicts", "formula": "q", "clips": [CLIP]}, 'a clip lacks the atom `"q"`'),
        ({"ask": "verdicts", "formula": "p", "clips": [{"frames": -1, "masks": {}}]}, "a clip has `-1` frames"),
        ({"ask": "verdict", "formula": "p", "clips": [CLIP]}, 'nothing is known of the ask `"verdict"`'),
        ({"ask": "measure", "formula": "p", "want": ["depth"]}, 'the answer has no part `"depth"`'),
        ({"ask": "measure"}, "it lacks `formula`"),
        ({"ask": "verdicts", "formula": "p", "clips": 3}, "`clips` is `3`, not a list"),
        ({"ask": "verdicts", "formula": "p", "clips": [{"frames": 1}]}, "`clips[0]` lacks `masks`"),
        (
            {"ask": "verdicts", "formula": "p", "clips": [CLIP, {"frames": 1, "masks": ["1"]}]},
            '`clips[1].masks` is `["1"]`, not an object',
        ),
        (
            {"ask": "runs", "mask": "01", "step": "1/0", "merge_gap": "0"},
            '`step` is `"1/0"`, not: a time in seconds as decimal text or a fraction (5.2)',
        ),
        (
            {"ask": "match", "step": "1", "ref": [[0, 1], [2]], "pred": [], "matcher": MATCHER},
            "`ref[1]` has 1 entries, not 2",
        ),
        (
            {"ask": "match", "step": "1", "ref": [], "pred": [], "matcher": {**MATCHER, "kind": "best"}},
            '`matcher.kind` is `"best"`, not `"greedy"` or `"optimal"`',
        ),
        (
            {"ask": "aggregate", "kind": "frame", "entries": [[{"satisfied": "1", "obligated": 1}]]},
            '`entries[0][0].satisfied` is `"1"`, not an integer',
        ),
        ({"ask": "open", "clauses": [{"obligation": True}]}, "`clauses[0]` lacks `formula`"),
        ({"ask": "chunk", "frames": 1, "masks": 7}, "`masks` is `7`, not an object"),
        ({"ask": "chunk", "frames": 2, "masks": {"p": "1"}}, "a mask has another length than its clip"),
        ({"ask": "frame", "values": {}}, 'a frame lacks the atom `"p"`'),
        ({"ask": "frame", "values": {"p": "1"}}, '`"p"` is `"1"`, which is neither true, false, 1 nor 0'),
        ({"ask": "frame", "values": {"p": None}}, '`"p"` is `null`, which is neither true, false, 1 nor 0'),
        ({"ask": "frame", "values": {"p": 2}}, '`"p"` is `2`, which is neither true, false, 1 nor 0'),
        ({"ask": "frame", "values": ["p"]}, 'the values of a frame are an object, not `["p"]`'),
    ],
    ids=str,
)
def test_an_error_says_what_is_wrong_with_the_case(message: dict[str, Any], words: str) -> None:
    _, wrong = talk(OPEN, {"id": 1, **message})
    assert wrong == {"id": 1, "error": f"the case is not well formed: {words}"}


ENTRY = {"satisfied": 1, "obligated": 2}
CONTRACT = "contract c step y param y = 1s sweep y = 2s atom z clause k on z : ref_active"
CLIP = {"name": "a", "duration": "2", "ref": [], "pred": [], "masks": {"z": "01"}}


@pytest.mark.parametrize(
    "case",
    [
        {"ask": "aggregate", "kind": "frame", "entries": []},
        {"ask": "aggregate", "kind": "frame", "entries": [[]]},
        {"ask": "aggregate", "kind": "frame", "entries": [[ENTRY], [ENTRY, ENTRY]]},
        {"ask": "score", "contract": CONTRACT, "clips": [CLIP]},
        {"ask": "score", "contract": CONTRACT.replace("sweep y = 2s", ""), "clips": [CLIP, CLIP]},
        {"ask": "formula", "text": "p", "step": "0"},
    ],
)
def test_a_case_of_another_form_is_refused(case: dict[str, Any]) -> None:
    assert Session().reply(json.dumps({"id": 1, **case}))["error"].startswith("the case is not well formed")


def test_what_has_a_fault_lacks_the_parts_that_only_sound_texts_have() -> None:
    text, clips = "contract c step 1s clause k on foo : true", [{**CLIP, "masks": {}}]
    score = {"id": 1, "ask": "score", "want": ["errors", "warnings", "vector"], "contract": text, "clips": clips}
    contract = {"id": 1, "ask": "contract", "want": ["errors", "warnings", "canonical"], "text": text}
    assert Session().reply(json.dumps(score))["answer"] == {"errors": ["unknown-atom"]}
    assert Session().reply(json.dumps(contract))["answer"].keys() == {"errors", "warnings"}


def test_a_bad_frame_is_no_frame_of_the_stream() -> None:
    good, bad = {"ask": "frame", "values": {"p": 1}}, {"ask": "frame", "values": {}}
    replies = talk(OPEN, {"id": 1, **good}, {"id": 2, **bad}, {"id": 3, **good})
    assert [reply.get("answer") for reply in replies[1:]] == [
        {"out": [[0, 0, "satisfied"]]},
        None,
        {"out": [[1, 0, "satisfied"]]},
    ]


def test_to_a_hello_of_another_version_the_oracle_says_its_own_and_ends() -> None:
    (hello,) = talk({"hello": "tester", "version": 2, "profiles": []}, {"id": 1, "ask": "measure", "formula": "p"})
    assert hello["version"] == PROTOCOL


def test_the_fast_path_serves_too() -> None:
    case = {"id": 1, "ask": "verdicts", "formula": ["G", 0, 1, "p"], "clips": [{"frames": 2, "masks": {"p": "01"}}]}
    for engine in (REFERENCE, FAST):
        assert Session(engine).reply(json.dumps(case)) == {"id": 1, "answer": {"verdicts": ["01"]}}


def test_the_text_names_every_ask_of_the_suite_and_its_examples_are_true() -> None:
    text = spec_path("protocol.md").read_text(encoding="utf-8")
    for ask in {vector.input["ask"] for vector in suite()}:
        assert f"`{ask}`" in text, ask
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    for vector in suite():
        (asks,) = [row[2] for row in rows if f"`{vector.profile.value}`" in row[1] and len(row) == 4]
        assert f"`{vector.input['ask']}`" in asks, vector.id
    session = Session()
    shown = [line.strip() for line in text.splitlines() if line.startswith(("    →", "    ←"))]
    for question, reply in zip(shown[2::2], shown[3::2], strict=True):
        assert session.reply(question.removeprefix("→ ")) == json.loads(reply.removeprefix("← ")), question


def test_the_text_names_every_key_of_an_answer() -> None:
    text = spec_path("protocol.md").read_text(encoding="utf-8")
    listed = text[text.index("**P16**") : text.index("**P17**")]
    for vector in suite():
        ask = vector.input["ask"]
        if ask in ("contract", "score", "aggregate", "stream"):  # the schema lists these, and P9 those of a stream
            continue
        line = listed[listed.index(f"`{ask}`: ") :].split("\n  - ")[0]
        line += listed[listed.index("`clause`: ") :].split("\n  - ")[0] if "those of `clause`" in line else ""
        assert [key for key in vector.expected if f"`{key}`" not in line] == [], vector.id


# Implementations that do not keep to the protocol, as one line of Python each.

HELLO = 'import sys,time; sys.stdin.readline(); print(\'{"hello":"x","version":1,"profiles":["core"]}\',flush=True); '
MISBEHAVED = {
    "no hello": ("pass", "crashed", "exit code 0"),
    "ends with a word": ("import sys; sys.exit('no licence')", "crashed", "no licence"),
    "another version": ('print(\'{"hello":"x","version":2,"profiles":[]}\')', "bad-hello", "version 2"),
    "another profile": ('print(\'{"hello":"x","version":1,"profiles":["all"]}\')', "bad-hello", "all"),
    "greets people": ("print('Welcome!')", "rubbish", "Welcome!"),
    "prints a list": ("print('[1]')", "rubbish", "[1]"),
    "sleeps": ("import time; time.sleep(3600)", "hangs", "0.5 s"),
    "sleeps over a case": (HELLO + "time.sleep(3600)", "hangs", "0.5 s"),
    "crashes over a case": (HELLO + "sys.stdin.readline(); 1/0", "crashed", "ZeroDivisionError"),
    "kills itself": (HELLO + "import os; os.kill(os.getpid(), 9)", "crashed", "SIGKILL"),
    "answers another case": (
        HELLO + 'print(\'{"id":7,"answer":{}}\',flush=True); time.sleep(9)',
        "out-of-order",
        "`7`",
    ),
    "answers true for one": (
        HELLO + 'print(\'{"id":true,"answer":{}}\',flush=True); time.sleep(9)',
        "out-of-order",
        "`true`",
    ),
    "has no answer": (HELLO + "print('{\"id\":1}',flush=True); time.sleep(9)", "rubbish", "not one of an answer"),
    "answers a list": (
        HELLO + 'print(\'{"id":1,"answer":[]}\',flush=True); time.sleep(9)',
        "rubbish",
        "not one of an answer",
    ),
    "prints bytes": (
        HELLO + "sys.stdout.buffer.write(bytes([255,254,10])); sys.stdout.flush(); time.sleep(9)",
        "rubbish",
        "not JSON",
    ),
    "answers three and a half": (HELLO + 'print(\'{"id":1.0,"answer":{}}\',flush=True)', "out-of-order", "`1.0`"),
    "answers and cannot": (
        HELLO + 'print(\'{"id":1,"answer":{},"unsupported":"x"}\',flush=True)',
        "rubbish",
        "not one",
    ),
    "cannot for no reason": (HELLO + 'print(\'{"id":1,"unsupported":null}\',flush=True)', "rubbish", "not one"),
    "answers NaN": (HELLO + 'print(\'{"id":1,"answer":{"lookahead":NaN}}\',flush=True)', "rubbish", "not JSON"),
    "answers beyond floats": (
        HELLO + 'print(\'{"id":1,"answer":{"lookahead":1e999}}\',flush=True)',
        "rubbish",
        "not JSON",
    ),
    "answers with many digits": (
        HELLO + "print('{\"id\":1'+'0'*9999+',\"answer\":{}}',flush=True)",
        "rubbish",
        "not JSON",
    ),
    "prints one line without end": (HELLO + "\nwhile True: sys.stdout.write('x'*100000)", "rubbish", "more than"),
    "a name of two lines": (
        'print(\'{"hello":"x\\\\nconforms: y","version":1,"profiles":["core"]}\')',
        "bad-hello",
        "one line",
    ),
    "a name that colours": (
        'print(\'{"hello":"\\\\u001b[1mx","version":1,"profiles":["core"]}\')',
        "bad-hello",
        "one line",
    ),
    "a name without end": (
        'print(\'{"hello":"\'+"x"*999+\'","version":1,"profiles":["core"]}\')',
        "bad-hello",
        "one line",
    ),
    "never stops": (HELLO + "\nwhile True: print('x'*1000)", "rubbish", "not JSON"),
}


def _talk_to(peer: Peer) -> None:
    peer.start()
    peer.ask({"ask": "measure", "formula": "p", "want": ["lookahead"]})


@pytest.mark.parametrize("name", MISBEHAVED)
def test_an_implementation_that_does_not_keep_to_the_protocol_is_named_and_ended(name: str) -> None:
    program, kind, words = MISBEHAVED[name]
    peer = Peer([sys.executable, "-c", program], 0.5 if kind == "hangs" else 10)
    with pytest.raises(PeerFault) as caught:
        _talk_to(peer)
    assert caught.value.kind == kind
    assert words in caught.value.words
    assert not peer.runs


def test_a_command_that_is_not_there_is_named() -> None:
    with pytest.raises(PeerFault, match="cannot be started: no such file"):
        Peer(["no-such-command-here"], 1).start()


LEFT = {
    "in its group": "subprocess.Popen(SLEEP)",
    "in a session of its own": "subprocess.Popen(SLEEP, start_new_session=True)",
    "without the mark": "subprocess.Popen(SLEEP, start_new_session=True, env={})",
    "without the mark and without its parent": (
        "subprocess.run([sys.executable, '-c', 'import subprocess, sys; subprocess.Popen(sys.argv[1:], "
        "start_new_session=True, env={})', *SLEEP])"
    ),
    "deaf to signals": "subprocess.Popen([*SLEEP[:2], 'trap : HUP INT TERM; ' + SLEEP[2]], start_new_session=True)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found by Linux's list of them")
@pytest.mark.parametrize("how", LEFT)
@pytest.mark.parametrize("ends", ["hangs", "crashed"])
def test_what_an_implementation_starts_ends_with_it(how: str, ends: str, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    last = "time.sleep(3600)" if ends == "hangs" else "sys.exit(3)"
    program = f"""
import os, subprocess, sys, time
SLEEP = ["/bin/sh", "-c", "echo $$ > {note}; while true; do /bin/sleep 1; done"]
{LEFT[how]}
while not os.path.exists({str(note)!r}) or not open({str(note)!r}).read(): time.sleep(0.01)
{last}
"""
    peer = Peer([sys.executable, "-c", program], 2 if ends == "hangs" else 20)
    with pytest.raises(PeerFault) as caught:
        peer.start()
    assert caught.value.kind == ends
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


def test_an_implementation_that_crashes_after_its_last_case_is_found_at_the_end() -> None:
    program = HELLO + 'sys.stdin.readline(); print(\'{"id":1,"answer":{}}\',flush=True); sys.stdin.read(); sys.exit(7)'
    peer = Peer([sys.executable, "-c", program], 5)
    peer.start()
    peer.ask({"ask": "measure", "formula": "p", "want": []})
    with pytest.raises(PeerFault, match="after its last case it ended with exit code 7"):
        peer.close()


HUGE = {
    "a trace": {"ask": "verdicts", "formula": "p", "clips": [{"frames": 1, "masks": {"p": "1" * (1 << 21)}}]},
    "a duration": {"ask": "project", "step": "1/1000", "duration": "999999999", "projection": "centre", "events": []},
    "a window": {"ask": "verdicts", "formula": ["F", 0, 1 << 40, "p"], "clips": [{"frames": 1, "masks": {"p": "1"}}]},
    "a run": {
        "ask": "match",
        "step": "1",
        "ref": [[0, 1 << 40]],
        "pred": [],
        "matcher": {"kind": "greedy", "search": "1", "overlap_reward": "0"},
    },
    "a scene": {
        "ask": "events",
        "step": "1",
        "frames": 1 << 40,
        "each": "ref",
        "predicate": "matched",
        "ref": [],
        "pred": [],
    },
    "a clip": {
        "ask": "score",
        "contract": "contract c step 1ms clause k on ref_active : pred_active",
        "clips": [{"name": "a", "duration": "99999999", "ref": [], "pred": []}],
    },
    "a number of channels": {"ask": "lines", "text": "", "channels": 1 << 40},
}


@pytest.mark.parametrize("what", HUGE)
def test_the_size_of_a_case_is_bounded_before_anything_is_computed(what: str) -> None:
    reply = Session().reply(json.dumps({"id": 1, **HUGE[what]}))
    assert "error" in reply, reply


def test_a_window_far_beyond_its_trace_is_no_work() -> None:
    case = {"formula": ["G", 0, 1 << 31, ["F", -(1 << 31), 0, "p"]], "clips": [{"frames": 3, "masks": {"p": "100"}}]}
    assert Session().reply(json.dumps({"id": 1, "ask": "verdicts", **case}))["answer"] == {"verdicts": ["111"]}


def test_an_implementation_that_says_more_than_it_was_asked_is_found_at_the_end() -> None:
    program = HELLO + 'i=sys.stdin.readline(); print(\'{"id":1,"answer":{}}\\nbye\',flush=True); sys.stdin.read()'
    peer = Peer([sys.executable, "-c", program], 2)
    peer.start()
    peer.ask({"ask": "measure", "formula": "p", "want": []})
    with pytest.raises(PeerFault, match="more lines than it was asked for: `bye`"):
        peer.close()


def test_an_implementation_that_does_not_end_is_ended() -> None:
    peer = Peer([sys.executable, "-c", HELLO + "time.sleep(3600)"], 0.5)
    peer.start()
    with pytest.raises(PeerFault, match="did not end within"):
        peer.close()
    assert not peer.runs
