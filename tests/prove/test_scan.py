"""What the allow-list lets through, and attacks on the core that it does not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prove.copies import changed_theory

from tracepact.prove.build import Build
from tracepact.prove.core import check_core
from tracepact.prove.scan import (
    CERTIFICATE,
    FAMILY,
    LIBRARY,
    PINS,
    STATEMENTS,
    VECTORS,
    Around,
    Dialect,
    Unreadable,
    scan,
    tokens_of,
)
from tracepact.prove.theory import scan_root

pytestmark = pytest.mark.slow

HEAD = "import Tracepact.Spec.Truth\nset_option autoImplicit false\nnoncomputable section\n"
OPEN, CLOSE = f"{HEAD}namespace Tracepact\n", "end Tracepact\n"

INIT = Around(frozenset({"Nat", "Eq", "False"}))

IN_THE_NAMESPACE = {
    "Nat.gcd of its own, which the kernel computes by name": "def Nat.gcd (_ _ : Nat) : Nat := 0",
    "the same by leaving the namespace": "def _root_.Nat.gcd (_ _ : Nat) : Nat := 0",
    "the same in a helper of a theorem": "theorem a : True := .intro\nwhere\n  _root_.Nat.gcd : Nat := 0",
    "an equality of its own": "inductive Eq (a b : Nat) : Prop where\n  | any",
    "a falsehood that is true": "inductive False : Prop where\n  | intro",
    "a meaning of its own for certificates": "def Certificate.Certified (n : Nat) : Prop := True",
    "an axiom": "axiom cheat : False",
    "an axiom that looks like a comment to a search": "-- /-\naxiom cheat : False\n-- -/",
    "an axiom behind a comment that ends early": "/- -- -/\naxiom cheat : False",
    "an unsafe definition": "unsafe def a : False := a",
    "an opaque one": "opaque a : Nat",
    "a partial one": "partial def a : Nat → Nat := a",
    "another body for the compiler": "@[implemented_by b] def a : Nat := 1",
    "a foreign body": '@[extern "f"] def a : Nat := 1',
    "another literal": "instance : OfNat Nat 5 where\n  ofNat := 4",
    "another literal under the name of a class": (
        "class Reads (n : Nat) where\n  term : Nat\ninstance Reads.five {n : Nat} : OfNat Nat 5 := ⟨4⟩"
    ),
    "an instance without a name": "class Reads (n : Nat) where\n  term : Nat\ninstance : Reads 5 := ⟨4⟩",
    "an attribute later": "attribute [instance] a",
    "an instance of no class": "instance Reads.five : Nat := 5",
    "another sign": 'notation "⊥" => True',
    "a macro": 'macro "a" : term => `(True)',
    "an elaborator": 'elab "a" : term => pure default',
    "code that runs": '#eval IO.FS.writeFile "out" ""',
    "a command that runs": "run_cmd pure ()",
    "code that runs when it is imported": "initialize pure ()",
    "no kernel": "set_option debug.skipKernelTC true",
    "an option in the middle": "set_option autoImplicit true",
    "an option for one command": "set_option autoImplicit true in theorem a : True := .intro",
    "other names": "open Nat",
    "other names for all": "export Nat (add)",
    "another namespace": "namespace Nat\ndef gcd (_ _ : Nat) : Nat := 0\nend Nat",
    "the end before the end": "end Tracepact\ndef Nat.gcd (_ _ : Nat) : Nat := 0\nnamespace Tracepact",
    "a private theorem": "private theorem a : True := .intro",
    "an indented theorem, which a search for lines misses": " theorem a : True := .intro",
    "a statement in a library file": "example : True := .intro",
    "the end of the file before its end": "#exit",
    "a printed text": "#print \"'Tracepact.a' does not depend on any axioms\"",
    "quotients": "init_quot",
    "a letter that looks like another": "def \u0430 : Nat := 1",
    "a name in which all is allowed": "def «Nat.gcd» : Nat := 1",
    "a comment that Lean reads as something else": "def a : Nat → Nat := fun\n  |-- b => b\n  | b => b",
    "a tab": "def a :\tNat := 1",
    "a string": 'def a : Nat := "/-"',
}


@pytest.mark.parametrize("attack", IN_THE_NAMESPACE)
def test_an_attack_inside_the_namespace_is_refused_before_lean_sees_it(attack: str) -> None:
    assert scan(f"{OPEN}theorem sound : True := .intro\n{CLOSE}", LIBRARY, INIT).faults == []
    assert scan(f"{OPEN}{IN_THE_NAMESPACE[attack]}\n{CLOSE}", LIBRARY, INIT).faults


@pytest.mark.parametrize(
    "text",
    [
        "",
        OPEN,
        f"{OPEN}{CLOSE}def a : Nat := 1\n",
        f"def a : Nat := 1\n{OPEN}{CLOSE}",
        f"import Lean\n{OPEN}{CLOSE}",
        f"prelude\n{OPEN}{CLOSE}",
        f"{HEAD}namespace Tracepact.Sub\nend Tracepact.Sub\n",
        f"set_option maxRecDepth 9\n{OPEN}{CLOSE}",
        f"{OPEN}{CLOSE}/- without an end",
        f"{HEAD}import Tracepact.Spec.Runs\nnamespace Tracepact\n{CLOSE}",
        f"\ufeff{OPEN}{CLOSE}",
        f"{OPEN}{CLOSE}".replace("\n", "\r\n"),
        f"{OPEN}section\n{CLOSE}",
        f"{OPEN}end\n{CLOSE}",
    ],
)
def test_a_file_of_another_shape_is_refused(text: str) -> None:
    assert scan(text, LIBRARY, INIT).faults


@pytest.mark.parametrize(
    ("dialect", "line"),
    [
        (STATEMENTS, "variable (h : False)"),
        (STATEMENTS, "include h"),
        (STATEMENTS, "def Holds : Nat := 1"),
        (STATEMENTS, "theorem a : True := .intro"),
        (PINS, "def eval : Nat := 1"),
        (PINS, "variable (h : False)"),
        (VECTORS, "variable (h : False)"),
        (VECTORS, "example : True := .intro"),
        (CERTIFICATE, "variable (h : False)"),
        (CERTIFICATE, "include h"),
        (CERTIFICATE, "structure Certified (c : Case) : Prop where\n  any : True"),
        (CERTIFICATE, "axiom cheat : False"),
        (CERTIFICATE, "section"),
        (FAMILY, "axiom cheat : False"),
        (FAMILY, "structure ScoresTo (c : Contract) : Prop where\n  any : True"),
    ],
)
def test_each_kind_of_file_has_its_own_commands(dialect: Dialect, line: str) -> None:
    module = {VECTORS: "Tracepact", FAMILY: "Tracepact.Thm.Vector"}.get(dialect, "Tracepact.Thm.Certificate")
    frame = (
        f"import {module}\nset_option autoImplicit false\nnamespace {dialect.namespace}\n%send {dialect.namespace}\n"
    )
    assert scan(frame % "", dialect, INIT).faults == []
    assert scan(frame % f"{line}\n", dialect, INIT).faults


@pytest.mark.parametrize("text", ["import Lean\n", "import Tracepact.Spec.Truth\ndef a : Nat := 1\n", "#eval 1\n"])
def test_the_root_has_imports_only(text: str) -> None:
    assert scan_root("import Tracepact.Spec.Truth\n/-! All. -/\n").faults == []
    assert scan_root(text).faults


@given(st.text(alphabet="ab/- \n!\"'«»⟨.:=|#@09_", max_size=40))
def test_any_text_is_tokens_or_unreadable_and_comments_hide_nothing_but_themselves(text: str) -> None:
    """Outside comments every sign is a token, in its order; comments are taken out by a second, naive reading."""
    try:
        tokens = [token.text for token in tokens_of(text)]
    except Unreadable:
        return
    assert "".join(tokens) == "".join(_uncommented(text).split())


def _uncommented(text: str) -> str:
    kept, depth, line = [], 0, False
    at = 0
    while at < len(text):
        two = text[at : at + 2]
        if line:
            line = text[at] != "\n"
        elif depth and two in ("-/", "/-"):
            depth += 1 if two == "/-" else -1
            at += 1
        elif not depth and two in ("--", "/-"):
            line, depth = two == "--", int(two == "/-")
            at += 1
        elif not depth:
            kept.append(text[at])
        at += 1
    return "".join(kept)


def _refused(core: Build, folder: Path, file: str, old: str, new: str) -> list[str]:
    root = changed_theory(core, folder, file, old, new)
    return list(check_core(core.toolchain, root, folder / "built").faults)


def test_false_by_two_values_of_gcd_is_refused(core: Build, tmp_path: Path) -> None:
    """What the kernel computes by name, against a body of the attacker's: equal, hence 2 = 0, without an axiom."""
    attack = (
        "def Nat.gcd (_ _ : Nat) : Nat := 0\n"
        "theorem one : Eq (Nat.gcd 2 4) 2 := rfl\n"
        "theorem other (a b : Nat) : Eq (Nat.gcd a b) 0 := rfl\n"
        "theorem cheated : False := nomatch Eq.trans (Eq.symm one) (other 2 4)\nend Tracepact"
    )
    faults = _refused(core, tmp_path, "Tracepact/Thm/Sharing.lean", "end Tracepact", attack)
    assert any("`Nat.gcd` is a name of Lean's own" in fault for fault in faults)


@pytest.mark.parametrize("word", ["sorry", "by", "unsafe", "axiom", "theorem"])
def test_a_word_that_is_no_name_to_lean_is_refused(core: Build, tmp_path: Path, word: str) -> None:
    """The scan has no list of such words: Lean itself says that they are none."""
    attack = f"theorem extra : True := .intro {word} cheat : False\nend Tracepact"
    faults = _refused(core, tmp_path, "Tracepact/Thm/Sharing.lean", "end Tracepact", attack)
    assert len(faults) == 1
    assert "not a plain name" in faults[0]
    assert f"`{word}`" in faults[0]


def test_code_in_a_core_file_is_not_run(core: Build, tmp_path: Path) -> None:
    """Refused by the scan, so no Lean is started on it."""
    mark = tmp_path / "mark"
    attack = f'#eval IO.FS.writeFile "{mark}" ""\nend Tracepact'
    assert _refused(core, tmp_path, "Tracepact/Thm/Sharing.lean", "end Tracepact", attack)
    assert not mark.exists()
