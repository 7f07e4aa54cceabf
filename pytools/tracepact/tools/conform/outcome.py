"""A conformance run for other tools: a record, printed as JSON, and JUnit XML."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Annotated, Any, Literal
from xml.etree import ElementTree as Xml

from msgspec import Meta

from tracepact.records import Count, Record
from tracepact.tools.conform.findings import Conformance, Finding, FindingKind, Tally
from tracepact.tools.conform.picture import picture
from tracepact.tools.conform.replay import portable, replay_line
from tracepact.tools.conform.serve import PROTOCOL
from tracepact.tools.conform.vectors import Profile

_Answer = Annotated[dict[str, Any], Meta(description="What it answered, by the parts of the answer.")]
_Rule = Annotated[str, Meta(pattern=r"^[0-9]{1,4}(\.[0-9]{1,4})*$")]
_Vector = Annotated[dict[str, Any], Meta(extra_json_schema={"$ref": "vector.schema.json#/$defs/vector"})]


class TallyRecord(Record, frozen=True):
    """How many cases of a topic or an experiment were asked, and how they went."""

    name: str
    passed: Count
    failed: Count
    unsupported: Count


class RuleRecord(Record, frozen=True):
    """How the cases of a profile went that show a rule of the language."""

    profile: Profile
    rule: _Rule
    passed: Count
    failed: Count
    unsupported: Count


class ReasonCount(Record, frozen=True):
    """A reason that was given for unsupported cases, and how often."""

    reason: str
    count: Annotated[int, Meta(ge=1)]


class FindingRecord(Record, frozen=True):
    """Something the implementation did that the language or the protocol does not allow."""

    kind: FindingKind
    origin: str
    words: str
    parts: tuple[str, ...]
    answered: _Answer | None
    vector: _Vector | None
    picture: tuple[str, ...]
    replay: Annotated[str | None, Meta(description="The command that asks the case again.")] = None


class ToolVersion(Record, frozen=True):
    """What tested it."""

    tracepact: str


class ConformanceRecord(Record, frozen=True):
    """What `tracepact conform --format json` prints: the outcome of a conformance run."""

    command: tuple[str, ...]
    implementation: str
    protocol: Literal[1]
    profiles: tuple[Profile, ...]
    left_out: Annotated[
        tuple[Profile, ...],
        Meta(description="The profiles asked for by name that the implementation does not support: not tested."),
    ]
    seed: int
    examples: Count
    conforms: Annotated[
        bool, Meta(description="Whether something was tested, nothing was found and the run came to its end.")
    ]
    tested: Annotated[bool, Meta(description="Whether any case was answered; without one nothing is known.")]
    stopped: Annotated[str | None, Meta(description="Why the run stopped early, if it did.")]
    vectors: tuple[TallyRecord, ...]
    random: tuple[TallyRecord, ...]
    rules: Annotated[
        tuple[RuleRecord, ...],
        Meta(description="The vectors by profile and the rules they show; random findings count as failed."),
    ]
    unsupported: Annotated[
        tuple[ReasonCount, ...],
        Meta(description="The reasons given for unsupported cases, most frequent first."),
    ]
    findings: tuple[FindingRecord, ...]
    versions: ToolVersion


def conformance_record(found: Conformance) -> ConformanceRecord:
    """The run as a record."""
    return ConformanceRecord(
        command=tuple(portable(found.command)),
        implementation=found.name,
        protocol=PROTOCOL,
        profiles=found.profiles,
        left_out=found.left_out,
        seed=found.seed,
        examples=found.examples,
        conforms=found.conforms,
        tested=found.tested,
        stopped=found.stopped,
        vectors=_tallies(found.vectors),
        random=_tallies(found.random),
        rules=tuple(
            RuleRecord(profile, rule, tally.passed, tally.failed, tally.unsupported)
            for (profile, rule), tally in sorted(found.rules.items(), key=_by_rule)
        ),
        unsupported=tuple(ReasonCount(reason, count) for reason, count in found.reasons.most_common()),
        findings=tuple(_finding(finding, found) for finding in found.findings),
        versions=ToolVersion(version("tracepact")),
    )


def _tallies(tallies: Mapping[str, Tally]) -> tuple[TallyRecord, ...]:
    return tuple(TallyRecord(name, t.passed, t.failed, t.unsupported) for name, t in tallies.items())


def _by_rule(entry: tuple[tuple[Profile, str], Tally]) -> tuple[int, list[int]]:
    (profile, rule), _ = entry
    return list(Profile).index(profile), [int(part) for part in rule.split(".")]


def _finding(finding: Finding, found: Conformance) -> FindingRecord:
    return FindingRecord(
        kind=finding.kind,
        origin=finding.origin,
        words=finding.words,
        parts=finding.parts,
        answered=None if finding.answered is None else dict(finding.answered),
        vector=None if finding.vector is None else finding.vector.data,
        picture=tuple(picture(finding)),
        replay=replay_line(finding, found.implementation),
    )


def junit_xml(found: Conformance) -> str:
    """The run as JUnit XML: a suite for each topic and experiment, a failure for each finding.

    A run that was stopped, or tested nothing, has an error that says so: it must not look like one that passed.
    """
    root = Xml.Element("testsuites", name=_plain(f"tracepact conform: {found.name}"))
    groups = [("vectors", topic, tally) for topic, tally in found.vectors.items()]
    groups += [("random", name, tally) for name, tally in found.random.items()]
    placed: set[int] = set()
    for group, name, tally in groups:
        own = [f for f in found.findings if _belongs(f, group, name)]
        placed |= {id(finding) for finding in own}
        _suite(root, f"{group}.{name}", tally, own)
    rest = [finding for finding in found.findings if id(finding) not in placed]
    if rest:
        _suite(root, "protocol", Tally(failed=len(rest)), rest)
    if found.stopped is not None:
        _error(root, "stopped", found.stopped)
    elif not found.tested:
        _error(root, "nothing was tested", "no case was answered, so nothing is known of the implementation")
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _belongs(finding: Finding, group: str, name: str) -> bool:
    if group == "random":
        return finding.origin == f"random: {name}"
    return finding.origin == "vectors" and finding.vector is not None and finding.vector.topic == name


def _suite(root: Xml.Element, name: str, tally: Tally, findings: list[Finding]) -> None:
    cases = max(tally.asked, len(findings))
    suite = Xml.SubElement(
        root, "testsuite", name=name, tests=str(cases), failures=str(len(findings)), skipped=str(tally.unsupported)
    )
    for finding in findings:
        title = finding.vector.id if finding.vector is not None else finding.kind
        case = Xml.SubElement(suite, "testcase", classname=name, name=title)
        failure = Xml.SubElement(case, "failure", type=finding.kind, message=_plain(finding.words))
        failure.text = _plain("\n".join(picture(finding)))
    for number in range(tally.passed):
        Xml.SubElement(suite, "testcase", classname=name, name=f"passed {number + 1}")
    for number, reason in enumerate(tally.reasons.elements()):
        case = Xml.SubElement(suite, "testcase", classname=name, name=f"unsupported {number + 1}")
        Xml.SubElement(case, "skipped", message=_plain(reason))


def _error(root: Xml.Element, title: str, words: str) -> None:
    suite = Xml.SubElement(root, "testsuite", name="run", tests="1", failures="0", errors="1", skipped="0")
    case = Xml.SubElement(suite, "testcase", classname="run", name=title)
    Xml.SubElement(case, "error", type=title, message=_plain(words))


def _plain(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return "".join(
        c if c in "\t\n" or " " <= c < "\ud800" or "\ue000" <= c < "\ufffe" or c > "\uffff" else "?" for c in text
    )
