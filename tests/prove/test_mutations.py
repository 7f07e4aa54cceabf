"""A theorem that is made false, or weaker, or cheated, makes the check of the core fail."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from prove.copies import changed_theory

from tracepact.prove.build import Build
from tracepact.prove.core import CoreReport, check_core
from tracepact.prove.theory import Theory

pytestmark = pytest.mark.slow


def sampled(names: Iterable[str]) -> list[str]:
    """One in four of the names in a run of the usual size, all in a larger one: each takes Lean some seconds."""
    return list(names)[:: 4 if int(os.environ["TRACEPACT_EXAMPLES"]) < 100 else 1]


MUTATIONS = {
    "the score counts a violated frame as satisfied": (
        "Spec/Score.lean",
        "count (fun i => band (o i) (bnot (v i))) n",
        "count (fun i => band (o i) (v i)) n",
    ),
    "until ends one frame too early": (
        "Spec/Formula.lean",
        "  lower : Nat.le i j\n  upper : Nat.le j (Nat.add i r)",
        "  lower : Nat.le i j\n  upper : Lt j (Nat.add i r)",
    ),
    "the window moves to the wrong side": (
        "Impl/Masks.lean",
        "  | .ofNat k, x => Nat.shiftRight x k",
        "  | .ofNat k, x => Nat.shiftLeft x k",
    ),
    "the lookback forgets a frame": (
        "Spec/Scope.lean",
        "  | .ofNat k => Nat.sub m k\n  | .negSucc k => Nat.add m (.succ k)",
        "  | .ofNat k => Nat.sub m k\n  | .negSucc k => Nat.add m k",
    ),
    "the greedy matcher keeps what is taken": (
        "Impl/Greedy.lean",
        "(keepFree (.cons c kept) rest) (keepFree kept rest)",
        "(keepFree kept rest) (keepFree (.cons c kept) rest)",
    ),
    "the certificate does not look at the satisfied count": (
        "Impl/Certificate.lean",
        "(band (Nat.beq (popcount d s) m.satisfied) (Nat.beq (popcount d o) m.obligated))",
        "(band (Nat.beq (popcount d s) (popcount d s)) (Nat.beq (popcount d o) m.obligated))",
    ),
    "a headline theorem is weakened": (
        "Thm/Runs.lean",
        "(j : Nat) (lower : Nat.le r.start j) (upper : Lt j r.stop) :\n    Iff (Eq (onset a j) .true)",
        "(j : Nat) (lower : Nat.le r.start j) (upper : Lt j r.stop) (_ : Lt 5 n) :\n    Iff (Eq (onset a j) .true)",
    ),
    "both sides are empty when the reference is": (
        "Spec/Events.lean",
        "def Families.bothEmpty (x : Families) : Bool := band (Nat.beq x.refs 0) (Nat.beq x.preds 0)",
        "def Families.bothEmpty (x : Families) : Bool := band (Nat.beq x.refs 0) (Nat.beq x.refs 0)",
    ),
    "fragmentation allows two": (
        "Spec/Events.lean",
        "(Nat.ble (x.covering i) 1)",
        "(Nat.ble (x.covering i) 2)",
    ),
    "a theorem is left unproved": (
        "Thm/Sharing.lean",
        "  | .cons _ rest, .succ k => sharing valid longest mask rest k",
        "  | .cons _ rest, .succ k => sorry",
    ),
    "an axiom is added": (
        "Thm/Sharing.lean",
        "/-- **Sharing.**",
        "axiom cheat : False\ntheorem cheated : False := cheat\n\n/-- **Sharing.**",
    ),
    "a theorem is removed": (
        "Thm/Sharing.lean",
        "theorem sharing (valid",
        "theorem no_sharing (valid",
    ),
    "the greedy matcher takes the dearest first": (
        "Spec/Matching.lean",
        "bor (intLess c.cost d.cost)",
        "bor (intLess d.cost c.cost)",
    ),
    "a candidate need not overlap": (
        "Spec/Matching.lean",
        "And (And (Lt ref.start pred.stop) (Lt pred.start ref.stop))",
        "And (And (Lt ref.start pred.stop) (Lt ref.start pred.stop))",
    ),
    "a joined gap may be one frame too long": (
        "Spec/Join.lean",
        "(isJoined step mergeGap (Nat.sub q.start r.stop))\n      (.cons",
        "(isJoined step mergeGap (Nat.sub (Nat.sub q.start r.stop) 1))\n      (.cons",
    ),
    "the program forgets a frame too early": (
        "Impl/Buffer.lean",
        "cond (Nat.ble (.succ b.held) (width f))",
        "cond (Nat.ble (.succ (.succ b.held)) (width f))",
    ),
    "a chunk forgets its oldest frame": (
        "Impl/Chunks.lean",
        "smaller (Nat.add b.held m) (width f),",
        "smaller (Nat.add b.held m) (Nat.sub (width f) 1),",
    ),
    "a chunk lets out a verdict too early": (
        "Impl/Chunks.lean",
        "(Nat.sub (Nat.sub (Nat.add (framesOf rest) m) (lookahead f))",
        "(Nat.sub (Nat.sub (Nat.add (framesOf rest) (.succ m)) (lookahead f))",
    ),
    "a score at its threshold is above it": (
        "Spec/Soft.lean",
        "cond (Nat.ble score threshold) (.negative",
        "cond (Nat.ble (.succ score) threshold) (.negative",
    ),
    "a soft negation keeps its zero": (
        "Spec/Soft.lean",
        "  | .positive a => .negative a\n",
        "  | .positive (.number 0) => .positive (.number 0)\n  | .positive a => .negative a\n",
    ),
    "a soft until does not ask its left side": (
        "Spec/Soft.lean",
        "(lesser (soft n atom g j) (leastBelow (fun k => cond (Nat.ble i k) (soft n atom f k) softTop) j))",
        "(lesser (soft n atom g j) (leastBelow (fun k => cond (Nat.ble i k) (soft n atom f k) softTop) 0))",
    ),
    "a soft value may move twice as far": (
        "Thm/Soft.lean",
        "(inside : Lt i c.frames) : SoftNear e (c.value f i) (c'.value f i)",
        "(inside : Lt i c.frames) : SoftNear (Nat.mul e 2) (c.value f i) (c'.value f i)",
    ),
    "a verdict needs a margin that is larger by one": (
        "Spec/Soft.lean",
        "| .number k => Lt e k",
        "| .number k => Lt (.succ e) k",
    ),
    "no score has moved if it moved by the whole of it": (
        "Spec/Soft.lean",
        "Nat.le (distance (score j) (score' j)) e)",
        "Lt (distance (score j) (score' j)) e)",
    ),
    "a dual need not pay for predictions": (
        "Impl/Dual.lean",
        "(Nat.add (Nat.add (price d.refs c.ref) (price d.preds c.pred)) (costAbove c.cost))",
        "(Nat.add (Nat.add (price d.refs c.ref) (price d.refs c.pred)) (costAbove c.cost))",
    ),
}

DEFINITIONS = {
    "a comparison with a missing partner is true": (
        "Spec/Predicate.lean",
        "| .compare r x y => band (band (quantityThere o x) (quantityThere o y))",
        "| .compare r x y => bor (bnot (band (quantityThere o x) (quantityThere o y)))",
    ),
    "an event touches the frame that begins where it ends": (
        "Spec/Table.lean",
        "| .touch, j => Nat.ble offset (Nat.mul step j)",
        "| .touch, j => Nat.ble (.succ offset) (Nat.mul step j)",
    ),
    "no obligation counts as satisfied unless both sides are empty": (
        "Spec/Events.lean",
        "cond bothEmpty ⟨1, 1, .true⟩ ⟨0, 1, .false⟩",
        "cond bothEmpty ⟨0, 1, .false⟩ ⟨1, 1, .true⟩",
    ),
    "a reference is matched if a prediction has its number": (
        "Spec/Events.lean",
        "bor (Nat.beq m.fst i)",
        "bor (Nat.beq m.snd i)",
    ),
    "soft values are not cut": (
        "Spec/Soft.lean",
        "| .positive (.number k) => smaller k unit",
        "| .positive (.number k) => k",
    ),
    "the least margin is the greatest": (
        "Spec/Soft.lean",
        "Nat.add t.obligated u.obligated, lesser t.least u.least⟩",
        "Nat.add t.obligated u.obligated, greater t.least u.least⟩",
    ),
    "the informative mean leaves out what is not vacuous": (
        "Spec/Vector.lean",
        "cond v.vacuous (informative rest) (.cons v (informative rest))",
        "cond v.vacuous (.cons v (informative rest)) (informative rest)",
    ),
    "nothing is ever vacuous": (
        "Spec/Score.lean",
        "Nat.beq (obligations o n) 0",
        "Nat.beq (obligations o n) 1",
    ),
}
"""Changes that leave every theorem true."""


@pytest.mark.parametrize("name", sampled(MUTATIONS))
def test_a_mutated_core_is_refused(name: str, core: Build, tmp_path: Path) -> None:
    file, old, new = MUTATIONS[name]
    report = _checked_copy(core, tmp_path, file, old, new)
    assert not report.ok
    assert report.faults


@pytest.mark.parametrize("name", sampled(DEFINITIONS))
def test_a_changed_definition_is_refused_though_every_theorem_stays_true(
    name: str, core: Build, tmp_path: Path
) -> None:
    """The change is listed, as by someone who means it; then what is pinned is no longer what is computed."""
    file, old, new = DEFINITIONS[name]
    unlisted = changed_theory(core, tmp_path, f"Tracepact/{file}", old, new, listed=False)
    assert any("is not the one that is listed" in fault for fault in Theory(unlisted).faults())
    listed = changed_theory(core, tmp_path, f"Tracepact/{file}", new, new + " ", listed=True)
    faults = check_core(core.toolchain, listed, tmp_path / "built").faults
    refused = [fault.partition(":")[0] for fault in faults]
    assert refused
    assert all(module.startswith("Tracepact.Pins.") for module in refused)


UNPINNED = {
    "nothing is ever vacuous": ("Pins/Frames.lean", ("vacuous",), "certificate.lean: "),
    "the least margin is the greatest": (
        "Pins/Soft.lean",
        ("SoftTally.add", "softTally", "ScoreClip.tally"),
        "soft/certificate.lean: ",
    ),
}
"""Where the changed definition is pinned, the words of those pins, and the theorems about vectors that refuse it."""


@pytest.mark.parametrize("name", sampled(UNPINNED))
def test_the_vectors_refuse_a_changed_definition_even_without_the_pins(name: str, core: Build, tmp_path: Path) -> None:
    file, old, new = DEFINITIONS[name]
    pins, words, refused = UNPINNED[name]
    changed_theory(core, tmp_path, f"Tracepact/{file}", old, new)
    root = tmp_path / "theory"
    text = (root / "lean/Tracepact" / pins).read_text("utf-8")
    for example in re.findall(r"^example(?:.|\n(?!example|/-|end|--))*\n", text, re.MULTILINE):
        if any(f"({word} " in example for word in words):
            changed_theory(core, tmp_path, f"Tracepact/{pins}", example, "")
    empty = "".join(f"example : Eq {word} {word} := rfl\n" for word in words)
    root = changed_theory(core, tmp_path, f"Tracepact/{pins}", "end Tracepact.Pins", f"{empty}end Tracepact.Pins")
    (fault,) = check_core(core.toolchain, root, tmp_path / "built").faults
    assert fault.startswith(refused)


@pytest.mark.parametrize(
    "definition", ["Tracepact.eventValue", "Tracepact.greedy", "Tracepact.Holds", "bootstrap Init"]
)
def test_every_definition_is_listed(theory: Theory, definition: str) -> None:
    assert theory.digests[definition] == theory.listed[definition]


def test_a_definition_that_no_example_pins_is_refused(core: Build, tmp_path: Path) -> None:
    end = "end Tracepact"
    root = changed_theory(core, tmp_path, "Tracepact/Spec/Score.lean", end, f"def free (n : Nat) : Nat := n\n{end}")
    assert Theory(root).faults() == ["Tracepact.free is not pinned by an example"]


def test_an_unchanged_copy_is_accepted(core: Build, tmp_path: Path) -> None:
    assert _checked_copy(core, tmp_path, "Spec/Score.lean", "import", "import").ok


def test_a_file_that_the_root_does_not_import_is_a_fault(core: Build, tmp_path: Path) -> None:
    report = _checked_copy(
        core, tmp_path, "Thm/Forgotten.lean", "", "set_option autoImplicit false\nnamespace Tracepact\nend Tracepact\n"
    )
    assert "Tracepact.Thm.Forgotten is not imported by Tracepact" in report.faults
    assert not report.ok


def _checked_copy(core: Build, folder: Path, file: str, old: str, new: str) -> CoreReport:
    return check_core(core.toolchain, changed_theory(core, folder, f"Tracepact/{file}", old, new), folder / "built")
