"""The compact clips of a page against the scorecard they were made from."""

from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from strategies import sized

from score.runs import runs, small_run
from tracepact.data.family import Side
from tracepact.runs.run import Run, score
from tracepact.runs.timelines import clip_data

FEWER = settings(max_examples=max(sized(20), settings().max_examples // 4))


def unpacked(flat: list[int]) -> list[tuple[int, int]]:
    runs, last = [], 0
    for gap, length in zip(flat[::2], flat[1::2], strict=True):
        runs.append((last + gap, last + gap + length))
        last += gap + length
    return runs


def failures(data: dict[str, Any], segment: list[Any]) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for index, *flat in segment[7]:
        clause = data["clauses"][index]
        size = len(clause["fields"])
        found[clause["name"]] = [
            dict(zip(clause["fields"], flat[i : i + size], strict=True)) for i in range(0, len(flat), size)
        ]
    return found


@FEWER
@given(runs())
def test_unpacked_clips_are_the_runs_and_matches_of_the_family(run: Run) -> None:
    data, family = clip_data(run.card, run.conditions), run.card.family
    seen = {}
    for clip, label, ref, pred, ignored, matches, _, _ in data["segments"]:
        segment = family.segment(label, clip)
        seen[segment] = [tuple(matches[i : i + 4]) for i in range(0, len(matches), 4)]
        assert tuple(unpacked(ref)) == family.runs[Side.REF].get(segment, ())
        assert tuple(unpacked(pred)) == family.runs[Side.PRED].get(segment, ())
        assert tuple(unpacked(ignored)) == family.ignored.get(segment, ())
    assert set(family.runs[Side.REF]) | set(family.runs[Side.PRED]) <= set(seen)
    pairs = [(m.segment, (*m.ref, *m.pred)) for m in run.card.events.matches]
    assert sorted(pairs) == sorted((s, pair) for s, some in seen.items() for pair in some)
    assert data["clips"] == list(family.clips)
    assert [data["conditions"][i] for i in data["condition"]] == [
        run.conditions[clip] for clip in (family.clips if run.conditions else ())
    ]


@FEWER
@given(runs())
def test_failures_are_the_violated_obligations_with_their_distances_and_parts(run: Run) -> None:
    """Stretches unrolled to frames are exactly the violated frames; the ends of their distances are among them."""
    card = run.card
    data = clip_data(card)
    source = card.contract.source.text
    by_segment = {card.family.segment(s[1], s[0]): failures(data, s) for s in data["segments"]}
    for clause in card.contract.frame_clauses:
        found = card.frame_violations(clause.name)
        frames: dict[tuple[int, int], tuple[str, int | None]] = {}
        for k in range(len(found)):
            span = found.spans[int(found.span[k])]
            part = " ".join(source[span.start : span.end].split())
            frames[int(found.segment[k]), int(found.frame[k])] = part, found.distance(k)
        shown = set()
        for segment, clauses in by_segment.items():
            for failure in clauses.get(clause.name, ()):
                places = [(segment, failure["start"] + i) for i in range(failure["length"])]
                shown.update(places)
                assert {frames[place][0] for place in places} == {data["texts"][failure["part"]]}
                if found.offset is not None:
                    distances = [frames[place][1] for place in places]
                    if None in distances:
                        assert set(distances) == {None}
                        assert failure["nearest"] is failure["farthest"] is None
                    else:
                        ends = [abs(failure["nearest"]), abs(failure["farthest"])]
                        assert ends == [min(distances), max(distances)]  # type: ignore[type-var]  # none is None
        assert shown == set(frames)
    for evaluation in card.events.clauses:
        name = evaluation.clause.name
        intervals = sorted((w.segment, *w.interval) for w in evaluation.violations)
        listed = [(s, f) for s, clauses in by_segment.items() for f in clauses.get(name, ())]
        assert sorted((s, f["start"], f["start"] + f["length"]) for s, f in listed) == intervals


@FEWER
@given(runs())
def test_the_scores_of_a_segment_are_its_counts(run: Run) -> None:
    data = clip_data(run.card)
    for clip, label, *_, scores, _ in data["segments"]:
        for index, clause in enumerate(run.card.contract.clauses):
            score = run.card.counts[clause.name].score(label, clip)
            satisfied, obligated = scores[2 * index : 2 * index + 2]
            if satisfied < 0:
                assert (score.value, score.obligated, score.vacuous) == (Fraction(0), 0, False)
            else:
                assert (satisfied, obligated) == (score.satisfied, score.obligated)


def test_silent_clips_have_no_segment() -> None:
    data = clip_data(small_run(pred={"a.wav": [(0, 1, "x")], "b.wav": []}).card)
    assert {segment[0] for segment in data["segments"]} == {0}


def test_a_page_holds_the_clips_that_lose_most_and_says_of_how_many() -> None:
    ref = {f"{number}.wav": [(0.5, 1, "x")] for number in range(6)}
    pred = {name: intervals if name in ("0.wav", "3.wav") else [] for name, intervals in ref.items()}
    run = score("boundary_gate", ref, pred, durations=2, conditions=dict.fromkeys(ref, "wet") | {"5.wav": "dry"})
    whole, data = clip_data(run.card, run.conditions), clip_data(run.card, run.conditions, most=4)
    assert whole["total"] == data["total"] == len(whole["clips"]) == 6
    assert data["clips"] == ["1.wav", "2.wav", "4.wav", "5.wav"]  # two of six are perfect
    assert [data["conditions"][group] for group in data["condition"]] == ["wet", "wet", "wet", "dry"]
    by_name = {whole["clips"][clip]: rest for clip, *rest in whole["segments"]}
    assert [(data["clips"][clip], rest) for clip, *rest in data["segments"]] == [
        (name, by_name[name]) for name in data["clips"]
    ]
