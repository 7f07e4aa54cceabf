"""Systems that do not listen (silent, always on, metronome, random) lead nothing unearned (rules 16.12, 16.13)."""

from collections.abc import Collection, Mapping
from fractions import Fraction
from itertools import combinations
from math import ceil
from pathlib import Path
from random import Random

import pytest
from cli.command import run as command
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import sized

from tracepact import Aggregation, Contract, Run, load_contract, parse_contract, score, starter_contracts
from tracepact.audits.audit_profile import Ranking, audit_profile, audit_selection, value_rows
from tracepact.audits.audit_settings import audit_threshold
from tracepact.audits.audit_stability import audit_neutrality
from tracepact.audits.systems import ScoredSystem, Systems, read_systems
from tracepact.data.family import Family, Side
from tracepact.declarations import spec_path
from tracepact.evaluate.cast import AnswersTally, answers, is_constant
from tracepact.evaluate.scores import score_share
from tracepact.runs.report_parts import report_of
from tracepact.runs.report_views import run_pages

pytestmark = pytest.mark.slow

Events = list[tuple[Fraction, Fraction, str]]
Table = Mapping[str, Events]
NAMES = tuple(starter_contracts())
CONSTANT = ("silent", "always on", "metronome", "random")
ALIKE = {"silent", "always on", "metronome"}
"""Those that answer the same throughout, or in every clip."""
DEMO = ("late_long", "fragmenting", "over_firing")
FEWER = settings(max_examples=max(sized(5), settings().max_examples // 20))


def demo(name: str) -> dict[str, Events]:
    found: dict[str, Events] = {}
    for line in spec_path(f"demo/{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        clip, *event = line.split("\t")
        events = found.setdefault(clip, [])
        if len(event) == 3 and event[0]:
            events.append((Fraction(event[0]), Fraction(event[1]), event[2]))
    return found


def demo_lengths() -> dict[str, Fraction]:
    lines = spec_path("demo/durations.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {clip: Fraction(length) for clip, length in (line.split("\t") for line in lines)}


def random_events(random: Random, length: Fraction, labels: list[str]) -> Events:
    """Events of every label with pauses between them, in hundredths of a second."""
    found: Events = []
    for label in labels:
        time = Fraction(random.randint(20, 200), 100)
        while (end := time + Fraction(random.randint(20, 150), 100)) < length - 1:
            found.append((time, end, label))
            time = end + Fraction(random.randint(60, 200), 100)
    return found


def metronome(length: Fraction, labels: Collection[str]) -> Events:
    """Every class on for a quarter of a second and off for another, until the clip ends."""
    starts = (Fraction(k, 2) for k in range(ceil(2 * length)))
    return [(start, min(start + Fraction(1, 4), length), label) for start in starts for label in labels]


def constant(random: Random, lengths: Mapping[str, Fraction], labels: list[str]) -> dict[str, Table]:
    return {
        "silent": {clip: [] for clip in lengths},
        "always on": {clip: [(Fraction(0), length, label) for label in labels] for clip, length in lengths.items()},
        "metronome": {clip: metronome(length, labels) for clip, length in lengths.items()},
        "random": {clip: random_events(random, length, labels) for clip, length in lengths.items()},
    }


def scored(contract: Contract, ref: Table, systems: Mapping[str, Table], lengths: object) -> dict[str, Run]:
    return {name: score(contract, ref, pred, durations=lengths) for name, pred in systems.items()}


def as_systems(contract: Contract, runs: Mapping[str, Run]) -> Systems:
    found = []
    for name, run in runs.items():
        vectors = {a: run.card.vector(a) for a in Aggregation}
        scores = {a: {c: s.value for c, s in vector.items()} for a, vector in vectors.items()}
        shares = {a: {c: score_share(s) for c, s in vector.items()} for a, vector in vectors.items()}
        found.append(ScoredSystem(name, scores, shares, is_constant(run.card.family)))
    return Systems(contract, tuple(found))


def asks_nothing(run: Run, clause: str) -> bool:
    """By the definition: no obligation in any clip and class, and no counter evidence (7.3, 7.4)."""
    counts = run.card.counts[clause]
    return int(counts.obligated.sum()) == 0 and not counts.counter.any()


def check_leaders(contract: Contract, runs: Mapping[str, Run], listening: str | None = None) -> None:
    """Only what is earned is ranked; a system that listens is first wherever every clause asks it something."""
    systems = as_systems(contract, runs)
    idle = {name: {c for c in run.card.counts if asks_nothing(run, c)} for name, run in runs.items()}
    telling = set(next(iter(runs.values())).card.counts) - set.intersection(*idle.values())
    made_of: list[tuple[set[str], Ranking]] = [
        ({w.clause for w in row.weights}, row) for row in audit_profile(systems).profiles
    ]
    made_of += [({row.clause}, row) for row in audit_selection(systems).coordinates]
    for clauses, row in made_of:
        may = {name for name in runs if clauses & telling and not clauses & telling & idle[name]} - ALIKE
        assert {one.system for one in row.values if one.earned} == may
        top = max((one.value for one in row.values if one.system in may), default=None)
        assert set(row.best) == {one.system for one in row.values if one.system in may and one.value == top}
        assert {name for name, *_, rank, _, _, _ in value_rows(row) if rank} == may
        assert listening not in may or listening in row.best
        if listening is None:
            assert not {*row.best} & {*CONSTANT}, clauses
    for question in audit_neutrality(systems, [next(iter(runs))]).questions:
        for ranked in (question.of_all, question.of_rest):
            assert set(ranked.best) <= {one.system for one in ranked.values if one.earned} - ALIKE
    assert not {name for one in audit_profile(systems).dominated for name in one.by} & ALIKE


def check_headline(runs: Mapping[str, Run], listening: str) -> None:
    """Every constant system is below the one that listens, and none is credited for what asks nothing."""
    means = {}
    for name, run in runs.items():
        asked = [s.value for c, s in run.card.vector().items() if not asks_nothing(run, c)]
        means[name] = sum(asked, Fraction(0)) / len(asked)
        assert run.card.headline() == means[name]
    assert all(means[name] < means[listening] for name in CONSTANT), means


@pytest.mark.parametrize("name", NAMES)
def test_a_starter_contract_has_no_vacuous_entries(name: str) -> None:
    assert load_contract(name).aggregation is Aggregation.MACRO_CLASSES_INFORMATIVE


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_on_the_demo_no_constant_system_leads_what_it_has_not_earned(name: str) -> None:
    contract, ref, lengths = load_contract(name), demo("reference"), demo_lengths()
    labels = sorted({label for events in ref.values() for *_, label in events})
    systems = {system: demo(system) for system in DEMO} | constant(Random(7), lengths, labels)
    runs = scored(contract, ref, systems, lengths)
    check_leaders(contract, runs)
    check_headline(runs, "over_firing")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@FEWER
@given(seed=st.integers(0, 10**6))
@example(seed=390434)  # nothing asks the listening system about confusion, and the random one leads
def test_on_random_data_no_constant_system_leads_what_it_has_not_earned(name: str, seed: int) -> None:
    random = Random(seed)
    contract, labels = load_contract(name), ["a", "b"]
    lengths = {f"clip{number}": Fraction(random.randint(6, 12)) for number in range(random.randint(2, 4))}
    ref = {clip: random_events(random, length, labels) for clip, length in lengths.items()}
    ref["clip0"].append((Fraction(1, 5), Fraction(1), "c"))
    late = Fraction(1, 1000)
    listening = {clip: [(on + late, off + late, label) for on, off, label in rows] for clip, rows in ref.items()}
    systems: dict[str, Table] = {"listening": listening, **constant(random, lengths, [*labels, "c"])}
    runs = scored(contract, ref, systems, lengths)
    check_leaders(contract, runs, "listening")
    check_headline(runs, "listening")


def test_the_silent_system_of_boundary_gate_has_a_headline_of_nothing_in_every_view() -> None:
    run = score("boundary_gate", [(1, 2)], [], durations=5)
    assert run.card.logic() == Fraction(2, 7)  # two vacuous ones among seven clauses
    assert run.card.headline() == 0
    report = report_of(run)
    note = "nothing was asked by spurious_guard, silence_guard; counted as 1, the mean of the vector is 0.286"
    pages = run_pages(run)
    for text in (str(run), pages.form("markdown"), pages.form("html")):
        assert "mean without ∅ clauses" in text
        assert note in " ".join(text.replace(chr(92), "").split())
    assert report.to_dict()["logic"]["macro_classes_informative"]["value"] == "2/7"


def test_where_nothing_is_asked_there_is_no_headline() -> None:
    contract = parse_contract("contract c step 20ms clause quiet on pred_active : ref_active")
    run = score(contract, {"a": []}, {"a": []}, durations=1)
    assert run.card.headline() is None
    (row,) = (line for line in str(run).splitlines() if "mean without" in line)
    assert "∅" in row.removeprefix(" mean without ∅ clauses")
    assert "1.000" not in row


def test_a_profile_that_rests_on_nothing_is_marked() -> None:
    text = "contract c step 20ms clause heard on ref_active : pred_active clause quiet on pred_active : ref_active "
    run = score(text + "profile calm : quiet = 1 profile loud : heard = 1", [(1, 2)], [], durations=5)
    shown = str(run)
    assert "profile calm = ∅ 1.000 (pooled; nothing was asked by quiet)" in shown
    assert "profile loud = 0.000 (pooled)" in shown


def test_a_requirement_can_be_of_the_headline() -> None:
    ref, pred = str(spec_path("demo/reference.tsv")), str(spec_path("demo/over_firing.tsv"))
    given = ["score", "boundary_gate", "--ref", ref, "--pred", pred]
    given += ["--durations", str(spec_path("demo/durations.tsv"))]
    assert command(*given, "--require", "headline>=0.5").code == 0
    assert command(*given, "--require", "headline>0.99").code == 1


# Systems that answer the same throughout


def naive_same_in_every_clip(family: Family) -> bool:
    """Frame by frame, by the pairs of clips: none is told from another by predictions, two are by the reference."""
    repeated = differs = False
    for label in range(len(family.classes)):
        sides = []
        for clip, frames in enumerate(family.frames):
            segment = family.segment(label, clip)
            ignored, pred, ref = (
                {frame for start, end in runs.get(segment, ()) for frame in range(start, end)}
                for runs in (family.ignored, family.runs[Side.PRED], family.runs[Side.REF])
            )
            sides.append({t: (t in pred, t in ref) for t in range(frames - 1) if t not in ignored})
        for one, other in combinations(sides, 2):
            for frame in one.keys() & other.keys():
                (pred_one, ref_one), (pred_other, ref_other) = one[frame], other[frame]
                if pred_one != pred_other:
                    return False
                repeated |= pred_one
                differs |= ref_one != ref_other
    return repeated and differs


def naive_is_constant(family: Family) -> bool:
    """By the definition: the same throughout, or the same in every clip."""
    return naive_same_throughout(family) or naive_same_in_every_clip(family)


def naive_same_throughout(family: Family) -> bool:
    """Frame by frame: in each class all frames that count are predicted, or none."""
    for label in range(len(family.classes)):
        seen = set()
        for clip, frames in enumerate(family.frames):
            segment = family.segment(label, clip)
            ignored, pred = (
                {frame for start, end in runs.get(segment, ()) for frame in range(start, end)}
                for runs in (family.ignored, family.runs[Side.PRED])
            )
            seen |= {frame in pred for frame in range(frames) if frame not in ignored}
        if len(seen) > 1:
            return False
    return True


SPANS = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), max_size=3)


@st.composite
def nearly_constant(draw: st.DrawFn) -> Run:
    """Clips of a tenth of a second in five frames; often all or nothing is predicted, or the rest is ignored."""
    whole, none = [(0, 5)], list[tuple[int, int]]()
    usual = draw(st.sampled_from([whole, none]))
    pred, ignore = {}, {}
    for clip in ("x", "y"):
        sides = {label: draw(st.just(usual) | SPANS) for label in ("a", "b")}
        pred[clip] = [(Fraction(s, 50), Fraction(e, 50), k) for k, runs in sides.items() for s, e in runs if s < e]
        ignore[clip] = [(Fraction(s, 50), Fraction(e, 50), "") for s, e in draw(SPANS) if s < e]
    ref = {"x": [(Fraction(0), Fraction(1, 50), "a"), (Fraction(0), Fraction(1, 50), "b")], "y": []}
    return score("boundary_gate", ref, pred, durations=Fraction(1, 10), ignore=ignore)


@given(run=nearly_constant())
def test_a_system_is_constant_by_the_definition_and_a_run_directory_tells_the_same(
    run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    expected = naive_is_constant(run.card.family)
    assert is_constant(run.card.family) == expected
    folder = tmp_path_factory.mktemp("constant")
    run.save(folder / "run")
    (system,) = read_systems([folder / "run"]).systems
    assert system.constant == expected


@st.composite
def repeating(draw: st.DrawFn) -> Run:
    """Clips of up to eight frames, their ends on the grid or not, in which one answer is given, or nearly."""
    times = st.integers(0, 32).map(lambda n: Fraction(n, 200))
    spans = st.lists(st.tuples(times, times, st.sampled_from("ab")), max_size=3)
    lengths = draw(
        st.dictionaries(st.sampled_from("wxyz"), st.integers(1, 32).map(lambda n: Fraction(n, 200)), min_size=2)
    )
    usual, shown = draw(spans), draw(spans)

    def cut(events: Events, clip: str) -> Events:
        found = {(on, min(off, lengths[clip]), label) for on, off, label in events if on < min(off, lengths[clip])}
        return sorted(found)

    ref = {clip: cut(draw(st.just(shown) | spans), clip) for clip in lengths}
    pred = {clip: cut([*usual, *draw(st.just([]) | spans)], clip) for clip in lengths}
    ignore = {clip: [(on, off, "") for on, off, _ in cut(draw(st.just([]) | spans), clip)] for clip in lengths}
    projection = draw(st.sampled_from(["centre", "touch", "inside"]))
    contract = f"contract c step 20ms projection {projection} labels a b clause heard on ref_active : pred_active"
    return score(contract, ref, pred, durations=lengths, ignore=ignore)


@given(run=repeating())
def test_a_system_answers_the_same_in_every_clip_by_the_definition_and_a_run_directory_tells_the_same(
    run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    family = run.card.family
    assert AnswersTally.of(family).same_in_every_clip == naive_same_in_every_clip(family)
    assert is_constant(family) == naive_is_constant(family)
    folder = tmp_path_factory.mktemp("repeating")
    run.save(folder / "run")
    (system,) = read_systems([folder / "run"]).systems
    assert system.constant == is_constant(family)


HEARD = "contract c step 20ms projection {} clause heard on ref_active : pred_active"
LENGTHS = st.lists(st.integers(100, 900).map(lambda n: Fraction(n, 125)), min_size=2, max_size=4)


@given(lengths=LENGTHS, projection=st.sampled_from(["centre", "touch", "inside"]), data=st.data())
def test_a_metronome_is_constant_wherever_clips_end_until_it_changes_one_event(
    lengths: list[Fraction], projection: str, data: st.DataObject
) -> None:
    clips = {f"clip{number}": length for number, length in enumerate(lengths)}
    ref: dict[str, Events] = {clip: [] for clip in clips} | {"clip0": [(Fraction(1, 10), Fraction(3, 10), "a")]}
    pred = {clip: metronome(length, ["a"]) for clip, length in clips.items()}
    contract = HEARD.format(projection)
    assert is_constant(score(contract, ref, pred, durations=clips).card.family)
    clip = data.draw(st.sampled_from(sorted(clips)))
    shared = min(clips[clip], max(length for name, length in clips.items() if name != clip))
    at = data.draw(st.sampled_from([k for k, (on, *_) in enumerate(pred[clip]) if on + Fraction(3, 10) < shared]))
    changed = pred | {clip: [event for k, event in enumerate(pred[clip]) if k != at]}
    assert not is_constant(score(contract, ref, changed, durations=clips).card.family)


@given(lengths=LENGTHS, shift=st.sampled_from([Fraction(0), Fraction(1, 10)]))
def test_who_is_right_where_all_references_are_equal_is_not_constant(lengths: list[Fraction], shift: Fraction) -> None:
    """Nor is one that is late by the same in all of them; and where references differ, who is right is not constant."""
    clips = {f"clip{number}": length for number, length in enumerate(lengths)}
    ref = {clip: metronome(length, ["a"]) for clip, length in clips.items()}
    pred = {clip: [(on + shift, off, label) for on, off, label in ref[clip] if on + shift < off] for clip in clips}
    contract = HEARD.format("centre")
    assert not is_constant(score(contract, ref, pred, durations=clips).card.family)
    ref["clip0"] = ref["clip0"][1:]
    assert not is_constant(score(contract, ref, ref, durations=clips).card.family)


def test_who_is_silent_in_the_frames_that_clips_share_is_not_constant() -> None:
    """Two clips of 1 s and 9 s: one miss in the first second does not say that the rest is not listened to."""
    ref: dict[str, Events] = {
        "short": [(Fraction(1, 5), Fraction(1, 2), "a")],
        "long": [(Fraction(5), Fraction(6), "a")],
    }
    pred = {"short": [], "long": ref["long"]}
    lengths = {"short": Fraction(1), "long": Fraction(9)}
    assert not is_constant(score("boundary_gate", ref, pred, durations=lengths).card.family)


def test_a_metronome_leads_no_audit_from_its_run_directory_and_is_told_why(tmp_path: Path) -> None:
    lengths = {"x": Fraction(4), "y": Fraction(501, 100), "z": Fraction(6)}
    ref: dict[str, Events] = {clip: [(Fraction(1 + k), Fraction(2 + k), "a")] for k, clip in enumerate(lengths)}
    late = {clip: [(on + Fraction(1, 2), off, label) for on, off, label in events] for clip, events in ref.items()}
    beats = {clip: metronome(length, ["a"]) for clip, length in lengths.items()}
    for name, pred in (("late", late), ("metronome", beats)):
        score("boundary_gate", ref, pred, durations=lengths).save(tmp_path / name)
    places = [str(tmp_path / name) for name in ("late", "metronome")]
    (row,) = (row for row in audit_selection(places).coordinates if row.clause == "onset_guard")
    values = {one.system: one for one in row.values}
    assert values["metronome"].value > values["late"].value
    assert not values["metronome"].earned
    assert row.best == ("late",)
    shown = " ".join(command("audit", "profile", *places).out.split())
    assert "answers the same in every clip" in shown


def test_a_silent_system_leads_no_clause_that_silence_keeps_also_from_its_run_directory(tmp_path: Path) -> None:
    contract = "contract c step 20ms clause calm on !ref_active : !pred_active clause heard on ref_active : pred_active"
    for name, pred in (("silent", []), ("always on", [(0, 5)]), ("listens", [(1, Fraction(22, 10))])):
        score(contract, [(1, 2)], pred, durations=5).save(tmp_path / name)
    audit = audit_selection([tmp_path / name for name in ("silent", "always on", "listens")])
    assert {row.clause: row.best for row in audit.coordinates} == {"calm": ("listens",), "heard": ("listens",)}
    assert [one.earned for one in audit.coordinates[0].values] == [False, False, True]
    shown = command("audit", "selection", *(str(tmp_path / name) for name in ("silent", "listens"))).out
    assert "(1.000)" in shown
    assert "answers the same throughout" in " ".join(shown.split())


def test_a_threshold_at_which_nothing_or_everything_is_active_is_not_the_best(tmp_path: Path) -> None:
    contract = "contract c step 1s clause calm on !ref_active : !pred_active clause heard on ref_active : pred_active"
    run = score(contract, {"a": [(0, 1, "x")]}, {"a": []}, durations=3)
    (tmp_path / "a.tsv").write_text("onset\toffset\tx\n0\t1\t0.6\n1\t2\t0.4\n2\t3\t0.2\n", encoding="utf-8")
    thresholds = [Fraction(n, 10) for n in (1, 3, 5, 9)]
    audit = audit_threshold(run, tmp_path / "a.tsv", thresholds)
    assert {row.clause: row.thresholds for row in audit.best} == {
        "calm": (Fraction(1, 2),),
        "heard": (Fraction(3, 10), Fraction(1, 2)),
        "logic": (Fraction(1, 2),),
    }


# Systems that answer the same nearly throughout


def heard_frames(family: Family, label: int) -> list[list[tuple[bool, bool]]]:
    """Clip by clip, of every frame that is not ignored: whether it is predicted, and whether it is in the reference."""
    found = []
    for clip, frames in enumerate(family.frames):
        segment = family.segment(label, clip)
        ignored, pred, ref = (
            {frame for start, end in runs.get(segment, ()) for frame in range(start, end)}
            for runs in (family.ignored, family.runs[Side.PRED], family.runs[Side.REF])
        )
        found.append([(frame in pred, frame in ref) for frame in range(frames) if frame not in ignored])
    return [frames for frames in found if frames]


def naive_answers(family: Family) -> tuple[int, int, int]:
    """Frame by frame: the pairs that count, those with another answer, and those in which the usual one is wrong."""
    pairs = otherwise = wrong = 0
    for label in range(len(family.classes)):
        seen = [zip(*frames, strict=True) for frames in heard_frames(family, label)]
        sides = [(list(pred), list(ref)) for pred, ref in seen]
        silent, on = sum(any(pred) for pred, _ in sides), sum(not all(pred) for pred, _ in sides)
        pairs, otherwise = pairs + len(sides), otherwise + min(silent, on)
        wrong += sum(any(ref) if silent <= on else not all(ref) for _, ref in sides)
    return pairs, otherwise, wrong


@given(run=nearly_constant())
def test_how_far_a_system_answers_the_same_is_counted_by_the_definition(run: Run) -> None:
    found = answers(run.card.family)
    assert (found.pairs, found.otherwise, found.wrong) == naive_answers(run.card.family)


def naive_frames(family: Family) -> tuple[int, int]:
    """Frame by frame: those with another answer than most of their class have, and those in which that one is wrong."""
    otherwise = wrong = 0
    for label in range(len(family.classes)):
        seen = [frame for frames in heard_frames(family, label) for frame in frames]
        usual = 2 * sum(pred for pred, _ in seen) > len(seen)
        wrong += sum(ref != usual for _, ref in seen)
        otherwise += sum(pred != usual for pred, _ in seen)
    return otherwise, wrong


@given(run=nearly_constant())
def test_in_how_many_frames_a_system_answers_the_same_is_counted_by_the_definition(run: Run) -> None:
    found = answers(run.card.family)
    assert (found.otherwise_frames, found.wrong_frames) == naive_frames(run.card.family)


@pytest.mark.parametrize(("gap", "nearly"), [(Fraction(1, 20), True), (Fraction(1, 10), False)])
def test_who_is_on_but_for_a_moment_of_every_clip_is_nearly_constant(gap: Fraction, nearly: bool) -> None:
    """Two seconds, one of them silent: a gap of a twentieth of a second is one frame in twenty that are asked for."""
    ref = {f"clip{k}": [(Fraction(0), Fraction(1), "a")] for k in range(4)}
    pred = {name: [(Fraction(0), 2 - gap, "a")] for name in ref}
    contract = "contract c step 50ms clause heard on ref_active : pred_active"
    found = answers(score(contract, ref, pred, durations=2).card.family)
    assert (found.nearly_constant, found.constant) == (nearly, False)
    if nearly:
        assert found.words(1) == "always on in all frames but 4"


@pytest.mark.parametrize(("clips", "nearly"), [(19, False), (20, True)])
@pytest.mark.parametrize("usual", ["silent", "always on"])
def test_one_departure_in_twenty_is_nearly_constant(clips: int, nearly: bool, usual: str) -> None:
    whole: Events = [(Fraction(0), Fraction(1), "a")]
    some: Events = [(Fraction(0), Fraction(1, 2), "a")]
    names = [f"clip{k}" for k in range(clips)]
    pred = {name: [] if usual == "silent" else whole for name in names} | {names[0]: some}
    found = answers(score("boundary_gate", dict.fromkeys(names, some), pred, durations=1).card.family)
    assert (found.answer, found.nearly_constant, found.constant) == (usual, nearly, False)
    assert found.words(1) == f"{usual} in {clips - 1} of {clips} clips"


def test_rare_events_are_no_silence_of_a_system_that_hears_them() -> None:
    """Two of 100 clips have an event; who hears both, or errs elsewhere as often, listens."""
    names = [f"clip{k}" for k in range(100)]
    event: Events = [(Fraction(1, 4), Fraction(1, 2), "a")]
    ref = {name: event if k < 2 else [] for k, name in enumerate(names)}
    for heard in ({0, 1}, {50, 51}, {0}):
        pred = {name: event if k in heard else [] for k, name in enumerate(names)}
        assert not answers(score("boundary_gate", ref, pred, durations=1).card.family).nearly_constant
