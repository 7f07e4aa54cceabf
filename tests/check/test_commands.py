"""`tracepact sat`, `implies`, `equivalent`, `simplify` and the options of `check`."""

import json
from pathlib import Path

import pytest
from cli.command import run, write

from tracepact.diagnostics.findings import CODES

HEAD = "contract c\nstep 20ms\n"
OLD = HEAD + "clause onset on ref_onset : ref_onset -> N[40ms] pred_onset\nclause whole on each ref : covering <= 1\n"
OLD += "clause caused on pred_onset : F[-80ms,80ms] ref_active\n"
SLOW = ("p U[40000f] q", "q | p & F[1f,1f] (p U[39999f] q)")


# Questions


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("sat", "ref_onset & F[2f,2f] ref_onset"), 0),
        (("sat", "ref_onset & F[1f,1f] ref_onset"), 1),
        (("sat", "ref_onset & F[1f,1f] ref_onset", "--free"), 0),
        (("sat", "F[2f,2f] true", "--length", "2"), 1),
        (("sat", "F[2f,2f] true", "--length", "3"), 0),
        (("implies", "N[40ms] p", "N[60ms] p", "--all-lengths"), 0),
        (("implies", "N[60ms] p", "N[40ms] p"), 1),
        (("implies", "N[60ms] p", "N[40ms] p", "--step", "60ms"), 0),
        (("implies", "p", "q", "--obligation", "!p"), 0),
        (("equivalent", "N[30ms] N[30ms] p", "N[60ms] p"), 1),
        (("equivalent", "N[30ms] N[30ms] p", "N[60ms] p", "--step", "10ms"), 0),
        (("equivalent", *SLOW, "--timeout", "0.1"), 3),
        (("sat", "G[0,65535] (a0 && !a1) -> a2 U[5,10] a3;", "--from", "mltl"), 0),
        (("equivalent", "a U[2,5] b", "F[2,2] (a U[0,3] b)", "--from", "mltl"), 0),
        (("equivalent", "a U[2,5] b", "F[2,2] (a U[0,3] b)", "--from", "ltlf"), 1),
        (("implies", "X p", "WX p", "--from", "ltlf"), 0),
        (("sat", "G p", "--from", "ltlf"), 2),
        (("sat", "p &"), 2),
        (("sat", "p", "--step", "2f"), 2),
        (("sat", "p", "--step", "0s"), 2),
        (("sat", "p", "--step", "20"), 2),
        (("sat", "p", "--step", "0.02"), 0),
        (("sat", "p", "--length", "3", "--all-lengths"), 2),
    ],
)
def test_the_exit_code_is_the_answer(arguments: tuple[str, ...], code: int) -> None:
    assert run(*arguments).code == code


def test_an_answer_is_shown_as_a_picture_of_the_frames() -> None:
    outcome = run("sat", "ref_onset & F[2f,2f] ref_onset")
    assert outcome.out.splitlines() == [
        "yes (searched: traces of any length)",
        "bound: 4 frames; a longer trace shows nothing new",
        "",
        "frame 0 of 3  ▼",
        "ref_active    █·█",
        "ref_onset     █·█",
    ]


def test_free_atoms_are_said() -> None:
    outcome = run("sat", "ref_onset & !ref_active", "--free")
    assert "every atom is independent (--free)" in outcome.out


def test_an_unknown_answer_has_its_reason_and_no_trace() -> None:
    data = json.loads(run("equivalent", *SLOW, "--timeout", "0.1", "--format", "json").out)
    assert (data["outcome"], data["trace"]) == ("unknown", None)
    assert data["reason"]


def test_the_json_answer_carries_the_question_and_the_trace() -> None:
    data = json.loads(run("implies", "N[60ms] p", "N[40ms] p", "--format", "json").out)
    assert (data["question"], data["formulas"], data["step"]) == ("implies", ["N[60ms] p", "N[40ms] p"], "1/50")
    assert (data["outcome"], data["length"], data["bound"]) == ("no", None, 7)
    trace = data["trace"]
    assert (trace["frames"], trace["minimal"]) == (4, True)
    ((start, end),) = trace["atoms"][0]["runs"]
    assert (end - start, abs(start - trace["frame"])) == (1, 3)


def test_the_faults_of_both_formulas_are_said_at_once() -> None:
    outcome = run("implies", "p &", "N[tol] q")
    assert (outcome.code, outcome.codes) == (2, ["syntax", "unknown-parameter"])


