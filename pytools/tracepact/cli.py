"""The table of commands; every way out is one of the exit codes."""

import click

from tracepact.tools.entry import run_command_line
from tracepact.tools.groups import LazyGroup
from tracepact.version import VERSION

_COMMANDS = {
    "audit": "tracepact.tools.audit.command",
    "basis": "tracepact.tools.select.basis_command",
    "calibrate": "tracepact.tools.select.calibrate_command",
    "certify": "tracepact.tools.prove.certify_command",
    "check": "tracepact.tools.check.command",
    "compare": "tracepact.tools.audit.compare",
    "conform": "tracepact.tools.conform.command",
    "conformance": "tracepact.tools.conform.beside_command",
    "convert": "tracepact.tools.data.convert",
    "curves": "tracepact.tools.curves.command",
    "demo": "tracepact.tools.demo.command",
    "equivalent": "tracepact.tools.check.equivalent",
    "explain": "tracepact.tools.check.explain",
    "export": "tracepact.tools.export.command",
    "fmt": "tracepact.tools.check.fmt",
    "help": "tracepact.tools.author.help_command",
    "implies": "tracepact.tools.check.implies",
    "judge": "tracepact.tools.select.judge_command",
    "league": "tracepact.tools.league.command",
    "lint-data": "tracepact.tools.data.lint_data",
    "lsp": "tracepact.tools.lsp.command",
    "metrics": "tracepact.tools.metrics.command",
    "new": "tracepact.tools.author.new",
    "oracle": "tracepact.tools.conform.oracle_command",
    "play": "tracepact.tools.play.command",
    "profile": "tracepact.tools.audit.profile",
    "prove": "tracepact.tools.prove.command",
    "report": "tracepact.tools.score.report_command",
    "sat": "tracepact.tools.check.sat",
    "score": "tracepact.tools.score.command",
    "select": "tracepact.tools.select.command",
    "show": "tracepact.tools.author.show_command",
    "simplify": "tracepact.tools.check.simplify",
    "try": "tracepact.tools.cast.command",
    "tune": "tracepact.tools.tune.command",
    "verify": "tracepact.tools.score.verify_command",
    "watch": "tracepact.tools.watch.command",
}
_SUMMARIES = {
    "audit": "Show what a result depends on, from stored runs.",
    "basis": "Show the steps of a selection: candidates, values, basis, pairs.",
    "calibrate": "Write a calibration set made of your own references.",
    "certify": "Have the Lean kernel check the frame verdicts of a scoring run.",
    "check": "Check contracts and report everything wrong with them.",
    "compare": "Show what became better or worse from one run to another.",
    "conform": "Test another implementation against vectors and the reference.",
    "conformance": "Compare conformance results side by side, on one page.",
    "convert": "Write events in another format, exactly.",
    "curves": "Show scores and metrics at every threshold of score files.",
    "demo": "Score the shipped demo systems and write their reports.",
    "equivalent": "Say whether two formulas hold at the same frames.",
    "explain": "Say in plain words what each clause means and needs.",
    "export": "Write a contract in another tool's language.",
    "fmt": "Write contracts in their canonical form.",
    "help": "Explain the language, calibration sets, a code or a command.",
    "implies": "Say whether one formula holds wherever another does.",
    "judge": "Collect judgements of which of two outputs is worse, in the browser.",
    "league": "Compare many systems on the same data, on one page.",
    "lint-data": "Report oddities in references and predictions; --fix corrects them.",
    "lsp": "Serve contracts to an editor while they are written.",
    "metrics": "Compute the standard metrics, each with its policy.",
    "new": "Write a commented contract from a starter or from three answers.",
    "oracle": "Answer conformance cases: the reference side of the protocol.",
    "play": "Play with a contract in the browser: draw events, see verdicts.",
    "profile": "Show the best system under each risk profile.",
    "prove": "Check the Lean proof core and list its theorems.",
    "report": "Write a stored run as an HTML page, Markdown and text.",
    "sat": "Say whether a formula can hold, with a smallest trace that shows it.",
    "score": "Score predictions against references under a contract.",
    "select": "Find the smallest contract that ranks worse failures lower.",
    "show": "Print a starter contract, or list them.",
    "simplify": "Write a formula with fewer parts and the same meaning.",
    "try": "Play a fixed cast of systems against a contract.",
    "tune": "Choose thresholds and filters for a declared objective.",
    "verify": "Recompute a run directory and name what changed.",
    "watch": "Monitor a stream of frames while it arrives.",
}
_SECTIONS = {
    "Write contracts": (
        *("new", "show", "help", "check", "explain", "try", "play", "fmt"),
        *("sat", "implies", "equivalent", "simplify", "export", "lsp"),
    ),
    "Score": ("score", "metrics", "curves", "tune", "watch", "report", "verify", "convert", "lint-data", "demo"),
    "Audit results": ("audit", "compare", "profile", "league"),
    "Select a contract": ("calibrate", "judge", "select", "basis"),
    "Test other implementations": ("conform", "conformance", "oracle"),
    "Prove": ("prove", "certify"),
}


@click.group(
    cls=LazyGroup,
    modules=_COMMANDS,
    summaries=_SUMMARIES,
    sections=_SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(VERSION, prog_name="tracepact")
def _group() -> None:
    """Executable boundary contracts for sound event detection.

    Exit codes: 0 ok, 1 violated, 2 invalid input, 3 unknown, 4 failure.
    """


def main() -> None:
    """Run the command line; every way out is one of the exit codes."""
    run_command_line(_group)
