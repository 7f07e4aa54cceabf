"""Contract files: settings, parameters, overrides, types of event predicates, and all errors in one run."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Source, TextPlace
from tracepact.language.compilation import compile_source, override, parse_contract
from tracepact.language.contract import Aggregation, MatcherKind, Projection
from tracepact.language.predicate import (
    Absolute,
    Attribute,
    Each,
    Flag,
    Owner,
    Relation,
    Scaled,
    TermComparison,
    TermDifference,
    TermType,
)

HEAD = "contract c\nstep 20ms\n"
CLAUSE = "clause g on ref_onset : ref_onset -> N[40ms] pred_onset\n"


def faults(text: str) -> list[tuple[str, str]]:
    """Code and marked text of every finding."""
    with pytest.raises(InvalidInput) as caught:
        parse_contract(text)
    found = []
    for d in caught.value.diagnostics:
        assert isinstance(d.place, TextPlace)
        found.append((d.code, text[d.place.span.start : d.place.span.end]))
    return found


def predicate_faults(predicate: str, each: str = "ref", more: str = "") -> list[tuple[str, str]]:
    return faults(f"{HEAD}{more}clause e on each {each} : {predicate}\n")


def test_settings_have_their_defaults() -> None:
    contract = parse_contract(HEAD + CLAUSE)
    assert contract.step == Fraction(1, 50)
    assert contract.merge_gap == 0
    assert contract.projection is Projection.CENTRE
    assert contract.aggregation is Aggregation.POOLED
    assert (contract.matcher.kind, contract.matcher.search) == (MatcherKind.GREEDY, Fraction(1, 5))
    assert contract.matcher.overlap_reward == Fraction(1, 2)
    assert contract.soft_scale == Fraction(1, 10)
    assert contract.labels is None


def test_settings_are_read_exactly() -> None:
    contract = parse_contract(
        'contract c "t"\nstep 1/3s\nparam w = 2f\nmerge_gap w\naggregate macro_classes\nprojection touch\n'
        'labels a "b c"\nsoft_scale 0.25\nmatcher optimal(search = 1f, overlap_reward = 1/3)\natom zone "z"\n'
        "profile p over pooled : g = 2, h = 0.5\n"
        "clause g on zone : N[w] zone\nclause h on true : true\n"
    )
    assert contract.title == "t"
    assert contract.merge_gap == Fraction(2, 3)
    assert contract.labels == ("a", "b c")
    assert contract.matcher.search == Fraction(1, 3)
    assert contract.matcher.overlap_reward == Fraction(1, 3)
    assert contract.profiles[0].weights == (("g", Fraction(2)), ("h", Fraction(1, 2)))
    assert contract.profiles[0].aggregation is Aggregation.POOLED
    assert contract.frame_clauses[0].formula.hi == 2  # type: ignore[union-attr]  # a window


def test_an_override_means_what_writing_it_would_mean() -> None:
    text = HEAD + "param tol = 40ms\nclause g on ref_onset : ref_onset -> N[tol] pred_onset\n"
    contract = override(parse_contract(text), {"tol": "80ms"})
    written = parse_contract(text.replace("40ms", "80ms"))
    assert (contract.clauses, contract.text, contract.digest) == (written.clauses, written.text, written.digest)
    assert contract.parameters[0].overridden
    assert contract.digest != parse_contract(text).digest


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ({"tool": "80ms"}, "unknown-override"),
        ({"tol": "80"}, "unit-mismatch"),
        ({"tol": "0.08"}, None),
        ({"tol": "x"}, "bad-quantity"),
    ],
)
def test_an_override_is_checked(setting: dict[str, str], code: str | None) -> None:
    text = HEAD + "param tol = 40ms\nclause g on ref_onset : ref_onset -> N[tol] pred_onset\n"
    if code is None:
        parse_contract(text, setting)
        return
    with pytest.raises(InvalidInput) as caught:
        parse_contract(text, setting)
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_the_digest_ignores_comments_blank_lines_and_spelling() -> None:
    plain = parse_contract(HEAD + CLAUSE)
    other = parse_contract(
        "# why\n\ncontract c step 020.0ms # here\nclause g on ref_onset : (ref_onset) implies N[40.0ms]pred_onset"
    )
    assert plain.digest == other.digest
    assert plain.digest != parse_contract(HEAD + CLAUSE.replace("40ms", "41ms")).digest


def test_all_errors_of_a_file_come_in_one_run() -> None:
    text = (
        "contract c\nstep 0ms\nparam a = 1x\nmatcher hungry\n"
        "clause g on ref_onest : N[tol] pred_onset\nclause h on p :\nclause i on each ref : covering <= 1s\n"
        "profile q : nothing = 1\n"
    )
    assert [code for code, _ in faults(text)] == [
        "out-of-range",
        "bad-quantity",
        "unknown-choice",
        "unknown-atom",
        "unknown-parameter",
        "syntax",
        "type-mismatch",
        "unknown-clause",
    ]


def test_a_broken_statement_causes_no_follow_on_errors() -> None:
    text = (
        "contract c\nstep 20ms\nparam tol = 40mss\nsweep tol = 1ms\nclause g on ref_onset : N[tol] &\n"
        "clause h on ref_active : N[tol] pred_active\nprofile q : g = 1\n"
    )
    assert [code for code, _ in faults(text)] == ["bad-quantity", "syntax"]


@pytest.mark.parametrize(
    ("text", "code", "marked"),
    [
        (CLAUSE + "step 20ms", "missing-statement", ""),
        ("contract c\n" + CLAUSE, "missing-statement", ""),
        (HEAD, "missing-statement", ""),
        (HEAD + CLAUSE + "step 10ms", "repeated-statement", "step 10ms"),
        (HEAD + CLAUSE + CLAUSE, "repeated-name", "g"),
        (HEAD + CLAUSE + "param a = 1s param a = 2s clause h on true : N[a] true", "repeated-name", "a"),
        (HEAD + CLAUSE + "atom ref_onset", "repeated-name", "ref_onset"),
        (HEAD + CLAUSE + "param ref_onset = 1s", "repeated-name", "ref_onset"),
        ("contract c step 2f " + CLAUSE, "unit-mismatch", "2f"),
        ("contract c step -20ms " + CLAUSE, "out-of-range", "-20ms"),
        (HEAD + CLAUSE + "merge_gap -1ms", "out-of-range", "-1ms"),
        (HEAD + CLAUSE + "soft_scale 0s", "out-of-range", "0s"),
        (HEAD + CLAUSE + "aggregate mean", "unknown-choice", "mean"),
        (HEAD + CLAUSE + "projection center", "unknown-choice", "center"),
        (HEAD + CLAUSE + "matcher greedy(seek = 1s)", "unknown-choice", "seek"),
        (HEAD + CLAUSE + "matcher greedy(overlap_reward = 1s)", "unit-mismatch", "1s"),
        (HEAD + CLAUSE + "sweep tol = 1s", "unknown-parameter", "tol"),
        (HEAD + CLAUSE + "profile p : h = 1", "unknown-clause", "h"),
        (HEAD + CLAUSE + "profile p : g = -1", "out-of-range", "-1"),
        (HEAD + CLAUSE + "profile p : g = 0", "out-of-range", "profile p : g = 0"),
        (HEAD + CLAUSE + "profile p : g = 1ms", "unit-mismatch", "1ms"),
        (HEAD + CLAUSE + "clause h on each event : true", "unknown-choice", "event"),
        (HEAD + CLAUSE + "clause h on zone : true", "unknown-atom", "zone"),
        ("words first " + HEAD + CLAUSE, "syntax", "words"),
        (HEAD + "param t = 1s param u = t clause h on true : N[u] F[t] true", "syntax", "t"),
    ],
)
def test_one_fault_gives_one_finding_at_its_place(text: str, code: str, marked: str) -> None:
    found = [f for f in faults(text) if f[0] != "unused-parameter"]
    assert found == [(code, marked)]


def test_a_near_miss_is_offered() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_contract(HEAD + "clause g on ref_onest : true\n")
    assert caught.value.diagnostics[0].help == "did you mean `ref_onset`?"


@pytest.mark.parametrize(
    ("clause", "code", "hint"),
    [
        ("clasue a on true : true", "syntax", "did you mean `clause`?"),
        ("clause a on ref_onset : ref.duration <= 1s", "syntax", "on each ref"),
        ("clause a on each ref : pred_onset", "unknown-attribute", "atoms belong to frame clauses"),
        ("clause a on true : N[40 ms] true", "syntax", "`40ms`"),
        ("clause a on true : N[4e-2] true", "bad-quantity", "no exponents"),
        ("clause a on true : N[40MS] true", "bad-quantity", "`40ms`"),
        ("clause a on true : true AND true", "syntax", "write `and`"),
        ("clause a on true : true && true", "syntax", "write one `&`"),
        ("clause a on each ref : covering = 1", "syntax", "write `==`"),
        ("clause a on each matched : iou >= 40ms", "type-mismatch", "leave the unit out"),
    ],
)
def test_what_newcomers_get_wrong_has_a_way_out(clause: str, code: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_contract(HEAD + clause)
    (finding,) = caught.value.diagnostics
    assert finding.code == code
    assert hint in (finding.help or "")


@pytest.mark.parametrize(
    ("text", "warned"), [("N[40]", True), ("N[40s]", False), ("N[0.4]", False), ("F[-40,0]", True)]
)
def test_a_large_number_without_a_unit_is_questioned(text: str, warned: bool) -> None:
    contract = parse_contract(f"{HEAD}clause a on true : {text} true\n")
    assert [d.code for d in contract.warnings] == ["bare-seconds"] * warned


def test_a_parameter_without_a_unit_is_to_be_mended_where_it_is_declared() -> None:
    contract = parse_contract(f"{HEAD}param late = 300\nclause a on true : F[-late,late] true\n")
    assert {d.help for d in contract.warnings} == {"write `param late = 300ms`, or `300s` if you mean it"}


# Event predicates


def test_a_predicate_becomes_event_atoms_under_a_propositional_formula() -> None:
    contract = parse_contract(
        HEAD + "clause d on each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration\n"
    )
    (clause,) = contract.event_clauses
    pred = Attribute(Owner.PRED, "duration", TermType.TIME)
    ref = Attribute(Owner.REF, "duration", TermType.TIME)
    assert clause.each is Each.MATCHED
    assert [atom for _, atom in clause.event_atoms] == [
        TermComparison(Relation.LE, Absolute(TermDifference(pred, ref)), Scaled(Fraction(1, 4), ref), TermType.TIME)
    ]


def test_bare_attributes_belong_to_the_obligated_interval() -> None:
    for each, owner in (("ref", Owner.REF), ("pred", Owner.PRED)):
        contract = parse_contract(f"{HEAD}clause e on each {each} : matched and covering <= 1\n")
        found = [atom for _, atom in contract.event_clauses[0].event_atoms]
        assert found[0] == Flag(Attribute(Owner.PAIR, "matched", TermType.TRUTH))
        assert isinstance(found[1], TermComparison)
        assert found[1].left == Attribute(owner, "covering", TermType.COUNT)


@pytest.mark.parametrize(
    ("predicate", "each", "code", "marked"),
    [
        ("ref.onset + covering <= 1s", "ref", "type-mismatch", "covering"),
        ("ref.duration <= 0.4", "ref", "unit-mismatch", "0.4"),
        ("covering <= 1.5", "ref", "type-mismatch", "1.5"),
        ("covering <= 1s", "ref", "type-mismatch", "1s"),
        ("coverage <= 1f", "ref", "type-mismatch", "1f"),
        ("min(ref.onset, iou) >= 1s", "ref", "type-mismatch", "iou"),
        ("ref.duration * covering <= 1s", "ref", "nonlinear-product", "ref.duration * covering"),
        ("2s * ref.duration <= 1s", "ref", "type-mismatch", "2s * ref.duration"),
        ("covering", "ref", "type-mismatch", "covering"),
        ("matched + 1 <= 2", "ref", "type-mismatch", "matched"),
        ("(matched and matched) <= 1", "ref", "type-mismatch", "(matched and matched)"),
        ("abs(ref.onset, ref.offset) <= 1s", "ref", "type-mismatch", "abs(ref.onset, ref.offset)"),
        ("min(ref.onset) <= 1s", "ref", "type-mismatch", "min(ref.onset)"),
        ("sqrt(ref.onset) <= 1s", "ref", "unknown-function", "sqrt"),
        ("ref.colour <= 1s", "ref", "unknown-attribute", "ref.colour"),
        ("clip.onset <= 1s", "ref", "unknown-attribute", "clip.onset"),
        ("latency <= 1s", "ref", "unknown-attribute", "latency"),
        ("onset <= 1s", "ref", "unavailable-attribute", "onset"),
        ("ref.matched", "ref", "unavailable-attribute", "ref.matched"),
        ("pred.covering <= 1", "ref", "unavailable-attribute", "pred.covering"),
        ("purity >= 0.5", "ref", "unavailable-attribute", "purity"),
        ("longest_gap <= 1s", "pred", "unavailable-attribute", "longest_gap"),
        ("covering <= 1", "matched", "unavailable-attribute", "covering"),
        ("shortest_gap + 1s >= 2s", "ref", "unbounded-in-term", "shortest_gap"),
        ("shortest_gap <= shortest_gap", "ref", "unbounded-in-term", "shortest_gap <= shortest_gap"),
        ("-shortest_gap <= 1s", "ref", "unbounded-in-term", "shortest_gap"),
    ],
)
def test_a_type_error_has_a_code_and_a_place(predicate: str, each: str, code: str, marked: str) -> None:
    assert predicate_faults(predicate, each) == [(code, marked)]


@pytest.mark.parametrize(
    ("predicate", "each"),
    [
        ("abs(pred.onset - ref.onset) <= 40ms and pred.onset >= ref.onset", "ref"),
        ("shortest_gap >= 60ms and longest_gap <= 2f", "ref"),
        ("1s <= shortest_gap", "ref"),
        ("coverage >= 1/2 or 2 * covering == 4 or covering * 2 != 2", "pred"),
        ("0.5 * covering <= 1.5", "ref"),
        ("ref.coverage + pred.coverage >= 1 and pred.dominant -> pred.purity >= 0.9", "matched"),
        ("not matched or max(ref.duration, pred.duration, 40ms) - min(ref.duration, pred.duration) < 3 * step_", "ref"),
        ("alpha * ref.duration >= pred.duration - 1/3s", "matched"),
        ("2 * (1 + 0.5) * iou > 1", "matched"),
        ("-ref.onset <= 0s", "ref"),
    ],
)
def test_well_typed_predicates_are_accepted(predicate: str, each: str) -> None:
    parse_contract(f"{HEAD}param alpha = 0.25\nparam step_ = 1f\nclause e on each {each} : {predicate}\n")


WORDS = [
    "contract",
    "c",
    "step",
    "20ms",
    "clause",
    "g",
    "on",
    ":",
    "each",
    "ref",
    "N",
    "[",
    "]",
    "(",
    ")",
    "&",
    "->",
    "p",
    "1",
    ",",
    "=",
    '"',
    "#",
]


@given(st.text(max_size=80) | st.lists(st.sampled_from([*WORDS, "\n"]), max_size=25).map(" ".join))
def test_any_text_is_read_or_refused_with_diagnostics(text: str) -> None:
    diagnostics = Diagnostics()
    contract = compile_source(Source("test", text), diagnostics)
    assert (contract is None) == bool(diagnostics.errors)


@pytest.mark.parametrize(
    ("clause", "way"),
    [
        ("on each ref : 0.2 <= iou <= 0.5", "joined by `and`"),
        ("on each ref : iou => 0.5", "`>=`"),
        ("on ref_onset : ref_onset => pred_onset", "`->`"),
        ("on each matched : |ref.onset - pred.onset| <= 20ms", "`abs(…)`"),
        ("on each ref : iou >= 50%", "`0.5`"),
        ("on ref_onset : n[40ms] pred_onset", "`N[…]`"),
        ("on each ref : N[40ms] pred_onset", "frame clauses"),
        ("on each ref : durations >= 2s", "`ref.duration` or `pred.duration`"),
        ("on each ref : iou >= overlap", "not the parameter"),
    ],
)
def test_what_a_newcomer_writes_has_a_way_out(clause: str, way: str) -> None:
    with pytest.raises(InvalidInput) as error:
        parse_contract(f"contract c\nstep 20ms\nparam overlap = 0.4\nclause c {clause}\n")
    assert way in (error.value.diagnostics[0].help or "")


@given(st.lists(st.sampled_from(["20ms", "-20ms", "0.5", "20", "2f"]), min_size=1, max_size=3), st.booleans())
def test_the_values_of_a_sweep_are_sound_exactly_when_the_contract_is_with_them(values: list[str], event: bool) -> None:
    clause = "clause c on each ref : iou >= x" if event else "clause c on ref_onset : N[x] pred_onset"
    own = "0.1" if event else "40ms"
    text = f"contract c\nstep 20ms\nparam x = {own}\n{clause}\n"

    def sound(contract: str) -> bool:
        return compile_source(Source("c", contract), Diagnostics()) is not None

    swept = sound(text + f"sweep x = {' '.join(values)}\n")
    assert swept == all(sound(text.replace(f"x = {own}", f"x = {value}")) for value in values)


def test_a_byte_order_mark_before_a_contract_is_ignored() -> None:
    assert parse_contract("\ufeff" + HEAD + CLAUSE).digest == parse_contract(HEAD + CLAUSE).digest
    with pytest.raises(InvalidInput) as caught:
        parse_contract("\ufeff\ufeff" + HEAD + CLAUSE)
    (twice,) = caught.value.diagnostics
    assert twice.code == "bad-character"
    assert isinstance(twice.place, TextPlace)
    assert twice.place.span.start == 0


@pytest.mark.parametrize(
    ("predicate", "found"),
    [
        ("foo(1)", [("unknown-function", "foo")]),
        ("foo(1) and true", [("unknown-function", "foo")]),
        ("iou + foo and true", [("unknown-attribute", "foo")]),
        ("iou + 1s or 2", [("type-mismatch", "1s"), ("type-mismatch", "2")]),
    ],
)
def test_a_faulty_term_has_no_type(predicate: str, found: list[tuple[str, str]]) -> None:
    assert predicate_faults(predicate) == found


@pytest.mark.parametrize("step", ["", "step 0s\n", "step gone\n", "step 1f\n"])
def test_a_window_of_frames_and_times_is_not_judged_without_a_step(step: str) -> None:
    text = f"contract c\n{step}clause a on true : F[2f,1ms] true & F[2s,1ms] true & F[2f,1f] true\n"
    assert [marked for code, marked in faults(text) if code == "empty-window"] == ["2s,1ms", "2f,1f"]


def test_sweeps_are_checked_beside_overrides() -> None:
    text = HEAD + "param y = 1s\nparam z = 4s\nsweep y = 3s\nclause a on true : F[y,z] true\n"
    assert parse_contract(text).sweeps
    with pytest.raises(InvalidInput) as caught:
        parse_contract(text, {"z": "2s"})
    assert [d.code for d in caught.value.diagnostics] == ["empty-window"]
    assert parse_contract(text.replace("4s", "2s"), {"z": "4s"}).sweeps