@pytest.mark.parametrize(
    ("formula", "simple"),
    [
        ("!!p", "p"),
        ("p & (p | q)", "p"),
        ("p | p & q", "p"),
        ("N[2f] (p & true | false)", "N[2f] p"),
        ("N[2f] N[40ms] p", "N[4f] p"),
        ("N[20ms] N[0.04s] p", "N[60ms] p"),
        ("F[-20ms,100ms] p | F[60ms,160ms] p", "F[-20ms,160ms] p"),
        ("!G[3f] !p", "F[3f] p"),
        ("true U[4f] p", "F[4f] p"),
        ("ref_onset & ref_active", "ref_onset"),
        ("F[2f,2f] F[-2f,-2f] p", "F[2f,2f] F[-2f,-2f] p"),  # not p: there may be no frame 2 ahead
        ("p -> q", "p -> q"),
        ("p | !p", "true"),
        ("p & !p", "false"),
        ("q & N[3f] (p | !p)", "q"),
        ("ref_onset & !ref_active", "false"),
        ("F[2f,2f] (p | !p)", "F[2f,2f] true"),  # not true: there may be no frame 2 ahead
    ],
)
def test_simplify_keeps_the_meaning_and_drops_parts(formula: str, simple: str) -> None:
    assert run("simplify", formula).out == f"{simple}\n"
    assert run("equivalent", formula, simple).code == 0


def test_simplify_uses_the_obligation() -> None:
    outcome = run("simplify", "ref_onset -> N[40ms] pred_onset", "--obligation", "ref_onset")
    assert outcome.out == "N[40ms] pred_onset\n"
    assert run("simplify", "ref_active", "--obligation", "ref_onset").out == "true\n"


def test_a_rewrite_that_is_not_decided_in_time_is_not_made() -> None:
    always = "p U[2f] q | !q & (!p | G[1f,1f] !(p U[1f] q))"
    assert run("simplify", always).out == "true\n"
    outcome = run("simplify", always, "--timeout", "0", "--format", "json")
    data = json.loads(outcome.out)
    assert (data["simplified"], data["rewrites"]["confirmed"]) == (always, 0)
    assert data["rewrites"]["undecided"] > 0


@pytest.mark.parametrize(
    ("arguments", "premise"),
    [
        (("implies", "p", "q", "--obligation", "false"), "the obligation and STRONGER"),
        (("implies", "ref_onset & !ref_active", "q"), "STRONGER"),
        (("equivalent", "p", "q", "--obligation", "q & !q"), "the obligation"),
        (("sat", "p", "--obligation", "false"), "the obligation"),
    ],
)
def test_an_answer_about_no_frame_is_said_to_be_vacuous(arguments: tuple[str, ...], premise: str) -> None:
    assert f"vacuous: no frame of any trace satisfies {premise}\n" in run(*arguments).out
    assert json.loads(run(*arguments, "--format", "json").out)["vacuous"] is True


def test_an_answer_about_some_frame_is_not_vacuous() -> None:
    for arguments in (("implies", "p & q", "p"), ("equivalent", "p", "!!p", "--obligation", "q"), ("sat", "p & !p")):
        assert "vacuous" not in run(*arguments).out
        assert json.loads(run(*arguments, "--format", "json").out)["vacuous"] is False


@pytest.mark.parametrize(
    ("formula", "hint"),
    [
        ("N[0.2] p", "`0.2` without a unit is a number of seconds: 10 frames of 20ms; or write `200ms`"),
        ("N[2] p", "`2` without a unit is a number of seconds: 100 frames of 20ms; frames are written `2f`"),
        ("N[30ms] p", "`30ms` is not a whole number of frames; it means 2 frames of 20ms"),
        ("ref_onst", "`ref_onst` is taken as an atom of its own; the built-in one is `ref_onset`"),
    ],
)
def test_how_a_formula_was_read_is_said_where_it_may_surprise(formula: str, hint: str) -> None:
    outcome = run("sat", formula)
    assert outcome.err == f"{hint}\n"
    assert run("sat", "ref_onset & N[40ms] p").err == ""


@pytest.mark.parametrize(
    ("formula", "help"),
    [
        ("", "write one, such as `ref_onset -> N[40ms] pred_onset`"),
        ("N[-1f] p", "look back with a window of two offsets: `F[-1f,0f]`"),
        ("N[-40ms] p", "look back with a window of two offsets: `F[-40ms,0ms]`"),
        ("N[tol] p", "write the value out, such as `40ms`"),
        ("ref.onset", "attributes and comparisons belong to event clauses"),
        ("p => q", "write `->`"),
        ("iou >= 0.5", "attributes and comparisons belong to event clauses"),
    ],
)
def test_a_faulty_formula_has_a_way_out(formula: str, help: str) -> None:
    outcome = run("sat", formula)
    assert outcome.code == 2
    assert f"= help: {help}" in outcome.err


