"""Reading a kept certificate: loosely line by line, then written anew, so that only the writer's exact form is read."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tracepact.core import Contract
from tracepact.diagnostics import InvalidInput
from tracepact.lang import parse_contract
from tracepact.tools.prove.certificate import Case, Certificate, Claim, Entry, Segment, write_certificates
from tracepact.tools.prove.text import PIECE

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
    ordered = sorted(texts.items(), key=lambda item: _place(item[0], item[1]))
    first, text = ordered[0]
    count = int(_found(_PLACE, first, text)[2])
    if [_place(path, found) for path, found in ordered] != [(number, len(ordered)) for number in range(1, count + 1)]:
        raise NotACertificate(f"the certificate has {count} files, and these are others, or some are missing")
    contract = _contract(first, text)
    ignores = _found(_IGNORES, first, text)[1] == "given"
    batches = [_entries(path, found) for path, found in ordered]
    _check_entries(contract, [entry for batch in batches for entry in batch])
    written = write_certificates(contract, batches, ignores=ignores)
    for (path, found), certificate in zip(ordered, written, strict=True):
        if found != certificate.text:
            raise NotACertificate(f"{path.name}: {difference(found, certificate.text)}")
    return KeptCertificate(contract, tuple(path for path, _ in ordered), tuple(written))


def difference(found: str, written: str) -> str:
    """Where a text departs from what `certify` writes."""
    pairs = enumerate(zip(found.split("\n"), written.split("\n"), strict=False), start=1)
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
    return _whole(path, match[1]), _whole(path, match[2])


def _whole(path: Path, text: str) -> int:
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
            frames = _whole(path, match[1])
            entries.append((Case(frames, _mask(match[2]), _mask(match[3]), _masks(match[4]), ()), tuple(segments)))
            segments = []
        elif (match := _CLAIM.fullmatch(line)) and entries:
            case, owners = entries[-1]
            claim = Claim(_mask(match[1]), _whole(path, match[2]), _whole(path, match[3]))
            entries[-1] = (Case(case.frames, case.ref, case.pred, case.extra, (*case.claims, claim)), owners)
    if not entries:
        raise NotACertificate(f"{path.name} states nothing")
    return entries


def _check_entries(contract: Contract, entries: Sequence[Entry]) -> None:
    """Every case states something of every clause, for clips that no other case is about."""
    clauses = len(contract.frame_clauses)
    if any(len(case.claims) != clauses for case, _ in entries):
        raise NotACertificate(f"the contract has {clauses} frame clauses, and not every case states each of them")
    segments = [segment for _, owners in entries for segment in owners]
    if not all(owners for _, owners in entries) or len(set(segments)) != len(segments):
        raise NotACertificate("a case is about no clip, or about one that another case is about")


def _masks(text: str) -> tuple[int, ...]:
    return tuple(_joined(_NUMBER.findall(match[0])) for match in _MASK.finditer(text))


def _mask(text: str) -> int:
    return _joined(_NUMBER.findall(text))


def _joined(pieces: Sequence[str]) -> int:
    return sum(int(piece, 16) << (PIECE * place) for place, piece in enumerate(pieces))
