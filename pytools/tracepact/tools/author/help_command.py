"""`tracepact help`: the language on one page, the form of calibration sets, and every code with an example."""

from collections.abc import Iterator
from textwrap import fill, indent

import click

from tracepact.diagnostics import CODES, did_you_mean
from tracepact.lang.reference import language_reference
from tracepact.show.lines import say
from tracepact.show.screen import output
from tracepact.specs import rules, spec_path
from tracepact.tools.author.examples import examples

_CALIBRATION_RULES = tuple(f"14.{number}" for number in range(1, 7))
_PREFERENCE_RULES = "14.26", "14.27", "14.29"
_WIDEST, _TERM = 100, 34
_SAME = {"tracepact": "p -> F[1f,3f] q", "mltl": "p -> F[1,3] q", "ltlf": "p -> X F[0,2] q"}
"""One formula in each notation."""


def _topic_completion(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in (*_TOPICS, *CODES) if name.startswith(incomplete)]


@click.command()
@click.argument("topic", required=False, shell_complete=_topic_completion)
@click.pass_context
def command(ctx: click.Context, topic: str | None) -> None:
    """Explain the language, the form of calibration sets, notations of others, a diagnostic code or a command.

    TOPIC is `language`, `calibration`, `notations`, `codes`, a code such as unknown-atom, or the name of a command.
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
    if topic in commands and isinstance(group, click.Group) and ctx.parent:
        found = group.get_command(ctx.parent, topic)
        assert found is not None
        return found.get_help(click.Context(found, info_name=topic, parent=ctx.parent))
    hint = did_you_mean(topic, [*_TOPICS, *CODES, *commands]) or "`tracepact help` lists what there is"
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


def _calibration() -> Iterator[str]:
    """The rules for calibration sets, and the one that ships."""
    yield "A calibration set is what `tracepact select` chooses a contract by.\n"
    for rule in _CALIBRATION_RULES:
        yield fill(f"{rule} {rules()[rule].replace('*', '')}", _width(), subsequent_indent="     ") + "\n"
    yield "The set that ships as `boundary_gate`:\n"
    yield indent(spec_path("calibration/boundary_gate.calibration").read_text(encoding="utf-8"), "    ")


def _preferences() -> Iterator[str]:
    """The rules for tables of preferences, with one of each kind."""
    yield "Preferences are what `tracepact select --preferences FILE` chooses a contract by in place of ranks.\n"
    for rule in _PREFERENCE_RULES:
        yield fill(f"{rule} {rules()[rule].replace('*', '')}", _width(), subsequent_indent="      ") + "\n"
    yield "Over the cases of a calibration set:\n"
    yield indent(
        "a,b,worse,weight,judge\nlate onset,early onset,a,1,ann\nfragmentation,late onset,same,1,bob\n", "    "
    )
    yield "Over clips of systems, as `tracepact judge` writes it:\n"
    yield indent("clip,a,b,worse,judge\nyard.wav,base,new,b,ann\n", "    ")


def _notations() -> Iterator[str]:
    """How formulas of others are read, with one of each that says the same."""
    yield "Formulas of others are read with --from mltl or --from ltlf, by sat, implies, equivalent and simplify.\n"
    yield fill(f"21.7 {rules()['21.7'].replace('*', '')}", _width(), subsequent_indent="     ") + "\n"
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
    example = examples().get(name)
    if example is not None:
        yield "\nbad:\n" + indent(example.bad.rstrip("\n"), "    ")
        if example.good is not None:
            yield "\ngood:\n" + indent(example.good.rstrip("\n"), "    ")


_TOPICS = {
    "language": ("every statement, operator, atom, attribute and unit, on one page", _language),
    "calibration": ("the form of calibration sets, with the one that ships", _calibration),
    "preferences": ("the form of tables of preferences, which judges make", _preferences),
    "notations": ("formulas in MLTL and LTLf, and how they are read", _notations),
    "codes": ("every diagnostic code and what it means", _codes),
}
_MORE = (
    "\ntracepact help CODE         a code with its rules, a bad and a good example"
    "\ntracepact help COMMAND      the options of a command\n"
)
