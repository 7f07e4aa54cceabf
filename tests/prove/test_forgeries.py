"""Forgeries of the core and of certificates: each an attack that someone could try, each refused."""

import dataclasses
import hashlib
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tracepact import Mode, Run, Scorecard, load_contract, score, starter_contracts
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import InvalidInput
from tracepact.prove.build import Build
from tracepact.prove.certificates import Rechecked, kept_files, read_certificates, recheck
from tracepact.prove.core import cases_of, certificates_of, check_core, keep_certificates
from tracepact.prove.scan import scan, token_digest
from tracepact.prove.text import Entry, write_certificates
from tracepact.prove.theory import CERTIFICATES, LISTING, PROJECT, Theory, listing_text
from tracepact.prove.toolchain import Toolchain, ToolchainKind

GATE = load_contract(starter_contracts()["boundary_gate"])
FRAMES = ([False, True, True, False, True, False], [True, True, False, False, False, False])


def _card() -> Scorecard:
    return score(GATE, *FRAMES).card


def _text() -> str:
    (certificate,) = certificates_of(card := _card(), cases_of(card))
    return certificate.text


def _rerun(text: str) -> str:
    """The text with the digest of the run made right again, as a forger would."""
    body = text.split("namespace Tracepact.Certificate\n", 1)[1]
    return re.sub(r"^-- run .*$", f"-- run {hashlib.sha256(body.encode()).hexdigest()}", text, flags=re.MULTILINE)


def _checked(core: Build, folder: Path, text: str, **given: object) -> Rechecked:
    folder.mkdir(exist_ok=True)
    (folder / "Certificate0.lean").write_text(text, "utf-8", newline="")
    return recheck(core, kept_files(folder), **given)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_true_certificate_is_accepted_and_what_it_is_bound_to_is_said(core: Build, tmp_path: Path) -> None:
    alone = _checked(core, tmp_path, _text())
    assert not alone.refused
    assert (alone.is_given_contract, alone.is_of_given_tables) == (False, False)
    assert alone.contract is not None
    assert alone.contract.digest == GATE.digest
    with_contract = _checked(core, tmp_path, _text(), contract=GATE)
    assert (with_contract.is_given_contract, with_contract.is_of_given_tables) == (True, False)
    with_tables = _checked(core, tmp_path, _text(), card=_card())
    assert not with_tables.refused
    assert (with_tables.is_given_contract, with_tables.is_of_given_tables) == (True, True)


def _trivial(text: str) -> str:
    """Theorems of the right names that state nothing."""
    return re.sub(r"^(theorem \w+) : .*$", r"\1 : True := True.intro", text, flags=re.MULTILINE)


def _shadowed(text: str) -> str:
    """Another `Certified`, nearer than the core's."""
    own = "namespace Tracepact.Certificate\n"
    shade = "def Certified (_ : Case) (_ : Clause) (_ : Claim) : Prop := True\n"
    return _trivial(text).replace(": True :=", ": Certified case0 clause0 claim0_0 :=").replace(own, own + shade)


def _under_false(text: str) -> str:
    """A false assumption that every theorem is given."""
    own = "namespace Tracepact.Certificate\n"
    changed = text.replace(own, f"{own}variable (h : False)\ninclude h\n")
    return re.sub(r":= certify .*$", ":= h.elim", changed, flags=re.MULTILINE)


def _another_clause(text: str) -> str:
    """A clause that always holds, under the digest of the contract."""
    return re.sub(
        r"^def clause0 : .*$", "def clause0 : Clause := ⟨(.atom 1), (.constant .true)⟩", text, flags=re.MULTILINE
    )


def _by_axiom(text: str) -> str:
    """A false count by an axiom, beside an indented theorem that a count of lines takes for it."""
    cheat = (
        "axiom cheat (p : Prop) : p\n"
        "theorem certified0_0 : Certified case0 clause0 claim0_0 := cheat _\n"
        " theorem pad : True := True.intro\n#print axioms pad"
    )
    changed = re.sub(r"^theorem certified0_0 .*\n#print axioms certified0_0$", cheat, text, flags=re.MULTILINE)
    return changed.replace("def claim0_0 : Claim := ⟨0x", "def claim0_0 : Claim := ⟨0xf", 1)


