"""Contracts in other languages, LaTeX for papers and STL for rtamt; and at work: `tracepact export` and `demo`."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

import click

from tracepact.declarations import spec_path, starter_contracts
from tracepact.diagnostics.collection import Diagnostics, summarise
from tracepact.evaluate.scorecard import Scorecard
from tracepact.language.compilation import compile_source, read_source
from tracepact.language.contract import Aggregation, Contract, EventClause, FrameClause
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
)
from tracepact.language.predicate import (
    Absolute,
    Attribute,
    ConstantTerm,
    EventAtom,
    Flag,
    Maximum,
    Minimum,
    Owner,
    Relation,
    Scaled,
    Term,
    TermComparison,
    TermDifference,
    TermSum,
    TermType,
)
from tracepact.options import contract_argument, given_contract, set_option
from tracepact.outputs import LocalFolder
from tracepact.runs.directory import write_run
from tracepact.runs.report import Report
from tracepact.runs.report_parts import report_of
from tracepact.runs.report_views import WITH_RUN, render_report, run_pages
from tracepact.runs.run import Run, score
from tracepact.show.lines import give, progress, say
from tracepact.show.tables import Cell, ShareBar, Table, TerminalTable, Tone, output, words
from tracepact.wording import decimal, print_number

# Formulas, predicates and whole contracts as LaTeX for papers; needs amsmath, no other package.

_RELATIONS = {
    Relation.LE: r"\le",
    Relation.LT: "<",
    Relation.GE: r"\ge",
    Relation.GT: ">",
    Relation.EQ: "=",
    Relation.NE: r"\ne",
}
_SIGNS = {And: r"\land", Or: r"\lor", Implies: r"\to", Iff: r"\leftrightarrow"}
# Binding strength as in the language (rule 2.3), loosest first.
_STRENGTH = {Iff: 1, Implies: 2, Or: 3, And: 4, Until: 5, Since: 5}
_UNARY, _WHOLE = 6, 7


def to_latex(formula: Formula, event_atoms: dict[str, EventAtom] | None = None) -> str:
    """A formula or predicate in math mode; windows in frames."""
    return _text(formula, 0, event_atoms or {})


def _text(formula: Formula, place: int, event_atoms: dict[str, EventAtom]) -> str:
    text, strength = _bare(formula, event_atoms)
    return text if strength >= place else rf"({text})"


def _bare(formula: Formula, event_atoms: dict[str, EventAtom]) -> tuple[str, int]:
    def sub(part: Formula, place: int) -> str:
        return _text(part, place, event_atoms)

    match formula:
        case Atom(name) if name in event_atoms:
            return _event_atom(event_atoms[name]), _UNARY if isinstance(event_atoms[name], Flag) else 5
        case Atom(name):
            return word(name), _WHOLE
        case Constant(value):
            return (r"\top" if value else r"\bot"), _WHOLE
        case Not(body):
            return rf"\lnot {sub(body, _UNARY)}", _UNARY
        case Eventually(lo, hi, body) if lo == -hi:
            return rf"\mathsf{{N}}_{{{hi}}}\, {sub(body, _UNARY)}", _UNARY
        case Eventually(lo, hi, body):
            return rf"\mathsf{{F}}_{{[{lo},{hi}]}}\, {sub(body, _UNARY)}", _UNARY
        case Always(lo, hi, body):
            return rf"\mathsf{{G}}_{{[{lo},{hi}]}}\, {sub(body, _UNARY)}", _UNARY
        case Until(radius, a, b):
            return rf"{sub(a, _UNARY)} \mathbin{{\mathsf{{U}}_{{{radius}}}}} {sub(b, _UNARY)}", 5
        case Since(radius, a, b):
            return rf"{sub(a, _UNARY)} \mathbin{{\mathsf{{S}}_{{{radius}}}}} {sub(b, _UNARY)}", 5
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            kind = type(formula)
            strength, right = _STRENGTH[kind], kind is Implies
            return f"{sub(a, strength + right)} {_SIGNS[kind]} {sub(b, strength + (not right))}", strength


def _event_atom(atom: EventAtom) -> str:
    match atom:
        case Flag(attribute):
            return _attribute(attribute)
        case TermComparison(relation, left, right, _):
            return f"{_term(left, 0)} {_RELATIONS[relation]} {_term(right, 0)}"


# What a term may stand in without parentheses: alone or first, after a plus, after a minus or in a product.
_ALONE, _ADDED, _BOUND = 0, 1, 2


def _term(term: Term, place: int) -> str:
    """A term; sums inside products and what starts with a sign get parentheses."""
    match term:
        case ConstantTerm(value, quantity):
            text, loose = _quantity(value, quantity), _ADDED if value < 0 else None
        case Attribute():
            text, loose = _attribute(term), None
        case TermSum(a, b):
            text, loose = f"{_term(a, _ALONE)} + {_term(b, _ADDED)}", _BOUND
        case TermDifference(a, b):
            text, loose = f"{_term(a, _ALONE)} - {_term(b, _BOUND)}", _BOUND
        case Scaled(factor, body):
            sign = "-" if factor == -1 else rf"{_number(factor)} \cdot "
            text, loose = f"{sign}{_term(body, _BOUND)}", _ADDED if factor < 0 else None
        case Absolute(body):
            text, loose = rf"\lvert {_term(body, _ALONE)} \rvert", None
        case Minimum(arguments):
            text, loose = rf"\min({', '.join(_term(a, _ALONE) for a in arguments)})", None
        case Maximum(arguments):
            text, loose = rf"\max({', '.join(_term(a, _ALONE) for a in arguments)})", None
    return f"({text})" if loose is not None and place >= loose else text


def _quantity(value: Fraction, quantity: TermType) -> str:
    if quantity is not TermType.TIME:
        return _number(value)
    if abs(value) >= 1:
        return rf"{_number(value)}\,\mathrm{{s}}"
    return rf"{_number(value * 1000)}\,\mathrm{{ms}}"


def _number(value: Fraction) -> str:
    text = print_number(value)
    return rf"\tfrac{{{value.numerator}}}{{{value.denominator}}}" if "/" in text else text


def _attribute(attribute: Attribute) -> str:
    owner = "" if attribute.owner is Owner.PAIR else f"{attribute.owner.value}."
    return word(f"{owner}{attribute.name}")


def word(name: str) -> str:
    """A name in math mode."""
    return rf"\mathit{{{escaped(name)}}}"


def escaped(text: str) -> str:
    """Text with LaTeX's signs escaped."""
    signs = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(signs.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


def contract_latex(contract: Contract) -> str:
    """A whole contract as a table: clause, obligation, formula, with windows in frames."""
    caption = escaped(contract.title or contract.name)
    step = _quantity(contract.step, TermType.TIME)
    lines = [
        f"% {contract.name}, digest {contract.digest}",
        r"\begin{table}",
        rf"\caption{{{caption}. Windows are in frames of ${step}$.}}",
        r"\begin{tabular}{lll}",
        r"clause & obligation & requirement \\ \hline",
        *(_row(clause) for clause in contract.clauses),
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(clause: FrameClause | EventClause) -> str:
    if isinstance(clause, EventClause):
        duty, body = f"each {clause.each.value}", to_latex(clause.formula, dict(clause.event_atoms))
    else:
        duty, body = f"${to_latex(clause.obligation)}$", to_latex(clause.formula)
    return rf"\texttt{{{escaped(clause.name)}}} & {duty} & ${body}$ \\"


# Frame formulas as STL text for rtamt's discrete-time monitor, after projection to the grid.
#
# Each atom becomes a signal that is 1 where it holds and -1 where it does not, so a formula holds at a frame
# exactly when its robustness there is positive. Robustness is never 0: rtamt would call that neither true nor
# false. One unit of time is one frame, rtamt's default sampling period.

# The words of rtamt's lexer, and the key of the time stamps in its data sets.
_RESERVED = frozenset(
    (
        *("abs", "sqrt", "exp", "pow", "log", "ln", "not", "or", "and", "iff", "implies", "xor", "rise", "fall"),
        *("always", "G", "eventually", "F", "until", "U", "unless", "W"),
        *("historically", "H", "once", "O", "since", "S"),
        *("next", "X", "prev", "Y", "s_next", "sX", "s_prev", "sY", "true", "TRUE", "false", "FALSE"),
        *("real", "float", "long", "complex", "int", "bool", "const", "input", "output", "internal", "topic"),
        *("assertion", "specification", "import", "from", "s", "ms", "us", "ns", "ps", "time"),
    )
)
_CONNECTIVES = {And: "and", Or: "or", Implies: "implies"}


def to_rtamt(formula: Formula) -> str:
    """One formula as STL text."""
    match formula:
        case Atom(name):
            return f"({signal(name)} > 0)"
        case Constant(value):
            return "(1 > 0)" if value else "(0 > 1)"
        case Not(body):
            return f"(not {to_rtamt(body)})"
        case And(a, b) | Or(a, b) | Implies(a, b):
            return f"({to_rtamt(a)} {_CONNECTIVES[type(formula)]} {to_rtamt(b)})"
        case Iff(a, b):
            # rtamt's own iff is never positive: it is minus the difference of the two robustness values.
            left, right = to_rtamt(a), to_rtamt(b)
            return f"(({left} and {right}) or not ({left} or {right}))"
        case Eventually(lo, hi, body):
            return _window("once", "eventually", lo, hi, to_rtamt(body))
        case Always(lo, hi, body):
            return _window("historically", "always", lo, hi, to_rtamt(body))
        case Until(radius, a, b):
            return f"({to_rtamt(a)} until[0:{radius}] {to_rtamt(b)})"
        case Since(radius, a, b):
            return f"({to_rtamt(a)} since[0:{radius}] {to_rtamt(b)})"


def _window(past: str, future: str, lo: int, hi: int, body: str) -> str:
    """A window with both signs looks back first and from there ahead; the frame between is always in the trace."""
    if lo >= 0:
        return f"({future}[{lo}:{hi}] {body})"
    if hi <= 0:
        return f"({past}[{-hi}:{-lo}] {body})"
    return f"({past}[0:{-lo}] ({future}[0:{hi}] {body}))"


def signal(atom: str) -> str:
    """The signal of an atom: its name, with one more underscore where rtamt reserves the word."""
    return f"{atom}_" if atom.rstrip("_") in _RESERVED else atom


def export_contract(contract: Contract) -> str:
    """Every frame clause as two named formulas after the signals they need: a text that rtamt reads unchanged."""
    signals = sorted({signal(name) for name in contract.atoms})

    def named(clause: str, part: str) -> str:
        name = f"{clause}_{part}"
        while name in signals:
            name += "_"
        return name

    lines = [
        f"// {contract.name}: frame clauses as discrete-time STL, one sample a frame of {contract.step} s",
        "// a signal is 1 where its atom holds and -1 where it does not; a formula holds where it is positive",
        *(f"input float {name}" for name in signals),
    ]
    for clause in contract.frame_clauses:
        lines.append("")
        lines.append(f"{named(clause.name, 'obligation')} = {to_rtamt(clause.obligation)}")
        lines.append(f"{named(clause.name, 'formula')} = {to_rtamt(clause.formula)}")
    skipped = [clause.name for clause in contract.event_clauses]
    if skipped:
        lines.append(f"\n// event clauses have no STL counterpart: {', '.join(skipped)}")
    return "\n".join(lines) + "\n"


# What a contract can be exported to, by name.

EXPORTS: dict[str, Callable[[Contract], str]] = {"latex": contract_latex, "rtamt": export_contract}

EVENT_TARGETS = frozenset({"latex"})
"""The targets that can express event clauses."""


# `tracepact export`: write a contract in another tool's language.


@click.command()
@contract_argument
@click.option(
    "--to",
    "target",
    type=click.Choice(sorted(EXPORTS)),
    required=True,
    help="The language: latex, a table of every clause; rtamt, the frame clauses as STL text for that monitor.",
)
@set_option
def export_command(contract: str, target: str, overrides: tuple[tuple[str, str], ...]) -> None:
    """Print a contract, after projection to its grid, in another tool's language.

    Every target can express frame clauses, only latex event clauses (`on each …`) too; what is left out is named.
    """
    compiled = given_contract(contract, overrides)
    if compiled.event_clauses and target not in EVENT_TARGETS:
        names = ", ".join(clause.name for clause in compiled.event_clauses)
        say(f"left out because {target} has no event clauses: {names}", "yellow")
    give(EXPORTS[target](compiled))


# `tracepact demo`: three imitation systems whose frame F1 is nearly the same and whose vectors are not.

SYSTEMS = ("late_long", "over_firing", "fragmenting")
CONTRACT = "boundary_gate"


def score_demo(name: str) -> Run:
    """Score one of the shipped SYSTEMS."""
    tables = spec_path("demo")
    return score(
        starter_contracts()[CONTRACT],
        tables / "reference.tsv",
        tables / f"{name}.tsv",
        durations=tables / "durations.tsv",
        conditions=tables / "conditions.tsv",
    )


def frame_f1(card: Scorecard) -> Fraction:
    """Twice the frames active on both sides over all active frames, all clips and classes together."""
    ref, pred = card.atoms["ref_active"], card.atoms["pred_active"]
    # 2·tp + fp + fn is the sum of both sides, so the layout's masks need no counting by class.
    active = ref.bit_count() + pred.bit_count()
    return Fraction(2 * (ref & pred).bit_count(), active) if active else Fraction(1)


@click.command()
@click.option(
    "--out",
    type=LocalFolder(),
    default=Path("out/demo"),
    show_default=True,
    help="The folder to write the run directories to.",
)
def demo_command(out: Path) -> None:
    """Check the starter contract, score three imitation systems, show where they fail and write their reports."""
    console = output()
    diagnostics = Diagnostics()
    source = read_source(starter_contracts()[CONTRACT], diagnostics)
    if source is not None:
        compile_source(source, diagnostics)
    diagnostics.raise_errors()
    say(f"checked {CONTRACT}: {summarise(diagnostics) if len(diagnostics) else 'ok'}")
    runs: dict[str, Run] = {}
    reports: dict[str, Report] = {}
    with progress(2 * len(SYSTEMS)) as advance:
        for name in SYSTEMS:
            advance(f"scoring {name}")
            runs[name] = score_demo(name)
            reports[name] = report_of(runs[name])
        for name, run in runs.items():
            advance(f"writing {out / name}")
            write_run(run, out / name, report=reports[name], views=run_pages(run).files(WITH_RUN))
    console.print(TerminalTable(_comparison(runs, reports)))
    console.print("Nearly the same frame F1, three different failures: that is what the vector is for.\n")
    first = SYSTEMS[0]
    console.print(f"[bold]{first} in full[/bold]")
    console.print(render_report(reports[first]))
    say(f"wrote a run directory for each to {out}; open {out / first / 'report.html'} in a browser")


def _comparison(runs: Mapping[str, Run], reports: Mapping[str, Report]) -> Table:
    rows: list[list[Cell | str]] = [
        ["frame F1", *(Cell(decimal(frame_f1(run.card)), Tone.STRONG) for run in runs.values())]
    ]
    for number, clause in enumerate(runs[SYSTEMS[0]].card.contract.clauses):
        scores = [report.vector[number].scores[Aggregation.POOLED] for report in reports.values()]
        rows.append([clause.name, *(Cell(score.text, Tone.STRONG, bar=ShareBar(score.value)) for score in scores)])
    return Table("Three systems, pooled over clips and classes", words("", *runs), rows)