# check


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    trap = HEAD + "clause trap on true : ref_onset -> N[40ms] pred_onset\n"
    slow = HEAD + f"clause slow on p : {SLOW[0]}\nclause same on p : {SLOW[1]}\natom p\natom q\n"
    write(tmp_path, {"old.contract": OLD, "trap.contract": trap, "slow.contract": slow})
    return tmp_path


def test_a_warning_fails_only_when_asked_to(folder: Path) -> None:
    assert run("check", "trap.contract", folder=folder).code == 0
    for strict in (("--fail-on", "warning"), ("--strict",)):
        outcome = run("check", "trap.contract", *strict, folder=folder)
        assert (outcome.code, outcome.codes) == (2, ["vacuous-implication"])


def test_the_vacuity_trap_is_shown_with_a_trace_and_the_obligation_to_write(folder: Path) -> None:
    outcome = run("check", "trap.contract", folder=folder)
    assert "= help: oblige it only where it asks something: `on ref_onset`" in outcome.out
    assert "| frame 0 of 1  ▼" in outcome.out
    (item,) = json.loads(run("check", "trap.contract", "--format", "json", folder=folder).out)
    assert item["trace"].splitlines()[0] == "frame 0 of 1  ▼"


def test_notes_are_shown_only_when_asked_for() -> None:
    assert run("check", "boundary_gate").out == "boundary_gate: ok\n"
    outcome = run("check", "boundary_gate", "--notes", "--format", "json")
    assert [item["code"] for item in json.loads(outcome.out)] == [
        "contract-lookahead",
        "clause-implied",
        "silence-scores-zero",
    ]


def test_explain_names_implied_clauses_unless_told_not_to() -> None:
    line = "where `silence_guard` holds, `spurious_guard` holds as well"
    assert line in run("explain", "boundary_gate").out
    assert line not in run("explain", "boundary_gate", "--no-notes").out


def test_an_open_question_is_said_and_exits_with_unknown(folder: Path) -> None:
    outcome = run("check", "slow.contract", "--timeout", "0.05", "--format", "json", folder=folder)
    assert outcome.code == 3
    assert {item["code"] for item in json.loads(outcome.out)} == {"undecided"}


def test_a_code_is_explained_with_its_rules() -> None:
    outcome = run("check", "--explain", "rounded-window")
    assert outcome.code == 0
    assert outcome.out.startswith("warning[rounded-window]: ")
    assert "rule 2.6: Bounds become frames" in outcome.out
    assert run("check").code == 2


def test_explain_without_a_code_lists_them_all_and_a_misspelt_one_is_offered() -> None:
    listed = run("check", "--explain")
    assert listed.code == 0
    assert {line.split()[0] for line in listed.out.splitlines() if line.startswith("  ")} == set(CODES)
    wrong = run("check", "--explain", "rounded-windw")
    assert wrong.code == 2
    assert "did you mean `rounded-window`?" in wrong.err
    assert "`tracepact check --explain` lists them all" in run("check", "--explain", "zzz").err


def test_a_contract_against_itself_shows_nothing(folder: Path) -> None:
    assert run("check", "old.contract", "--against", "old.contract", folder=folder).out == "old.contract: ok\n"


@pytest.mark.parametrize(
    ("new", "codes"),
    [
        (OLD.replace("N[40ms]", "N[60ms]"), ["clause-weaker"]),
        (OLD.replace("N[40ms]", "N[20ms]"), ["clause-stronger"]),
        (OLD.replace("N[40ms]", "F[0s,60ms]"), ["clause-incomparable"]),
        (OLD.replace("N[40ms]", "F[-40ms,40ms]"), []),
        (OLD.replace("covering <= 1", "covering <= 2"), ["clause-weaker"]),
        (OLD.replace("covering <= 1", "covering < 2"), []),
        (OLD.replace("covering <= 1", "matched and covering <= 1"), ["clause-stronger"]),
        (OLD.replace("covering <= 1", "coverage >= 0.5"), ["clause-incomparable"]),
        (OLD.replace("each ref", "each pred"), ["obligation-changed"]),
        (
            OLD.replace("on ref_onset :", "on ref_onset & !pred_active :"),
            ["obligation-changed", "clause-weaker"],
        ),
        (OLD + "merge_gap 40ms\n", ["setting-changed", "setting-shown"]),
        (OLD.replace("clause onset", "clause start"), ["clause-renamed"]),
        (OLD.replace("step 20ms", "step 10ms"), ["grid-changed"]),
    ],
)
def test_a_semantic_diff_says_what_changed(new: str, codes: list[str], folder: Path) -> None:
    write(folder, {"new.contract": new})
    outcome = run("check", "new.contract", "--against", "old.contract", "--format", "json", folder=folder)
    assert sorted(item["code"] for item in json.loads(outcome.out)) == sorted(codes)


