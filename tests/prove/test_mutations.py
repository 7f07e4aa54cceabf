"""A theorem that is made false, or weaker, or cheated, makes the check of the core fail."""

import shutil
from pathlib import Path

import pytest

from tracepact.tools.prove.build import Build
from tracepact.tools.prove.prove import CoreReport, check_core
from tracepact.tools.prove.toolchain import Kind

pytestmark = pytest.mark.slow

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
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutated_core_is_refused(name: str, core: Build, tmp_path: Path) -> None:
    file, old, new = MUTATIONS[name]
    report = _checked_copy(core, tmp_path, file, old, new)
    assert not report.ok
    assert report.faults


def test_an_unchanged_copy_is_accepted(core: Build, tmp_path: Path) -> None:
    assert _checked_copy(core, tmp_path, "Spec/Score.lean", "import", "import").ok


def test_a_file_that_the_root_does_not_import_is_a_fault(core: Build, tmp_path: Path) -> None:
    report = _checked_copy(core, tmp_path, "Thm/Forgotten.lean", "", "namespace Tracepact\nend Tracepact\n")
    assert "Tracepact.Thm.Forgotten is not imported by Tracepact" in report.faults
    assert not report.ok


def _checked_copy(core: Build, folder: Path, file: str, old: str, new: str) -> CoreReport:
    """Check a changed copy of the core; what the change does not touch stays compiled."""
    root, built = folder / "theory", folder / "built"
    shutil.copytree(core.theory.sources, root / "lean")
    for name in ("lakefile.lean", "lean-toolchain"):
        shutil.copy2(core.theory.root / name, root / name)
    if core.toolchain.kind is Kind.WHEEL:
        shutil.copytree(core.folder, built)
    path = root / "lean" / "Tracepact" / file
    text = path.read_text("utf-8") if path.exists() else ""
    assert old in text
    path.write_text(text.replace(old, new) if old else new, "utf-8")
    return check_core(core.toolchain, root, built)