def _gcd(text: str) -> str:
    """`Nat.gcd` of its own."""
    own = "namespace Tracepact.Certificate\n"
    return text.replace(own, f"def Nat.gcd (_ _ : Nat) : Nat := 0\n{own}")


def _without_a_claim(text: str) -> str:
    """One clause less is stated."""
    return re.sub(r"^def claim0_4 .*\n.*\n.*\n", "", text, flags=re.MULTILINE)


def _no_kernel(text: str) -> str:
    return text.replace(
        "set_option maxHeartbeats 0\n", "set_option maxHeartbeats 0\nset_option debug.skipKernelTC true\n"
    )


def _twice(text: str) -> str:
    """The clip is named twice, as if two had been scored."""
    return re.sub(r"^(-- clip .*)$", r"\1\n\1", text, flags=re.MULTILINE)


def _nobody(text: str) -> str:
    """The case is about no clip."""
    return re.sub(r"^-- clip .*\n", "", text, flags=re.MULTILINE)


def _longer_digits(text: str) -> str:
    return text.replace("Case := ⟨6,", f"Case := ⟨{'0' * 5000}6,")


FORGERIES: dict[str, Callable[[str], str]] = {
    "theorems that state nothing": _trivial,
    "another Certified": _shadowed,
    "a false assumption": _under_false,
    "another clause under the digest": _another_clause,
    "a false count by an axiom": _by_axiom,
    "a Nat.gcd of its own": _gcd,
    "a claim left out": _without_a_claim,
    "no kernel": _no_kernel,
    "a clip named twice": _twice,
    "a case about no clip": _nobody,
    "a number of 5,000 digits": _longer_digits,
    "an empty file": lambda text: "",
    "a truncated file": lambda text: text[: len(text) // 2],
    "the last theorem cut off": lambda text: text[: text.rindex("def claim")],
    "the last theorem cut off, and ended": lambda text: (
        text[: text.rindex("def claim")] + "end Tracepact.Certificate\n"
    ),
    "more behind the end": lambda text: text + "theorem more : True := True.intro\n",
    "a blank more": lambda text: text.replace("theorem ", "theorem  ", 1),
    "other line ends": lambda text: text.replace("\n", "\r\n"),
    "another import": lambda text: text.replace(
        "import Tracepact.Thm.Certificate", "import Tracepact.Thm.Certificate\nimport Lean"
    ),
    "another contract in the words": lambda text: text.replace("param tol = 40ms", "param tol = 80ms"),
    "another title": lambda text: text.replace('"Starter contract for a boundary gate"', '"-/ axiom cheat : False /-"'),
    "code that runs": lambda text: text.replace("end Tracepact.C", '#eval IO.println "1"\nend Tracepact.C'),
    "no axioms printed": lambda text: re.sub(r"^#print.*\n", "", text, flags=re.MULTILINE),
    "the axioms of another": lambda text: text.replace("#print axioms certified0_0", "#print axioms certified0_1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_certificate_is_refused_even_without_the_inputs(name: str, core: Build, tmp_path: Path) -> None:
    """Also with the digest of the run made right again; and no Lean is started on it."""
    forged = FORGERIES[name](_text())
    unstarted = dataclasses.replace(core, toolchain=dataclasses.replace(core.toolchain, command=("/nowhere",)))
    for text in (forged, _rerun(forged) if "namespace Tracepact.Certificate\n" in forged else forged):
        found = _checked(unstarted, tmp_path, text)
        assert found.refused
        assert found.contract is None


@pytest.mark.slow
@pytest.mark.parametrize("field", ["satisfied", "obligated", "verdict"])
def test_a_wrong_count_or_mask_in_the_right_form_is_refused_by_the_kernel(
    field: str, core: Build, tmp_path: Path
) -> None:
    ((case, segments),) = certificates_of(card := _card(), cases_of(card))[0].entries
    claim = dataclasses.replace(case.claims[2], **{field: getattr(case.claims[2], field) + 1})
    changed = dataclasses.replace(case, claims=(*case.claims[:2], claim, *case.claims[3:]))
    text = write_certificates(GATE, [[(changed, segments)]], ignores=False)[0].text
    found = _checked(core, tmp_path, text)
    assert [f.fault for f in found.files] == ["certified0_2: the kernel computes something else"]


def _other_masks() -> str:
    """A sound certificate of other masks, under the name of the same clip."""
    (certificate,) = certificates_of(card := score(GATE, FRAMES[0], FRAMES[0]).card, cases_of(card))
    return certificate.text


@pytest.mark.slow
def test_other_masks_under_the_name_of_the_clip_are_refused_with_the_tables(core: Build, tmp_path: Path) -> None:
    alone = _checked(core, tmp_path, _other_masks())
    assert not alone.refused, "what it states is true"
    assert not alone.is_of_given_tables, "and nothing is said of any tables"
    found = _checked(core, tmp_path, _other_masks(), card=_card())
    assert found.refused
    assert "is not the certificate of these tables" in str(found.files[0].fault)


@pytest.mark.slow
def test_a_certificate_of_another_contract_is_refused_with_the_contract(core: Build, tmp_path: Path) -> None:
    """The same masks under a tolerance that forgives more: all of it true, and of another contract."""
    lenient = load_contract(starter_contracts()["boundary_gate"], {"tol": "80ms"})
    (certificate,) = certificates_of(card := score(lenient, *FRAMES).card, cases_of(card))
    assert not _checked(core, tmp_path, certificate.text).refused
    for given in ({"contract": GATE}, {"card": _card()}):
        found = _checked(core, tmp_path, certificate.text, **given)
        assert "another contract" in str(found.files[0].fault)


def _demo(prediction: str) -> Run:
    demo = spec_path("demo")
    tables = (demo / "reference.tsv", demo / f"{prediction}.tsv")
    return score(GATE, *tables, durations=demo / "durations.tsv", mode=Mode.CLASS_INDEXED)


@pytest.mark.slow
def test_files_of_another_run_are_refused(core: Build, tmp_path: Path) -> None:
    card = _demo("late_long").card
    entries = [entry for certificate in certificates_of(card, cases_of(card)) for entry in certificate.entries]
    assert len(entries) > 3
    ours = write_certificates(GATE, [entries[:2], entries[2:]], ignores=False)
    theirs = write_certificates(GATE, [entries[:1], entries[1:]], ignores=False)
    kept, stale = tmp_path / "kept", tmp_path / "stale"
    keep_certificates(ours, kept)
    keep_certificates(theirs, stale)
    assert not recheck(core, kept_files(kept)).refused
    shutil.copy2(stale / "Certificate1.lean", kept / "Certificate1.lean")
    assert recheck(core, kept_files(kept)).refused, "one of each run"
    shutil.copy2(stale / "Certificate1.lean", kept / "Certificate2.lean")
    with pytest.raises(InvalidInput):
        keep_certificates(ours[:1], kept)
    (kept / "Certificate2.lean").unlink()
    keep_certificates(ours[:1], kept)
    assert not (kept / "Certificate1.lean").exists(), "what is kept takes the place of what was"
    assert recheck(core, kept_files(kept)).refused, "one file of two"
    keep_certificates(ours, kept)
    shutil.copy2(kept / "Certificate1.lean", kept / "Other.lean")
    assert recheck(core, kept_files(kept)).refused, "one file twice"
    assert recheck(core, kept_files(kept / "Certificate0.lean")).refused, "one file of two, by its name"


@pytest.mark.slow
def test_every_clip_of_a_case_is_named() -> None:
    card = _demo("late_long").card
    certificates = certificates_of(card, cases_of(card))
    named = re.findall(r"^-- clip \"(.*)\" class \"(.*)\"$", "\n".join(c.text for c in certificates), re.MULTILINE)
    assert sorted(named) == sorted(card.family.place(segment) for segment in range(card.layout.segments))


@pytest.mark.slow
def test_compiled_files_beside_a_certificate_are_not_read(core: Build, tmp_path: Path) -> None:
    """An empty module under the name of the core's, where Lean might look for it."""
    (tmp_path / "Tracepact/Thm").mkdir(parents=True)
    (tmp_path / "Tracepact/Thm/Certificate.olean").write_bytes(b"")
    assert not _checked(core, tmp_path, _text()).refused


@pytest.mark.slow
def test_the_entries_are_read_as_they_were_written() -> None:
    """Long masks in pieces, further masks, ignored frames."""
    frames = [index % 7 < 3 for index in range(9000)]
    contract = (
        "contract zones\nstep 20ms\natom zone\nclause held on ref_active & zone : ref_active U[60ms] pred_onset\n"
    )
    run = score(
        contract,
        {"a": [(0.1, 0.5, "x")], 'b é\n\u2028 "-/': [(0.0, 100.3, "y")]},
        {"a": [(0.14, 0.5, "x")], 'b é\n\u2028 "-/': [(0.1, 0.4, "x"), (0.6, 150.8, "y")]},
        durations={"a": 180, 'b é\n\u2028 "-/': 180},
        ignore={"a": [(0.3, 0.36)]},
        masks={"zone": {"a": frames, 'b é\n\u2028 "-/': frames[::-1]}},
    )
    certificates = certificates_of(run.card, cases_of(run.card))
    entries: list[Entry] = [entry for certificate in certificates for entry in certificate.entries]
    assert max(case.ref.bit_length() for case, _ in entries) > 4096
    assert entries[0][0].extra
    kept = read_certificates({Path(f"{n}.lean"): certificate.text for n, certificate in enumerate(certificates)})
    assert [entry for certificate in kept.certificates for entry in certificate.entries] == entries


# Forgeries that are data: an edit each, of the core, of a certificate of conformance vectors, or of a kept one.

FORGED = tomllib.loads(Path(__file__).with_name("forgeries.toml").read_text("utf-8"))["forgery"]
_PLACES = {"lean": "theory/lean", "lean-project": "theory", "conformance": "conformance"}


def _by(*ways: str) -> pytest.MarkDecorator:
    forged = [forgery for forgery in FORGED if forgery["by"] in ways]
    return pytest.mark.parametrize("forgery", forged, ids=[forgery["name"] for forgery in forged])


@pytest.fixture(scope="module")
def _scanned_once() -> Iterator[None]:
    """Of a changed copy only what was changed is scanned and digested."""
    digest = cache(token_digest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tracepact.prove.theory.scan", cache(scan))
        patch.setattr("tracepact.prove.theory.token_digest", digest)
        patch.setattr("tracepact.prove.scan.token_digest", digest)
        yield


def _place(folder: Path, name: str) -> Path:
    head, _, rest = name.partition("/")
    return folder / _PLACES[head] / rest if head in _PLACES else folder / name


def _edited(text: str, forgery: dict[str, Any]) -> str:
    old = forgery.get("old", "")
    assert old in text
    text = text.replace(old, forgery.get("new", old), 1)
    if "insert" in forgery:
        before, end, after = text.rpartition("\nend ")
        padded = " " * forgery["pad"] + forgery["padded"] if "pad" in forgery else ""
        text = f"{before}\n{forgery['insert']}{padded}{end}{after}"
    return forgery.get("head", "") + text + forgery.get("tail", "")


def _forged(theory: Theory, folder: Path, forgery: dict[str, Any], *, listed: bool) -> Theory:
    """A copy of all that `prove` reads, with an edit."""
    shutil.copytree(theory.sources, folder / "theory" / "lean")
    for name in PROJECT:
        shutil.copy2(theory.root / name, folder / "theory" / name)
    for name in CERTIFICATES:
        (folder / "conformance" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(spec_path("conformance") / name, folder / "conformance" / name)
    if "file" in forgery:
        path = _place(folder, forgery["file"])
        if "move" in forgery:
            path.rename(folder / forgery["move"])
        elif "hex" in forgery:
            before, end, after = path.read_bytes().rpartition(b"\nend ")
            path.write_bytes(before + b"\n" + bytes.fromhex(forgery["hex"]) + end + after)
        else:
            path.write_bytes(_edited(path.read_text("utf-8"), forgery).encode())
    if "link" in forgery:
        _place(folder, forgery["link"]).symlink_to(folder / forgery["move"])
    if "create" in forgery:
        path = _place(folder, forgery["create"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(forgery["text"].encode())
    changed = Theory(folder / "theory", folder / "conformance")
    if listed:
        (changed.sources / LISTING).write_text(listing_text(changed.digests), "utf-8")
    return Theory(folder / "theory", folder / "conformance")


def test_there_are_a_hundred_forgeries_with_names_of_their_own() -> None:
    assert len(FORGED) == len({forgery["name"] for forgery in FORGED}) >= 100
    edits = [str({key: value for key, value in forgery.items() if key != "name"}) for forgery in FORGED]
    assert len(set(edits)) == len(edits)


@pytest.mark.usefixtures("_scanned_once")
def test_a_copy_without_an_edit_is_not_refused(theory: Theory, tmp_path: Path) -> None:
    assert _forged(theory, tmp_path, {}, listed=True).faults() == []


@_by("scan", "listing")
@pytest.mark.usefixtures("_scanned_once")
def test_a_forgery_of_the_core_is_refused_before_lean_sees_it(
    forgery: dict[str, Any], theory: Theory, tmp_path: Path
) -> None:
    """Also if the forger has listed everything anew, as far as the listing is not what refuses it."""
    forged = _forged(theory, tmp_path, forgery, listed=forgery["by"] == "scan")
    nobody = Toolchain(ToolchainKind.WHEEL, ("/nowhere",), "", Path("/nowhere"))
    report = check_core(nobody, forged.root, tmp_path / "built", conformance=forged.conformance)
    assert not report.ok
    assert any(forgery["says"] in fault for fault in report.faults), report.faults[:3]


@_by("form")
def test_a_forgery_of_a_kept_certificate_is_refused_before_lean_sees_it(
    forgery: dict[str, Any], theory: Theory, tmp_path: Path
) -> None:
    """Also with the digest of the run made right again."""
    nobody = Toolchain(ToolchainKind.WHEEL, ("/nowhere",), "", Path("/nowhere"))
    text = _edited(_text(), forgery)
    for number, forged in enumerate((text, _rerun(text))):
        found = _checked(Build(nobody, theory, tmp_path), tmp_path / str(number), forged)
        assert found.refused
    assert forgery["says"] in str(found.files[0].fault)


@pytest.mark.slow
@_by("names", "kernel")
@pytest.mark.usefixtures("_scanned_once")
def test_a_forgery_that_the_scan_lets_through_is_refused_by_lean(
    forgery: dict[str, Any], core: Build, tmp_path: Path
) -> None:
    forged = _forged(core.theory, tmp_path, forgery, listed=True)
    assert forged.faults() == []
    if forgery["by"] == "names":
        outcome = Build(core.toolchain, forged, core.folder).check_names(forged.names)
        said = "" if outcome is None else outcome.fault
    else:
        shutil.copytree(core.folder, tmp_path / "built")
        report = check_core(core.toolchain, forged.root, tmp_path / "built", conformance=forged.conformance)
        assert not report.ok
        said = " ".join((*report.faults, *(str(theorem.axioms) for theorem in report.theorems)))
    assert forgery["says"] in said
