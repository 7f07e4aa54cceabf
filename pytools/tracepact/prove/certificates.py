"""Certificates of the order of a selection; a kept certificate read again, written anew, and checked."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path

from tracepact.data.assembly import assemble
from tracepact.data.events import Durations, EventTable, common_unit
from tracepact.data.family import Mode
from tracepact.diagnostics.collection import Diagnostics, InvalidInput, known_name
from tracepact.diagnostics.findings import RowPlace
from tracepact.evaluate.scorecard import Scorecard, score_family
from tracepact.files import write_whole
from tracepact.inputs import open_within, read_within
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Aggregation, Contract
from tracepact.outputs import listed_files, write_results
from tracepact.prove.build import Build, Progress
from tracepact.prove.core import COMMAND, CertifiedFile, cases_of, certificates_of, check_certificate, checked_file
from tracepact.prove.family import NAMESPACE, family_part, lean_contract, left_out
from tracepact.prove.scan import ORDER
from tracepact.prove.text import (
    FRAME,
    PIECE,
    Certificate,
    CertificateCase,
    Claim,
    Entry,
    Segment,
    lean_list,
    write_certificates,
)
from tracepact.selection.files import ClaimedCase, OrderClaim

# Certificates of the order of a selection: the values of its cases, the weights, and that every pair is ordered.

IMPORT = "import Tracepact.Thm.Order\n"
"""The first line, by which such a certificate is known."""

_OPENING = """\
/-!
Certificate of the order of `{name}`, contract {digest}.

