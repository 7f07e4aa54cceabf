"""`tracepact help`, `show`, `explain` and `lsp`: the language, its words and codes, and contracts in words."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from textwrap import fill, indent
from typing import Any

import click
from rich.padding import Padding
from rich.text import Text

from tracepact.author.editor_text import CHOICES, NameKind
from tracepact.declarations import rules, spec_path, starter_contracts
from tracepact.diagnostics import findings
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import CODES, Diagnostic, did_you_mean
from tracepact.language.compilation import formula_contract, load_contract, read_source
from tracepact.language.contract import Contract
from tracepact.language.explanation import (
    ClauseExplanation,
    EventClauseExplanation,
    FrameClauseExplanation,
    explain_contract,
)
from tracepact.language.explanation import words as formula_words
from tracepact.language.predicate import Each, TermType, writable_attributes
from tracepact.language.vocabulary import language_reference
from tracepact.logic.contract_findings import check_contract
from tracepact.logic.decisions import QUESTION_SECONDS
from tracepact.options import (
    complete_starter,
    contract_argument,
    format_option,
    given_contract,
    set_option,
    timeout_option,
)
from tracepact.outputs import print_json
from tracepact.show.lines import say
from tracepact.show.tables import output
from tracepact.wording import count, print_number

# A bad and a good example for every diagnostic code: faulty contracts of the conformance suite with their repairs, and
# what is written beside the codes for those that need data, another contract or more than a text.

_FAULTS = "conformance/contracts"
_BESIDE = Path(findings.__file__).with_name("examples.toml")


@dataclass(frozen=True, slots=True)
class CodeExample:
    """What has a fault, and the same without it.

    Attributes:
        bad: the content of a file, or what is done.
        good: what may stand or be done in its place.
        file: the file that both are a content of; empty if they are none.
        run: the command that reads the file.
        untried: why no test runs it; empty if one does.
    """

    bad: str
    good: str
    file: str = ""
    run: str = ""
    untried: str = ""

    def lines(self) -> Iterator[str]:
        """The example as help shows it."""
        for kind, text in (("bad", self.bad), ("good", self.good)):
            yield f"\n{kind}{f' {self.file}' if self.file else ''}:\n" + indent(
                text.rstrip("\n") or "(nothing)", "    "
            )
        if self.run:
            yield f"\nread by:\n    {self.run}"


@cache
def contract_examples() -> dict[str, CodeExample]:
    """The examples of codes that a contract alone can show."""
    folder = spec_path(_FAULTS)
    by_code: dict[str, CodeExample] = {}
    for fault in json.loads((folder / "faults.json").read_text(encoding="utf-8")):
        if "repair" in fault:
            bad = (folder / fault["file"]).read_text(encoding="utf-8")
            good = bad.partition("\n")[2]  # the first line says what is wrong
            by_code[fault["code"]] = CodeExample(bad, good.replace(*fault["repair"], 1))
    return by_code


@cache
def examples() -> dict[str, CodeExample]:
    """The examples of all codes."""
    rows = tomllib.loads(_BESIDE.read_text(encoding="utf-8"))
    calibration = rows.pop("_set")
    return contract_examples() | {code: _example(row, calibration) for code, row in rows.items()}


def _example(row: Mapping[str, Any], calibration: str) -> CodeExample:
    bad, good = row.get("bad", calibration), row.get("good", calibration)
    if "replace" in row:
        bad = bad.replace(*row["replace"], 1)
    if row.get("tabs"):
        bad, good = bad.replace(",", "\t"), good.replace(",", "\t")
    return CodeExample(bad, good, row.get("file", ""), row.get("run", ""), row.get("untried", ""))


# `tracepact help`: the language on one page, the form of calibration sets, and every code with an example.

_CALIBRATION_RULES = tuple(f"14.{number}" for number in range(1, 7))
_PREFERENCE_RULES = "14.26", "14.27", "14.29"
_WIDEST, _TERM = 100, 34
_SAME = {"tracepact": "p -> F[1f,3f] q", "mltl": "p -> F[1,3] q", "ltlf": "p -> X F[0,2] q"}
"""One formula in each notation."""


def _topic_completion(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in (*_TOPICS, *CODES, *word_helps()) if name.startswith(incomplete)]


_STATEMENTS = (
    'contract gate "what it is for"',
    "step 20ms",
    "param tol = 40ms",
    "merge_gap 100ms",
    "sweep tol = 20ms 40ms 80ms",
    "aggregate pooled",
    "matcher optimal(search = 100ms, overlap_reward = 1)",
    "projection touch",
    "labels dog cat",
    'atom siren "a siren is on"',
    "soft_scale 50ms",
    "profile early over pooled : onset = 2, heard = 1",
    "clause onset on ref_onset : N[40ms] pred_onset",
    "clause late on ref_onset : F[0ms,80ms] pred_onset",
    "clause steady on ref_onset & pred_onset : G[0ms,60ms] pred_active",
    "clause caught on ref_active : ref_active U[200ms] pred_onset",
    "clause kept on ref_offset : pred_active S[200ms] pred_onset",
    "clause heard on ref_active : !ref_onset -> pred_active | other_pred_active",
    "clause exact on true : pred_active <-> ref_active",
    "clause alike on ref_active : pred_active iff other_pred_active",
    "clause calm on not ref_active : pred_active implies false",
    "clause close on each matched : abs(pred.onset - ref.onset) <= 100ms and iou > 0.5",
    "clause span on each matched : max(pred.duration, ref.duration) < 2 * min(pred.duration, ref.duration) + 20ms",
    "clause whole on each ref : matched and covering == 1 or coverage >= 0.9 and covering != 0",
)
"""A use of every statement, operator and function, each of which fits into one contract."""
# A limit of the type that the attribute has, so that the example compiles.
_LIMITS = {TermType.TIME: " <= 100ms", TermType.RATIO: " >= 0.5", TermType.COUNT: " <= 1", TermType.TRUTH: ""}
_PLACED = {
    NameKind.AGGREGATION: "aggregate {word}",
    NameKind.PROJECTION: "projection {word}",
    NameKind.MATCHER: "matcher {word}",
    NameKind.EACH: "clause whole on each {word} : matched",
}


@dataclass(slots=True)
class WordHelp:
    """A word or sign of contracts: a statement that uses it, and each form it stands in with what that means."""

    example: str
    forms: list[str] = field(default_factory=list)


@cache
def word_helps() -> dict[str, WordHelp]:
    """Help on every word and sign that contracts are written with, by the word."""
    words: dict[str, WordHelp] = {}
    for section in language_reference():
        for form, meaning in section.entries:
            for word, example in _examples(section.title, form):
                words.setdefault(word, WordHelp(example)).forms.append(f"{form}: {meaning}")
    for kind, choices in CHOICES.items():
        for word, meaning in choices.items():
            example = _PLACED[kind].format(word=word) if kind in _PLACED else _using([word])
            words.setdefault(word, WordHelp(example)).forms.append(f"{word}: {meaning}")
    return words


def _examples(title: str, form: str) -> Iterator[tuple[str, str]]:
    """The words by which a form of the reference is found, each with a statement that uses it."""
    match title:
        case "Atoms":
            yield form, f"clause heard on {form} : N[40ms] pred_active"
        case "Units":
            yield form, f"clause onset on ref_onset : N[2{form}] pred_onset"
        case "Attributes":
            spellings = form.split()
            for name in dict.fromkeys([*spellings, spellings[0].rpartition(".")[2]]):
                written = name if name in spellings else spellings[0]
                each = next(each for each in Each if written in writable_attributes(each))
                limit = _LIMITS[writable_attributes(each)[written].quantity]
                yield name, f"clause fits on each {each.value} : {written}{limit}"
        case "Statements":
            yield from ((word, _using([word])) for word in re.findall(r"\b[a-z_]+\b", form))
        case _:
            words = re.findall(r"[A-Z](?=\[)|\b[a-z]+|[^\w\s\[\](),…]+", form)
            yield from ((word, _using([word, *words])) for word in words)


def _using(words: Sequence[str]) -> str:
    """The first statement with the first of these words, else with the next: some operators have several spellings."""
    return next(text for word in words for text in _STATEMENTS if word in re.findall(r"\w+|[^\w\s]+", text))


def _word(name: str) -> Iterator[str]:
    """The forms of a word of contracts with their meanings, and a statement that uses it."""
    told = word_helps()[name]
    yield from (fill(form, _width(), subsequent_indent="    ") for form in told.forms)
    yield f"\nexample:\n    {told.example}"


# A sign such as `->` is a word to ask for, not an option.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("topic", required=False, shell_complete=_topic_completion)
@click.pass_context
def help_command(ctx: click.Context, topic: str | None) -> None:
    """Explain the language, a word of it, calibration sets, notations of others, a diagnostic code or a command.

    TOPIC is `language`, `calibration`, `preferences`, `notations`, `codes`, a code such as unknown-atom, a word or sign
    of contracts such as N or coverage, or the name of a command.
    """
    say(_text(ctx, topic).rstrip("\n"), answer=True)


def _text(ctx: click.Context, topic: str | None) -> str:
    group = ctx.parent.command if ctx.parent else None
    commands = group.list_commands(ctx) if isinstance(group, click.Group) else []
    if topic is None:
        return "\n".join(f"tracepact help {name:<12} {words}" for name, (words, _) in _TOPICS.items()) + _MORE
    if topic in _TOPICS:
        return "\n".join(_TOPICS[topic][1]())
    if topic in CODES:
        return "\n".join(_code(topic))
    said = "\n".join(_word(topic)) if topic in word_helps() else ""
    if said and topic not in commands:
        return said
    if topic in commands and isinstance(group, click.Group) and ctx.parent:
        # As a line `TOPIC --help` is resolved, which shows the usual options of a command with many.
        _, entry, _ = group.resolve_command(ctx.parent, [topic, "--help"])
        assert entry is not None
        options = entry.get_help(click.Context(entry, info_name=topic, parent=ctx.parent))
        return f"{said}\n\nThe command:\n\n{options}" if said else options
    hint = did_you_mean(topic, [*_TOPICS, *CODES, *commands, *word_helps()]) or "`tracepact help` lists what there is"
    raise click.UsageError(f"there is no help on `{topic}`; {hint}")


def _width() -> int:
    return min(output().width, _WIDEST)


def _language() -> Iterator[str]:
    """The reference, terms left and words right."""
    width = _width()
    for section in language_reference():
        yield f"{section.title}\n"
        for term, words in section.entries:
            if len(term) < _TERM:
                yield fill(f"{term:<{_TERM}}{words}", width, initial_indent="  ", subsequent_indent=" " * (_TERM + 2))
            else:
                yield f"  {term}"
                yield fill(words, width, initial_indent=" " * (_TERM + 2), subsequent_indent=" " * (_TERM + 2))
        yield ""
    yield "spec/language.md defines all of it; `tracepact show boundary_gate` prints a contract with comments"


def _rules(*names: str) -> Iterator[str]:
    """Some rules, each as a paragraph that hangs from its number."""
    for rule in names:
        text = f"{rule} {rules()[rule].replace('*', '')}"
        yield fill(text, _width(), subsequent_indent=" " * (len(max(names, key=len)) + 1)) + "\n"


def _calibration() -> Iterator[str]:
    """The rules for calibration sets, and the one that ships."""
    yield "A calibration set is what `tracepact select` chooses a contract by.\n"
    yield from _rules(*_CALIBRATION_RULES)
    yield "The set that ships as `boundary_gate`:\n"
    yield indent(spec_path("calibration/boundary_gate.calibration").read_text(encoding="utf-8"), "    ")


def _preferences() -> Iterator[str]:
    """The rules for tables of preferences, with one of each kind."""
    yield "Preferences are what `tracepact select --preferences FILE` chooses a contract by in place of ranks.\n"
    yield from _rules(*_PREFERENCE_RULES)
    yield "Over the cases of a calibration set:\n"
    yield indent(
        "a,b,worse,weight,judge\nlate onset,early onset,a,1,ann\nfragmentation,late onset,same,1,bob\n", "    "
    )
    yield "Over clips of systems, as `tracepact judge` writes it:\n"
    yield indent("clip,a,b,worse,judge\nyard.wav,base,new,b,ann\n", "    ")


def _notations() -> Iterator[str]:
    """How formulas of others are read, with one of each that says the same."""
    yield "Formulas of others are read with --from mltl or --from ltlf, by sat, implies, equivalent and simplify.\n"
    yield from _rules("21.7")
    for notation, formula in _SAME.items():
        yield f"    {notation:<10} {formula}"


def _codes() -> Iterator[str]:
    width = max(map(len, CODES))
    for code in CODES.values():
        yield f"{code.name:<{width}}  {code.severity.value:<7}  {code.meaning}"


def _code(name: str) -> Iterator[str]:
    """What a code means, the rules it rests on, and a contract with and without it."""
    code = CODES[name]
    yield f"{code.severity.value}[{name}]: {code.meaning}"
    for rule in code.rules:
        yield "\n" + fill(f"rule {rule}: {rules()[rule]}", _width())
    yield from examples()[name].lines()


_TOPICS = {
    "language": ("every statement, operator, atom, attribute and unit, on one page", _language),
    "calibration": ("the form of calibration sets, with the one that ships", _calibration),
    "preferences": ("the form of tables of preferences, which judges make", _preferences),
    "notations": ("formulas in MLTL and LTLf, and how they are read", _notations),
    "codes": ("every diagnostic code and what it means", _codes),
}
_MORE = (
    "\ntracepact help WORD         a word or sign of contracts, such as N or coverage, with an example"
    "\ntracepact help CODE         a code with its rules, a bad and a good example"
    "\ntracepact help COMMAND      the options of a command\n"
)


# `tracepact show`: print a starter contract, or list them.


@click.command()
@click.argument("contract", required=False, shell_complete=complete_starter)
def show_command(contract: str | None) -> None:
    """Print a starter contract with its comments; without CONTRACT, list the starter contracts."""
    if contract is None:
        names = list(starter_contracts())
        width = max(map(len, names))
        text = "\n".join(f"{name:<{width}}  {load_contract(path).title}" for name, path in starter_contracts().items())
    else:
        diagnostics = Diagnostics()
        source = read_source(contract, diagnostics)
        diagnostics.raise_errors()
        assert source is not None  # what cannot be read is an error
        text = source.text.rstrip("\n")
    say(text, answer=True, verbatim=contract is not None)


# `tracepact explain`: say in plain words what each clause means and needs.


@click.command()
@contract_argument
@set_option
@click.option(
    "--notes/--no-notes", default=True, show_default=True, help="Ask the solver which clauses others imply, and say so."
)
@format_option("text", "json")
def explain_command(contract: str, overrides: tuple[tuple[str, str], ...], notes: bool, form: str) -> None:
    """Explain each clause: its words, its windows in frames, lookahead, depth and monitoring cost.

    CONTRACT may also be one formula, such as 'F[-20ms,80ms] p': unknown names are free atoms, and a frame has 20 ms.
    """
    formula = formula_contract(contract, dict(overrides))
    compiled = formula or given_contract(contract, overrides)
    explanation = explain_contract(compiled)
    if form == "json":
        print_json(explanation)
        return
    console = output()
    if formula is not None:
        (clause,) = formula.frame_clauses
        console.print(Text(formula_words(clause.formula, formula.step)))
        console.print(Text(_measures(explanation.clauses[0]), style="dim"))
        return
    console.print(Text.assemble((explanation.contract, "bold"), f"  {explanation.title or ''}"))
    step, ahead = print_number(explanation.step * 1000), count(explanation.lookahead, "frame")
    console.print(f"step {step} ms, lookahead {ahead}, digest {explanation.digest[:16]}")
    for setting in explanation.settings:
        default = "" if setting.written else " (default)"
        console.print(Text(f"{setting.name} {setting.value}{default}: {setting.words}", style="dim"))
    console.print()
    for row in explanation.clauses:
        console.print(Text(row.clause, style="bold"))
        console.print(Padding(Text(row.words), (0, 0, 0, 2)))
        said: list[str] = []
        if isinstance(row, EventClauseExplanation):
            said = [" ".join(row.text.split()), *(f"{one.name}: {one.words}" for one in row.attributes)]
        if isinstance(row, EventClauseExplanation | FrameClauseExplanation):
            said += row.written
        for line in said:
            console.print(Padding(Text(line, style="dim"), (0, 0, 0, 2)))
        console.print(Padding(Text(_measures(row), style="dim"), (0, 0, 1, 2)))
    if notes:
        for headline in _implied(compiled):
            console.print(Text(headline))


def _implied(contract: Contract) -> Iterator[str]:
    """Which clauses hold wherever others do; the solver is loaded only for this."""
    findings = check_contract(contract, notes=True)
    return (d.headline for d in findings if d.code in ("clause-implied", "undecided"))


def _measures(row: ClauseExplanation) -> str:
    match row:
        case FrameClauseExplanation():
            windows = ", ".join(f"{lo:+d} to {hi:+d}" for lo, hi in row.windows) or "none"
            return (
                f"windows in frames: {windows}; lookahead {row.lookahead}, lookback {row.lookback}, "
                f"depth {row.depth}, {count(row.size, 'node')}, {count(row.cost, 'pass', 'passes')} over the mask"
            )
        case EventClauseExplanation():
            return row.note
    raise TypeError(f"no explanation: {row}")


# `tracepact lsp`: the language server, for editors to start.


@click.command()
@click.option("--stdio", is_flag=True, help="Speak over standard input and output, as it always does.")
@timeout_option(QUESTION_SECONDS)
def lsp_command(stdio: bool, timeout: float) -> None:
    """Serve contracts to an editor over the language server protocol.

    The editor starts it. It reports faults while a contract is typed and what `check` finds when the typing pauses,
    explains what is under the pointer, completes, renames, formats and offers fixes. It needs the extra `editor`.
    """
    try:
        from tracepact.author.editor_server import serve
    # Only a missing extra is said; a missing module of any other kind is a fault of ours.
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise InvalidInput(
            [
                Diagnostic(
                    "missing-extra",
                    "the language server needs the package `pygls`, which is not installed",
                    help="pip install 'tracepact[editor]'",
                )
            ]
        ) from None
    serve(timeout)
