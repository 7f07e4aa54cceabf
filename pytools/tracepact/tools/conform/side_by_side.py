"""Several conformance runs side by side: what each implementation passes, topic by topic and rule by rule."""

from collections.abc import Sequence
from fractions import Fraction

from markupsafe import Markup

from tracepact.show.page import Section, html_page, html_table, templates
from tracepact.show.table import Bar, Cell, Table, Tone, numbers, words
from tracepact.tools.conform.outcome import ConformanceRecord, RuleRecord, TallyRecord
from tracepact.wording import count


def verdict(record: ConformanceRecord) -> str:
    """What a run found, in a few words."""
    if record.findings:
        found = count(len(record.findings), "finding")
        return f"does not conform: {found}" + (", stopped early" if record.stopped else "")
    if record.stopped is not None:
        return "not tested to the end"
    if not record.tested:
        return "nothing was tested"
    return "conforms in what it answered" if record.unsupported else "conforms"


def overview(records: Sequence[ConformanceRecord]) -> Table:
    """One row an implementation."""
    rows: list[list[Cell | str]] = []
    for record in records:
        tallies = (*record.vectors, *record.random)
        passed, failed, left = (sum(getattr(t, part) for t in tallies) for part in ("passed", "failed", "unsupported"))
        tone = Tone.GOOD if record.conforms else Tone.BAD if record.findings else Tone.FAINT
        profiles = ", ".join(profile.value for profile in record.profiles) or "none"
        rows.append([record.implementation, Cell(verdict(record), tone), profiles, str(passed), str(failed), str(left)])
    headings = [*words("implementation", "outcome", "profiles"), *numbers("passed", "failed", "unsupported")]
    return Table("Implementations", headings, rows)


def by_topic(records: Sequence[ConformanceRecord]) -> Table:
    """Topics of vectors and experiments in rows, implementations in columns."""
    rows: list[list[Cell | str]] = []
    for group in ("vectors", "random"):
        tallies = [{tally.name: tally for tally in getattr(record, group)} for record in records]
        for name in dict.fromkeys(name for some in tallies for name in some):
            rows.append([f"{group}: {name}", *(_cell(some.get(name)) for some in tallies)])
    return Table("Cases passed of those answered", [*words("cases"), *words(*_names(records))], rows)


def by_rule(records: Sequence[ConformanceRecord]) -> Table:
    """Rules in rows, by profile; implementations in columns."""
    tallies = [{(rule.profile.value, rule.rule): rule for rule in record.rules} for record in records]
    places = dict.fromkeys(place for some in tallies for place in some)
    order = sorted(places, key=lambda place: (place[0], [int(part) for part in place[1].split(".")]))
    rows: list[list[Cell | str]] = [
        [f"{profile} {rule}", *(_cell(some.get((profile, rule))) for some in tallies)] for profile, rule in order
    ]
    return Table("Rules of the language, by profile", [*words("profile, rule"), *words(*_names(records))], rows)


def _names(records: Sequence[ConformanceRecord]) -> list[str]:
    return [record.implementation for record in records]


def _cell(tally: TallyRecord | RuleRecord | None) -> Cell:
    if tally is None or not tally.passed + tally.failed:
        return Cell("–" if tally is None else f"unsupported ({tally.unsupported})", Tone.FAINT)
    answered = tally.passed + tally.failed
    tone = Tone.BAD if tally.failed else Tone.GOOD
    return Cell(f"{tally.passed} of {answered}", tone, bar=Bar(Fraction(tally.passed, answered)))


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