Times are in units of 1/{unit} s. A case is a family of one clip: for each of its labels its duration and the events of
the reference and of the prediction. `keeps` says: under `contract` each case, scored alone from its own times, has the
row of `table` as its means over clips, in parts of 1/{scale}; and on every pair, its worse case first, the sum of the
values times the `weights` is lower by `least_margin` or more. Divided by {scale} and by the total of the weights,
{total}, that is the profile `{profile}` and a margin of {margin}. `everywhere` says it of every corpus: whatever clips
of the same labels are scored beside them, their values added up. Anyone who has Lean and the proof core can check this
file again.
-/
"""
_EVERYWHERE = """\
theorem everywhere : (p : CasePair) → Mem p pairs → Exists fun worse => Exists fun better =>
    And (RowAt table p.worse worse) (And (RowAt table p.better better)
      ((rest : List (List Nat)) →
        LowerBy weights least_margin (corpusValues worse rest) (corpusValues better rest))) :=
  orders_everywhere weights least_margin table pairs keeps.ordered"""


@dataclass(frozen=True, slots=True)
class OrderCertificate:
    """The text of a certificate, its theorems, and what it states: values by case, whole weights, the margin."""

    text: str
    theorems: tuple[str, ...]
    clauses: tuple[str, ...]
    values: tuple[tuple[Fraction, ...], ...]
    weights: tuple[int, ...]
    margin: Fraction


def order_certificate(claim: OrderClaim, file: str) -> OrderCertificate:
    """The certificate of a claim, its values computed anew from the contract and the cases.

    InvalidInput if the contract cannot be compiled or has no such profile, or if it uses what a certificate cannot
    state. That the pairs are ordered is for the kernel to say.
    """
    contract = parse_contract(claim.contract, name=file)
    profiles = {profile.name: profile for profile in contract.profiles}
    known_name(claim.profile, profiles, "profile", "unknown-profile")
    given = dict(profiles[claim.profile].weights)
    weights = _order_whole([given.get(clause.name, Fraction(0)) for clause in contract.clauses])
    cards = [_scored(contract, case, file) for case in claim.cases]
    values = [[c.score(clause.name, Aggregation.MACRO_CLIPS).value for clause in contract.clauses] for c in cards]
    # One denominator for all values and the margin: then the rows of the table are whole numbers that the kernel
    # compares.
    scale = lcm(*(value.denominator for row in values for value in row), claim.margin.denominator)
    unit = _unit(contract, claim.cases)
    total = sum(weights)
    opening = _OPENING.format(
        name=contract.name,
        digest=contract.digest,
        unit=unit,
        scale=scale,
        total=total,
        profile=claim.profile,
        margin=claim.margin,
    )
    lines = [IMPORT + opening + FRAME.rstrip("\n"), f"def contract : Contract :=\n  {lean_contract(contract, unit)}"]
    theorems: list[str] = []
    for number, (card, case) in enumerate(zip(cards, claim.cases, strict=True), start=1):
        written, names = family_part(card, *_tables(case, file), {case.name: case.duration}, unit, f"case{number}_")
        lines += [f"-- case {number}", *written]
        theorems += names
    rows = [[int(value * scale) for value in row] for row in values]
    lines += _order(rows, weights, int(claim.margin * scale) * total, scale, claim)
    theorems += ["keeps", "everywhere"]
    return OrderCertificate(
        "\n".join(lines) + "\n",
        tuple(f"{NAMESPACE}.{name}" for name in theorems),
        tuple(clause.name for clause in contract.clauses),
        tuple(map(tuple, values)),
        tuple(weights),
        claim.margin,
    )


def _order(
    rows: Sequence[Sequence[int]], weights: Sequence[int], margin: int, scale: int, claim: OrderClaim
) -> list[str]:
    """The table, the weights, the pairs and the two theorems about them."""
    numbers = range(1, len(rows) + 1)
    pairs = lean_list(f"⟨{worse}, {better}⟩" for worse, better in claim.pairs)
    table = lean_list(lean_list(map(str, row)) for row in rows)
    scored = "".join(f"(.more case{k}_scores rfl " for k in numbers) + ".none" + ")" * len(rows)
    parts = f"contract {scale} weights least_margin cases table pairs"
    return [
        f"def cases : List (List (List Sides)) := {lean_list(f'case{k}_family' for k in numbers)}",
        f"def table : List (List Nat) := {table}",
        f"def weights : List Nat := {lean_list(map(str, weights))}",
        f"def least_margin : Nat := {margin}",
        f"def pairs : List CasePair := {pairs}",
        f"theorem keeps : KeepsOrder {parts} :=\n  order_certified {parts}\n    {scored} (id rfl)",
        _EVERYWHERE,
        "#print axioms keeps",
        "#print axioms everywhere",
        f"end {NAMESPACE}",
    ]


def certify_order(claim: OrderClaim, source: str, build: Build, file: Path) -> tuple[CertifiedFile, OrderCertificate]:
    """Write the certificate of a claim into a file and have the kernel check it.

    A folder that is not the selection's own is listed as one that `certify` wrote, so that it can be written again.
    """
    certificate = order_certificate(claim, source)
    if listed_files(file.parent, COMMAND) is not None or not file.parent.exists() or not any(file.parent.iterdir()):
        write_results(file.parent, COMMAND, {file.name: certificate.text})
    else:
        write_whole({file: certificate.text})
    return checked_file(build, file, certificate.text, ORDER, certificate.theorems, 2), certificate


def recheck_order(claim: OrderClaim, source: str, build: Build, file: Path) -> tuple[CertifiedFile, OrderCertificate]:
    """Check a kept certificate: that it is the one of the claim, byte for byte, and that the kernel accepts it."""
    # Byte for byte: a certificate that merely proves something says nothing about this selection.
    certificate = order_certificate(claim, source)
    if read_within(file.parent, file.name) != certificate.text.encode():
        return CertifiedFile(file, 0, refused="it is not the certificate of the selection given"), certificate
    return checked_file(build, file, certificate.text, ORDER, certificate.theorems, 2), certificate


def is_order_certificate(file: Path) -> bool:
    """Whether a file claims to be a certificate of an order."""
    with open_within(file.parent, file.name) as opened:
        return opened.read(len(IMPORT)) == IMPORT.encode()


def _scored(contract: Contract, case: ClaimedCase, file: str) -> Scorecard:
    """A case scored alone, over its own labels (14.9)."""
    diagnostics = Diagnostics()
    durations = Durations(file, {case.name: case.duration})
    mode = Mode.CLASS_INDEXED if case.ref or case.pred else Mode.UNION  # without a label there is one empty class
    # Each case has a family of its own: in a common one the labels of other cases would be classes without events here,
    # and change the means.
    family = assemble(contract, *_tables(case, file), durations=durations, mode=mode, diagnostics=diagnostics)
    diagnostics.raise_errors()
    card = score_family(contract, family)
    reason = left_out(card)
    if reason is not None:
        diagnostics.add("not-certifiable", f"a certificate of an order does not cover {reason}", RowPlace(file))
        raise InvalidInput(diagnostics)
    return card


def _tables(case: ClaimedCase, file: str) -> tuple[EventTable, EventTable]:
    ref, pred = (EventTable(file, {case.name: tuple(e.event for e in side)}) for side in (case.ref, case.pred))
    return ref, pred


def _unit(contract: Contract, cases: Sequence[ClaimedCase]) -> int:
    times = [time for case in cases for e in (*case.ref, *case.pred) for time in (e.onset, e.offset)]
    return common_unit(
        times, [case.duration for case in cases], (contract.step, contract.merge_gap, contract.matcher.search)
    )


def _order_whole(weights: Sequence[Fraction]) -> list[int]:
    """The weights as whole numbers."""
    # The core has weights in whole numbers: a common factor changes no order, and spares the kernel fractions.
    common = lcm(*(weight.denominator for weight in weights))
    return [int(weight * common) for weight in weights]


# Reading a kept certificate: loosely line by line, then written anew, so that only the writer's exact form is read.

_PLACE = re.compile(r"^-- file (\d+) of (\d+)\n", re.MULTILINE)
_IGNORES = re.compile(r"^-- ignored frames: (none|given)\n", re.MULTILINE)
_DIGEST = re.compile(r"-- (?:contract \S+|run) [0-9a-f]{64}$")
_TEXT_LINE = re.compile(r"^-- \|(?: (.*))?$", re.MULTILINE)
_SEGMENT = re.compile(r"-- clip (\".*\") class (\".*\")")
_CASE = re.compile(r"def case\d+ : Case := ⟨(\d+), ([^,]*), ([^,]*), numbered ([^,]*)⟩")
_CLAIM = re.compile(r"def claim\d+_\d+ : Claim := ⟨([^,]*), (\d+), (\d+)⟩")
_MASK = re.compile(r"\(joined \d+ ((?:\(\.cons 0x[0-9a-f]+ )+)|0x[0-9a-f]+")
_NUMBER = re.compile(r"0x[0-9a-f]+")


class NotACertificate(ValueError):  # noqa: N818  (it is what the files are)
    """Why some files are not a certificate."""


@dataclass(frozen=True, slots=True)
class KeptCertificate:
    """A certificate as it was kept: its contract, and its files in order."""

    contract: Contract
    files: tuple[Path, ...]
    certificates: tuple[Certificate, ...]

    @property
    def segments(self) -> int:
        """Clips, counted once per class."""
        return sum(len(segments) for certificate in self.certificates for _, segments in certificate.entries)


def read_certificates(texts: dict[Path, str]) -> KeptCertificate:
    """The certificate that some files are, all of it and nothing else; NotACertificate if they are not one."""
    # By the numbers inside, for the names of files can be changed by anyone who copies them.
    ordered = sorted(texts.items(), key=lambda item: _place(item[0], item[1]))
    first, text = ordered[0]
    count = int(_found(_PLACE, first, text)[2])
    if [_place(path, found) for path, found in ordered] != [(number, len(ordered)) for number in range(1, count + 1)]:
        raise NotACertificate(f"the certificate has {count} files, and these are others, or some are missing")
    contract = _contract(first, text)
    ignores = _found(_IGNORES, first, text)[1] == "given"
    batches = [_entries(path, found) for path, found in ordered]
    _check_entries(contract, [entry for batch in batches for entry in batch])
    # The reading above is loose: it takes what looks like cases and claims, wherever they stand. What makes it safe is
    # that the writer then has to give exactly these bytes, so nothing unread can stand between the lines.
    written = write_certificates(contract, batches, ignores=ignores)
    for (path, found), certificate in zip(ordered, written, strict=True):
        if found != certificate.text:
            raise NotACertificate(f"{path.name}: {difference(found, certificate.text)}")
    return KeptCertificate(contract, tuple(path for path, _ in ordered), tuple(written))


def difference(text: str, written: str) -> str:
    """Where a text departs from what `certify` writes."""
    pairs = enumerate(zip(text.split("\n"), written.split("\n"), strict=False), start=1)
    line, said = next(((number, a) for number, (a, b) in pairs if a != b), (None, ""))
    if line is None:
        return "certify writes more lines, or fewer"
    if _DIGEST.match(said):
        return f"the digest on line {line} does not belong to what the certificate states"
    return f"line {line} is not what certify writes"


def _found(pattern: re.Pattern[str], path: Path, text: str) -> re.Match[str]:
    match = pattern.search(text)
    if match is None:
        raise NotACertificate(f"{path.name} is not in the form in which certify writes")
    return match


def _place(path: Path, text: str) -> tuple[int, int]:
    match = _found(_PLACE, path, text)
    return _kept_whole(path, match[1]), _kept_whole(path, match[2])


def _kept_whole(path: Path, text: str) -> int:
    # Numbers below 10^18 are all that `certify` writes; longer ones take long to convert, which is a way to keep a
    # program busy.
    if len(text) > 18:
        raise NotACertificate(f"{path.name} has a number of {len(text)} digits")
    return int(text)


def _contract(path: Path, text: str) -> Contract:
    """The contract whose text a file carries; that it holds nothing else is seen when it is written anew."""
    source = "\n".join(line or "" for line in _TEXT_LINE.findall(text))
    try:
        return parse_contract(source, name=path.name)
    except InvalidInput as error:
        raise NotACertificate(f"{path.name} carries no contract: {next(iter(error.diagnostics)).headline}") from error


def _entries(path: Path, text: str) -> list[Entry]:
    """The cases of a file, each with its segments and claims."""
    entries: list[Entry] = []
    segments: list[Segment] = []
    for line in text.split("\n"):
        if match := _SEGMENT.fullmatch(line):
            try:
                segments.append(Segment(json.loads(match[1]), json.loads(match[2])))
            except ValueError:
                raise NotACertificate(f"{path.name} names a clip in a form that certify does not write") from None
        elif match := _CASE.fullmatch(line):
            frames = _kept_whole(path, match[1])
            entries.append(
                (CertificateCase(frames, _mask(match[2]), _mask(match[3]), _masks(match[4]), ()), tuple(segments))
            )
            segments = []
        elif (match := _CLAIM.fullmatch(line)) and entries:
            case, owners = entries[-1]
            claim = Claim(_mask(match[1]), _kept_whole(path, match[2]), _kept_whole(path, match[3]))
            entries[-1] = (CertificateCase(case.frames, case.ref, case.pred, case.extra, (*case.claims, claim)), owners)
    if not entries:
        raise NotACertificate(f"{path.name} states nothing")
    return entries


def _check_entries(contract: Contract, entries: Sequence[Entry]) -> None:
    """Every case states something of every clause, for clips that no other case is about."""
    clauses = len(contract.frame_clauses)
    if any(len(case.claims) != clauses for case, _ in entries):
        raise NotACertificate(f"the contract has {clauses} frame clauses, and not every case states each of them")
    # A clip that is left out or stated twice would be a certificate of another family.
    segments = [segment for _, owners in entries for segment in owners]
    # A case without a clip proves something that nobody asked.
    if not all(owners for _, owners in entries) or len(set(segments)) != len(segments):
        raise NotACertificate("a case is about no clip, or about one that another case is about")


def _masks(text: str) -> tuple[int, ...]:
    return tuple(_joined(_NUMBER.findall(match[0])) for match in _MASK.finditer(text))


def _mask(text: str) -> int:
    return _joined(_NUMBER.findall(text))


def _joined(pieces: Sequence[str]) -> int:
    return sum(int(piece, 16) << (PIECE * place) for place, piece in enumerate(pieces))


# Checking a kept certificate again: that it is one, what it is bound to, and that the kernel accepts all of it.

_MOST = 1 << 28
"""Bytes of one file; certify writes far less."""


@dataclass(frozen=True, slots=True)
class RecheckedFile:
    """One file: how many of its theorems hold, why it is refused, or why nothing is known."""

    file: Path
    theorems: int
    fault: str | None = None
    undecided: str | None = None


@dataclass(frozen=True, slots=True)
class Rechecked:
    """What a recheck found, and what the certificate is known to be bound to."""

    files: tuple[RecheckedFile, ...]
    contract: Contract | None
    """The contract whose text the files carry, and of which the formulas are; none if they are no certificate."""
    segments: int
    is_given_contract: bool
    """It is the contract that was given."""
    is_of_given_tables: bool
    """Byte for byte, it is the certificate of the tables that were given."""

    @property
    def refused(self) -> bool:
        """Whether any file is refused."""
        return any(found.fault is not None for found in self.files)

    @property
    def undecided(self) -> bool:
        """Whether nothing is refused, and something is not known."""
        return not self.refused and any(found.undecided is not None for found in self.files)


def kept_files(kept: Path) -> list[Path]:
    """The files of a certificate: one, or all of a folder."""
    return sorted(kept.glob("*.lean")) if kept.is_dir() else [kept]


def recheck(
    build: Build,
    files: list[Path],
    *,
    contract: Contract | None = None,
    card: Scorecard | None = None,
    progress: Progress | None = None,
) -> Rechecked:
    """Check kept files again; with a contract that it is theirs, with a scorecard that they are its certificate."""
    try:
        kept = read_certificates({file: _text(file) for file in files})
        given = card.contract if card is not None else contract
        if given is not None and given.text != kept.contract.text:
            raise NotACertificate(f"this is a certificate of another contract, {kept.contract.digest[:12]}…")
        if card is not None:
            _compare(kept, certificates_of(card, cases_of(card)))
    except NotACertificate as error:
        return Rechecked(tuple(RecheckedFile(file, 0, str(error)) for file in files), None, 0, False, False)
    checked = []
    for number, (file, certificate) in enumerate(zip(kept.files, kept.certificates, strict=True), start=1):
        checked.append(_recheck_checked(build, file, certificate))
        if progress is not None:
            progress(number, len(kept.files))
    return Rechecked(tuple(checked), kept.contract, kept.segments, given is not None, card is not None)


def _text(file: Path) -> str:
    try:
        return read_within(file.parent, file.name, _MOST).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise NotACertificate(f"{file.name} cannot be read: {error}") from error


def _compare(kept: KeptCertificate, written: list[Certificate]) -> None:
    if len(kept.files) != len(written):
        raise NotACertificate(f"the certificate of these tables has {len(written)} files, not {len(kept.files)}")
    for file, found, certificate in zip(kept.files, kept.certificates, written, strict=True):
        if found.text != certificate.text:
            where = difference(found.text, certificate.text)
            raise NotACertificate(f"{file.name} is not the certificate of these tables: {where}")


def _recheck_checked(build: Build, file: Path, certificate: Certificate) -> RecheckedFile:
    checked = check_certificate(build, certificate)
    sound = len(certificate.theorems) - len(checked.refused)
    if checked.refused:
        (case, clause), reason = next(iter(checked.refused.items()))
        return RecheckedFile(file, sound, f"certified{case}_{clause}: {reason}")
    return RecheckedFile(file, sound if checked.undecided is None else 0, None, checked.undecided)
