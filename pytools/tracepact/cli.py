"""The tables of commands and of audits, by name: where each is, and what it is for in a line."""

import click

from tracepact.command_line import LazyGroup, run_command_line
from tracepact.version import VERSION

# `tracepact audit`: the table of audits, each a command of its own.

_AUDITS = {
    "annotation": "tracepact.audits.audit_labels:annotation_command",
    "matcher": "tracepact.audits.audit_matcher:command",
    "neutrality": "tracepact.audits.audit_stability:neutrality_command",
    "profile": "tracepact.audits.audit_profile:profile_command",
    "reference": "tracepact.audits.audit_labels:reference_command",
    "selection": "tracepact.audits.audit_profile:selection_command",
    "threshold": "tracepact.audits.audit_settings:threshold_command",
    "tolerance": "tracepact.audits.audit_settings:tolerance_command",
    "uncertainty": "tracepact.audits.audit_stability:uncertainty_command",
    "union-gap": "tracepact.audits.audit_union_gap:command",
}
_AUDIT_SUMMARIES = {
    "annotation": "Show how ambiguous soft labels are in each scene.",
    "matcher": "Compare greedy and optimal matching.",
    "neutrality": "Show which winners change when systems are left out.",
    "profile": "Show the best system under each risk profile.",
    "reference": "Show how much of a score is decided inside the uncertainty of soft references.",
    "selection": "Show the best system on each clause.",
    "threshold": "Show the vector at each decoding threshold of a score file.",
    "tolerance": "Show the vector as an exact step function of a parameter.",
    "uncertainty": "Show intervals over clips, and differences between systems.",
    "union-gap": "Compare union and class-indexed scoring, and explain the gap.",
}


@click.group(cls=LazyGroup, modules=_AUDITS, summaries=_AUDIT_SUMMARIES)
def audit_command() -> None:
    """Show what a result depends on.

    Each audit prints tables, or its data with --format json or csv; --csv and --figure also write its rows and its
    chart to files.
    """


# The table of commands; every way out is one of the exit codes.

_COMMANDS = {
    "audit": "tracepact.cli:audit_command",
    "basis": "tracepact.selection.commands:basis_command",
    "calibrate": "tracepact.selection.commands:calibrate_command",
    "certify": "tracepact.prove.commands:certify_command",
    "check": "tracepact.logic.check_commands:check_command",
    "compare": "tracepact.audits.comparison:command",
    "conform": "tracepact.conform.commands:conform_command",
    "conformance": "tracepact.conform.commands:conformance_command",
    "convert": "tracepact.runs.data_commands:convert_command",
    "curves": "tracepact.tuning.commands:curves_command",
    "demo": "tracepact.author.exports:demo_command",
    "equivalent": "tracepact.logic.decision_commands:equivalent_command",
    "explain": "tracepact.author.guide_commands:explain_command",
    "export": "tracepact.author.exports:export_command",
    "fmt": "tracepact.logic.check_commands:fmt_command",
    "help": "tracepact.author.guide_commands:help_command",
    "implies": "tracepact.logic.decision_commands:implies_command",
    "judge": "tracepact.selection.interview:command",
    "league": "tracepact.audits.league_command:command",
    "lint-data": "tracepact.runs.data_commands:lint_data_command",
    "lsp": "tracepact.author.guide_commands:lsp_command",
    "metrics": "tracepact.runs.commands:metrics_command",
    "new": "tracepact.author.new_command:command",
    "oracle": "tracepact.conform.oracle:command",
    "play": "tracepact.author.play_command:command",
    "profile": "tracepact.audits.audit_profile:profile_command",
    "prove": "tracepact.prove.commands:prove_command",
    "report": "tracepact.runs.commands:report_command",
    "sat": "tracepact.logic.decision_commands:sat_command",
    "score": "tracepact.runs.score_command:command",
    "select": "tracepact.selection.commands:select_command",
    "show": "tracepact.author.guide_commands:show_command",
    "simplify": "tracepact.logic.decision_commands:simplify_command",
    "try": "tracepact.author.trial:try_command",
    "tune": "tracepact.tuning.commands:tune_command",
    "verify": "tracepact.runs.commands:verify_command",
    "watch": "tracepact.runs.watch_command:command",
}
_MAIN_SUMMARIES = {
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
# In the order of the work, not of the alphabet: the help is read from the top by those who begin.
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

_SIDES = ("--ref", "--pred", "--durations", "--audio")
_USUAL = {
    "certify": ("--run", "--out", "--recheck", *_SIDES[:3], "--set", "--lean", "--format"),
    "conform": (
        "--only",
        "--long",
        "--seed",
        "--id",
        "--ask",
        "--wait",
        "--python",
        "--junit",
        "--badge",
        "--format",
    ),
    "convert": ("--to", "--out", "--from", "--columns", "--threshold", "--tier", "--durations", "--as-points"),
    "curves": (*_SIDES[:3], "--quantity", "--versus", "--median", "--set", "--draws", "--out", "--figure", "--format"),
    "league": (
        "--add",
        "--remove",
        "--scores",
        "--baseline",
        "--rank-by",
        "--conditions",
        "--out",
        "--audio",
        "--format",
    ),
    "lint-data": (*_SIDES, "--columns", "--fix", "--out", "--fail-on", "--format"),
    "metrics": (
        *_SIDES,
        "--threshold",
        "--policy",
        "--collar",
        "--segment",
        "--class-indexed",
        "--intervals",
        "--format",
    ),
    "play": (*_SIDES, "--threshold", "--set", "--port", "--open"),
    "score": (
        *_SIDES,
        "--threshold",
        "--columns",
        "--class-indexed",
        "--set",
        "--require",
        "--out",
        "--page",
        "--format",
    ),
    "select": (
        "--rank",
        "--preferences",
        "--guarantee",
        "--ref",
        "--durations",
        "--most",
        "--seconds",
        "--out",
        "--format",
    ),
    "tune": (*_SIDES[:3], "--objective", "--require", "--common", "--folds", "--set", "--out", "--format"),
}
"""The options that the help of a command with more than a screen of them shows; `--help --all` shows the rest."""


@click.group(
    cls=LazyGroup,
    modules=_COMMANDS,
    summaries=_MAIN_SUMMARIES,
    sections=_SECTIONS,
    usual=_USUAL,
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
