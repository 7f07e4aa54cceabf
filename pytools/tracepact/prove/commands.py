"""`tracepact prove` and `tracepact certify`."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import click
from rich.table import Table

from tracepact.audits.systems import originals_option
from tracepact.command_line import Exit
from tracepact.files import json_text
from tracepact.language.contract import Contract
from tracepact.options import complete_starter, format_option, given_contract, set_option, wait_option
from tracepact.outputs import CERTIFICATE, OutputFile, OutputFolder, check_file
from tracepact.prove.build import Build
from tracepact.prove.certificates import (
    Rechecked,
    certify_order,
    is_order_certificate,
    kept_files,
    recheck,
    recheck_order,
)
from tracepact.prove.core import (
    COMMAND,
    Certification,
    CoreReport,
    certify,
    certify_vector,
    check_core,
    is_vector_certificate,
    ready_core,
    recheck_vector,
)
from tracepact.prove.records import (
    CertificationRecord,
    CoreRecord,
    LeanRecord,
    NothingKnown,
    OrderCertifiedRecord,
    RecheckRecord,
    VectorRecord,
)
from tracepact.prove.toolchain import HOW_TO_GET_LEAN, TIME_LIMIT, Toolchain, find_toolchain
from tracepact.records import plain
from tracepact.runs.opening import scored_run
from tracepact.runs.run import Run
from tracepact.runs.side_options import DataOptions, check_data_options, data_options, score_from_options
from tracepact.selection.files import OrderClaim, read_claim
from tracepact.show.lines import counted, print_diagnostics, say
from tracepact.show.tables import output
from tracepact.wording import at_least, count

# `tracepact prove`: check the Lean proof core and list its theorems.

limit_option = wait_option(TIME_LIMIT, "Seconds Lean may take for one file; after that the answer is unknown.")
lean_option = click.option(
    "--lean",
    "other_lean",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A `lake`, or a `lean` beside one, to ask instead of the wheel; the answer says so, and is worth what it is.",
)


@click.command()
@limit_option
@lean_option
@click.option("--all", "every", is_flag=True, help="List every theorem, not only the headlines.")
@click.option(
    "--build",
    "compiles",
    is_flag=True,
    help="Then compile the core's definitions to a program, with the machine's C compiler; `oracle --evaluator lean` "
    "asks it.",
)
@format_option("text", "json")
def prove_command(every: bool, compiles: bool, form: str, timeout: float, other_lean: Path | None) -> int:
    """Check the whole proof core with Lean's kernel, from scratch, and print each theorem with its axioms.

    Before Lean reads a file, the file is checked against an allow-list; every definition must be the listed one, and
    compute the pinned values. Lean is that of the wheel of `tracepact[lean]`, or the one that --lean names; the answer
    says which, by path and digest.

    Exit codes: 0 proved, 1 not proved, 3 unknown: no Lean, or it did not end in time; or not compiled.
    """
    as_json = form == "json"
    if compiles and other_lean is not None:
        raise click.UsageError("--build compiles what the wheel's Lean writes; it does not go with --lean")
    toolchain = find_toolchain(other_lean)
    if toolchain is None:
        return no_lean(as_json, other_lean)
    with counted() as update:
        report = check_core(
            toolchain,
            progress=lambda done, total: update(done, total, "checking the proof core"),
            limit=timeout,
            compiles=compiles,
        )
    if not report.faults and report.undecided:
        return unknown(as_json, report.undecided)
    if as_json:
        click.echo(json_text(plain(CoreRecord.of(report))), nl=False)
    else:
        output().print(_table(report, every))
    for fault in report.faults:
        say(f"refused: {fault}", "bold red")
    if not as_json:
        say(f"by {toolchain.said}" if report.faults else _summary(report, toolchain), verbatim=True)
    if report.uncompiled is not None:
        say(f"not compiled: {report.uncompiled}", "bold red")
        return Exit.UNKNOWN
    if report.program is not None and not as_json:
        say(f"compiled: {report.program.path}, sha256 {report.program.digest}", verbatim=True)
    return Exit.OK if report.ok else Exit.VIOLATED


def no_lean(as_json: bool, other: Path | None) -> Exit:
    """Say that no Lean was found, and how to get one."""
    return unknown(as_json, [HOW_TO_GET_LEAN if other is None else f"`{other}` does not answer as Lake does"])


def unknown(as_json: bool, reasons: Sequence[str]) -> Exit:
    """Say that nothing is known, and why."""
    if as_json:
        click.echo(json_text(plain(NothingKnown.because(reasons))), nl=False)
    for reason in reasons:
        say(reason)
    return Exit.UNKNOWN


def _table(report: CoreReport, every: bool) -> Table:
    table = Table(title="Theorems", title_justify="left", title_style="bold")
    table.add_column("theorem", no_wrap=True)
    table.add_column("axioms")
    for theorem in report.theorems if every else report.headlines:
        axioms = "not proved" if theorem.axioms is None else ", ".join(theorem.axioms) or "none"
        table.add_row(theorem.name, axioms, style=None if theorem.proved(report.toolchain.kind.axioms) else "bold red")
    return table


def _summary(report: CoreReport, toolchain: Toolchain) -> str:
    on = f"on no axiom but {', '.join(report.axioms)}" if report.axioms else "without an axiom"
    return (
        f"{report.proved} of {len(report.theorems)} theorems proved {on} ({len(report.headlines)} headlines), "
        f"{report.definitions} definitions as listed, {report.vectors} theorems about conformance vectors, in "
        f"{report.seconds:.1f} s by {toolchain.said}"
    )


# `tracepact certify`: have the Lean kernel check the frame verdicts of a scoring run.

ORDER_FILE = "order.lean"
"""What the certificate of a selection is called."""


@click.command()
@click.argument("contract", required=False, shell_complete=complete_starter)
@data_options
@set_option
@click.option(
    "--conditions",
    type=click.Path(),
    help="A table (filename, condition), as for score; it is read and checked, but no verdict depends on it.",
)
@click.option(
    "--out",
    type=OutputFolder(COMMAND),
    help="Keep the certificate files here; `--recheck` checks them again.",
)
@click.option(
    "--run",
    "run_folder",
    type=click.Path(exists=True, file_okay=False),
    help="A run directory, whose contract and tables are used.",
)
@originals_option
@click.option(
    "--recheck",
    "kept",
    type=click.Path(exists=True, path_type=Path),
    help="Check a kept certificate (file or folder) again; with --run, or contract and tables, also that it is theirs.",
)
@click.option(
    "--vector",
    "vector_file",
    type=OutputFile(CERTIFICATE, in_new_folder=True),
    help="Certify the vector from the tables' own times, event clauses included, and write the certificate here.",
)
@click.option(
    "--selection",
    type=click.Path(exists=True, path_type=Path),
    help="Certify the order of a selection (the folder of `select --out`): its cases' values, weights and every pair.",
)
@click.option("--fresh", is_flag=True, help="Compile the proof core from scratch; neither use nor keep compiled files.")
@limit_option
@lean_option
@format_option("text", "json")
def certify_command(
    contract: str | None,
    overrides: tuple[tuple[str, str], ...],
    conditions: str | None,
    out: Path | None,
    run_folder: str | None,
    originals: tuple[str, ...],
    kept: Path | None,
    vector_file: Path | None,
    selection: Path | None,
    fresh: bool,
    timeout: float,
    other_lean: Path | None,
    form: str,
    **sides: Unpack[DataOptions],
) -> int:
    """Certify the verdict masks and counts of every frame clause, clip by clip, with Lean's kernel.

    The kernel recomputes them from the two activity masks, by definitions that are proved to be the meaning of the
    language. --vector certifies the vector instead: one theorem states the pooled counts and means that the contract
    gives the tables, from their own times, event clauses and greedy matching included. --selection certifies what
    `select` claims of its contract: the values of every case from its own times, the weights, and that every pair is
    ordered by the margin, alone and in every corpus of the same labels; the file is order.lean. --recheck writes a kept
    certificate again from the contract and the tables and compares the two, byte for byte, before the kernel checks it;
    without contract and tables it says what was not checked.

    Exit codes: 0 certified, 1 refused, 2 invalid input, 3 unknown: no Lean, or it did not end in time.
    """
    as_json = form == "json"
    if selection is not None:
        if contract or run_folder or vector_file or any(sides[side] is not None for side in ("ref", "pred", "pair")):
            raise click.UsageError("--selection has its own contract and cases; it goes with --out or --recheck alone")
        claim = read_claim(selection)
        toolchain = find_toolchain(other_lean)
        if toolchain is None:
            return no_lean(as_json, other_lean)
        folder = selection if selection.is_dir() else selection.parent
        place = kept or (out or folder) / ORDER_FILE
        if not kept:
            check_file(place, CERTIFICATE)
        return _Task(toolchain, fresh, timeout, as_json).do_selection(claim, str(selection), place, again=bool(kept))
    if contract is not None and run_folder is not None:
        raise click.UsageError("a run directory has its own contract and tables; give --run or the contract")
    if contract is None and run_folder is None and kept is None:
        raise click.UsageError("give a contract, or --run, or --recheck with certificates that were kept")
    if vector_file is not None and (kept is not None or out is not None):
        raise click.UsageError("--vector names its own file; it goes with neither --out nor --recheck")
    files = None if kept is None else kept_files(kept)
    if files == []:
        raise click.UsageError(f"there is no certificate (*.lean) in `{kept}`")
    compiled = None if contract is None else given_contract(contract, overrides)
    has_tables = any(sides[side] is not None for side in ("ref", "pred", "pair"))
    if compiled is not None and (files is None or has_tables):
        check_data_options(sides)
    elif has_tables:
        raise click.UsageError("give the contract that the tables were scored under")
    toolchain = find_toolchain(other_lean)
    if toolchain is None:
        return no_lean(as_json, other_lean)
    run = None
    if run_folder is not None:
        run = scored_run(run_folder, originals)
    elif compiled is not None and (files is None or has_tables):
        run = score_from_options(compiled, sides, conditions=conditions)
    if run is not None:
        print_diagnostics(run.diagnostics)
    task = _Task(toolchain, fresh, timeout, as_json)
    if vector_file is not None:
        assert run is not None
        return task.do_vector(run, vector_file, again=False)
    if files is not None and len(files) == 1 and is_order_certificate(files[0]):
        raise click.UsageError("a certificate of a selection is checked against its folder: give --selection")
    if files is not None and len(files) == 1 and is_vector_certificate(files[0]):
        if run is None:
            raise click.UsageError("a certificate of a vector is checked against contract and tables, or --run")
        return task.do_vector(run, files[0], again=True)
    return task.do(files, compiled, run, out)


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be checked with, and how the answer is printed."""

    toolchain: Toolchain
    fresh: bool
    limit: float
    as_json: bool

    def do(self, files: list[Path] | None, contract: Contract | None, run: Run | None, out: Path | None) -> int:
        """Certify a run, or check kept files again."""
        with counted() as update, self._core(update) as build:
            if not build.ok:
                return self._no_core(build)
            if files is not None:
                card = None if run is None else run.card
                again = recheck(
                    build,
                    files,
                    contract=contract,
                    card=card,
                    progress=lambda done, total: update(done, total, "checking certificates"),
                )
            else:
                assert run is not None
                found = certify(
                    run.card, build, out=out, progress=lambda done, total: update(done, total, "certifying clips")
                )
        return self._rechecked(again) if files is not None else self._certified(found)

    def do_vector(self, run: Run, file: Path, *, again: bool) -> int:
        """Certify the vector of a run, or check its kept certificate again."""
        with counted() as update, self._core(update) as build:
            if not build.ok:
                return self._no_core(build)
            found = (recheck_vector if again else certify_vector)(run, build, file)
        if found.undecided is not None:
            return unknown(self.as_json, [found.undecided])
        answer = VectorRecord.of(found, run, LeanRecord.of(self.toolchain))
        if self.as_json:
            click.echo(json_text(plain(answer)), nl=False)
        elif found.refused is not None:
            say(f"refused: {found.refused}", "bold red")
        else:
            how = run.card.contract.aggregation
            for name, row in answer.vector.items():
                value = getattr(row, how.value)
                _answer(f"certified: {name} {row.satisfied} of {row.obligated}, {how.value} {value}")
            _answer(f"on {answer.segments:,} clips and classes, by {found.theorems:,} theorems in {file}")
        self._say_lean()
        return Exit.OK if found.refused is None else Exit.VIOLATED

    def do_selection(self, claim: OrderClaim, source: str, file: Path, *, again: bool) -> int:
        """Certify the order of a selection, or check its kept certificate again."""
        with counted() as update, self._core(update) as build:
            if not build.ok:
                return self._no_core(build)
            found, stated = (recheck_order if again else certify_order)(claim, source, build, file)
        if found.undecided is not None:
            return unknown(self.as_json, [found.undecided])
        answer = OrderCertifiedRecord.of(found, stated, claim, LeanRecord.of(self.toolchain))
        if self.as_json:
            click.echo(json_text(plain(answer)), nl=False)
        elif found.refused is not None:
            say(f"refused: {found.refused}", "bold red")
        else:
            weights = ", ".join(f"{name} = {weight}" for name, weight in answer.weights.items())
            click.echo(f"certified: the values of {len(answer.cases)} cases, and under {claim.profile} : {weights}")
            by = f"by {at_least(stated.margin)} or more"
            click.echo(f"that the worse case of {count(answer.pairs, 'pair')} is lower {by}, alone and in every corpus")
            click.echo(f"of the same labels, by {found.theorems:,} theorems in {file}")
        self._say_lean()
        return Exit.OK if found.refused is None else Exit.VIOLATED

    def _core(self, update: Callable[[int, int, str], None]) -> AbstractContextManager[Build]:
        """The proof core, compiled and checked."""
        return ready_core(
            self.toolchain,
            fresh=self.fresh,
            progress=lambda done, total: update(done, total, "checking the proof core"),
            limit=self.limit,
        )

    def _certified(self, outcome: Certification) -> int:
        if outcome.undecided and not outcome.refusals:
            return unknown(self.as_json, outcome.undecided)
        if self.as_json:
            click.echo(json_text(plain(CertificationRecord.of(outcome, LeanRecord.of(self.toolchain)))), nl=False)
        else:
            _show(outcome)
        self._say_lean()
        return Exit.OK if outcome.ok else Exit.VIOLATED

    def _rechecked(self, rechecked: Rechecked) -> int:
        if rechecked.undecided:
            return unknown(self.as_json, [f"{f.file}: {f.undecided}" for f in rechecked.files if f.undecided])
        if self.as_json:
            click.echo(json_text(plain(RecheckRecord.of(rechecked, LeanRecord.of(self.toolchain)))), nl=False)
        else:
            _show_recheck(rechecked)
        self._say_lean()
        return Exit.VIOLATED if rechecked.refused else Exit.OK

    def _say_lean(self) -> None:
        """Say which Lean answered."""
        if not self.as_json:
            say(f"by {self.toolchain.said}", verbatim=True)

    def _no_core(self, build: Build) -> int:
        if build.undecided and not build.faults:
            return unknown(self.as_json, build.undecided)
        return _broken_core(build)