def test_a_changed_parameter_changes_a_predicate_of_the_same_text(folder: Path) -> None:
    text = HEAD + "param hit = 0.5\nclause found on each ref : iou >= hit\n"
    write(folder, {"a.contract": text, "b.contract": text.replace("0.5", "0.6")})
    outcome = run("check", "b.contract", "--against", "a.contract", "--format", "json", folder=folder)
    parameter, clause = json.loads(outcome.out)
    assert (parameter["code"], parameter["headline"]) == (
        "description-changed",
        "parameter `hit` changed: 0.5 → 0.6",
    )
    assert clause["code"] == "clause-stronger"
    # The smallest scene with an iou from 0.5 up to 0.6: one frame of two.
    assert clause["trace"].splitlines()[:2] == ["ref   [0, 0.02)*", "pred  [0, 0.04)*"]


def test_a_separating_trace_separates(folder: Path) -> None:
    """A radius of 3 frames instead of 2: the only kind of smallest trace has the two onsets 3 frames apart."""
    write(folder, {"new.contract": OLD.replace("N[40ms]", "N[60ms]")})
    outcome = run("check", "new.contract", "--against", "old.contract", "--format", "json", folder=folder)
    (item,) = json.loads(outcome.out)
    rows = {line.split()[0]: line.split()[1] for line in item["trace"].splitlines()[1:]}
    assert len(rows["ref_onset"]) == 4
    assert abs(rows["ref_onset"].index("█") - rows["pred_onset"].index("█")) == 3


def test_latex_of_a_contract_is_a_table_of_its_clauses() -> None:
    text = run("export", "boundary_gate", "--to", "latex").out
    formula = r"\mathit{ref\_onset} \to \mathsf{N}_{2}\, \mathit{pred\_onset}"
    row = rf"\texttt{{onset\_guard}} & $\mathit{{ref\_onset}}$ & ${formula}$ \\"
    assert row in text.splitlines()
    assert r"\lvert \mathit{pred.duration} - \mathit{ref.duration} \rvert \le 0.25 \cdot \mathit{ref.duration}" in text
    assert text.count("{") == text.count("}")


def test_what_a_target_cannot_express_is_said() -> None:
    rtamt, latex = (run("export", "boundary_gate", "--to", target) for target in ("rtamt", "latex"))
    assert "left out because rtamt has no event clauses: duration_guard, fragmentation_guard" in rtamt.err
    assert latex.err == ""
    assert "event clauses" in run("export", "--help").out


@pytest.mark.parametrize(
    ("predicate", "latex"),
    [
        ("ref.onset - -pred.onset <= 1s", r"REF - (-PRED) \le 1\,\mathrm{s}"),
        ("2 * -ref.onset >= -40ms", r"2 \cdot (-REF) \ge -40\,\mathrm{ms}"),
        ("-(ref.onset + pred.onset) < 0s", r"-(REF + PRED) < 0\,\mathrm{ms}"),
        ("ref.onset - (pred.onset - 1s) > 0s", r"REF - (PRED - 1\,\mathrm{s}) > 0\,\mathrm{ms}"),
        ("ref.onset - pred.onset + 1s != 0s", r"REF - PRED + 1\,\mathrm{s} \ne 0\,\mathrm{ms}"),
        ("0.5 * abs(ref.onset - pred.onset) <= 1s", r"0.5 \cdot \lvert REF - PRED \rvert \le 1\,\mathrm{s}"),
    ],
)
def test_latex_of_a_predicate_keeps_its_tree(predicate: str, latex: str, folder: Path) -> None:
    write(folder, {"l.contract": f"{HEAD}clause c on each matched : {predicate}\n"})
    text = run("export", "l.contract", "--to", "latex", folder=folder).out
    names = {"REF": r"\mathit{ref.onset}", "PRED": r"\mathit{pred.onset}"}
    for short, long in names.items():
        latex = latex.replace(short, long)
    assert f"& ${latex}$ \\\\" in text


def test_latex_of_nested_until_has_parentheses(folder: Path) -> None:
    write(folder, {"l.contract": f"{HEAD}atom p\natom q\nclause c on p : p U[2f] (q S[1f] p)\n"})
    text = run("export", "l.contract", "--to", "latex", folder=folder).out
    p, q = r"\mathit{p}", r"\mathit{q}"
    assert rf"${p} \mathbin{{\mathsf{{U}}_{{2}}}} ({q} \mathbin{{\mathsf{{S}}_{{1}}}} {p})$" in text
