"""`tracepact certify`: have the Lean kernel check the frame verdicts of a scoring run."""

from pathlib import Path
from typing import Any, Unpack

import click

from tracepact.files import json_text
from tracepact.lang import load_contract
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.screen import counted
from tracepact.tools.exits import Exit
from tracepact.tools.parameters import set_option
from tracepact.tools.prove.build import Build
from tracepact.tools.prove.certify import Certification, certify
from tracepact.tools.prove.certify import recheck as recheck_certificate
from tracepact.tools.prove.command import no_lean
from tracepact.tools.prove.prove import ready_core
from tracepact.tools.prove.toolchain import find_toolchain
from tracepact.tools.score.arguments import DataOptions, check_data_options, data_options, score_from_options


@click.command()
@click.argument("contract", required=False)
@data_options
@set_option
@click.option(
    "--conditions",
    type=click.Path(),
    help="A table (filename, condition), as score takes it; it is read and checked, and changes no verdict.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the certificate files here; `--recheck` checks them again.",
)
@click.option(
    "--recheck",
    type=click.Path(exists=True, path_type=Path),
    help="Check a kept certificate, or a folder of them, again; nothing is scored.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    contract: str | None,
    overrides: tuple[tuple[str, str], ...],
    conditions: str | None,
    out: Path | None,
    recheck: Path | None,
    as_json: bool,
    **given: Unpack[DataOptions],
) -> int:
    """Certify the verdict masks and counts of every frame clause, clip by clip, with Lean's kernel.

    The kernel computes them anew from the two activity masks, by definitions that are proved to be the meaning of the
    language. Event clauses, matching and the reading of tables are not certified. Exit codes: 0 certified, 1 refused,
    3 no Lean.
    """
    if recheck is not None:
        if contract is not None:
            raise click.UsageError("--recheck checks certificates that were kept; leave out the contract and its data")
        return _recheck(recheck, as_json)
    if contract is None:
        raise click.UsageError("give a contract, or --recheck with certificates that were kept")
    check_data_options(given)
    compiled = load_contract(contract, dict(overrides))
    toolchain = find_toolchain()
    if toolchain is None:
        return no_lean(as_json)
    run = score_from_options(compiled, conditions, **given)
    print_diagnostics(run.diagnostics)
    with counted() as update:
        build = ready_core(toolchain, lambda done, total: update(done, total, "checking the proof core"))
        if not build.ok:
            return _broken_core(build)
        found = certify(run.card, build, out=out, progress=lambda done, total: update(done, total, "certifying clips"))
    if as_json:
        click.echo(json_text(_data(found)), nl=False)
    else:
        _show(found)
    return Exit.OK if found.ok else Exit.VIOLATED


def _recheck(kept: Path, as_json: bool) -> int:
    """Have the kernel check kept certificates again."""
    files = sorted(kept.glob("*.lean")) if kept.is_dir() else [kept]
    if not files:
        raise click.UsageError(f"there is no certificate (*.lean) in `{kept}`")
    toolchain = find_toolchain()
    if toolchain is None:
        return no_lean(as_json)
    checked: list[tuple[Path, int, str | None]] = []
    with counted() as update:
        build = ready_core(toolchain, lambda done, total: update(done, total, "checking the proof core"))
        if not build.ok:
            return _broken_core(build)
        for number, file in enumerate(files):
            update(number, len(files), f"checking {file.name}")
            checked.append((file, *recheck_certificate(build, file)))
    ok = all(fault is None for _, _, fault in checked)
    if as_json:
        rows = [{"file": str(file), "theorems": sound, "fault": fault} for file, sound, fault in checked]
        click.echo(json_text({"ok": ok, "rechecked": rows}), nl=False)
    else:
        for file, sound, fault in checked:
            click.echo(f"{file}: {f'{sound:,} theorems hold' if fault is None else f'refused: {fault}'}")
    return Exit.OK if ok else Exit.VIOLATED


def _broken_core(build: Build) -> int:
    for fault in build.faults:
        say(f"refused: {fault}", "bold red")
    return Exit.FAILURE


def _show(found: Certification) -> None:
    for refusal in found.refusals:
        place = f"{refusal.segments[0].clip} ({refusal.segments[0].label})"
        more = f" and {len(refusal.segments) - 1} more" if len(refusal.segments) > 1 else ""
        say(f"refused: {refusal.clause} on {place}{more}: {refusal.reason}", "bold red")
    if found.ok:
        click.echo(
            f"certified: {', '.join(found.clauses) or 'nothing, the contract has no frame clause'}\n"
            f"on {found.segments:,} clips and classes, {found.frames:,} frames, by {found.theorems:,} theorems"
        )
    if found.event_clauses:
        click.echo(f"not certified (event clauses): {', '.join(found.event_clauses)}")
    if found.files:
        folder = found.files[0].parent
        say(f"kept {len(found.files)} certificate files; check them again: tracepact certify --recheck {folder}")


def _data(found: Certification) -> dict[str, Any]:
    return {
        "ok": found.ok,
        "clauses": list(found.clauses),
        "event_clauses": list(found.event_clauses),
        "segments": found.segments,
        "frames": found.frames,
        "theorems": found.theorems,
        "files": [str(file) for file in found.files],
        "refusals": [
            {
                "clause": refusal.clause,
                "reason": refusal.reason,
                "segments": [{"clip": s.clip, "class": s.label} for s in refusal.segments],
            }
            for refusal in found.refusals
        ],
    }