def _answer(text: str) -> None:
    say(text, answer=True, verbatim=True)


def _show_recheck(rechecked: Rechecked) -> None:
    for entry in rechecked.files:
        said = f"{entry.theorems:,} theorems hold" if entry.fault is None else f"refused: {entry.fault}"
        _answer(f"{entry.file}: {said}")
    if rechecked.refused or rechecked.contract is None:
        return
    contract = f"`{rechecked.contract.name}` ({rechecked.contract.digest[:12]}…)"
    _answer(f"checked: the masks and counts of {rechecked.segments:,} clips and classes under contract {contract}")
    if rechecked.is_of_given_tables:
        _answer("checked: byte for byte, this is the certificate of the contract and the tables that were given")
    elif rechecked.is_given_contract:
        _answer("checked: it is the contract that was given")
    else:
        _answer("not checked: that this is the contract you mean; the files carry its text, and it is that text's")
    if not rechecked.is_of_given_tables:
        _answer("not checked: that the activity masks are those of any tables; give contract and tables, or --run")


def _broken_core(build: Build) -> int:
    for fault in build.faults:
        say(f"refused: {fault}", "bold red")
    return Exit.FAILURE


def _show(outcome: Certification) -> None:
    for reason in outcome.undecided:
        say(f"not known: {reason}", "bold red")
    for refusal in outcome.refusals:
        place = f"{refusal.segments[0].clip} ({refusal.segments[0].label})"
        more = f" and {len(refusal.segments) - 1} more" if len(refusal.segments) > 1 else ""
        say(f"refused: {refusal.clause} on {place}{more}: {refusal.reason}", "bold red")
    if outcome.ok:
        _answer(
            f"certified: {', '.join(outcome.clauses) or 'nothing, the contract has no frame clause'}\n"
            f"on {outcome.segments:,} clips and classes, {outcome.frames:,} frames, by {outcome.theorems:,} theorems"
        )
    if outcome.event_clauses:
        _answer(f"not certified (event clauses): {', '.join(outcome.event_clauses)}")
    if outcome.files:
        folder = outcome.files[0].parent
        say(
            f"kept {len(outcome.files)} certificate files; check them again with the same contract and tables and "
            f"--recheck {folder}"
        )
