"""A scene of the workbench: its verdicts are those of scoring, its lanes add up, the cast and traces come as clips."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import environments

from tracepact.author.play_command import CurveAnswer, CurveQuestion, Verdicts, curve, players, verdicts
from tracepact.author.workbench import (
    MOST_CLIPS,
    MOST_FRAMES,
    Checker,
    GivenFile,
    PlayScene,
    SceneClip,
    clips_of_contract,
    clips_of_run,
    imported,
    judged,
    shown_clip,
)
from tracepact.declarations import starter_contracts
from tracepact.diagnostics.collection import InvalidInput
from tracepact.evaluate.predicates import ClipScene as Runs
from tracepact.evaluate.predicates import Obligation
from tracepact.language.compilation import load_contract, parse_contract
from tracepact.logic.arithmetic import EventExample, read_words
from tracepact.logic.models import Model, picture, read_picture
from tracepact.runs.run import score, score_document
from tracepact.wording import decimal

GATE = starter_contracts()["boundary_gate"].read_text(encoding="utf-8")
WRONG = """contract wrong
step 20ms
clause backwards on ref_onset : ref_onset -> N[40ms] pred_offset
clause silent on ref_active : !pred_active
clause half on each ref : pred.duration <= 0.5 * ref.duration
"""
ZONE = "contract z step 20ms atom zone clause quiet on zone : !pred_active"

ends = st.integers(0, 590).flatmap(lambda start: st.tuples(st.just(start), st.integers(start + 1, 600)))
events = st.lists(
    st.tuples(ends, st.sampled_from(["dog", "cat"])).map(
        lambda found: (str(Fraction(found[0][0], 50)), str(Fraction(found[0][1], 50)), found[1])
    ),
    max_size=6,
).map(tuple)


def gate(ref: tuple[tuple[str, str, str], ...], pred: tuple[tuple[str, str, str], ...], **more: str) -> PlayScene:
    return PlayScene(GATE, SceneClip("c", "12", ref, pred), more)


def value(found: Verdicts, clause: str) -> str:
    (one,) = (one for one in found.clauses if one.clause == clause)
    return one.value


@given(events, events, st.sampled_from(["20ms", "40ms", "100ms"]))
def test_a_scene_is_judged_as_scoring_judges_it(
    ref: tuple[tuple[str, str, str], ...], pred: tuple[tuple[str, str, str], ...], tol: str
) -> None:
    found = verdicts(gate(ref, pred, tol=tol))
    sides = [[(Fraction(a), Fraction(b), label) for a, b, label in side] for side in (ref, pred)]
    run = score("boundary_gate", {"c": sides[0]}, {"c": sides[1]}, durations=12, set={"tol": tol})
    assert {one.clause: one.value for one in found.clauses} == {n: decimal(v) for n, v in run.vector.items()}
    assert found.mean == decimal(run.card.logic())


@given(events, events)
def test_the_lanes_of_a_clause_hold_its_obligations_and_its_violations(
    ref: tuple[tuple[str, str, str], ...], pred: tuple[tuple[str, str, str], ...]
) -> None:
    for clause in verdicts(gate(ref, pred)).clauses:
        size = (lambda runs: sum(b - a for a, b in runs)) if clause.kind == "frames" else len
        assert sum(size(lane.obligated) for lane in clause.lanes) == clause.obligated
        assert sum(size(lane.violated) for lane in clause.lanes) == clause.obligated - clause.satisfied
        for lane in clause.lanes:
            duty = {frame for a, b in lane.obligated for frame in range(a, b)}
            assert all(frame in duty for a, b in lane.violated for frame in range(a, b))


def test_the_onset_guard_turns_one_frame_after_its_tolerance() -> None:
    on_time, late = (gate((("1", "2", "dog"),), ((onset, "2", "dog"),)) for onset in ("1.04", "1.06"))
    assert value(verdicts(on_time), "onset_guard") == "1.000"
    found = verdicts(late)
    assert value(found, "onset_guard") == "0.000"
    (violation,) = next(one for one in found.clauses if one.clause == "onset_guard").violations
    assert (violation.label, violation.at, violation.words) == ("dog", "1", "nearest 0.06 s later")
    moved = verdicts(gate((("1", "2", "dog"),), (("1.06", "2", "dog"),), tol="60ms"))
    assert value(moved, "onset_guard") == "1.000"
    assert next((p.name, p.text, p.written) for p in moved.parameters) == ("tol", "60ms", "40ms")


def test_a_contract_with_a_mistake_gives_its_message_and_no_verdict() -> None:
    found = verdicts(PlayScene(GATE.replace("pred_onset", "pred_onest", 1), SceneClip("c", "12")))
    assert [one.code for one in found.diagnostics] == ["unknown-atom"]
    assert found.clauses == ()
    assert found.contract is None
    bad_value = verdicts(gate((), (), tol="40kg"))
    assert bad_value.diagnostics
    assert bad_value.clauses == ()


@pytest.mark.parametrize(
    ("clip", "code"),
    [
        (SceneClip("c", "0"), "bad-time"),
        (SceneClip("c", "twelve"), "bad-time"),
        (SceneClip("c", "12", (("1", "x", "dog"),)), "bad-time"),
        (SceneClip("c", str(MOST_FRAMES // 50 + 1)), "too-many-frames"),
        (SceneClip("c", "12", (("13", "14", "dog"),)), "starts-outside-clip"),
    ],
)
def test_a_scene_that_cannot_be_scored_says_why(clip: SceneClip, code: str) -> None:
    found = verdicts(PlayScene(GATE, clip))
    assert code in [one.code for one in found.diagnostics]
    assert found.clauses == ()
    assert found.contract == "boundary_gate"


def test_a_declared_atom_is_a_lane_of_its_own() -> None:
    alarm = (("1", "2", "dog"),)
    quiet = PlayScene(ZONE, SceneClip("c", "4", (), alarm, (), {"zone": (("2", "3"),), "other": (("0", "1"),)}))
    loud = PlayScene(ZONE, SceneClip("c", "4", (), alarm, (), {"zone": (("1.5", "3"),)}))
    assert value(verdicts(quiet), "quiet") == "1.000"
    assert value(verdicts(loud), "quiet") == decimal(Fraction(2, 3))
    assert value(verdicts(PlayScene(ZONE, SceneClip("c", "4", (), alarm))), "quiet") == "1.000"


@pytest.mark.parametrize("name", starter_contracts())
def test_a_workbench_begins_with_scenes_that_a_perfect_prediction_passes(name: str) -> None:
    contract = load_contract(name)
    for clip in clips_of_contract(contract):
        assert clip.pred == clip.ref
        card, _ = judged(contract, PlayScene(contract.source.text, clip))
        assert card.logic() == 1


def test_the_clips_of_a_run_score_as_the_run() -> None:
    sides = {"a": [(1, 2, "dog")], "b": []}, {"a": [("1.06", 2, "dog")], "b": [(1, 2, "cat")]}
    run = score("boundary_gate", *sides, durations={"a": 4, "b": "7.5"}, ignore={"a": [(3, 4, "")]})
    clips = clips_of_run(run)
    assert [clip.name for clip in clips] == ["a", "b"]
    assert [clip.duration for clip in clips] == ["4", "7.5"]
    assert clips[0].ignore == (("3", "4", ""),)
    contract = run.card.contract
    for number, clip in enumerate(clips):
        card, _ = judged(contract, PlayScene(GATE, clip))
        for clause in contract.clauses:
            own, all_clips = card.counts[clause.name], run.card.counts[clause.name]
            assert own.obligated.sum() == all_clips.obligated[:, number].sum()
            assert own.satisfied.sum() == all_clips.satisfied[:, number].sum()


# The cast, curves


def test_the_cast_is_played_on_the_references_of_the_scene() -> None:
    scene = gate((("1", "2", "dog"), ("4", "5", "cat")), ())
    found = {player.name: player.pred for player in players(scene).players}
    assert found["perfect"] == (("4", "5", "cat"), ("1", "2", "dog"))
    assert found["silent"] == ()
    assert found["always on"] == (("0", "12", "cat"), ("0", "12", "dog"))
    assert found["+60 ms"] == (("4.06", "5.06", "cat"), ("1.06", "2.06", "dog"))
    assert players(PlayScene("contract", SceneClip("c", "1"))).players == ()
    assert players(PlayScene(GATE, SceneClip("c", "-"))).players == ()


def test_a_curve_is_drawn_for_a_parameter_and_refused_for_others() -> None:
    scene = gate((("1", "2", "dog"),), (("1.06", "2", "dog"),))
    drawn = curve(CurveQuestion(scene, "tol"))
    assert drawn.svg.startswith("<svg")
    assert "<style" not in drawn.svg, "the page's policy takes no style of a picture"
    assert "onset_guard" in drawn.svg
    assert [one.code for one in curve(CurveQuestion(scene, "tolerance")).diagnostics] == ["unknown-parameter"]
    assert curve(CurveQuestion(PlayScene("", scene.clip), "tol")) == CurveAnswer()


# Findings and their traces


def test_every_trace_of_a_perfect_prediction_that_fails_violates_its_clause() -> None:
    scene = PlayScene(WRONG, SceneClip("c", "1"))
    contract = parse_contract(WRONG)
    found = Checker().check(scene)
    assert found.stopped == ""
    shown = [one for one in found.findings if one.diagnostic.code == "perfect-prediction-fails"]
    assert len(shown) == 3
    for one in shown:
        assert one.clip is not None
        assert one.clip.ref == one.clip.pred
        (name,) = (c.name for c in contract.clauses if f"`{c.name}`" in one.diagnostic.headline)
        card, _ = judged(contract, PlayScene(WRONG, one.clip))
        assert card.score(name).value < 1


def test_a_check_is_stopped_by_the_next_one_and_by_its_time() -> None:
    out_of_time = Checker(seconds=-1).check(PlayScene(WRONG, SceneClip("c", "1")))
    assert "within" in out_of_time.stopped
    checker = Checker()
    asked: list[str] = []

    class Later(str):
        """A text that, when it is compiled, has been replaced by another already."""

        __slots__ = ()

        def __hash__(self) -> int:
            if not asked:
                asked.append("once")
                checker.changed(PlayScene(GATE, SceneClip("c", "1")))
            return str.__hash__(self)

    found = checker.check(PlayScene(Later(WRONG), SceneClip("c", "1")))
    assert (found.findings, found.stopped) == ((), "the contract has changed")
    assert checker.check(PlayScene(WRONG, SceneClip("c", "1"))).stopped == ""
    assert checker.check(PlayScene("", SceneClip("c", "1"))).stopped == "the contract has errors"


@given(environments(("ref_active", "pred_active", "zone"), shortest=1))
def test_a_picture_is_read_back_as_it_was_drawn(environment: tuple[int, dict[str, list[bool]]]) -> None:
    frames, rows = environment
    model = Model(frames, {name: tuple(row) for name, row in rows.items()}, frames // 2)
    assert read_picture(picture(model)) == model.atoms
    assert read_picture(f"{picture(model)}\nmore words") == model.atoms


def test_a_picture_that_leaves_frames_out_is_not_read() -> None:
    drawn = picture(Model(100, {"p": (True,) * 100}, 0))
    assert "more" in drawn
    assert read_picture(drawn) is None
    assert read_picture("") is None
    assert read_picture("ref   [0, 1)") is None
    assert read_words(drawn) is None
    assert shown_clip(load_contract("boundary_gate"), "a", "words") is None


@given(st.lists(ends, max_size=3), st.lists(ends, max_size=3), st.lists(ends, max_size=2), st.sampled_from([50, 30, 3]))
def test_the_words_of_a_scene_are_read_back(
    refs: list[tuple[int, int]], preds: list[tuple[int, int]], others: list[tuple[int, int]], rate: int
) -> None:
    step = Fraction(1, rate)
    scene = Runs(tuple(refs), tuple(preds), (tuple(others),) if others else ())
    words = EventExample(Obligation(refs[0] if refs else None, preds[0] if preds else None, scene)).words(step)
    expected = tuple([(a * step, b * step) for a, b in some] for some in (refs, preds, others))
    assert read_words(words) == expected


# Files


def test_a_document_is_read_with_all_that_it_holds(tmp_path: Path) -> None:
    clip = {
        "name": "a",
        "duration": "4",
        "ref": [["1", "2", "dog"]],
        "pred": [["1.06", "2", "dog"]],
        "ignore": [["3", "4"]],
        "masks": {"zone": [[10, 20], [30, 31]]},
    }
    text = json.dumps({"clips": [clip]})
    found = imported(GivenFile("pair.json", text, "pred", PlayScene(ZONE, SceneClip("c", "1"))))
    assert found.diagnostics == ()
    (one,) = found.clips
    assert one.masks == {"zone": (("0.2", "0.4"), ("0.6", "0.62"))}
    assert one.ignore == (("3", "4", ""),)
    path = tmp_path / "pair.json"
    path.write_text(text)
    run = score_document(parse_contract(ZONE), path)
    assert value(verdicts(PlayScene(ZONE, one)), "quiet") == decimal(run.vector["quiet"])


def test_clips_that_are_too_many_for_the_page_are_left_out_with_a_word() -> None:
    clips = [{"name": f"c{k}", "duration": 1, "ref": [], "pred": []} for k in range(MOST_CLIPS + 1)]
    found = imported(GivenFile("pair.json", json.dumps({"clips": clips}), "pred", gate((), ())))
    assert len(found.clips) == MOST_CLIPS
    assert "only the first" in found.notice


def test_a_table_is_one_side_of_the_scene() -> None:
    scene = gate((("1", "2", "dog"),), ())
    text = "filename\tonset\toffset\tevent_label\nclip.wav\t1.06\t14.5\tdog\n"
    (clip,) = imported(GivenFile("prediction.tsv", text, "pred", scene)).clips
    assert (clip.name, clip.duration) == ("clip.wav", "15")
    assert clip.ref == scene.clip.ref
    assert clip.pred == (("1.06", "14.5", "dog"),)
    (clip,) = imported(GivenFile("x.tsv", text, "ref", scene)).clips
    assert clip.ref == (("1.06", "14.5", "dog"),)
    side = json.dumps({"clips": {"c": [[1, 2, "dog"]], "d": []}})
    assert [c.name for c in imported(GivenFile("side.json", side, "pred", scene)).clips] == ["c", "d"]
    assert imported(GivenFile("own.contract", WRONG, "pred", scene)).contract == WRONG


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("pair.json", '{"clips": [{"name": "a", "ref": [], "pred": []}]}', "unknown-duration"),
        ("pair.json", "{", "bad-json"),
        ("table.tsv", "filename\tonset\toffset\tevent_label\na\t1\tx\tdog\n", "bad-time"),
        ("table.tsv", "nothing of the kind", "wrong-columns"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(name: str, text: str, code: str) -> None:
    found = imported(GivenFile(name, text, "pred", gate((), ())))
    assert code in [one.code for one in found.diagnostics]
    assert found.clips == ()


def test_what_a_scene_may_hold_is_bounded() -> None:
    many = (("0", "1", "dog"),)
    with pytest.raises(InvalidInput):
        judged(load_contract("boundary_gate"), PlayScene(GATE, SceneClip("c", "1e9", many)))
