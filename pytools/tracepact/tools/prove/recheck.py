"""Checking a kept certificate again: that it is one, what it is bound to, and that the kernel accepts all of it."""

from dataclasses import dataclass
from pathlib import Path

from tracepact.core import Contract
from tracepact.scoring import Scorecard
from tracepact.tools.prove.build import Build, Progress
from tracepact.tools.prove.certificate import Certificate
from tracepact.tools.prove.certify import cases_of, certificates_of, check_certificate
from tracepact.tools.prove.reading import KeptCertificate, NotACertificate, difference, read_certificates

_MOST = 1 << 28
"""Characters of one file; certify writes far less."""


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
        checked.append(_checked(build, file, certificate))
        if progress is not None:
            progress(number, len(kept.files))
    return Rechecked(tuple(checked), kept.contract, kept.segments, given is not None, card is not None)


def _text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            text = opened.read(_MOST + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise NotACertificate(f"{file.name} cannot be read: {error}") from error
    if len(text) > _MOST:
        raise NotACertificate(f"{file.name} is longer than any certificate")
    return text


def _compare(kept: KeptCertificate, written: list[Certificate]) -> None:
    if len(kept.files) != len(written):
        raise NotACertificate(f"the certificate of these tables has {len(written)} files, not {len(kept.files)}")
    for file, found, certificate in zip(kept.files, kept.certificates, written, strict=True):
        if found.text != certificate.text:
            where = difference(found.text, certificate.text)
            raise NotACertificate(f"{file.name} is not the certificate of these tables: {where}")


def _checked(build: Build, file: Path, certificate: Certificate) -> RecheckedFile:
    checked = check_certificate(build, certificate)
    sound = len(certificate.theorems) - len(checked.refused)
    if checked.refused:
        (case, clause), reason = next(iter(checked.refused.items()))
        return RecheckedFile(file, sound, f"certified{case}_{clause}: {reason}")
    return RecheckedFile(file, sound if checked.undecided is None else 0, None, checked.undecided)
