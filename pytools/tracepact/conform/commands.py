"""`tracepact conform` and `tracepact conformance`: one run, and several side by side."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import click
import msgspec
from markupsafe import Markup
from rich.console import Console

from tracepact.command_line import Exit, ended_as_by_hand
from tracepact.conform.conformance import conform
from tracepact.conform.differential import MissingHypothesis, replay_line, vector_named, vector_of_text
from tracepact.conform.findings import CaseTally, Conformance, Finding
from tracepact.conform.oracle import ConformanceProfile, Vector
from tracepact.conform.outcome import (
    ConformanceRecord,
    RuleRecord,
    TallyRecord,
    badge_svg,
    conformance_record,
    junit_xml,
    picture,
    vector_data,
)
from tracepact.conform.protocol import BadCase
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.files import json_text, write_whole
from tracepact.inputs import read_within
from tracepact.options import Seconds, WholeNumber, earlier_name, format_option, wait_option
from tracepact.outputs import BADGE, JUNIT, PAGE, OutputFile, print_json, print_rows
from tracepact.runs.directory import owner
from tracepact.show.lines import reader_may_leave, say
from tracepact.show.pages import Section, html_page, html_table, templates
from tracepact.show.tables import Cell, ShareBar, Table, Tone, drawn, messages, numbers, output, words
from tracepact.wording import count

# Several conformance runs side by side: what each implementation passes, topic by topic and rule by rule.


def verdict(record: ConformanceRecord) -> str:
    """What a run found, in a few words."""
    if record.findings:
        number = count(len(record.findings), "finding")
        return f"does not conform: {number}" + (", stopped early" if record.stopped else "")
    if record.stopped is not None:
        return "not tested to the end"
    if not record.tested:
        return "nothing was tested"
    return "conforms in part" if record.unsupported else "conforms"


def overview(records: Sequence[ConformanceRecord]) -> Table:
    """One row an implementation."""
    rows: list[list[Cell | str]] = []
    for record in records:
        tallies = (*record.vectors, *record.random)
        passed, failed, left = (sum(getattr(t, part) for t in tallies) for part in ("passed", "failed", "unsupported"))
        tone = Tone.GOOD if record.conforms else Tone.BAD if record.findings else Tone.FAINT
        profiles = ", ".join(profile.value for profile in record.profiles) or "none"
        rows.append(
            [f"`{record.implementation}`", Cell(verdict(record), tone), profiles, str(passed), str(failed), str(left)]
        )
    headings = [*words("implementation", "outcome", "profiles"), *numbers("passed", "failed", "unsupported")]
    return Table("Implementations", headings, rows)


def by_topic(records: Sequence[ConformanceRecord]) -> Table:
    """Topics of vectors and experiments in rows, implementations in columns."""
    rows: list[list[Cell | str]] = []
    for group in ("vectors", "random"):
        tallies = [{tally.name: tally for tally in getattr(record, group)} for record in records]
        for name in dict.fromkeys(name for some in tallies for name in some):
            rows.append([f"{group}: {name}", *(_cell(some.get(name)) for some in tallies)])
    return Table("Cases passed of those answered", [*words("cases"), *words(*_table_names(records))], rows)


def by_rule(records: Sequence[ConformanceRecord]) -> Table:
    """Rules in rows, by profile; implementations in columns."""
    tallies = [{(rule.profile.value, rule.rule): rule for rule in record.rules} for record in records]
    places = dict.fromkeys(place for some in tallies for place in some)
    # By numbers, for as text 12.10 comes before 12.2.
    order = sorted(places, key=lambda place: (place[0], [int(part) for part in place[1].split(".")]))
    rows: list[list[Cell | str]] = [
        [f"{profile} {rule}", *(_cell(some.get((profile, rule))) for some in tallies)] for profile, rule in order
    ]
    return Table("Rules of the language, by profile", [*words("profile, rule"), *words(*_table_names(records))], rows)


def _table_names(records: Sequence[ConformanceRecord]) -> list[str]:
    return [record.implementation for record in records]


def _cell(tally: TallyRecord | RuleRecord | None) -> Cell:
    if tally is None or not tally.passed + tally.failed:
        return Cell("–" if tally is None else f"unsupported ({tally.unsupported})", Tone.FAINT)
    answered = tally.passed + tally.failed
    tone = Tone.BAD if tally.failed else Tone.GOOD
    return Cell(f"{tally.passed} of {answered}", tone, bar=ShareBar(Fraction(tally.passed, answered)))


_FINDINGS = """{% for record in records %}<h3>{{ record.implementation }}</h3>
{% if record.stopped %}<p>Stopped early: {{ record.stopped }}.</p>{% endif %}
{% if not record.findings %}<p>Nothing was found.</p>{% endif %}
{% for finding in record.findings[:20] %}<details><summary>{{ finding.kind }}:
{{ finding.vector.id if finding.vector and finding.origin == "vectors" else finding.origin }}</summary>
<p>{{ finding.words }}</p><pre>{{ finding.picture | join("\n") }}</pre>
{% if finding.replay %}<p>Ask it again: <code>{{ finding.replay }}</code></p>{% endif %}</details>
{% endfor %}
{% if record.findings | length > 20 %}<p>{{ record.findings | length - 20 }} more are in its JSON.</p>{% endif %}
{% endfor %}"""


def page(records: Sequence[ConformanceRecord]) -> str:
    """The page: an overview, then topics, rules and findings."""
    findings = templates().from_string(_FINDINGS).render(records=records)
    sections = [
        Section("overview", "Implementations", html_table(overview(records))),
        Section("topics", "By topic", html_table(by_topic(records)), "Cases passed of those answered."),
        Section(
            "rules", "By rule", html_table(by_rule(records)), "Vectors by the rules they show, and random findings."
        ),
        Section("findings", "Findings", Markup(findings)),  # noqa: S704  (what a template made, which escapes)
    ]
    return html_page("Conformance side by side", Markup(""), sections)


# `tracepact conformance`: results of conformance runs side by side.

_LARGEST = 1 << 26


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULT...")
@click.option("--out", "place", type=OutputFile(PAGE, owner), help="Write an HTML page to this file.")
def conformance_command(results: tuple[Path, ...], place: Path | None) -> int:
    """Compare conformance results, JSON that `tracepact conform --format json` printed, side by side.

    A table in the terminal, and with --out a page of all topics, rules and findings that loads nothing.

    Exit codes: 0 every result conforms, 1 one of them does not.
    """
    records = [_read(path) for path in results]
    if place is not None:
        write_whole({place: page(records)})
        say(f"wrote {place}")
    with reader_may_leave():
        console = output()
        console.print(drawn(overview(records)))
        console.print(drawn(by_topic(records)))
    return Exit.OK if all(record.conforms for record in records) else Exit.VIOLATED


def _read(path: Path) -> ConformanceRecord:
    """A result; InvalidInput if the file has none."""
    try:
        return msgspec.json.decode(read_within(path.parent, path.name, _LARGEST), type=ConformanceRecord)
    except OSError as error:
        headline = f"`{path}` cannot be read: {(error.strerror or str(error)).lower()}"
        raise InvalidInput([Diagnostic("unreadable-file", headline, RowPlace(str(path)))]) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        headline = f"this is not a result of `tracepact conform`: {error}"
        help = "write one with `tracepact conform --format json -- COMMAND > result.json`"
        raise InvalidInput([Diagnostic("bad-json", headline, RowPlace(str(path)), help)]) from None


# `tracepact conform`: test another implementation against the vectors and the reference.

_SHOWN = 10
_LONGEST_LINE = 4_000


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("implementation", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option(
    "--python",
    metavar="FILE[:NAME]",
    help="Test a Python implementation in this process, steered by its branches: NAME (default: monitor) makes a "
    "function from messages to replies.",
)
@click.option(
    "--examples", type=WholeNumber(min=0), default=100, show_default=True, help="Random cases of each experiment."
)
@click.option("--long", is_flag=True, help="Draw larger cases too; with --examples 400 a run takes many minutes.")
@click.option("--id", "names", multiple=True, metavar="ID", help="Ask only this vector; repeatable.")
@click.option(
    "--ask", "asks", multiple=True, metavar="JSON", help="Ask only this case, as findings give it; repeatable."
)
@click.option(
    "--seed",
    type=WholeNumber(),
    help="Seed of the random cases, as a report names it; without one each run draws its own.",
)
@click.option("--allow-unsupported", is_flag=True, help="Let it conform although it does not support every case.")
@earlier_name("--profile", "--only")
@click.option(
    "--only",
    "profiles",
    type=click.Choice([profile.value for profile in ConformanceProfile]),
    multiple=True,
    help="Test only this conformance profile, of those the implementation supports; repeatable.",
)
@wait_option(10.0, "Seconds to wait for an answer.")
@click.option("--seconds", type=Seconds(), help="Begin no case after this time; the outcome says what was left out.")
@click.option("--all", "show_all", is_flag=True, help=f"Show every finding, not only the first {_SHOWN}.")
@click.option("--junit", type=OutputFile(JUNIT), help="Also write JUnit XML to this file.")
@click.option("--badge", type=OutputFile(BADGE), help="Also write a badge (SVG) to this file.")
@format_option("text", "json", "csv")
def conform_command(
    implementation: tuple[str, ...],
    python: str | None,
    examples: int,
    long: bool,
    names: tuple[str, ...],
    asks: tuple[str, ...],
    seed: int | None,
    allow_unsupported: bool,
    profiles: tuple[str, ...],
    timeout: float,
    seconds: Fraction | None,
    show_all: bool,
    junit: Path | None,
    badge: Path | None,
    form: str,
) -> int:
    """Test an implementation that speaks the oracle protocol: all vectors of its profiles, then random cases.

    Random cases are small ones, which most faults show in, and ones around sizes that programs get wrong. A case on
    which it fails is shrunk to the smallest formula and trace that still disagree, with the command that asks it again.
    --format csv prints how many cases of each topic passed and failed.

    Exit codes: 0 it conforms, 1 something was found or not supported, 3 nothing was tested, or not to the end.
    """
    if bool(implementation) == (python is not None):
        raise click.UsageError("name what is to be tested: a command after `--`, or a file with --python")
    only = _chosen(names, asks)
    chosen = [ConformanceProfile(name) for name in profiles] or None
    console = messages()
    try:
        with ended_as_by_hand(), console.status("starting") as status:

            def progress(what: str, number: int) -> None:
                if console.is_terminal:
                    status.update(f"{what}: {number}")

            outcome = conform(
                implementation,
                profiles=chosen,
                examples=examples,
                seed=secrets.randbelow(1 << 32) if seed is None else seed,
                timeout=timeout,
                seconds=float("inf") if seconds is None else float(seconds),
                long=long,
                only=only,
                may_leave_out=allow_unsupported,
                python=python,
                progress=progress,
            )
    except MissingHypothesis:
        raise click.ClickException(
            "random cases need Hypothesis: pip install 'tracepact[conform]', or ask for none with --examples 0"
        ) from None
    # Written before anything is printed: a pipe that closes early must not cost a CI job its report.
    files = {} if junit is None else {junit: junit_xml(outcome)}
    write_whole(files if badge is None else {**files, badge: badge_svg(outcome)})
    with reader_may_leave():
        match form:
            case "json":
                print_json(conformance_record(outcome))
            case "csv":
                rows = ((*names, t.passed, t.failed, t.unsupported) for names, t in _tallies(outcome))
                print_rows(("kind", "name", "passed", "failed", "unsupported"), rows)
            case _:
                _print(output(), outcome, show_all)
    if outcome.conforms:
        return Exit.OK
    whole = outcome.tested and outcome.stopped is None
    return Exit.VIOLATED if outcome.findings or whole else Exit.UNKNOWN


def _chosen(names: tuple[str, ...], asks: tuple[str, ...]) -> list[Vector] | None:
    """The cases to ask in place of all, None for all."""
    if not names and not asks:
        return None
    try:
        return [*map(vector_named, names), *map(vector_of_text, asks)]
    except KeyError as unknown:
        raise click.BadParameter(f"there is no vector `{unknown.args[0]}`", param_hint="--id") from None
    except BadCase as bad:
        raise click.BadParameter(str(bad), param_hint="--ask") from None


def _tallies(outcome: Conformance) -> Iterator[tuple[tuple[str, str], CaseTally]]:
    for group, tallies in (("vectors", outcome.vectors), ("random", outcome.random)):
        for name, tally in tallies.items():
            yield (group, name), tally


def _print(console: Console, outcome: Conformance, show_all: bool) -> None:
    console.print(f"[bold]{_headline(outcome)}[/bold]:", end=" ")
    # In quotation marks: a name may itself be words such as `conforms`.
    console.print(f"`{outcome.name}`", markup=False, soft_wrap=True)
    if outcome.stopped:
        console.print(f"stopped early: {outcome.stopped}", style="bold", markup=False, soft_wrap=True)
    console.print(f"profiles {_conform_names(outcome.profiles)}; seed {outcome.seed}")
    if not outcome.tested and outcome.stopped is None:
        wanted = "all" if outcome.asked is None else _conform_names(outcome.asked)
        console.print(f"it supports {_conform_names(outcome.supported)}; asked for: {wanted}")
    elif outcome.left_out:
        console.print(f"asked for but not supported, so not tested: {_conform_names(outcome.left_out)}")
    if outcome.reasons:
        console.print(f"answered {_share(outcome.vectors, 'vectors')}, {_share(outcome.random, 'random cases')}")
    console.print()
    rows = [[": ".join(names), *_numbers(tally)] for names, tally in _tallies(outcome)]
    if rows:
        console.print(drawn(Table("", [*words("cases"), *numbers("passed", "failed", "unsupported")], rows)))
    _print_reasons(console, outcome, show_all)
    shown = outcome.findings if show_all else _first_of_each_origin(outcome.findings)
    for finding in shown:
        _print_finding(console, finding, replay_line(finding, outcome.implementation))
    if len(shown) < len(outcome.findings):
        console.print(f"\n{count(len(outcome.findings) - len(shown), 'more finding')}; --all shows every one")


def _conform_names(profiles: Sequence[ConformanceProfile]) -> str:
    return ", ".join(profile.value for profile in profiles) or "none"


def _headline(outcome: Conformance) -> str:
    if outcome.findings:
        return "does not conform"
    if outcome.stopped:
        return "not tested to the end: nothing was found until then"
    if not outcome.tested:
        return "nothing was tested"
    return "conforms in part" if outcome.reasons else "conforms"


def _share(tallies: Mapping[str, CaseTally], what: str) -> str:
    answered, asked = (sum(getattr(t, part) for t in tallies.values()) for part in ("answered", "asked"))
    return f"{answered} of {asked} {what}"


def _print_reasons(console: Console, outcome: Conformance, show_all: bool) -> None:
    reasons = outcome.reasons.most_common()
    shown = reasons if show_all else reasons[:_SHOWN]
    if reasons:
        console.print("\nreasons it gives for unsupported cases:")
    for reason, number in shown:
        console.print(f"  {number} × {reason}", markup=False, soft_wrap=True)
    if len(shown) < len(reasons):
        console.print(f"  {count(len(reasons) - len(shown), 'more reason')}; --all shows every one")


def _numbers(tally: CaseTally) -> tuple[str, str, str]:
    return str(tally.passed), str(tally.failed) if tally.failed else "·", str(tally.unsupported or "·")


def _first_of_each_origin(findings: list[Finding]) -> list[Finding]:
    """The random ones, which are shrunk, and as many of the vectors as fit."""
    # Each experiment ends at its first finding, so these are few and of different kinds; failing vectors are often many
    # of one.
    random = [finding for finding in findings if finding.origin != "vectors"]
    fixed = [finding for finding in findings if finding.origin == "vectors"]
    return [*fixed[: max(_SHOWN - len(random), 3)], *random]


def _print_finding(console: Console, finding: Finding, again: str | None) -> None:
    title = finding.vector.id if finding.vector is not None and finding.origin == "vectors" else finding.origin
    console.print(f"\n{finding.kind}  {title}", style="bold", markup=False)
    console.print(f"  {finding.words}", markup=False, soft_wrap=True)
    for line in picture(finding):
        console.print(f"    {line}", markup=False, soft_wrap=True)
    if finding.vector is None:
        return
    if again is not None and len(again) <= _LONGEST_LINE:
        console.print("  ask it again:", style="dim")
        console.print(f"    {again}", markup=False, soft_wrap=True)
    elif again is not None:
        console.print(f"  the line that asks it again has {len(again):,} characters: --format json has it", style="dim")
    if finding.origin == "vectors":
        console.print(
            f"  rules {', '.join(finding.vector.rules)}: {finding.vector.derivation}", markup=False, soft_wrap=True
        )
    else:
        rules = ", ".join(finding.vector.rules)
        console.print(f"  rules {rules}" if rules else "  rules of chapters 1 to 4", markup=False)
        console.print("  as a vector, once its answer is derived from the rules:", style="dim")
        console.print(f"    {_as_vector(finding, finding.vector)}", markup=False, soft_wrap=True)


def _as_vector(finding: Finding, vector: Vector) -> str:
    """The vector's data; running counts that are right, a list for each moment, are left out of a long one."""
    if "counts" in vector.expected and "counts" not in finding.parts and len(vector.expected["counts"]) > _SHOWN:
        expected = {key: value for key, value in vector.expected.items() if key != "counts"}
        vector = replace(vector, expected=expected)
    text = json_text(vector_data(vector), one_line=True).rstrip()
    return text if len(text) <= _LONGEST_LINE else f"{len(text):,} characters long: --format json has it"
